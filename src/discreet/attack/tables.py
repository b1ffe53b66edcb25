"""All attacks on the release of a table, in one document (docs/decisions/0004)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.attack.groups import Groups, Int64s, Thresholds
from discreet.attack.intersection import NO_SECOND, intersection
from discreet.attack.linkage import Linked, linkage, values
from discreet.attack.minimality import NOT_CHOSEN, Method, collapsed, completed_cuts, minimality, same_node
from discreet.attack.people import (
    KnownFile,
    People,
    everybody,
    original_groups,
    released_groups,
    rows_in_order,
    rows_of,
)
from discreet.attack.reading import reading
from discreet.attack.risk import AT_RISK, risks
from discreet.attack.stars import stars
from discreet.encode import EncodedTable
from discreet.encode.reading import Encoding
from discreet.encode.release import ReleasedTable
from discreet.engine import DuckDBEngine
from discreet.errors import InputError
from discreet.models import PartitionLimits, strictest
from discreet.policy import TablePolicy
from discreet.search.table.space import TableProblem
from discreet.taxonomy import Cut

FORMAT = "discreet-attack/1"
MOST_PERSONS = 20
LONGEST_TEXT = 200
MOST_SHOWN = 10
"""Values shown of each person."""


@dataclass(frozen=True)
class Known:
    """A known file, in the engine that holds its rows."""

    engine: DuckDBEngine
    name: str
    file: KnownFile


def attack_tables(
    policy: TablePolicy,
    encoding: Encoding,
    release: ReleasedTable,
    *,
    cuts: tuple[Cut, ...] | None = None,
    second: ReleasedTable | None = None,
    known: Known | None = None,
    searched: bool = True,
    random: np.random.Generator | None = None,
) -> dict[str, Any]:
    """Runs every attack on a release of the encoded table.

    cuts: those that were released; without them, those that the release shows. searched: whether the release was chosen
    for this table; one by a recoding found before was not. random: draws the groups that the minimality attack tries,
    where there are too many for all.
    """
    table = encoding.table
    limits = strictest([model.limits(table.sensitive_column) for model in policy.privacy])
    promised = tuple(None if share >= 1 else share for share in limits.shares)
    thresholds: Thresholds | None = promised if encoding.sensitive else None
    releases = [release] if second is None else [release, second]
    everyone = everybody(table, releases)
    people = everyone if known is None else known.file.people
    full = released_groups(table, release, everyone.attributes)
    belonging = _originals(table, everyone, 0, full, "release")
    before = Linked.of(people, people.leaves, original_groups(table, people.attributes))
    after = Linked.of(people, people.nodes[0], released_groups(table, release, people.attributes))
    document: dict[str, Any] = {
        "format": FORMAT,
        "adversary": _adversary(table, known),
        "known": None if known is None else known.name,
        "people": people.total,
        "linkage": {"before": linkage(before, thresholds), "after": linkage(after, thresholds)},
        "values": [],
        "risk": {
            "at_risk": float(AT_RISK),
            "population": _population(known),
            "before": risks(before.classes.sizes, before.population),
            "after": risks(after.classes.sizes, after.population),
        },
    }
    if thresholds is None:
        none = {"applies": False, "reading": "The table has no sensitive column, so there is no value to learn."}
        document |= {"stars": none, "minimality": none, "intersection": none}
    else:
        shares = np.array(table.sensitive_column.counts, np.int64)
        document["values"] = values(table.sensitive_values, shares, thresholds, before, after)
        search = policy.search
        document["stars"] = stars(full, belonging, thresholds, search.suppression, search.guard_stars)
        document["minimality"] = dict(NOT_CHOSEN)
        if searched:
            document["minimality"] = _minimality(policy, table, limits, release, cuts, thresholds, random)
        document["intersection"] = dict(NO_SECOND)
        if second is not None:
            document["intersection"] = _intersection(table, releases, everyone, people, after, shares, thresholds)
    document["persons"] = [_cut(person) for person in _persons(table, before, after, known)]
    if thresholds is None:
        for person in document["persons"]:
            person["before"]["values"], person["after"]["values"] = [], []
    document["reading"] = reading(document, known.file if known else None)
    return document


def _cut(part: Any) -> Any:
    """With long texts cut: the same value stands here for many people, and a cell may have a megabyte."""
    if isinstance(part, dict):
        return {key: _cut(value) for key, value in part.items()}
    if isinstance(part, list):
        return [_cut(value) for value in part]
    return f"{part[: LONGEST_TEXT - 1]}…" if isinstance(part, str) and len(part) > LONGEST_TEXT else part


def _originals(table: EncodedTable, everyone: People, number: int, released: Groups, name: str) -> Groups:
    """The original's records by the nodes that a release publishes them at; an error when they do not hold it."""
    nodes = everyone.nodes[number]
    published = (nodes >= 0).all(axis=0)
    groups = Groups.of(
        nodes[:, published], table.sensitive[published], table.counts[published], len(table.sensitive_values)
    )
    place = groups.find(released.keys)
    too_few = (place < 0) | (np.append(groups.sizes, 0)[place] < released.sizes)
    if too_few.any() or (groups.shown(place[released.group], released.value) < released.count).any():
        raise InputError(
            f"The {name} shows records that the original does not have; was it made from another table, or was the "
            "original changed since? Name the table it was made from with --original FILE."
        )
    return groups


