"""All attacks on the release of a table, in one document (docs/decisions/0004)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from discreet.attacks.attack import FORMAT
from discreet.attacks.table.attacked import AttackedTable, Known, check_original
from discreet.attacks.table.attacks import TABLE_ATTACKS
from discreet.attacks.table.facts import Facts
from discreet.attacks.table.groups import Thresholds
from discreet.attacks.table.linkage import Linked, values
from discreet.attacks.table.people import everybody, rows_in_order, rows_of
from discreet.attacks.table.sentences import above_knowing_the_method, known_of_the_method, reading
from discreet.encode.released_table import ReleasedTable
from discreet.encode.table import EncodedTable, Encoding
from discreet.policy import TablePolicy
from discreet.recode.table.recoded import Recoding
from discreet.search.table.problem import demand_of
from discreet.taxonomy import Cut
from discreet.values.steps import one_by_one
from discreet.values.words import percent

MOST_PERSONS = 20
LONGEST_TEXT = 200
MOST_SHOWN = 10
"""Values shown of each person."""


def attack_tables(
    policy: TablePolicy,
    encoding: Encoding,
    release: ReleasedTable,
    *,
    recoding: Recoding = "global",
    cuts: tuple[Cut, ...] | None = None,
    second: tuple[ReleasedTable, Recoding] | None = None,
    known: Known | None = None,
    searched: bool = True,
    random: np.random.Generator | None = None,
) -> dict[str, Any]:
    """Runs every attack on a release of the encoded table.

    recoding: of the release. cuts: those that were released, where it is global; without them, those that the release
    shows. searched: whether the release was chosen for this table; one by a recoding found before was not. random:
    draws the groups that the minimality attack tries, where there are too many to try them all.
    """
    table = encoding.table
    facts = Facts.of(policy.promises, table)
    thresholds = facts.thresholds if encoding.sensitive else None
    releases, recodings = zip((release, recoding), *([] if second is None else [second]), strict=True)
    made_up = recoding == "synthetic"
    everyone = everybody(
        table,
        () if made_up else releases,
        one_truth=facts.is_plain,
        overlapping=() if made_up else [each == "local" for each in recodings],
    )
    attacked = AttackedTable(
        policy=policy,
        table=table,
        demand=demand_of(policy.promises, table),
        facts=facts,
        thresholds=thresholds,
        releases=releases,
        recodings=recodings,
        everyone=everyone,
        people=everyone if known is None else known.file.people,
        population=_population(known),
        cuts=cuts,
        searched=searched,
        random=random or np.random.default_rng(),
    )
    document: dict[str, Any] = {
        "format": FORMAT,
        "recoding": recoding,
        "adversary": _adversary(table, known, made_up),
        "known": None if known is None else known.name,
        "people": attacked.people.total,
        "values": [],
    }
    if made_up:
        return document | _of_made_up_rows(attacked)
    check_original(table, everyone, 0, recoding, attacked.groups, "release", facts)
    if thresholds is not None:
        after = attacked.grouped or attacked.after
        document["values"] = values(facts.names, attacked.shares, table.rows, thresholds, attacked.before, after)
    for name, attack in one_by_one("attack", TABLE_ATTACKS.items()):
        document[name] = attack.function(attacked)
    document["persons"] = [_cut(person) for person in _persons(attacked, known)]
    if thresholds is None:
        for person in document["persons"]:
            person["before"]["values"], person["after"]["values"] = [], []
    document["knowing_the_method"] = None if known is not None else _knowing_the_method(document, thresholds)
    document["unprotected"] = _unprotected(document)
    document["warnings"] = _warnings(document, policy.search.suppression)
    document["reading"] = reading(document, TABLE_ATTACKS.values(), known.file if known else None)
    return document


def _of_made_up_rows(attacked: AttackedTable) -> dict[str, Any]:
    """The rest of the document where no row is anybody's record: no risk is shown that nobody has looked at."""
    told = (
        "No record was linked: the release has rows that were made up (recoding: synthetic). Some may still equal a "
        "record of the original. Whether they tell who was in the table is not tried here; publish measures what "
        "reappears."
    )
    found = {name: attack.function(attacked) for name, attack in one_by_one("attack", TABLE_ATTACKS.items())}
    reading = [told, *(part["reading"] for part in found.values() if part["applies"])]
    return {"applies": False, **found, "persons": [], "knowing_the_method": None, "reading": reading}


def _knowing_the_method(document: dict[str, Any], thresholds: Thresholds | None) -> dict[str, Any] | None:
    """How many people are above a threshold for whoever knows what the certificate tells: the promise, the scheme, and
    that the release is the best; with local recoding in which group everybody is, or who was sent away. None where no
    threshold is promised."""
    if thresholds is None or all(share is None for share in thresholds):
        return None
    naive, scheme, minimality = document["linkage"]["after"], document["scheme"], document["minimality"]
    untried = [name for name in ("scheme", "minimality", "expulsion") if document[name].get("untried")]
    if document["recoding"] == "local":
        grouped, expulsion = document["linkage"]["knowing_the_group"], document["expulsion"]
        by_choice = expulsion["above_threshold"] if expulsion["applies"] else 0
        return {
            "above_threshold": max(naive["above_threshold"], grouped["above_threshold"], by_choice),
            "by_suppression": 0,
            "by_choice": by_choice,
            "not_known": 0,
            "untried": untried,
            "knows": "splits" if expulsion["applies"] else "groups",
        }
    by_scheme = scheme["above_threshold"] if scheme["applies"] else 0
    by_choice = minimality["above_threshold"]["new_people"] if minimality["applies"] else 0
    return {
        "above_threshold": min(document["people"], max(naive["above_threshold"], by_scheme) + by_choice),
        "by_suppression": by_scheme,
        "by_choice": by_choice,
        "not_known": scheme["untried"] if scheme["applies"] else 0,
        "untried": untried,
    }


