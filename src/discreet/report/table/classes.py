"""How large the groups of records that look alike are, before and after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.report.charts import SERIES, bins_before_and_after, figure
from discreet.report.page import Section
from discreet.report.tables import table
from discreet.report.text import amount, count, share, span


def section(result: Mapping[str, Any]) -> Section | None:
    classes = result.get("classes")
    if classes is None:
        return None
    lead = (
        "Records that agree in all quasi-identifiers look alike and form a group. In a group of one a person is "
        "alone; the further right the bars are, the better people are hidden among others."
    )
    return Section("groups", "Groups of records that look alike", lead, _overview(classes) + _sizes(classes))


def _overview(classes: Mapping[str, Any]) -> str:
    before, after = classes["before"], classes["after"]
    measures = [
        ("Number of groups", "count", count),
        ("Smallest group", "smallest", count),
        ("Median group", "median", amount),
        ("Average group", "average", amount),
        ("Largest group", "largest", count),
    ]
    return table(
        "The groups in figures",
        ["", *SERIES],
        [[name, written(before[key]), written(after[key])] for name, key, written in measures],
        numbers=(1, 2),
    )


def _sizes(classes: Mapping[str, Any]) -> str:
    bins: dict[tuple[int, int | None], dict[str, Mapping[str, Any]]] = {}
    for series, side in zip(SERIES, ("before", "after"), strict=True):
        for entry in classes[side]["sizes"]:
            bins.setdefault((entry["from"], entry["to"]), {})[series] = entry
    ordered = sorted(bins, key=lambda edges: edges[0])
    while ordered and not any(entry["records"] for entry in bins[ordered[-1]].values()):
        ordered.pop()
    if not ordered:
        return ""
    names = [span(*edges) for edges in ordered]
    pairs = [(_records(bins[edges], "original"), _records(bins[edges], "release")) for edges in ordered]
    data = table(
        "Groups and records by size of group",
        ["size of group", "groups, original", "records, original", "groups, release", "records, release"],
        [
            [
                span(*edges),
                *(
                    count(bins[edges].get(series, {}).get(key, 0))
                    for series in SERIES
                    for key in ("classes", "records")
                ),
            ]
            for edges in ordered
        ],
        numbers=(1, 2, 3, 4),
    )
    finding = _finding(classes)
    picture = bins_before_and_after(names, pairs, "size of the group a record is in", "records")
    return figure(picture, finding, f"{finding} Outlined bars: the original; filled bars: the release.", data)


def _finding(classes: Mapping[str, Any]) -> str:
    told = []
    for series, side in zip(SERIES, ("before", "after"), strict=True):
        alone = sum(entry["records"] for entry in classes[side]["sizes"] if entry["to"] == 1)
        whole = sum(entry["records"] for entry in classes[side]["sizes"])
        told.append(
            f"{count(alone)} of {count(whole)} records ({share(alone / whole if whole else 0)}) in the {series}"
        )
    return f"Alone in their group: {told[0]}, {told[1]}."


def _records(entries: Mapping[str, Mapping[str, Any]], series: str) -> int:
    return int(entries.get(series, {}).get("records", 0))
