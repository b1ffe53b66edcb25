"""Records that look alike, with what their sensitive values show; and exact comparisons with thresholds.

Counts are kept sparse, one entry for each value that shows in a group: a table with thousands of sensitive values
has no more entries than distinct rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.values.arrays import Int32s, Int64s, column_codes

Bools = npt.NDArray[np.bool_]

NOWHERE = -1
"""A value that the table does not have, a person that no record fits."""
UNTOLD = -2
"""What is not known about somebody: a quasi-identifier, or the truth."""
EXACT = 1 << 62
"""Products below this fit 64 bits."""

Thresholds = Sequence[Fraction | None]
"""For each sensitive value the largest confidence promised; None where nothing is promised."""


@dataclass(frozen=True)
class Groups:
    """Groups of records with equal keys. Entries are sorted by group and value."""

    keys: Int32s
    """attribute x group -> the value that its records share, UNTOLD where they may have any"""
    sizes: Int64s
    """group -> records, those with a suppressed value included"""
    group: Int64s
    """entry -> group"""
    value: Int32s
    """entry -> code of the sensitive value that shows"""
    count: Int64s
    """entry -> records of the group that show it"""
    values: int
    """how many sensitive values the table has"""
    stars: Int64s
    """group -> records with a suppressed value"""

    @classmethod
    def of(cls, keys: Int32s, sensitive: Int32s, counts: Int64s, values: int) -> Groups:
        """Groups rows by their keys; a sensitive code below 0 is a suppressed value."""
        if not len(counts):
            nothing = np.zeros(0, np.int64)
            none = nothing.astype(np.int32)
            return cls(np.zeros((len(keys), 0), np.int32), nothing, nothing, none, nothing, values, nothing)
        _, first, group_of = np.unique(column_codes(keys), return_index=True, return_inverse=True)
        shown = sensitive >= 0
        cells, entry_of = np.unique(group_of[shown] * values + sensitive[shown], return_inverse=True)
        return cls(
            keys=keys[:, first],
            sizes=sums(group_of, counts, len(first)),
            group=cells // values,
            value=(cells % values).astype(np.int32),
            count=sums(entry_of, counts[shown], len(cells)),
            values=values,
            stars=sums(group_of[~shown], counts[~shown], len(first)),
        )

    @classmethod
    def telling(
        cls, keys: Int32s, sensitive: Int32s, counts: Int64s, teller: Int32s, told: Int32s, values: int
    ) -> Groups:
        """The same where a sensitive value tells several: entry e of teller, ascending, tells told[e]."""
        once = cls.of(keys, sensitive, counts, int(teller.max(initial=0)) + 1)
        first, stop = np.searchsorted(teller, once.value), np.searchsorted(teller, once.value, side="right")
        entry = np.repeat(np.arange(len(once.value)), stop - first)
        within = np.arange(len(entry)) - np.repeat(np.cumsum(stop - first) - (stop - first), stop - first)
        cells, place = np.unique(once.group[entry] * values + told[first[entry] + within], return_inverse=True)
        return replace(
            once,
            group=cells // values,
            value=(cells % values).astype(np.int32),
            count=sums(place, once.count[entry], len(cells)),
            values=values,
        )

    @classmethod
    def joined(cls, parts: Sequence[Groups]) -> Groups:
        """The groups of all parts, which tell the same records apart by different attributes."""
        offsets = np.cumsum([0, *(len(part.sizes) for part in parts[:-1])])
        return cls(
            keys=np.concatenate([part.keys for part in parts], axis=1),
            sizes=np.concatenate([part.sizes for part in parts]),
            group=np.concatenate([part.group + offset for part, offset in zip(parts, offsets, strict=True)]),
            value=np.concatenate([part.value for part in parts]),
            count=np.concatenate([part.count for part in parts]),
            values=parts[0].values,
            stars=np.concatenate([part.stars for part in parts]),
        )

    def by(self, told: Bools) -> Groups:
        """The same records told apart by some of the attributes only."""
        if not len(self.sizes):
            return self
        _, first, union_of = np.unique(column_codes(self.keys[told]), return_index=True, return_inverse=True)
        cells, entry_of = np.unique(union_of[self.group] * self.values + self.value, return_inverse=True)
        keys = np.full((len(told), len(first)), UNTOLD, np.int32)
        keys[told] = self.keys[told][:, first]
        return Groups(
            keys=keys,
            sizes=sums(union_of, self.sizes, len(first)),
            group=cells // self.values,
            value=(cells % self.values).astype(np.int32),
            count=sums(entry_of, self.count, len(cells)),
            values=self.values,
            stars=sums(union_of, self.stars, len(first)),
        )

    def only(self, chosen: Bools) -> Groups:
        """Some of the groups, with their entries."""
        number = np.cumsum(chosen) - 1
        kept = chosen[self.group]
        return Groups(
            self.keys[:, chosen],
            self.sizes[chosen],
            number[self.group[kept]],
            self.value[kept],
            self.count[kept],
            self.values,
            self.stars[chosen],
        )

    def find(self, keys: Int32s) -> Int64s:
        """The group with each of these keys (columns), NOWHERE where there is none."""
        groups = len(self.sizes)
        if not groups or not keys.shape[1]:
            return np.full(keys.shape[1], NOWHERE, np.int64)
        codes = column_codes(np.concatenate((self.keys, keys), axis=1).astype(np.int64) - UNTOLD)
        order = np.argsort(codes[:groups])
        known = codes[:groups][order]
        place = np.minimum(np.searchsorted(known, codes[groups:]), groups - 1)
        return np.where(known[place] == codes[groups:], order[place], NOWHERE)

    def find_all(self, keys: Int32s) -> Iterator[Int64s]:
        """For each set of attributes by which groups are told apart: the group that each of these keys is in."""
        if len(self.sizes):
            for untold in np.unique(self.keys == UNTOLD, axis=1).T:
                yield self.find(np.where(untold[:, None], UNTOLD, keys))

    def members(self, keys: Int32s, counts: Int64s) -> Int64s:
        """group -> how many of those with these keys are in it"""
        total = np.zeros(len(self.sizes), np.int64)
        for place in self.find_all(keys):
            total += sums(place[place >= 0], counts[place >= 0], len(self.sizes))
        return total

    def shown(self, group: Int64s, value: Int32s) -> Int64s:
        """How many records of each group show each value; 0 for groups and values that are NOWHERE."""
        cells = self.group * self.values + self.value
        wanted = np.where((group < 0) | (value < 0), -1, group * self.values + value)
        if not len(cells):
            return np.zeros(len(wanted), np.int64)
        place = np.minimum(np.searchsorted(cells, wanted), len(cells) - 1)
        return np.where(cells[place] == wanted, self.count[place], 0)

    @cached_property
    def best(self) -> Int64s:
        """group -> how often its most frequent visible value shows, 0 where none does"""
        best = np.zeros(len(self.sizes), np.int64)
        np.maximum.at(best, self.group, self.count)
        return best

    @cached_property
    def ties(self) -> Int64s:
        """group -> how many visible values are as frequent as the most frequent one"""
        return np.bincount(self.group[self.count == self.best[self.group]], minlength=len(self.sizes))

    @cached_property
    def distinct(self) -> Int64s:
        """group -> how many different values show"""
        return np.bincount(self.group, minlength=len(self.sizes))

    @cached_property
    def totals(self) -> Int64s:
        """value -> records that show it"""
        return sums(self.value, self.count, self.values)

    @cached_property
    def likely(self) -> Int64s:
        """value -> how likely it is for somebody about whom nothing is known; one more than it shows, as none is
        impossible"""
        return self.totals + 1

    def above(self, thresholds: Thresholds) -> Bools:
        """entry -> whether its share of the group exceeds the value's threshold"""
        return exceeds(self.count, self.sizes[self.group], self.value, thresholds)


def exceeds(
    counts: Int64s, sizes: Int64s, values: npt.NDArray[np.integer], thresholds: Thresholds
) -> npt.NDArray[np.bool_]:
    """count / size > threshold of the value, in whole numbers; a value without threshold exceeds nothing."""
    shares = [Fraction(1) if threshold is None else threshold for threshold in thresholds]
    largest = max((share.denominator for share in shares), default=1)
    whole: type = np.int64
    if largest * int(sizes.max(initial=1)) >= EXACT:
        whole = object  # whole numbers of any length, slowly
    numerators: npt.NDArray[Any] = np.array([share.numerator for share in shares], whole)
    denominators: npt.NDArray[Any] = np.array([share.denominator for share in shares], whole)
    excess = counts.astype(whole) * denominators[values] - numerators[values] * sizes.astype(whole)
    return np.asarray(excess > 0, bool)


def sums(places: npt.NDArray[np.integer], amounts: Int64s, size: int) -> Int64s:
    """The sum of the amounts at each place."""
    # bincount adds doubles, which are exact for any number of rows that fits memory (below 2^53).
    return np.bincount(places, weights=amounts, minlength=size).astype(np.int64)
