"""The curves of Liu 2010, 4.5.1 again: information loss, frequent patterns, and the general case."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from statistics import fmean
from typing import cast

import numpy as np

from benchmarks import markdown
from benchmarks.findings import Findings
from benchmarks.questions import report_progress
from benchmarks.sets_data import QUICK_SEEDS, RETAIL, SEEDS, WEB_VIEW_1, WEB_VIEW_2, DataSet, encoded, missing, released
from benchmarks.sets_plots import Panel, drawn
from benchmarks.sets_questions import METHODS, Answer, Power, ask, prepare
from discreet.encode.transactions import EncodedTransactions
from discreet.measure.transactions.comparison import TransactionComparison
from discreet.measure.transactions.frequent_patterns import FrequentPatterns

TIME_LIMIT = 30.0
QUICK_TIME_LIMIT = 3.0

Record = dict[str, object]


@dataclass(frozen=True)
class Curve:
    """One panel: what is varied on which data, and which methods answer."""

    data: DataSet
    varied: str
    """as the axis has it"""
    points: Sequence[tuple[float, Power, int]]
    """where on the axis, what is asked, and how many items are sensitive"""
    methods: Sequence[str]
    seeds: Sequence[int] = SEEDS

    def quickly(self) -> Curve:
        return replace(self, points=self.points[:2], seeds=QUICK_SEEDS)


KS = (5, 10, 15, 20, 25)
MS = (1, 2, 3, 4, 5, 6)
MM_LARGEST_M = 3
"""MM keeps all minimal moles in memory; with more items known there are too many, in the thesis, too."""


def _by_k(data: DataSet, m: int) -> Curve:
    return Curve(data, "k", [(k, Power(m, k=k), 0) for k in KS], tuple(METHODS))


def _by_m(data: DataSet) -> Curve:
    return Curve(data, "m", [(m, Power(m), 0) for m in MS], tuple(METHODS))


LOSS = (
    _by_k(WEB_VIEW_1, 3),
    _by_k(WEB_VIEW_2, 6),
    _by_k(RETAIL, 3),
    _by_m(WEB_VIEW_1),
    _by_m(WEB_VIEW_2),
    _by_m(RETAIL),
)

PATTERN_METHODS = ("mOG", "LG")
PATTERNS = (
    Curve(WEB_VIEW_1, "k", [(k, Power(3, 3, k), 0) for k in KS], PATTERN_METHODS),
    Curve(WEB_VIEW_1, "m = n", [(m, Power(m, m), 0) for m in MS], PATTERN_METHODS),
    Curve(WEB_VIEW_2, "k", [(k, Power(3, 3, k), 0) for k in KS], PATTERN_METHODS),
    Curve(WEB_VIEW_2, "m = n", [(m, Power(m, m), 0) for m in MS], PATTERN_METHODS),
)

THETA = Fraction(1, 5)
BETA = 60
ONE_SEED = SEEDS[:1]
"""where all of them would take most of the time of all figures together"""
GENERAL = tuple(
    Curve(data, varied, points, ("OG", "mOG"), seeds)
    for data, seeds in ((WEB_VIEW_1, SEEDS), (WEB_VIEW_2, ONE_SEED), (RETAIL, ONE_SEED))
    for varied, points in (
        ("m = n", [(m, Power(m, m, share=THETA), BETA) for m in (1, 2, 3, 5, 10, 20, 30)]),
        ("beta", [(beta, Power(3, 3, share=THETA), beta) for beta in (20, 40, 60, 80, 100)]),
        (
            "theta, %",
            [(percent, Power(3, 3, share=Fraction(percent, 100)), BETA) for percent in (5, 10, 15, 20, 25, 30)],
        ),
    )
)


def loss(data: Path, quick: bool) -> Findings:
    """Figure 4.4."""
    curves, records = _run("sets_loss", LOSS, data, quick, lambda _, answer: {"loss": answer.losses["lm"]})
    panels = [
        Panel(_title(curve), curve.varied, "loss", _lines(curve, records, "loss"), logarithmic=True) for curve in curves
    ]
    # Those of one data set stand together.
    tables = [_table(curve, records, "loss", "{:.4f}".format) for curve in sorted(curves, key=lambda c: c.data.name)]
    return _findings("sets_loss", data, LOSS, tables, records, drawn(panels, 3) if curves else "")


def patterns(data: Path, quick: bool) -> Findings:
    """Figure 4.5."""
    curves, records = _run("sets_patterns", PATTERNS, data, quick, _patterns)
    panels = [
        Panel(_title(curve), curve.varied, beside, _lines(curve, records, name))
        for name, beside in (("patterns", "patterns"), ("error", "support error"))
        for curve in curves
    ]
    tables = [
        _table(curve, records, name, shown)
        for curve in curves
        for name, shown in (("patterns", "{:,.0f}".format), ("error", "{:.1%}".format))
    ]
    return _findings("sets_patterns", data, PATTERNS, tables, records, drawn(panels, len(curves)) if curves else "")


def general(data: Path, quick: bool) -> Findings:
    """Figure 4.6."""
    curves, records = _run("sets_general", GENERAL, data, quick, lambda _, answer: {"loss": answer.losses["lm"]})
    panels = [Panel(_title(curve), curve.varied, "loss", _lines(curve, records, "loss")) for curve in curves]
    tables = [_table(curve, records, "loss", "{:.4f}".format) for curve in curves]
    return _findings("sets_general", data, GENERAL, tables, records, drawn(panels, 3) if curves else "")


def _run(
    name: str,
    curves: Sequence[Curve],
    data: Path,
    quick: bool,
    measure: Callable[[EncodedTransactions, Answer], Record],
) -> tuple[list[Curve], list[Record]]:
    """The curves whose data are there, and a record for each of their points that was reached in time.

    Once a method was stopped, it is not asked for larger m.
    """
    there = [curve for curve in curves if curve.data.is_in(data)]
    if quick:
        there = [curve.quickly() for curve in there if curve.data == there[0].data]
    time_limit = QUICK_TIME_LIMIT if quick else TIME_LIMIT
    prepare(sorted({method for curve in there for method in curve.methods}))
    records: list[Record] = []
    for curve in there:
        raw = curve.data.raw(data, quick)
        for seed in curve.seeds:
            stopped: dict[str, int] = {}
            for at, power, sensitive in curve.points:
                transactions = encoded(raw, seed, sensitive)
                for method in curve.methods:
                    if (method == "MM" and power.m > MM_LARGEST_M) or power.m > stopped.get(method, power.m):
                        continue
                    same = _asked_before(records, curve.data, method, power, sensitive, seed)
                    if same is not None:
                        records.append({**same, "varied": curve.varied, "at": at})
                        continue
                    answer = ask(method, power, transactions, time_limit=time_limit)
                    report_progress(
                        f"{name}: {curve.data} {power}, seed {seed}, {sensitive} sensitive, {method}: "
                        f"{markdown.duration(answer.seconds)} s, loss {answer.losses['lm']:.4f}"
                    )
                    if not answer.is_done:
                        stopped[method] = power.m
                        continue
                    records.append(
                        {
                            "data": curve.data.name,
                            "varied": curve.varied,
                            "at": at,
                            "power": str(power),
                            "sensitive": sensitive,
                            "seed": seed,
                            "method": method,
                            "seconds": round(answer.seconds, 4),
                            "processor_seconds": round(answer.processor_seconds, 4),
                            **measure(transactions, answer),
                        }
                    )
    return there, records


def _asked_before(
    records: Iterable[Record], data: DataSet, method: str, power: Power, sensitive: int, seed: int
) -> Record | None:
    """Curves cross where their parameters agree."""
    wanted = {"data": data.name, "method": method, "power": str(power), "sensitive": sensitive, "seed": seed}
    return next((record for record in records if wanted.items() <= record.items()), None)


def _patterns(transactions: EncodedTransactions, answer: Answer) -> Record:
    """Generalized patterns that 1% of the transactions have: in the original, in the release, and their error."""
    recoded = answer.result.recoded
    comparison = TransactionComparison(transactions, released(recoded, transactions), recoded)
    measured = FrequentPatterns().measure(comparison, np.random.default_rng(0))
    return {
        "original": measured.original,
        "patterns": measured.release,
        "error": measured.details["error"] or 0.0,
        "longest": measured.details["longest"],
    }


def _means(curve: Curve, records: Iterable[Record], name: str) -> dict[str, dict[float, float]]:
    """Method -> point -> the mean over the seeds, where all of them were reached."""
    values: dict[str, dict[float, list[float]]] = {method: defaultdict(list) for method in curve.methods}
    for record in records:
        if record["data"] == curve.data.name and record["varied"] == curve.varied:
            values[str(record["method"])][cast(float, record["at"])].append(cast(float, record[name]))
    return {
        method: {at: fmean(found) for at, found in points.items() if len(found) == len(curve.seeds)}
        for method, points in values.items()
    }


def _lines(curve: Curve, records: Sequence[Record], name: str) -> dict[str, list[tuple[float, float]]]:
    lines = {method: list(points.items()) for method, points in _means(curve, records, name).items()}
    if name == "patterns":
        original = {at: mean for points in _means(curve, records, "original").values() for at, mean in points.items()}
        lines["original"] = list(original.items())
    return lines


def _table(curve: Curve, records: Sequence[Record], name: str, shown: Callable[[float], str]) -> str:
    means = _means(curve, records, name)
    rows = [
        [method, *(shown(points[at]) if at in points else "" for at, _, _ in curve.points)]
        for method, points in means.items()
    ]
    header = [f"{curve.data}: {name} by {curve.varied}", *(f"{at:g}" for at, _, _ in curve.points)]
    return markdown.table(header, rows)


def _title(curve: Curve) -> str:
    powers = {power.m for _, power, _ in curve.points}
    return f"{curve.data}, m = {powers.pop()}" if curve.varied == "k" else curve.data.name


def _findings(
    name: str, data: Path, curves: Sequence[Curve], tables: Sequence[str], records: Sequence[Record], picture: str
) -> Findings:
    parts = [missing(data, [curve.data for curve in curves])]
    if picture:
        parts += [f"![The same as curves](pictures/{name}.svg)", *tables]
    return Findings("\n\n".join(filter(None, parts)), records, picture)
