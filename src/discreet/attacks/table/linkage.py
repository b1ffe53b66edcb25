"""The adversary of the promise: they know somebody's quasi-identifiers and look at the records that fit.

Paper: Liu 2010, 3.1.1. Their confidence in a sensitive value is its share of the records that fit, where records with
a suppressed value count among the records and show no value. `found`: exactly one record fits. `certain`: all records
that fit show the same value. `above_threshold`: some value's confidence exceeds what was promised for it, compared in
whole numbers.

Their guess is the most frequent visible value among the records that fit; of several, one at random, so the number of
right guesses is an expectation. Where no record fits, or none shows a value, they guess like somebody who does not know
the quasi-identifiers: the most frequent visible value of the whole table. That guess for everybody is the baseline,
so the attack never looks weaker than it is for want of a guess.

Before: the same adversary with the original in hand, matched on equal leaves. After: with the release, matched on the
published value above. Where they do not know some quasi-identifier of a person, all records fit that fit in the others.

Where groups have labels of their own (local recoding), somebody may fit several groups, and the records that fit are
those of all of them. That is less than is known by somebody who can tell in which group a person is, say because a
record in it can be recognized: `knowing_the_group` is the same adversary with the records of that group alone. Their
highest confidence is never lower, as a share of several groups together lies between the shares in each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from discreet.attacks.rates import MATCH_BINS, rate
from discreet.attacks.table.above import fitting
from discreet.attacks.table.facts import Facts
from discreet.attacks.table.groups import NOWHERE, UNTOLD, Groups, Thresholds, sums
from discreet.attacks.table.people import People, released_groups
from discreet.encode.released_table import ReleasedTable
from discreet.values.arrays import Int32s, Int64s, column_codes

MOST_VALUES = 1000


@dataclass(frozen=True)
class Linked:
    """People and the groups of records that fit them."""

    people: People
    classes: Groups
    """the records by every attribute that is known about anybody"""
    groups: Groups
    """the classes and, for people about whom less is known, unions of classes that fit one of them"""
    group_of: Int64s
    """people -> the group of all records that fit, NOWHERE where none does"""
    population: Int64s
    """class -> how many people fit it; those about whom less is known, or whom several labels fit, may fit several"""

    @classmethod
    def to(cls, people: People, number: int, release: ReleasedTable, facts: Facts) -> Linked:
        """People and the records of one of the releases that they were placed in."""
        above, keys = people.above[number], people.nodes[number]
        if above is None:
            return cls.of(people, keys, released_groups(release, people.attributes, facts))
        classes = released_groups(release, range(len(release.nodes)), facts)
        return cls.overlapping(people, keys, classes, above)

    @classmethod
    def of(cls, people: People, keys: Int32s, classes: Groups) -> Linked:
        """keys: attribute x people -> leaf or published node, UNTOLD where it is not known."""
        told = keys != UNTOLD
        if told.all():
            group_of = classes.find(keys)
            return cls(people, classes, classes, group_of, _weights(people, classes, group_of))
        parts = [classes]
        for known in np.unique(told, axis=1).T:
            if not known.all():
                unions = classes.by(known)
                fitting = unions.find(keys[:, (told == known[:, None]).all(axis=0)])
                parts.append(unions.only(np.isin(np.arange(len(unions.sizes)), fitting)))
        groups = Groups.joined(parts)
        group_of = groups.find(keys)
        weights = np.append(_weights(people, groups, group_of), 0)
        population = np.zeros(len(classes.sizes), np.int64)
        for place in groups.find_all(classes.keys):
            population += weights[place]
        return cls(people, classes, groups, group_of, population)

    @classmethod
    def overlapping(cls, people: People, keys: Int32s, classes: Groups, above: Sequence[csr_array]) -> Linked:
        """Where several published values may lie above a known one.

        keys: known attribute x people -> column of its matrix. classes: by all attributes.
        """
        _, first, key_of = np.unique(column_codes(keys - UNTOLD), return_index=True, return_inverse=True)
        counts = sums(key_of, people.counts, len(first))
        shown = csr_array((classes.count, (classes.group, classes.value)), (len(classes.sizes), classes.values))
        sizes, stars = np.zeros(len(first), np.int64), np.zeros(len(first), np.int64)
        population = np.zeros(len(classes.sizes), np.int64)
        parts: list[tuple[Int64s, Int32s, Int64s]] = []
        start = 0
        for fits in fitting(keys[:, first], above, classes.keys[list(people.attributes)]):
            some = slice(start, start + fits.shape[0])
            together = (fits @ shown).tocsr()
            together.sort_indices()
            group = start + np.repeat(np.arange(fits.shape[0]), np.diff(together.indptr))
            parts.append((group, together.indices.astype(np.int32), together.data))
            sizes[some], stars[some] = fits @ classes.sizes, fits @ classes.stars
            population += fits.T @ counts[some]
            start = some.stop
        groups = Groups(
            keys[:, first],
            sizes,
            np.concatenate([np.zeros(0, np.int64), *(group for group, _, _ in parts)]),
            np.concatenate([np.zeros(0, np.int32), *(value for _, value, _ in parts)]),
            np.concatenate([np.zeros(0, np.int64), *(count for _, _, count in parts)]),
            classes.values,
            stars,
        )
        matched = sizes > 0
        number = np.where(matched, np.cumsum(matched) - 1, NOWHERE)
        return cls(people, classes, groups.only(matched), number[key_of], population)

    @property
    def weights(self) -> Int64s:
        """group -> how many people it fits by all that is known about them"""
        return _weights(self.people, self.groups, self.group_of)

    @property
    def records(self) -> Int64s:
        """people -> how many records fit"""
        if not len(self.groups.sizes):
            return np.zeros(len(self.group_of), np.int64)
        return np.where(self.group_of >= 0, self.groups.sizes[self.group_of], 0)


def _weights(people: People, groups: Groups, group_of: Int64s) -> Int64s:
    matched = group_of >= 0
    return sums(group_of[matched], people.counts[matched], len(groups.sizes))


def linkage(linked: Linked, thresholds: Thresholds | None) -> dict[str, Any]:
    """L of the attack's document. thresholds: None where the table has no sensitive column."""
    people, groups, weights, records = linked.people, linked.groups, linked.weights, linked.records
    found = {
        "matches": _bins(records, people.counts),
        "found": int(people.counts[records == 1].sum()),
        "unmatched": int(people.counts[records == 0].sum()),
    }
    if thresholds is None:
        return {
            **found,
            "highest_confidence": None,
            "certain": None,
            "above_threshold": None,
            "guesses": None,
            "baseline": None,
        }
    known = weights > 0
    confidences = groups.best[known] / groups.sizes[known]
    above = np.zeros(len(groups.sizes), bool)
    above[groups.group[groups.above(thresholds)]] = True
    guesses, baseline = _guesses(linked)
    return {
        **found,
        "highest_confidence": float(confidences.max(initial=0.0)),
        "certain": int(weights[groups.best == groups.sizes].sum()),
        "above_threshold": None if all(share is None for share in thresholds) else int(weights[above].sum()),
        "guesses": guesses,
        "baseline": baseline,
    }


