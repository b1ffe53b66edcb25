"""The steward's result: one JSON document from which every report is made. Here is what all kinds of data share."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.search.results import SearchResult
from discreet.search.solving import Solved
from discreet.taxonomy import Cut
from discreet.verifier import Verdict

FORMAT = "discreet-result/1"
MOST_EVENTS = 500
MOST_NODES = 2000
"""A taxonomy with more nodes is shown down to the cut only."""


def common_document(
    solved: Solved[Any, Any, Any],
    verdict: Verdict,
    seed: int | None,
    *,
    rows: int,
    worst: Fraction | int,
    everything: str = "a release of nothing but *",
    warnings: Iterable[str],
    hollow: Iterable[str] = (),
    unprotected: Iterable[str] = (),
    gone: Iterable[str] = (),
) -> dict[str, Any]:
    """What every result says.

    rows: records of the original; worst: the loss that a normalized one is measured against; everything: what loses
    that, in words; hollow: why the promise
    protects nobody, if so; unprotected: what it does not protect; gone: what the release no longer tells at all.
    """
    policy, search, cost = solved.policy, solved.search, solved.chosen.cost
    bound = None if search is None else known_bound(search)
    return {
        "format": FORMAT,
        "kind": policy.of_kind,
        "status": _status(solved),
        "loss": {
            "name": policy.search.loss,
            "cost": number(cost),
            "exact": str(cost),
            "normalized": float(cost / worst) if worst else 0.0,
            "everything": everything,
        },
        "bound": None if bound is None else number(bound),
        "rounding": 0.0 if search is None or not cost else float(search.rounding / cost),
        "gap": None if bound is None else float((cost - bound) / cost) if cost else 0.0,
        "rows": {"original": rows, "published": verdict.records},
        "search": None if search is None else _search(policy.search.method, search),
        "promise": list(verdict.promise),
        "hollow": list(hollow),
        "unproved": verdict.unproved,
        "unprotected": list(unprotected),
        "gone": list(gone),
        "verified": verdict.holds,
        "seed": seed,
        "warnings": [*solved.warnings, *warnings, *_warnings(search, verdict.row, seed)],
        "policy": policy.located(),
    }


def known_bound(search: SearchResult) -> Fraction | None:
    """What no release can lose less than; that none loses less than nothing is no news."""
    bound = min(search.bound, search.best.cost)
    return bound if bound > 0 or not search.best.cost else None


def _status(solved: Solved[Any, Any, Any]) -> str:
    search = solved.search
    if search is None:
        return "applied"
    least = min(search.bound + search.rounding, search.best.cost)
    proved = solved.policy.search.declared().proves and solved.chosen.cost <= least
    return "optimal" if proved else "feasible"


def _warnings(search: SearchResult | None, record: str, seed: int | None) -> list[str]:
    warnings = []
    if seed is not None:
        warnings.append(
            f"A seed was given: anyone who guesses it can undo the random order of {record}s. Do not publish this one."
        )
    if search is not None and search.interrupted:
        warnings.append("The search was interrupted; this is the best release it had found.")
    return warnings


def count(number: int) -> int | str:
    """A count as JSON can hold it: from a thousand digits on, as text, rounded."""
    return number if number < 10**1000 else f"{Decimal(number):.4e}"


def number(cost: Fraction) -> int | float:
    return int(cost) if cost.denominator == 1 else float(cost)


def _search(method: str, search: SearchResult) -> dict[str, Any]:
    return {
        "method": method,
        "cuts_total": count(search.cuts_total),
        "cuts_examined": search.cuts_examined,
        "seconds": round(search.seconds, 3),
        "interrupted": search.interrupted,
        "events": _events(search),
        "details": dict(search.details),
    }


def _events(search: SearchResult) -> list[dict[str, Any]]:
    """At most so many events, evenly picked; the last one always."""
    step = max(1, -(-len(search.events) // MOST_EVENTS))
    picked = search.events[::step]
    if search.events and picked[-1] is not search.events[-1]:
        picked = (*picked, search.events[-1])
    return [
        {
            "seconds": round(event.seconds, 3),
            "incumbent": None if event.incumbent is None else float(event.incumbent),
            "bound": None if event.bound is None else float(event.bound),
            "examined": event.examined,
        }
        for event in picked
    ]


def drawn_taxonomy(cut: Cut, occurrences: npt.NDArray[np.int64]) -> dict[str, Any]:
    """A taxonomy for the report; one of very many nodes only down to the cut."""
    taxonomy = cut.taxonomy
    complete = len(taxonomy.labels) <= MOST_NODES
    below_cut = np.zeros(len(taxonomy.labels), bool)
    for node in cut.nodes:
        below_cut[node + 1 : taxonomy.end[node]] = True
    kept = np.flatnonzero(~below_cut) if not complete else np.arange(len(taxonomy.labels))
    place = {int(node): index for index, node in enumerate(kept)}
    records = np.concatenate(([0], np.cumsum(occurrences)))
    values = np.concatenate(([0], np.cumsum(occurrences > 0)))
    first, stop = taxonomy.first_leaf[kept], taxonomy.stop_leaf[kept]
    return {
        "labels": [taxonomy.labels[node] for node in kept],
        "parents": [place.get(int(taxonomy.parents[node]), -1) for node in kept],
        "records": (records[stop] - records[first]).tolist(),
        "values": (values[stop] - values[first]).tolist(),
        "cut": [place[node] for node in cut.nodes],
        "complete": complete,
    }
