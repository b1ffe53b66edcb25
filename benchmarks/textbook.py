"""The promises of the textbook by every way to recode a table: one level a column, any cut, each group by itself.

The references of t-closeness are exact, as they were where the figures known beforehand were found. Seconds are those
of the processor, for the search alone, after one run that loads what is compiled.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import markdown
from benchmarks.questions import report_progress
from benchmarks.sources import Source, thinned
from discreet import NoReleaseError
from discreet.commands.workspace import workspace
from discreet.encode.table import Encoding, encode_table
from discreet.policy import TablePolicy
from discreet.read.table import load_table
from discreet.search.events import ignore
from discreet.search.results import SearchResult
from discreet.search.solving import run_method
from discreet.search.table.solve import problem_of

QUICK_ROWS = 500
SMALLEST = {"model": "k-anonymity", "k": 5}
PROMISES: dict[str, list[dict[str, object]]] = {
    "k = 5": [],
    "entropy 3": [{"model": "entropy-l-diversity", "l": 3}],
    "recursive (2, 3)": [{"model": "recursive-l-diversity", "c": 2, "l": 3}],
    "t = 1/5 equal": [{"model": "t-closeness", "t": "1/5", "reference": "exact"}],
    "t = 1/5 ordered": [{"model": "t-closeness", "t": "1/5", "distance": "ordered", "reference": "exact"}],
    "t = 1/5 hierarchical": [{"model": "t-closeness", "t": "1/5", "distance": "hierarchical", "reference": "exact"}],
    "no value above 1/4": [{"model": "l-diversity", "l": 4}],
}
"""Each with k = 5."""
WAYS: dict[str, dict[str, object]] = {
    "full domain, none": {"method": "full-domain", "suppression": "none"},
    "full domain, 1% all-rec": {"method": "full-domain", "suppression": "all-rec", "max_suppressed": "1/100"},
    "subtree, none": {"method": "l-plus-optimize", "suppression": "none"},
    "subtree, all-rec": {"method": "l-plus-optimize", "suppression": "all-rec"},
    "subtree, vio-rec": {"method": "l-plus-optimize", "suppression": "vio-rec"},
    "mondrian": {"method": "mondrian", "suppression": "none"},
    "mondrian, look_ahead": {"method": "mondrian", "suppression": "none", "look_ahead": True},
}
INCOGNITO: dict[str, dict[str, object]] = {
    "incognito, none": {"method": "incognito", "suppression": "none"},
    "incognito, 1% vio-rec": {"method": "incognito", "suppression": "vio-rec", "max_suppressed": "1/100"},
}
COSTS = {
    "k = 5": ("140,212.167", "52,110.192", "52,110.192"),
    "entropy 3": ("154,538.767", "60,345.567", "57,369.192"),
    "recursive (2, 3)": ("159,669.067", "71,397.300", "59,243.075"),
    "t = 1/5 equal": ("240,797.450", "203,307.625", "174,797.500"),
    "t = 1/5 ordered": ("149,790.567", "60,688.450", "55,427.408"),
    "t = 1/5 hierarchical": ("236,892.750", "178,853.592", "134,776.625"),
}
"""Costs of the three subtree recodings on Adult that were found by others."""
OCCUPATIONS = {
    "Technical": ("Tech-support", "Craft-repair", "Prof-specialty", "Machine-op-inspct"),
    "Nontechnical": ("Sales", "Exec-managerial", "Handlers-cleaners"),
    "Other": (
        *("Other-service", "Adm-clerical", "Farming-fishing", "Transport-moving", "Priv-house-serv"),
        *("Protective-serv", "Armed-Forces"),
    ),
}
"""The sensitive values of Adult in ARX's hierarchy."""


