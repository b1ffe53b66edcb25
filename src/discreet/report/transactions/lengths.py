"""How many items transactions have, before and after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.report.charts import SERIES, bins_before_and_after, figure
from discreet.report.page import Section
from discreet.report.tables import table
from discreet.report.text import amount, count, plural, span


def section(result: Mapping[str, Any]) -> Section:
    before, after = (result["transactions"][series] for series in SERIES)
    lead = (
        "Only items that are not sensitive are counted. Where several items of a transaction are published as the same "
        "general item, it has that item once and gets shorter."
    )
    return Section("transactions", "The transactions", lead, _overview(before, after) + _lengths(before, after))


def _overview(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    figures = [
        ("Transactions", "count", count),
        ("Transactions without items", "empty", count),
        ("Average number of items", "average", amount),
        ("Most items of a transaction", "longest", count),
    ]
    return table(
        "The transactions in figures",
        ["", *SERIES],
        [[name, written(before[field]), written(after[field])] for name, field, written in figures],
        numbers=(1, 2),
    )


def _lengths(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    bins: dict[tuple[int, int | None], list[int]] = {}
    for side, lengths in enumerate((before["lengths"], after["lengths"])):
        for entry in lengths:
            bins.setdefault((entry["from"], entry["to"]), [0, 0])[side] = entry["transactions"]
    if not bins:
        return ""
    ordered = sorted(bins, key=lambda edges: edges[0])
    names = [span(*edges) for edges in ordered]
    pairs = [(bins[edges][0], bins[edges][1]) for edges in ordered]
    finding = (
        f"A transaction has {amount(before['average'])} items on average in the original and "
        f"{amount(after['average'])} in the release."
    )
    if after["empty"]:
        finding += f" {plural(after['empty'], 'published transaction has', 'published transactions have')} none."
    data = table(
        "Transactions by their number of items",
        ["items", *SERIES],
        [[name, *map(count, pair)] for name, pair in zip(names, pairs, strict=True)],
        numbers=(1, 2),
    )
    picture = bins_before_and_after(names, pairs, "items of a transaction", "transactions")
    return figure(picture, finding, f"{finding} Outlined bars: the original; filled bars: the release.", data)
