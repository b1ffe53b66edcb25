"""The steward's result for a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from discreet.attacks.table.facts import Facts
from discreet.encode.table import EncodedTable
from discreet.models.schemes import VALUE_SCHEMES
from discreet.policy.table import FATES
from discreet.recode.table.recoded import ByCuts, ByRegions, NewNumbers, NewRows, Recoded
from discreet.report.document import MOST_NODES, common_document, drawn_taxonomy
from discreet.report.table.boxes import drawn_groups
from discreet.search.table.problem import release_of
from discreet.search.table.solve import SolvedTable
from discreet.taxonomy import Labelling
from discreet.values.cleaning import Cleaned
from discreet.values.partitions import Suppressed
from discreet.values.words import SHOWN_VALUES, briefly, listed
from discreet.verifier import Verdict

GROUPWISE: Mapping[Labelling, str] = {
    "nodes": "generalized, group by group",
    "ranges": "published as ranges, group by group",
    "sets": "published as sets of values, group by group",
    "means": "published as means, group by group",
}
"""How groups of different values are published -> what became of the column."""


def table_document(solved: SolvedTable, verdict: Verdict, seed: int | None) -> dict[str, Any]:
    """For the steward only: it reveals what was suppressed and what the search saw.

    What is measured and attacked in the release read back is added by the caller that reads it back.
    """
    policy, table, problem, search = solved.policy, solved.encoding.table, solved.problem, solved.search
    recoded = solved.chosen.recoded
    suppressed = release_of(problem, recoded)
    shown = int(suppressed.visible.sum())
    options = policy.search.options()
    columns = [_column(solved, suppressed, name) for name in solved.encoding.columns]
    return {
        **common_document(
            solved,
            verdict,
            seed,
            rows=table.rows,
            worst=problem.loss.worst(table.rows, problem.weights),
            everything=problem.loss.everything,
            warnings=_warnings(solved, suppressed),
            hollow=_hollow(solved, suppressed),
            unprotected=_unprotected(solved),
            gone=_gone(columns),
        ),
        "recoding": recoded.recoding,
        "numbers_made_up": isinstance(recoded, NewNumbers),
        "cuts": {name: list(cut.labels) for name, cut in zip(table.attributes, recoded.cuts, strict=True)}
        if isinstance(recoded, ByCuts)
        else {},
        "suppressed": {"records": suppressed.records, "values": suppressed.values},
        "sensitive_values": {"shown": shown, "share": shown / table.rows}
        if policy.sensitive and not isinstance(recoded, NewNumbers)
        else None,
        "betraying_stars": suppressed.betrayed if problem.scheme == "vio-sa" else 0,
        "partitions": _partitions(suppressed),
        "groups": drawn_groups(table, recoded.published_values(table), suppressed)
        if isinstance(recoded, ByRegions)
        else None,
        "published_values": _published_values(table, recoded, suppressed),
        "cleaned": [_cleaned(found) for found in solved.encoding.cleaned],
        "columns": columns,
        "top_h": None
        if search is None or "top_h" not in options
        else {"asked": options["top_h"], "found": len(search.found)},
    }


def _cleaned(found: Cleaned) -> dict[str, Any]:
    """What was changed in the cells of a column before anything else."""
    return {
        "column": found.column,
        "cells": dict(found.cells),
        "unreadable": {"values": len(found.unreadable), "cells": found.unreadable_cells},
    }


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


def _published_values(table: EncodedTable, recoded: Recoded, suppressed: Suppressed) -> dict[str, dict[str, int]]:
    """quasi-identifier -> published value -> number of records"""
    if isinstance(recoded, NewNumbers):
        return {
            name: dict(Counter(map(str, recoded.columns[name])).most_common(MOST_NODES)) for name in table.attributes
        }
    published = {}
    for index, (name, values) in enumerate(zip(table.attributes, recoded.published_values(table), strict=True)):
        records = np.bincount(suppressed.nodes[:, index], weights=suppressed.sizes, minlength=len(values.labels))
        codes = recoded.cuts[index].nodes if isinstance(recoded, ByCuts) else np.flatnonzero(records).tolist()
        published[name] = dict.fromkeys((values.labels[code] for code in codes), 0)
        for code in codes:  # a mean may have been taken over several ranges
            published[name][values.labels[code]] += int(records[code])
    return published


def _column(solved: SolvedTable, suppressed: Suppressed, name: str) -> dict[str, Any]:
    """What became of a column; for a quasi-identifier, its taxonomy with the cut."""
    role = solved.policy.attributes[name].role
    table, recoded = solved.encoding.table, solved.chosen.recoded
    fate, drawn = FATES[role], None
    if name in table.attributes and not isinstance(recoded, ByCuts):
        fate = GROUPWISE[table.labels.get(name, "nodes")] if recoded.recoding == "local" else "made up"
    elif name in table.attributes:
        index = table.attributes.index(name)
        cut = recoded.cuts[index]
        records = np.bincount(suppressed.nodes[:, index], weights=suppressed.sizes, minlength=len(cut.taxonomy.labels))
        drawn = {
            **drawn_taxonomy(cut, table.occurrences(index)),
            "published": records[list(cut.nodes)].astype(int).tolist(),
        }
        if all(map(cut.taxonomy.is_leaf, cut.nodes)):
            fate = "published unchanged"
        elif cut.nodes == (0,):
            fate = "no longer revealed"
    elif role == "sensitive" and isinstance(recoded, NewNumbers):
        fate = "made up"
    elif role == "sensitive" and suppressed.values:
        fate = f"{fate}: {suppressed.values:,} values replaced by *"
    return {
        "name": name,
        "role": role,
        "fate": fate,
        "taxonomy": drawn,
        "left": _left(solved, suppressed, name),
        "distribution": _distribution(solved, suppressed, name)
        if role == "sensitive" and not isinstance(recoded, NewNumbers)
        else None,
    }


def _distribution(solved: SolvedTable, suppressed: Suppressed, name: str) -> dict[str, Any]:
    """How often each sensitive value occurs in the original and shows in the release, the most frequent first."""
    table = solved.encoding.table
    column = table.by_column[name]
    shown = next(told for told in table.told if told.name == name).counted(suppressed.visible.sum(axis=0))
    order = sorted(range(len(column.values)), key=lambda value: (-column.counts[value], column.values[value]))
    return {
        "values": [column.values[value] for value in order[:MOST_NODES]],
        "original": [int(column.counts[value]) for value in order[:MOST_NODES]],
        "published": [int(shown[value]) for value in order[:MOST_NODES]],
        "starred": suppressed.values,
    }


def _left(solved: SolvedTable, suppressed: Suppressed, name: str) -> dict[str, Any] | None:
    """How many values of a quasi-identifier there were and are, and which share of the records shows its own."""
    table, recoded = solved.encoding.table, solved.chosen.recoded
    if name not in table.attributes or isinstance(recoded, NewRows | NewNumbers):
        return None
    index = table.attributes.index(name)
    values = recoded.published_values(table)[index]
    records = np.bincount(suppressed.nodes[:, index], weights=suppressed.sizes, minlength=len(values.labels))
    published = int(records.sum())
    return {
        "original": int(np.count_nonzero(table.occurrences(index))),
        "published": len({values.labels[code] for code in np.flatnonzero(records).tolist()}),
        "unchanged": float(records[values.is_original].sum() / published) if published else 0.0,
        "nothing": bool(published and records[0] == published and not values.taxonomy.is_leaf(0)),
    }


def _gone(columns: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The quasi-identifiers of which nothing is left."""
    names = [column["name"] for column in columns if column["left"] and column["left"]["nothing"]]
    if names:
        more = f" and {len(names) - SHOWN_VALUES} more" if len(names) > SHOWN_VALUES else ""
        which = f"{', '.join(names[:SHOWN_VALUES])}{more}" if more else listed(names)
        yield f"Nothing is left of {which}: all records show the same."