def _bins(records: Int64s, counts: Int64s) -> list[dict[str, Any]]:
    places = np.searchsorted(MATCH_BINS, records, side="right") - 1
    people = sums(places, counts, len(MATCH_BINS))
    last = int(people.nonzero()[0].max(initial=1))
    ends = [*(begin - 1 for begin in MATCH_BINS[1:]), None]
    found = zip(MATCH_BINS, ends, people.tolist(), strict=True)
    return [{"from": begin, "to": end, "people": number} for begin, end, number in found][: last + 1]


def _guesses(linked: Linked) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    people, groups, group_of = linked.people, linked.groups, linked.group_of
    totals = linked.classes.totals
    if people.truth is None:
        return None, None
    told = people.truth != UNTOLD
    truth, counts, group_of = people.truth[told], people.counts[told], group_of[told]
    of = int(counts.sum())
    common = totals == totals.max()
    is_common = (truth >= 0) & common[truth]
    baseline = Fraction(int(counts[is_common].sum()), int(common.sum()))
    best, ties = np.append(groups.best, 0)[group_of], np.append(groups.ties, 0)[group_of]
    shown = groups.shown(group_of, truth)
    by_ties = sums(ties, np.where((best > 0) & (shown == best), counts, 0), groups.values + 1)
    right = sum((Fraction(int(by_ties[size]), size) for size in by_ties.nonzero()[0].tolist()), Fraction(0))
    right += Fraction(int(counts[(best == 0) & is_common].sum()), int(common.sum()))
    return rate(right, of), rate(baseline, of)


def values(
    names: tuple[str, ...], shares: Int64s, rows: int, thresholds: Thresholds, before: Linked, after: Linked
) -> list[dict[str, Any]]:
    """For each sensitive value, the most frequent first: the most that the adversary learns about it."""
    highest_before, above_before = _by_value(before, thresholds)
    highest_after, above_after = _by_value(after, thresholds)
    order = np.lexsort((np.arange(len(names)), -shares))[:MOST_VALUES]
    return [
        {
            "value": names[value],
            "threshold": None if (threshold := thresholds[value]) is None else float(threshold),
            "share": int(shares[value]) / rows,
            "before": float(highest_before[value]),
            "after": float(highest_after[value]),
            "above_before": int(above_before[value]),
            "above_after": int(above_after[value]),
        }
        for value in order.tolist()
    ]


def _by_value(linked: Linked, thresholds: Thresholds) -> tuple[Any, Int64s]:
    """value -> the highest confidence for anyone, and the people above its threshold"""
    groups, weights = linked.groups, linked.weights
    concerned = weights[groups.group] > 0
    highest = np.zeros(groups.values)
    confidences = groups.count / groups.sizes[groups.group]
    np.maximum.at(highest, groups.value[concerned], confidences[concerned])
    above = groups.above(thresholds)
    return highest, sums(groups.value[above], weights[groups.group[above]], groups.values)
