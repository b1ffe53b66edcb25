"""Simulated adversaries against released transactions, with their baseline.

Paper: Liu 2010, 4.1. The adversary of the promise knows, about each of many random people, up to m random items that
the person has and n that they do not have, and looks for transactions that fit (`itemsets`): with the original in
hand, and with the release. Where the promise does not bound the number of items, they know all that are not sensitive.
`found`: exactly one fits. `below_k`: fewer fit than promised, but some. `above_share`: their confidence in some
sensitive item exceeds what was promised, compared exactly; not where they know nothing that they could look for, since
no promise is about that.

Their guess names the sensitive item that they are surest of; of several, one at random, so the number of right guesses
is an expectation. Where no transaction fits, or none has a sensitive item, they name what somebody who knows nothing
names: the most frequent sensitive item. That guess for everybody is the baseline, so the attack never looks weaker than
it is for want of a guess. A guess about somebody without sensitive items is wrong.

Two others know what the promise does not cover: one of several items (`disjunctions`), or the exact set (`exact_sets`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np

from discreet.attacks.attack import FORMAT
from discreet.attacks.rates import MATCH_BINS, rate
from discreet.attacks.transactions.attacks import TRANSACTION_ATTACKS, AttackedTransactions
from discreet.attacks.transactions.itemsets import Fitting, Floats, Known, Reader, Seen
from discreet.encode.released_transactions import ReleasedTransactions
from discreet.encode.transactions import EncodedTransactions
from discreet.errors import InputError
from discreet.models.itemset_limits import Adversary, ItemsetLimits
from discreet.read.transactions import RawTransactions
from discreet.values.arrays import Int64s
from discreet.values.steps import one_by_one
from discreet.values.words import briefly, changes, counted, people_in_words, percent

PEOPLE = 10_000
MOST_PERSONS = 20
MOST_VALUES = 3


def attack_transactions(
    adversary: Adversary,
    original: EncodedTransactions,
    release: ReleasedTransactions,
    *,
    people: int = PEOPLE,
    random: np.random.Generator,
) -> dict[str, Any]:
    """The attack's document. adversary: the one of the promise. people: how many are attacked at most."""
    limits, known, absent = adversary.limits, adversary.present, adversary.absent
    attacked = _draw(original, known, absent, people, random)
    as_it_is = ReleasedTransactions(original.nodes, original.sensitive, original.counts)
    items = len(original.sensitive_items)
    before = _look(Reader(original.taxonomy, as_it_is, items), attacked, original, limits)
    after = _look(Reader(original.taxonomy, release, items), attacked, original, limits)
    document = {
        "format": FORMAT,
        "kind": "transactions",
        "adversary": _adversary(known, absent, attacked, original),
        "people": len(attacked.transactions),
        "file": None,
        "known": {"present": known, "absent": absent},
        "before": before.summary,
        "after": after.summary,
        **_others(limits, original, release, random),
        "persons": _persons(original, attacked, before, after),
    }
    return {**document, "reading": _reading(document, limits)}


def _others(
    limits: ItemsetLimits | None,
    original: EncodedTransactions,
    release: ReleasedTransactions,
    random: np.random.Generator,
) -> dict[str, dict[str, Any]]:
    """What adversaries learn who know what the promise does not cover."""
    share = limits.share if limits is not None and limits.limits_confidence else None
    attacked = AttackedTransactions(original, release, share, random)
    return {name: attack.function(attacked) for name, attack in one_by_one("attack", TRANSACTION_ATTACKS.items())}


def attack_known(
    adversary: Adversary,
    original: EncodedTransactions,
    release: ReleasedTransactions,
    people: RawTransactions,
    name: str,
    *,
    random: np.random.Generator,
) -> dict[str, Any]:
    """The document of an adversary who knows some items of given people, each a set of them.

    Who they are in the original is not known, so nobody can say whether a guess is right.
    """
    limits = adversary.limits
    leaf_of = {label: leaf for leaf, label in enumerate(original.taxonomy.leaf_labels)}
    strangers = [item for item in people.items if item not in leaf_of]
    if strangers:
        raise InputError(
            f"{name}: {briefly(strangers[0])} is not one of the original's non-sensitive items; write the "
            "items as in the original, and no sensitive ones."
        )
    known = tuple(Known(tuple(sorted(leaf_of[people.items[item]] for item in items)), ()) for items in people.sets)
    items = len(original.sensitive_items)
    looks = [
        _look(Reader(original.taxonomy, seen, items), _Attacked(np.zeros(0, np.int64), known), original, limits)
        for seen in (ReleasedTransactions(original.nodes, original.sensitive, original.counts), release)
    ]
    for look in looks:
        look.summary.update(guesses=None, baseline=None)
    document = {
        "format": FORMAT,
        "kind": "transactions",
        "adversary": f"Somebody who knows the items of {people_in_words(len(known))} in {name}.",
        "file": name,
        "people": len(known),
        "known": None,
        "before": looks[0].summary,
        "after": looks[1].summary,
        **_others(limits, original, release, random),
        "persons": _persons(original, _Attacked(np.zeros(0, np.int64), known), looks[0], looks[1]),
    }
    return {**document, "reading": _reading(document, limits)}