def _hollow(solved: SolvedTable, suppressed: Suppressed) -> Iterator[str]:
    """Why the promise protects nobody."""
    policy, recoded = solved.policy, solved.chosen.recoded
    if not suppressed.sizes.sum():
        yield "The release has no records, so it keeps any promise."
        return
    if not isinstance(recoded, NewNumbers) and not any(model.about_size for model in policy.privacy):
        if not suppressed.visible.sum():
            yield f"No value of {policy.sensitive} is left in the release, so there is nothing to learn from it."
        if solved.problem.demand.says_nothing:
            yield f"Every threshold is 1: anybody's {policy.sensitive} may be known for certain."
    unchanged = isinstance(recoded, ByCuts) and all(all(map(cut.taxonomy.is_leaf, cut.nodes)) for cut in recoded.cuts)
    if isinstance(recoded, ByRegions) and policy.search.loss in (
        "lm",
        "sse",
    ):  # with cm coarser values may cost nothing
        unchanged = not solved.chosen.cost
    if unchanged and not suppressed.records and not suppressed.values:
        yield "The original already keeps this promise: nothing was changed but the order of the records."


def _unprotected(solved: SolvedTable) -> Iterator[str]:
    """Sensitive values that may be known for certain."""
    if not all(model.by_limits for model in solved.policy.privacy):
        return  # a promise about all values together protects each of them somehow
    if all(model.about_size for model in solved.policy.privacy):
        return
    facts = Facts.of(solved.policy.promises, solved.encoding.table)
    known = [name for name, share in zip(facts.names, facts.thresholds, strict=True) if share is None]
    if known and len(known) < len(facts.names):
        shown = listed([briefly(value) if value else "missing values" for value in known[:SHOWN_VALUES]])
        more = f" and {len(known) - SHOWN_VALUES} more" if len(known) > SHOWN_VALUES else ""
        yield f"Nothing is promised about {shown}{more}: the threshold is 1."


def _warnings(solved: SolvedTable, suppressed: Suppressed) -> list[str]:
    policy, problem, table, search = solved.policy, solved.problem, solved.encoding.table, solved.search
    warnings = []
    if policy.sensitive and problem.scheme in VALUE_SCHEMES:
        shown = int(suppressed.visible.sum())
        if 2 * shown < table.rows:
            warnings.append(
                f"Only {shown} of {table.rows} sensitive values are left ({shown / table.rows:.0%}): with "
                f"{problem.scheme} it was cheapest to delete the others."
            )
    if problem.scheme == "vio-sa" and suppressed.betrayed:
        warnings.append(
            f"{suppressed.betrayed} suppressed values can be worked out, as every other sensitive value shows in their "
            "group; set search.guard_stars: true to prevent that."
        )
    asked = policy.search.options().get("top_h", 1)
    if search is not None and len(search.found) < asked:
        warnings.append(f"search.top_h asks for {asked} releases to draw from; the search found {len(search.found)}.")
    return warnings