def _minimality(
    policy: TablePolicy,
    table: EncodedTable,
    limits: PartitionLimits,
    release: ReleasedTable,
    cuts: tuple[Cut, ...] | None,
    thresholds: Thresholds,
    random: np.random.Generator | None,
) -> dict[str, Any]:
    search = policy.search
    given = table.taxonomies
    table, release = collapsed(table, release)
    if cuts is None:
        cuts = completed_cuts(table, release.nodes)
    else:
        cuts = tuple(
            Cut(new, tuple(same_node(old, new)[list(cut.nodes)]))
            for old, new, cut in zip(given, table.taxonomies, cuts, strict=True)
        )
    problem = TableProblem(table, limits, search.suppression, search.loss, search.guard_stars)
    return minimality(
        Method(problem, search.top_h, search.alpha),
        cuts,
        released_groups(table, release, range(len(table.attributes))),
        thresholds,
        random or np.random.default_rng(),
    )


def _intersection(
    table: EncodedTable,
    releases: Sequence[ReleasedTable],
    everyone: People,
    people: People,
    first: Linked,
    shares: Int64s,
    thresholds: Thresholds,
) -> dict[str, Any]:
    kept = list(people.attributes)
    other = Linked.of(people, people.nodes[1], released_groups(table, releases[1], kept))
    whole = released_groups(table, releases[1], everyone.attributes)
    _originals(table, everyone, 1, whole, "second release")
    belongs = (
        first.groups.members(everyone.nodes[0][kept], everyone.counts),
        other.groups.members(everyone.nodes[1][kept], everyone.counts),
    )
    return intersection(first, other, belongs, shares, thresholds)


def _adversary(table: EncodedTable, known: Known | None) -> str:
    names = table.attributes if known is None else known.file.columns
    attributes = ", ".join(names)
    if known is None:
        return (
            f"The adversary knows {attributes} of all {table.rows:,} people in the original (the worst case), looks "
            "for the records that fit, and takes the shares of their sensitive values as confidence."
        )
    rows = known.file.rows
    return (
        f"The adversary knows {attributes} of {'the one person' if rows == 1 else f'the {rows:,} people'} in "
        f"{known.name}, looks for the records that fit, and takes the shares of their sensitive values as confidence."
    )


def _population(known: Known | None) -> str:
    if known is None:
        return "the people of the original; no larger population was given"
    rows = known.file.rows
    return f"the {'one person' if rows == 1 else f'{rows:,} people'} of {known.name}"


def _persons(table: EncodedTable, before: Linked, after: Linked, known: Known | None) -> list[dict[str, Any]]:
    """Known people in the order of their file when they are few; otherwise those most at risk."""
    people = before.people
    if known is not None and known.file.rows <= MOST_PERSONS:
        file = known.file
        place = {
            tuple(file.values[column][code] for column, code in zip(file.columns, codes, strict=True)): number
            for number, codes in enumerate(file.codes.T.tolist())
        }
        return [
            {"person": person, "people": 1, **_learned(table, before, after, place[key])}
            for person, key in rows_in_order(known.engine, file, MOST_PERSONS)
        ]
    found: list[dict[str, Any]] = []
    seen = set()
    for number in _most_at_risk(before, after):
        key = tuple(people.leaves[:, number]) if known is None else tuple(known.file.codes[:, number])
        if key in seen:
            continue
        seen.add(key)
        if known is None:
            labels = [
                table.taxonomies[attribute].labels[int(table.taxonomies[attribute].leaf_nodes[leaf])]
                for attribute, leaf in zip(people.attributes, key, strict=True)
            ]
            names = [table.attributes[attribute] for attribute in people.attributes]
            alike = int(people.counts[(people.leaves == people.leaves[:, [number]]).all(axis=0)].sum())
            persons = [(dict(zip(names, labels, strict=True)), alike)]
        else:
            persons = [(row, 1) for row in rows_of(known.engine, known.file, number, MOST_PERSONS - len(found))]
        learned = _learned(table, before, after, number)
        found += [{"person": person, "people": alike, **learned} for person, alike in persons]
        if len(found) >= MOST_PERSONS:
            break
    return found


def _most_at_risk(before: Linked, after: Linked) -> list[int]:
    """People by the confidence in them after, then before; of equals, those whom fewer records fit."""
    keys = []
    for linked in (before, after):
        records = linked.records
        best = np.append(linked.groups.best, 0)[linked.group_of]
        keys += [np.where(records > 0, records, np.iinfo(np.int64).max), -best / np.maximum(records, 1)]
    order = np.lexsort(keys)
    # Several entries may be the same person's quasi-identifiers with another truth, so more than needed are looked at.
    return [int(number) for number in order[: 50 * MOST_PERSONS]]


def _learned(table: EncodedTable, before: Linked, after: Linked, number: int) -> dict[str, Any]:
    return {
        "before": _confidences(table, before, int(before.group_of[number])),
        "after": _confidences(table, after, int(after.group_of[number])),
    }


def _confidences(table: EncodedTable, linked: Linked, group: int) -> dict[str, Any]:
    """P of the attack's document; hidden: fitting records whose value is suppressed."""
    groups = linked.groups
    if group < 0:
        return {"records": 0, "hidden": 0, "values": []}
    size = int(groups.sizes[group])
    entries = slice(*np.searchsorted(groups.group, [group, group + 1]))
    shown = sorted(zip((-groups.count[entries]).tolist(), groups.value[entries].tolist(), strict=True))
    names = table.sensitive_values
    return {
        "records": size,
        "hidden": int(groups.stars[group]),
        "values": [{"value": names[value], "confidence": -count / size} for count, value in shown[:MOST_SHOWN]],
    }