@dataclass(frozen=True, eq=False)
class _Attacked:
    """The people who are attacked, and what is known about them."""

    transactions: Int64s
    """person -> their distinct transaction in the original; nobody's where that is not known"""
    known: tuple[Known, ...]
    """person -> what is known about them"""


@dataclass(frozen=True, eq=False)
class _Look:
    reader: Reader
    records: Int64s
    """person -> how many transactions fit"""
    confidence: Floats
    """person -> the highest confidence in a sensitive item"""
    summary: dict[str, Any]


def _draw(
    original: EncodedTransactions, present: int | None, absent: int, people: int, random: np.random.Generator
) -> _Attacked:
    stops = np.cumsum(original.counts)
    chosen = np.arange(original.transactions)
    if len(chosen) > people:
        chosen = np.sort(random.choice(len(chosen), people, replace=False))
    transactions = np.searchsorted(stops, chosen, side="right").astype(np.int64)
    known = []
    leaves = len(original.taxonomy.leaf_nodes)
    for transaction in transactions.tolist():
        items = original.sets[transaction]
        has = items if present is None else random.choice(items, min(present, len(items)), replace=False)
        ranks = random.choice(leaves - len(items), min(absent, leaves - len(items)), replace=False)
        # The leaf with r leaves before it that the person lacks: r and the leaves before it that they have.
        has_not = ranks + np.searchsorted(items - np.arange(len(items)), ranks, side="right")
        known.append(Known(tuple(sorted(has.tolist())), tuple(sorted(has_not.tolist()))))
    return _Attacked(transactions, tuple(known))


def _look(reader: Reader, attacked: _Attacked, original: EncodedTransactions, limits: ItemsetLimits | None) -> _Look:
    """What the adversary finds about everybody."""
    share = limits.share if limits is not None and limits.limits_confidence and original.sensitive_items else None
    common = np.flatnonzero((reader.totals == reader.totals.max(initial=0)) & (reader.totals > 0))
    records = np.zeros(len(attacked.known), np.int64)
    confidence = np.zeros(len(attacked.known))
    above, right = 0, Fraction(0)
    alike: dict[Seen, list[int]] = defaultdict(list)
    for person, known in enumerate(attacked.known):
        alike[reader.sees(known)].append(person)
    for seen, people in alike.items():
        found = reader.fitting(seen)
        records[people], confidence[people] = found.records, found.confidence
        if share is not None and (seen.present or seen.absent) and reader.exceeds(found, share):
            above += len(people)
        guess = found.likeliest if len(found.likeliest) else common
        if len(attacked.transactions):
            right += _right(original, attacked.transactions[people], guess)
    total = len(attacked.transactions)
    summary = {
        "fitting": _bins(records),
        "found": int((records == 1).sum()),
        "below_k": None
        if limits is None or limits.smallest == 1
        else int(((records > 0) & (records < limits.smallest)).sum()),
        "highest_confidence": float(confidence.max(initial=0.0)) if original.sensitive_items else None,
        "above_share": None if share is None else above,
        "guesses": rate(right, total) if original.sensitive_items else None,
        "baseline": rate(_right(original, attacked.transactions, common), total) if original.sensitive_items else None,
    }
    return _Look(reader, records, confidence, summary)


def _right(original: EncodedTransactions, transactions: Int64s, guess: Int64s) -> Fraction:
    """How many of these people have the sensitive item that is guessed, one of several at random."""
    guessed = np.zeros(len(original.sensitive_items), np.bool_)
    guessed[guess] = True
    truth = original.sensitive.take(transactions).items
    return Fraction(int(guessed[truth].sum()), max(1, len(guess)))


