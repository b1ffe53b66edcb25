"""Each group with labels of its own: what local recoding loses, how far that is from the least, and how it grows.

Loss lm as a share of the loss of a table of nothing but `*`; nothing is deleted. Seconds are those of the processor,
for the search alone, after one run that loads what is compiled. Larger tables are drawn from Adult's rows, with
replacement; each value of a quasi-identifier is drawn anew from its column with the probability that is given.
"""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction

import numpy as np

from benchmarks import markdown
from benchmarks.questions import report_progress
from benchmarks.scaling import counted
from benchmarks.sources import Source
from discreet import NoReleaseError
from discreet.encode.table import EncodedTable
from discreet.policy import TablePolicy
from discreet.search.events import ignore
from discreet.search.results import SearchResult
from discreet.search.solving import run_method
from discreet.search.table.problem import TableProblem, demand_of

PROMISES: dict[str, list[dict[str, object]]] = {
    "k = 5": [],
    "entropy 3": [{"model": "entropy-l-diversity", "l": 3}],
    "recursive (2, 3)": [{"model": "recursive-l-diversity", "c": 2, "l": 3}],
    "no value above 1/4": [{"model": "l-diversity", "l": 4}],
}
"""Each with k = 5."""
ALLOWED = 40
"""seconds, half of them for the bound at most"""
WAYS: dict[str, dict[str, object]] = {
    "mondrian": {"method": "mondrian"},
    "mondrian, look_ahead": {"method": "mondrian", "look_ahead": True},
    "k-member": {"method": "k-member"},
    "k-member, split": {"method": "k-member", "split": True},
    f"k-member, {ALLOWED} s": {"method": "k-member", "time_limit": ALLOWED},
    f"k-member, split, {ALLOWED} s": {"method": "k-member", "split": True, "time_limit": ALLOWED},
}
QUICK_ALLOWED = 0.5
SIZES = ((1_000_000, 0.05), (1_000_000, 0.3), (10_000_000, 0.3))
QUICK_SIZES = ((2_000, 0.3),)
ROWS_AT_ONCE = 1_000_000


def run(source: Source, quick: bool) -> str:
    losses = []
    for promise, models in PROMISES.items():
        row, bound = [promise], 0.0
        for name, search in WAYS.items():
            if quick and "time_limit" in search:
                search = {**search, "time_limit": QUICK_ALLOWED}
            answer, spent = _answer(source.policy, source.plain, models, search)
            row.append("no release" if answer is None else f"{_share(source.plain, answer.best.cost):.4f}, {spent}")
            bound = max(bound, 0.0 if answer is None else _share(source.plain, answer.bound))
            report_progress(f"local: {promise}, {name}: {row[-1]}")
        losses.append([*row, f"{bound:.4f}" if bound else "none"])
    grown = []
    for rows, share in QUICK_SIZES if quick else SIZES:
        table = drawn(source.plain, rows, share, np.random.default_rng(0))
        for promise in ("k = 5", "entropy 3"):
            for name in ("mondrian", "k-member"):
                answer, spent = _answer(source.policy, table, PROMISES[promise], WAYS[name])
                loss = "no release" if answer is None else f"{_share(table, answer.best.cost):.5f}"
                grown.append([promise, name, f"{rows:,}", f"{share:g}", f"{_combinations(table):,}", loss, spent])
                report_progress(f"local: {', '.join(grown[-1])}")
    header = ("promise", "method", "rows", "drawn anew", "combinations", "loss", "seconds")
    return "\n\n".join(
        [
            "Loss, and seconds; and what no local recoding of the same promise can go below, where that was proved:",
            markdown.table(("promise, with k = 5", *WAYS, "bound"), losses),
            "Larger tables:",
            markdown.table(header, grown, text_columns=2),
        ]
    )


def drawn(table: EncodedTable, rows: int, share: float, random: np.random.Generator) -> EncodedTable:
    """A table of so many rows, each a row of the given one with some values drawn anew."""
    chances = table.counts / table.rows
    parts = []
    for start in range(0, rows, ROWS_AT_ONCE):
        size = min(ROWS_AT_ONCE, rows - start)
        originals = random.choice(len(chances), size, p=chances)
        others = random.choice(len(chances), (len(table.leaves), size), p=chances)
        is_redrawn = random.random(others.shape) < share
        leaves = np.where(is_redrawn, np.take_along_axis(table.leaves, others, axis=1), table.leaves[:, originals])
        parts.append(
            counted(
                replace(table, leaves=leaves, sensitive=table.sensitive[originals], classes=table.classes[originals]),
                np.ones(size, np.int64),
            )
        )
    together = replace(
        table,
        leaves=np.hstack([part.leaves for part in parts]),
        sensitive=np.concatenate([part.sensitive for part in parts]),
        classes=np.concatenate([part.classes for part in parts]),
    )
    return counted(together, np.concatenate([part.counts for part in parts]))


def _answer(
    policy: TablePolicy, table: EncodedTable, models: list[dict[str, object]], search: dict[str, object]
) -> tuple[SearchResult | None, str]:
    """What a search finds, and the processor's seconds; None where no release keeps the promise."""
    privacy = [*models, {"model": "k-anonymity", "k": 5}]
    asked = TablePolicy.parse(policy.as_dict() | {"privacy": privacy, "search": {"suppression": "none", **search}})
    problem = TableProblem.asked(asked, table, demand_of(asked.promises, table))
    seconds = []
    result: SearchResult | None = None
    for _ in range(1 if "time_limit" in search else 2):
        before = time.process_time()
        try:
            result = run_method(asked, problem, np.random.default_rng(0), ignore)
        except NoReleaseError:
            return None, ""
        seconds.append(time.process_time() - before)
    return result, markdown.duration(min(seconds))


def _share(table: EncodedTable, cost: Fraction) -> float:
    return float(cost / (table.rows * len(table.attributes)))


def _combinations(table: EncodedTable) -> int:
    return len(np.unique(table.leaves, axis=1).T)
