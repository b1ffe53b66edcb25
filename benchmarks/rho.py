"""rho-uncertainty on real data: what each method loses, how long it takes, and how that changes with rho."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any, cast

import numpy as np

from benchmarks import markdown
from benchmarks.findings import Findings
from benchmarks.questions import report_progress
from benchmarks.sets_data import RETAIL, SEEDS, WEB_VIEW_2, DataSet, missing, released
from benchmarks.sets_plots import Panel, drawn
from discreet.encode.reading_transactions import encode_transactions
from discreet.encode.transactions import EncodedTransactions
from discreet.losses import LossMetric
from discreet.measure.transactions.comparison import TransactionComparison
from discreet.measure.transactions.item_divergence import ItemDivergence
from discreet.measure.transactions.rules_kept import RulesKept
from discreet.models import RhoUncertainty
from discreet.search.events import ignore
from discreet.search.limits import Limits
from discreet.search.transactions.global_suppression import global_suppression
from discreet.search.transactions.insertion import insertion
from discreet.search.transactions.partial_suppression import partial_suppression
from discreet.search.transactions.problem import TransactionProblem, TransactionResult
from discreet.search.transactions.td_control import td_control
from discreet.search.transactions.warm_up import warm_up
from discreet.taxonomy.even import Even

TIME_LIMIT = 300.0
QUICK_TIME_LIMIT = 5.0
SENSITIVE = Fraction(2, 5)
"""the share of the item types that is drawn as sensitive"""
RHOS = (Fraction(7, 10), Fraction(3, 10))
DRAWS = SEEDS[:1]
"""of the sensitive item types; the slow methods take most of the time"""
CURVE = tuple(Fraction(tenths, 10) for tenths in range(1, 10))

METHODS: dict[str, tuple[str, Callable[..., TransactionResult]]] = {
    "insertion": ("insertion", insertion),
    "rules": ("partial-suppression", partial(partial_suppression, aim="rules")),
    "distribution": ("partial-suppression", partial(partial_suppression, aim="distribution")),
    "global": ("global-suppression", global_suppression),
    "td-control": ("td-control", td_control),
}
"""Short name: that of discreet, and the search."""
CURVE_METHODS = ("insertion", "rules", "distribution")

Record = dict[str, object]


def encoded(where: DataSet, data: Path, seed: int, quick: bool) -> EncodedTransactions:
    """With the sensitive item types, and the even taxonomy of the others, drawn by the seed."""
    raw = where.raw(data, quick)
    drawn_types = np.random.default_rng(seed).permutation(len(raw.items))[: round(SENSITIVE * len(raw.items))]
    return encode_transactions(raw, Even(5, seed), [raw.items[item] for item in drawn_types], "error").transactions


def losses(data: Path, quick: bool) -> Findings:
    """Every method on two data sets at two rhos."""
    there = _there(data, quick)
    records = [
        record
        for where in there
        for rho in (RHOS[:1] if quick else RHOS)
        for seed in DRAWS
        for record in _measured("rho", where, data, seed, rho, tuple(METHODS), quick)
    ]
    header = ("data", "rho", "method", "seconds", "loss", "of the trivial", "bound", "divergence", "rules kept")
    rows = [
        [
            where.name,
            str(rho),
            method,
            markdown.duration(_mean(records, "seconds", **key)),
            f"{_mean(records, 'loss', **key):.1%}",
            f"{_mean(records, 'of_trivial', **key):.3f}",
            f"{_mean(records, 'bound', **key):.1%}",
            f"{_mean(records, 'divergence', **key):.4f}",
            f"{_mean(records, 'rules_kept', **key):.1%}",
        ]
        for where in there
        for rho in (RHOS[:1] if quick else RHOS)
        for method in METHODS
        for key in [{"data": where.name, "rho": str(rho), "method": method}]
    ]
    return _findings(data, markdown.table(header, rows, text_columns=3) if rows else "", records)


def curve(data: Path, quick: bool) -> Findings:
    """The paper's Figure 2: loss, divergence and rules kept over rho."""
    there = [where for where in _there(data, quick) if where == WEB_VIEW_2]
    rhos = CURVE[::4] if quick else CURVE
    records = [
        record
        for where in there
        for rho in rhos
        for record in _measured("rho_curve", where, data, DRAWS[0], rho, CURVE_METHODS, quick)
    ]
    shown = {"loss": "items lost", "divergence": "divergence", "rules_kept": "similarity of rules"}
    tables = [
        markdown.table(
            [f"{title} by rho", *map(str, map(float, rhos))],
            [
                [method, *(f"{_mean(records, name, rho=str(rho), method=method):.4f}" for rho in rhos)]
                for method in CURVE_METHODS
            ],
        )
        for name, title in shown.items()
        if records
    ]
    panels = [
        Panel(title, "rho", title, {method: _line(records, method, name) for method in CURVE_METHODS})
        for name, title in shown.items()
    ]
    picture = drawn(panels, len(panels)) if records else ""
    link = "![The same as curves](pictures/rho_curve.svg)" if picture else ""
    return _findings(data, "\n\n".join(filter(None, (link, *tables))), records, picture)


def _there(data: Path, quick: bool) -> list[DataSet]:
    there = [where for where in (WEB_VIEW_2, RETAIL) if where.is_in(data)]
    return there[:1] if quick else there


def _measured(
    name: str, where: DataSet, data: Path, seed: int, rho: Fraction, methods: Sequence[str], quick: bool
) -> list[Record]:
    transactions = encoded(where, data, seed, quick)
    occurrences = transactions.occurrences + int(transactions.sensitive_occurrences.sum())
    trivial = int(transactions.sensitive_occurrences.sum()) / occurrences
    records: list[Record] = []
    for method in methods:
        warm_up(*METHODS[method])
        problem = TransactionProblem(transactions, RhoUncertainty(rho), LossMetric())
        limits = Limits(QUICK_TIME_LIMIT if quick else TIME_LIMIT)
        began = time.process_time()
        result = METHODS[method][1](problem, limits, np.random.default_rng(seed), ignore)
        loss = float(result.search.best.cost) / occurrences
        comparison = TransactionComparison(
            transactions, released(result.recoded, transactions), result.recoded, rho=rho
        )
        random = np.random.default_rng(seed)
        records.append(
            {
                "data": where.name,
                "rho": str(rho),
                "seed": seed,
                "method": method,
                "seconds": round(result.search.seconds, 3),
                "processor_seconds": round(time.process_time() - began, 3),
                "loss": loss,
                "of_trivial": loss / trivial,
                "trivial": trivial,
                "bound": float(result.search.bound) / occurrences,
                "divergence": ItemDivergence().measure(comparison, random).release or 0.0,
                "rules_kept": RulesKept().measure(comparison, random).release or 0.0,
            }
        )
        report_progress(f"{name}: {where} rho {rho}, seed {seed}, {method}: {result.search.seconds:.1f} s, {loss:.1%}")
    return records


def _mean(records: Sequence[Record], name: str, **key: object) -> float:
    return fmean(cast(float, record[name]) for record in records if key.items() <= record.items())


def _line(records: Sequence[Mapping[str, Any]], method: str, name: str) -> list[tuple[float, float]]:
    return [(float(Fraction(record["rho"])), record[name]) for record in records if record["method"] == method]


def _findings(data: Path, text: str, records: Sequence[Record], picture: str = "") -> Findings:
    parts = (missing(data, [WEB_VIEW_2, RETAIL]), text)
    return Findings("\n\n".join(filter(None, parts)), records, picture)