def _bins(records: Int64s) -> list[dict[str, Any]]:
    places = np.searchsorted(MATCH_BINS, records, side="right") - 1
    numbers = np.bincount(places, minlength=len(MATCH_BINS))
    last = int(numbers.nonzero()[0].max(initial=1))
    ends = [*(begin - 1 for begin in MATCH_BINS[1:]), None]
    found = zip(MATCH_BINS, ends, numbers.tolist(), strict=True)
    return [{"from": begin, "to": end, "people": number} for begin, end, number in found][: last + 1]


def _persons(original: EncodedTransactions, attacked: _Attacked, before: _Look, after: _Look) -> list[dict[str, Any]]:
    """Those about whom the release reveals most: by confidence, then by how few fit; the same knowledge once."""
    few = np.where(after.records > 0, after.records, np.iinfo(np.int64).max)
    order = np.lexsort((few, -after.confidence)).tolist()
    chosen = islice(dict.fromkeys(attacked.known[person] for person in order), MOST_PERSONS)
    labels = original.taxonomy.leaf_labels
    persons = []
    for known in chosen:
        views = {
            name: _told(look.reader.fitting(look.reader.sees(known)), original.sensitive_items)
            for name, look in (("before", before), ("after", after))
        }
        persons.append(
            {
                "present": [labels[leaf] for leaf in known.present],
                "absent": [labels[leaf] for leaf in known.absent],
                **views,
            }
        )
    return persons


def _told(found: Fitting, sensitive_items: Sequence[str]) -> dict[str, Any]:
    order = np.argsort(-found.having, kind="stable")[:MOST_VALUES]
    return {
        "records": found.records,
        "values": [
            {"value": sensitive_items[item], "confidence": float(found.having[item] / found.records)}
            for item in order.tolist()
            if found.having[item] > 0
        ],
    }


def _adversary(known: int | None, absent: int, attacked: _Attacked, original: EncodedTransactions) -> str:
    some = "all items that a person has and that are not sensitive"
    what = [some if known is None else f"up to {counted(known, 'item')} that a person has"]
    if absent:
        what.append(f"{counted(absent, 'item')} that the person does not have")
    drawn = len(attacked.transactions)
    whom = "everybody" if drawn == original.transactions else f"{drawn:,} of {original.transactions:,} people at random"
    return f"Somebody who knows {' and '.join(what)}, tried on {whom}."


def _reading(document: dict[str, Any], limits: ItemsetLimits | None) -> list[str]:
    """A few sentences for somebody who decides whether to publish."""
    before, after, people = document["before"], document["after"], document["people"]
    sentences = [
        document["adversary"],
        f"In the original, exactly one transaction fits what is known about {_of(before['found'], people)}; in the "
        f"release, about {_of(after['found'], people)}.",
    ]
    if limits is not None and limits.smallest > 1:
        sentences.append(
            f"Fewer than the promised {limits.smallest:,} transactions fit {people_in_words(before['below_k'])} before "
            f"and {people_in_words(after['below_k'])} after."
        )
    if unmatched := next(part["people"] for part in after["fitting"] if part["from"] == 0):
        sentences.append(f"For {people_in_words(unmatched)} no transaction of the release fits.")
    if after["highest_confidence"] is not None:
        sentences.append(
            "The highest confidence in a sensitive item "
            f"{changes(before['highest_confidence'], after['highest_confidence'])}."
        )
    if after["above_share"] is not None and limits is not None:
        sentences.append(
            f"The promised {percent(float(limits.share))} is exceeded for {people_in_words(before['above_share'])} "
            f"before and for {people_in_words(after['above_share'])} after."
        )
    if after["guesses"]:
        guess, base = after["guesses"], after["baseline"]
        sentences.append(
            f"Naming a sensitive item from the original is right for {percent(before['guesses']['rate'])} of the "
            f"people, from the release for {percent(guess['rate'])} ({_interval(guess)}), and without knowing anybody "
            f"for {percent(base['rate'])} ({_interval(base)})."
        )
    for name, attack in TRANSACTION_ATTACKS.items():
        if attack.beyond is not None and (told := attack.beyond(document[name])):
            sentences.append(f"Beyond the promise: {told}")
    return sentences


def _of(number: int, people: int) -> str:
    return f"{number:,} of {people:,} people" if number else "nobody"


def _interval(part: dict[str, Any]) -> str:
    low, high = part["interval"]
    return f"95% interval {percent(low)} to {percent(high)}"
