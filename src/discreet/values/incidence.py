"""Which sets have an item, as bits: what several items have in common is then one `&` over all sets at once."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.values.arrays import Int64s
from discreet.values.sets import Sets

Bits = npt.NDArray[np.uint64]
"""Bit i of the whole says whether set i is meant; the unused bits of the last word are 0."""

WORD = 64


class Incidence:
    """The sets that have an item, for any item of some sets.

    >>> incidence = Incidence(Sets.of([[2, 0], [], [2]]))
    >>> incidence.members(incidence.of_item(2)).tolist()
    [0, 2]
    """

    def __init__(self, sets: Sets) -> None:
        self._sets = sets
        order = np.argsort(sets.items, kind="stable")
        self._members = sets.rows[order]
        self._starts = np.concatenate(([0], np.cumsum(np.bincount(sets.items)))).astype(np.int64)

    def of_item(self, item: int) -> Bits:
        """The sets that have the item; none where no set does."""
        return self._packed(self._members[self._starts[item] : self._starts[item + 1]] if self.has(item) else ())

    def has(self, item: int) -> bool:
        """Whether any set has the item."""
        return item + 1 < len(self._starts) and bool(self._starts[item] < self._starts[item + 1])

    @cached_property
    def everything(self) -> Bits:
        return self._packed(slice(len(self._sets)))

    def members(self, bits: Bits) -> Int64s:
        """The numbers of the sets that are meant, ascending."""
        words = np.flatnonzero(bits)
        places = np.flatnonzero(np.unpackbits(bits[words].view(np.uint8), bitorder="little").view(np.bool_))
        return words[places // WORD] * WORD + places % WORD

    def _packed(self, members: Int64s | slice | tuple[()]) -> Bits:
        chosen = np.zeros(-(-len(self._sets) // WORD) * WORD, np.bool_)
        chosen[members if isinstance(members, slice) else np.asarray(members, np.int64)] = True
        return np.packbits(chosen, bitorder="little").view(np.uint64)