def run(source: Source, quick: bool) -> str:
    is_adult = "occupation" in source.policy.attributes
    promises = {name: promise for name, promise in PROMISES.items() if is_adult or "hierarchical" not in name}
    losses, seconds, minimal = [], [], []
    with tempfile.TemporaryDirectory(prefix="discreet-benchmark-") as folder:
        policy = _policy(source, Path(folder)) if is_adult else source.policy
        encoding = _encoding(policy, quick)
        for name, promise in promises.items():
            answers = {way: _answer(policy, encoding, promise, search) for way, search in WAYS.items()}
            if source.is_whole_adult:
                _check(name, [answers[way][0] for way in WAYS if way.startswith("subtree")])
            losses.append([name, *(_loss(answer, encoding) for answer, _ in answers.values())])
            seconds.append([name, *(markdown.duration(spent) for _, spent in answers.values())])
            minimal.append([name])
            for search in INCOGNITO.values():
                minimal[-1] += _counted(*_answer(policy, encoding, promise, search))
            report_progress(f"textbook: {', '.join(losses[-1])}; seconds {', '.join(seconds[-1][1:])}")
    heads = [head for way in INCOGNITO for head in (f"{way}: minimal", "tested", "in all", "seconds")]
    return "\n\n".join(
        [
            "Loss lm, as a share of the loss of a table of nothing but `*`:",
            markdown.table(("promise, with k = 5", *WAYS), losses),
            "Seconds:",
            markdown.table(("promise, with k = 5", *WAYS), seconds),
            "Minimal combinations of levels, how many were tested to find them, and how many there are:",
            markdown.table(("promise, with k = 5", *heads), minimal),
        ]
    )


def _policy(source: Source, folder: Path) -> TablePolicy:
    """Adult with a taxonomy of the occupations."""
    file = folder / "occupation.csv"
    file.write_text("".join(f"{value};{above};*\n" for above, values in OCCUPATIONS.items() for value in values))
    written = source.policy.as_dict()
    occupation = {"role": "sensitive", "taxonomy": str(file)}
    written["attributes"] = {**written["attributes"], "occupation": occupation}
    return TablePolicy.parse(written)


def _encoding(policy: TablePolicy, quick: bool) -> Encoding:
    with workspace() as engine:
        load_table(engine, policy.data.path)
        encoding = encode_table(engine, policy, engine.columns()).without_class()
    return replace(encoding, table=thinned(encoding.table, QUICK_ROWS)) if quick else encoding


def _answer(
    policy: TablePolicy, encoding: Encoding, promise: list[dict[str, object]], search: Mapping[str, object]
) -> tuple[SearchResult | None, float]:
    """What a search finds, and the processor's seconds; None where no release keeps the promise."""
    asked = TablePolicy.parse(policy.as_dict() | {"privacy": [*promise, SMALLEST], "search": dict(search)})
    chained = encoding.collapsed() if asked.search.declared().merges_chains else encoding
    problem = problem_of(asked, chained)
    spent: list[float] = []
    result: Any = None
    for _ in range(2):
        before = time.process_time()
        try:
            result = run_method(asked, problem, np.random.default_rng(0), ignore)
        except NoReleaseError:
            return None, time.process_time() - before
        spent.append(time.process_time() - before)
    return result, min(spent)


def _loss(answer: SearchResult | None, encoding: Encoding) -> str:
    if answer is None:
        return "no release"
    return f"{float(answer.best.cost) / (encoding.table.rows * len(encoding.table.attributes)):.4f}"


def _counted(answer: SearchResult | None, seconds: float) -> list[str]:
    if answer is None:
        return ["no release", "", "", ""]
    details = answer.details
    figures = (len(details["minimal"]), details["nodes_tested"], details["nodes_total"])
    return [*(f"{figure:,}" for figure in figures), markdown.duration(seconds)]


def _check(name: str, answers: list[SearchResult | None]) -> None:
    """Nothing is printed that contradicts what is known about Adult."""
    for known, answer in zip(COSTS.get(name, ()), answers, strict=False):
        cost = "" if answer is None or answer.status != "optimal" else f"{float(answer.best.cost):,.3f}"
        if cost != known:
            raise AssertionError(f"{name}: the cost is {cost or 'not proved'}, and the optimum is known to be {known}")
