"""The steward's result: one JSON document from which every report is made."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.encode import EncodedTable
from discreet.policy import FATES, TablePolicy
from discreet.recode.schemes import VALUE_SCHEMES
from discreet.recode.suppression import Suppressed
from discreet.search.results import Found, SearchResult
from discreet.solving.table import Solved
from discreet.taxonomy import Cut
from discreet.verify import Verdict

FORMAT = "discreet-result/1"
MOST_EVENTS = 500
MOST_NODES = 2000
"""A taxonomy with more nodes is shown down to the cut only."""


def result_document(
    solved: Solved, chosen: Found, suppressed: Suppressed, verdict: Verdict, seed: int | None
) -> dict[str, Any]:
    """For the steward only: it tells what was suppressed and what the search saw.

    What is measured and attacked in the release read back is added by whoever reads it back.
    """
    policy, table, problem, search = solved.policy, solved.encoding.table, solved.problem, solved.search
    bound = None if search is None else min(search.bound, search.best.cost)
    worst = problem.loss.worst(table.rows, len(table.attributes))
    shown = int(suppressed.visible.sum())
    return {
        "format": FORMAT,
        "kind": "table",
        "status": "applied" if bound is None else "optimal" if chosen.cost <= bound else "feasible",
        "loss": {
            "name": problem.loss_name,
            "cost": number(chosen.cost),
            "exact": str(chosen.cost),
            "normalized": float(chosen.cost / worst) if worst else 0.0,
        },
        "bound": None if bound is None else number(bound),
        "gap": None if bound is None else float((chosen.cost - bound) / chosen.cost) if chosen.cost else 0.0,
        "cuts": {name: list(cut.labels) for name, cut in zip(table.attributes, chosen.cuts, strict=True)},
        "suppressed": {"records": suppressed.records, "values": suppressed.values},
        "sensitive_values": {"shown": shown, "share": shown / table.rows} if policy.sensitive else None,
        "betraying_stars": suppressed.betrayed if problem.scheme == "vio-sa" else 0,
        "rows": {"original": table.rows, "published": verdict.rows},
        "partitions": _partitions(suppressed),
        "published_values": _published_values(table, chosen, suppressed),
        "columns": [_column(solved, chosen, suppressed, name) for name in solved.columns],
        "search": None if search is None else search_part(policy.search.method, search),
        "top_h": None if search is None else {"asked": policy.search.top_h, "found": len(search.found)},
        "promise": list(verdict.promise),
        "verified": verdict.holds,
        "seed": seed,
        "warnings": [*solved.warnings, *_warnings(solved, suppressed, seed)],
        "policy": _located(policy),
    }


def count(number: int) -> int | str:
    """A count as JSON can hold it: from a thousand digits on, as text, rounded."""
    return number if number < 10**1000 else f"{Decimal(number):.4e}"


def number(cost: Fraction) -> int | float:
    return int(cost) if cost.denominator == 1 else float(cost)


def _partitions(suppressed: Suppressed) -> dict[str, Any]:
    sizes = suppressed.sizes[suppressed.sizes > 0]
    if not len(sizes):
        return {"count": 0, "smallest": 0, "median": 0, "largest": 0}
    return {
        "count": len(sizes),
        "smallest": int(sizes.min()),
        "median": float(np.median(sizes)),
        "largest": int(sizes.max()),
    }


def _published_values(table: EncodedTable, chosen: Found, suppressed: Suppressed) -> dict[str, dict[str, int]]:
    """quasi-identifier -> published value -> number of records"""
    published = {}
    for index, (name, cut) in enumerate(zip(table.attributes, chosen.cuts, strict=True)):
        records = np.bincount(suppressed.nodes[:, index], weights=suppressed.sizes, minlength=len(cut.taxonomy.labels))
        published[name] = {cut.taxonomy.labels[node]: int(records[node]) for node in cut.nodes}
    return published


def _column(solved: Solved, chosen: Found, suppressed: Suppressed, name: str) -> dict[str, Any]:
    """What became of a column; of a quasi-identifier, its taxonomy with the cut."""
    role = solved.policy.attributes[name].role
    table = solved.encoding.table
    fate, drawn = FATES[role], None
    if name in table.attributes:
        index = table.attributes.index(name)
        cut = chosen.cuts[index]
        drawn = drawn_taxonomy(cut, table.occurrences(index))
        if all(map(cut.taxonomy.is_leaf, cut.nodes)):
            fate = "published unchanged"
        elif cut.nodes == (0,):
            fate = "not told any more"
    elif role == "sensitive" and suppressed.values:
        fate = f"{fate}: {suppressed.values:,} values replaced by *"
    return {"name": name, "role": role, "fate": fate, "taxonomy": drawn}


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


def search_part(method: str, search: SearchResult) -> dict[str, Any]:
    return {
        "method": method,
        "cuts_total": count(search.cuts_total),
        "cuts_examined": search.cuts_examined,
        "seconds": round(search.seconds, 3),
        "interrupted": search.interrupted,
        "events": _events(search),
    }


def _located(policy: TablePolicy) -> dict[str, Any]:
    """The policy with paths that hold from everywhere: `attack` looks for the original where it was."""
    written = policy.as_dict()
    if policy.data.path is not None:
        written["data"]["path"] = str(policy.data.path.absolute())
    for name, attribute in policy.attributes.items():
        if isinstance(attribute.taxonomy, Path) and attribute.role == "quasi-identifier":
            written["attributes"][name]["taxonomy"] = str(attribute.taxonomy.absolute())
    return written


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


def _warnings(solved: Solved, suppressed: Suppressed, seed: int | None) -> list[str]:
    policy, problem, table, search = solved.policy, solved.problem, solved.encoding.table, solved.search
    warnings = []
    if suppressed.records == table.rows:
        warnings.append(
            "Every record was deleted: the release is empty. Relax the promise or choose another suppression scheme."
        )
    elif policy.sensitive and problem.scheme in VALUE_SCHEMES:
        shown = int(suppressed.visible.sum())
        if 2 * shown < table.rows:
            warnings.append(
                f"Only {shown} of {table.rows} sensitive values are left ({shown / table.rows:.0%}): with "
                f"{problem.scheme} it was cheapest to delete the others."
            )
    if problem.scheme == "vio-sa" and suppressed.betrayed:
        warnings.append(
            f"{suppressed.betrayed} suppressed values can be told, as every other sensitive value shows in their "
            "group; set search.guard_stars: true to prevent that."
        )
    if seed is not None:
        warnings.append(
            "A seed was given: whoever guesses it can undo the random order of rows. Do not publish this one."
        )
    if search is not None and search.interrupted:
        warnings.append("The search was interrupted; this is the best release it had found.")
    if search is not None and len(search.found) < policy.search.top_h:
        warnings.append(
            f"search.top_h asks for {policy.search.top_h} releases to draw from; the search found {len(search.found)}."
        )
    return warnings
