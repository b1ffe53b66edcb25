"""The search for moles, the itemsets that break a promise, as both their repair and their removal need it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.kernels.minimal_moles import (
    NONE,
    Baskets,
    Breach,
    KnownMoles,
    Scratch,
    doubtful_transactions,
    hash_table,
    merge_equal,
    moles_starting_with,
    places_of_items,
)
from discreet.models.itemset_limits import ItemsetLimits
from discreet.search.limits import Limits
from discreet.values.arrays import Int32s, Int64s
from discreet.values.sets import Sets

Bools = npt.NDArray[np.bool_]

FEW_ITEMS = 1000
NO_MOLES = np.full((0, 1), NONE, np.int32)


@dataclass(frozen=True, eq=False)
class MoleSearch:
    """Transactions whose items are numbered from 0, made ready for the search for moles in them."""

    baskets: Baskets
    breach: Breach
    scratch: Scratch
    longest: int
    """The items of the longest transaction: no mole has more."""

    @classmethod
    def of(cls, sets: Sets, number_of_items: int, counts: Int64s, sensitive: Sets, limits: ItemsetLimits) -> MoleSearch:
        sensitive_items = int(sensitive.items.max(initial=-1)) + 1 if limits.limits_confidence else 0
        if not sensitive_items:
            offsets, items, counts = merge_equal(sets.offsets, sets.items, counts)
            longest_first = np.argsort(-np.diff(offsets), kind="stable")
            sets, counts = Sets(offsets, items).take(longest_first), counts[longest_first]
        baskets = Baskets(
            sets.offsets,
            sets.items,
            counts,
            sets.rows,
            *places_of_items(sets.items, number_of_items),
            sensitive.offsets,
            sensitive.items,
        )
        longest = int(sets.sizes.max(initial=0))
        shape = (max(1, min(limits.present, longest) - 1), number_of_items)
        scratch = Scratch(
            number=np.zeros(shape, np.int64),
            weight=np.zeros(shape, np.int64),
            start=np.zeros(shape, np.int64),
            touched=np.zeros(shape, np.int32),
            sensitive=np.zeros(sensitive_items, np.int64),
        )
        breach = Breach(limits.smallest, limits.share.numerator, limits.share.denominator, sensitive_items)
        return cls(baskets, breach, scratch, longest)

    def of_size(self, size: int, known: Int32s = NO_MOLES) -> MolesOfSize:
        """known: the minimal moles of all sizes from 2 up to this one, one per row, NONE after the last item.

        Items that are moles on their own must be closed for all sizes but 1.
        """
        # Of pairs, or of many and so mostly rare items, too many are moles for few transactions to be doubtful.
        if size > 2 and not self.breach.sensitive_items and self.scratch.number.shape[1] <= FEW_ITEMS:
            is_doubtful = doubtful_transactions(size, self.baskets, self.breach)
        else:
            is_doubtful = np.diff(self.baskets.offsets) >= size
        return MolesOfSize(self, size, KnownMoles(known, hash_table(known)), is_doubtful)


@dataclass(frozen=True, eq=False)
class MolesOfSize:
    """The minimal moles of one size."""

    search: MoleSearch
    size: int
    known: KnownMoles
    is_doubtful: Bools

    def starting_with(self, root: int, is_open: Bools) -> Int32s:
        """Those made of open items that have `root` as their lowest item."""
        search = self.search
        moles: Int32s = moles_starting_with(
            root, self.size, search.baskets, search.breach, self.known, self.is_doubtful, is_open, search.scratch
        )
        return moles

    def found(self, is_open: Bools, limits: Limits) -> Int32s:
        """All those made of open items; if the limits end the search, those found by then."""
        moles = [np.empty((0, self.size), np.int32)]
        for root in np.flatnonzero(is_open).tolist():
            if limits.is_over:
                break
            moles.append(self.starting_with(root, is_open))
        return np.concatenate(moles)