def _unprotected(document: dict[str, Any]) -> list[str]:
    """Against whom the promise does not hold."""
    known = document["knowing_the_method"]
    if known is None or not known["above_threshold"]:
        return []
    return [
        f"It does not hold against somebody who knows who is in the table, and {known_of_the_method(known)}: "
        f"{above_knowing_the_method(known)} of {document['people']:,} people are above a threshold."
    ]


def _warnings(document: dict[str, Any], suppression: str) -> list[str]:
    known = document["knowing_the_method"]
    if known is None or not known["by_suppression"]:
        return []
    scheme = document["scheme"]
    who = f"{known['by_suppression']:,} of {scheme['people']:,} people are above a threshold for somebody who"
    highest = f"the highest confidence is {percent(scheme['highest_confidence'])}"
    if suppression in ("vio-sa", "vio-rec"):
        return [
            f"{who} knows who is in the table and how values are suppressed ({suppression}), which the certificate "
            f"tells: {highest}. With search.suppression: all-sa or all-rec, a release tells only that some groups "
            "broke the promise."
        ]
    return [
        f"{who} concludes from what is suppressed ({suppression}) that their group broke the promise: {highest}. "
        "Higher thresholds, or coarser sensitive values, make it lower."
    ]


def _cut(part: Any) -> Any:
    """With long texts cut: the same value is here for many people, and a cell may hold a megabyte."""
    if isinstance(part, dict):
        return {key: _cut(value) for key, value in part.items()}
    if isinstance(part, list):
        return [_cut(value) for value in part]
    return f"{part[: LONGEST_TEXT - 1]}…" if isinstance(part, str) and len(part) > LONGEST_TEXT else part


def _adversary(table: EncodedTable, known: Known | None, made_up: bool) -> str:
    names = table.attributes if known is None else known.file.columns
    attributes = ", ".join(names)
    if made_up:
        whom = f"all {table.rows:,} people in the original" if known is None else f"the people in {known.name}"
        return f"The adversary knows {attributes} of {whom}, and takes the nearest of the rows that were made up."
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


def _persons(attacked: AttackedTable, known: Known | None) -> list[dict[str, Any]]:
    """Known people in the order of their file when they are few; otherwise those most at risk."""
    table, before, after, names_of = attacked.table, attacked.before, attacked.after, attacked.facts.names
    people = before.people
    if known is not None and known.file.rows <= MOST_PERSONS:
        file = known.file
        place = {
            tuple(file.values[column][code] for column, code in zip(file.columns, codes, strict=True)): number
            for number, codes in enumerate(file.codes.T.tolist())
        }
        return [
            {"person": person, "people": 1, "stands_out": None, **_learned(names_of, before, after, place[key])}
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
            stands_out = _stands_out(table, people.attributes, key)
        else:
            stands_out = None
            persons = [(row, 1) for row in rows_of(known.engine, known.file, number, MOST_PERSONS - len(found))]
        learned = _learned(names_of, before, after, number)
        found += [{"person": person, "people": alike, "stands_out": stands_out, **learned} for person, alike in persons]
        if len(found) >= MOST_PERSONS:
            break
    return found


def _stands_out(table: EncodedTable, attributes: Sequence[int], leaves: Sequence[int]) -> dict[str, Any]:
    """The one column that sets somebody apart most: how many records of the original have their value of it."""
    records = [int(table.occurrences(attribute)[leaf]) for attribute, leaf in zip(attributes, leaves, strict=True)]
    rarest = records.index(min(records))
    return {"column": table.attributes[attributes[rarest]], "records": records[rarest]}


def _most_at_risk(before: Linked, after: Linked) -> list[int]:
    """People by the confidence after, then before; among equals, those whom fewer records fit."""
    keys = []
    for linked in (before, after):
        records = linked.records
        best = np.append(linked.groups.best, 0)[linked.group_of]
        keys += [np.where(records > 0, records, np.iinfo(np.int64).max), -best / np.maximum(records, 1)]
    order = np.lexsort(keys)
    # Several entries may be the same person's quasi-identifiers with another truth, so more than needed are looked at.
    return [int(number) for number in order[: 50 * MOST_PERSONS]]


def _learned(names: tuple[str, ...], before: Linked, after: Linked, number: int) -> dict[str, Any]:
    return {
        "before": _confidences(names, before, int(before.group_of[number])),
        "after": _confidences(names, after, int(after.group_of[number])),
    }


def _confidences(names: tuple[str, ...], linked: Linked, group: int) -> dict[str, Any]:
    """P of the attack's document; hidden: fitting records whose value is suppressed."""
    groups = linked.groups
    if group < 0:
        return {"records": 0, "hidden": 0, "values": []}
    size = int(groups.sizes[group])
    entries = slice(*np.searchsorted(groups.group, [group, group + 1]))
    shown = sorted(zip((-groups.count[entries]).tolist(), groups.value[entries].tolist(), strict=True))
    return {
        "records": size,
        "hidden": int(groups.stars[group]),
        "values": [{"value": names[value], "confidence": -count / size} for count, value in shown[:MOST_SHOWN]],
    }
