"""Transactions and items as the search for threats counts them."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from .cache import njit

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Number: TypeAlias = int | np.int64
"""A number that begins as np.int64(0) is no literal: for each literal a function would be compiled anew."""


LISTED, CUT, ALL, SENSITIVE, REMOVABLE = range(5)
"""What a row of a Database has: the items to enumerate, the cut's own items, these and all above them, its sensitive
items, and the items of the cut that are worth few enough leaves to be known absent."""


class Database(NamedTuple):
    """Distinct transactions at a cut; row r has items[offsets[WHAT, r]:offsets[WHAT, r + 1]], ascending.

    Few arrays in all: each makes every kernel that is handed the data slower to compile.
    """

    offsets: Int64s
    items: Int32s
    weights: Int64s
    posting_offsets: Int64s
    postings: Int32s
    """item -> the rows that have it, among ALL"""


END, ABOVE, LEAVES, SPECIALIZED = range(4)
"""Of an item v: below it are the items in (v, END); its parent, -1 for the root; its leaves; and its parent's number
among the nodes that can be specialized, -1 for the root."""
Nodes: TypeAlias = Int32s
"""item x (END .. SPECIALIZED)"""


class Power(NamedTuple):
    """The promise: at least k, at most numerator / denominator; knowing so many present items and absent leaves."""

    k: int
    numerator: int
    denominator: int
    present: int
    absent: int


@njit(cache=True, nogil=True)
def sort_ascending(numbers: Int32s | Int64s, size: Number) -> None:
    """Sorts numbers[:size] in place (Shell 1959); np.sort would take seconds to compile in each kernel that has it."""
    gap = 1
    while gap < size // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for index in range(gap, size):
            number = numbers[index]
            place = index
            while place >= gap and numbers[place - gap] > number:
                numbers[place] = numbers[place - gap]
                place -= gap
            numbers[place] = number
        gap //= 3


@njit(cache=True, nogil=True)
def place_of(items: Int32s, first: Number, stop: Number, item: Number) -> Number:
    """Where the item is in items[first:stop], which ascend; -1 if it is not."""
    while first < stop:
        middle = (first + stop) >> 1
        if items[middle] < item:
            first = middle + 1
        elif items[middle] > item:
            stop = middle
        else:
            return middle
    return np.int64(-1)


@njit(cache=True, nogil=True)
def has(items: Int32s, first: Number, stop: Number, item: Number) -> bool:
    return bool(place_of(items, first, stop, item) >= 0)


@njit(cache=True, nogil=True)
def is_threat(support: Number, sensitive: Int64s, power: Power) -> bool:
    if support <= 0:
        return False
    most = 0
    for s in range(len(sensitive)):
        most = max(most, sensitive[s])
    return bool(support < power.k or most * power.denominator > power.numerator * support)


@njit(cache=True, nogil=True)
def breaks(chosen: Int32s, present: Number, size: Number, data: Database, sensitive: Int64s, power: Power) -> bool:
    """Whether chosen[:present] present and chosen[present:size] absent is a threat, counted from the transactions."""
    shortest = -1
    for index in range(present):
        item = chosen[index]
        length = data.posting_offsets[item + 1] - data.posting_offsets[item]
        if shortest < 0 or length < data.posting_offsets[shortest + 1] - data.posting_offsets[shortest]:
            shortest = item
    first, stop = np.int64(0), np.int64(len(data.weights))
    if shortest >= 0:
        first, stop = data.posting_offsets[shortest], data.posting_offsets[shortest + 1]
    for s in range(len(sensitive)):
        sensitive[s] = 0
    support = 0
    for place in range(first, stop):
        row = np.int64(data.postings[place]) if shortest >= 0 else place
        begin, end = data.offsets[ALL, row], data.offsets[ALL, row + 1]
        fits = True
        for index in range(size):
            if chosen[index] != shortest and has(data.items, begin, end, chosen[index]) != (index < present):
                fits = False
                break
        if fits:
            support += data.weights[row]
            if support >= power.k and len(sensitive) == 0:
                return False
            for at in range(data.offsets[SENSITIVE, row], data.offsets[SENSITIVE, row + 1]):
                sensitive[data.items[at]] += data.weights[row]
    return is_threat(support, sensitive, power)


@njit(cache=True, nogil=True)
def rows_having(chosen: Int32s, size: Number, data: Database) -> Int32s:
    """The rows with all of chosen[:size]."""
    shortest = chosen[0]
    for index in range(1, size):
        item = chosen[index]
        length = data.posting_offsets[item + 1] - data.posting_offsets[item]
        if length < data.posting_offsets[shortest + 1] - data.posting_offsets[shortest]:
            shortest = item
    rows = data.postings[data.posting_offsets[shortest] : data.posting_offsets[shortest + 1]].copy()
    kept = 0
    for row in rows:
        fits = True
        for index in range(size):
            item = chosen[index]
            if item != shortest and not has(data.items, data.offsets[ALL, row], data.offsets[ALL, row + 1], item):
                fits = False
                break
        if fits:
            rows[kept] = row
            kept += 1
    return rows[:kept]


@njit(cache=True, nogil=True)
def staying_weight(row: Number, data: Database) -> Number:
    """The weight of a row that has neither sensitive nor removable items; 0 for others."""
    removable = data.offsets[REMOVABLE, row + 1] - data.offsets[REMOVABLE, row]
    sensitive = data.offsets[SENSITIVE, row + 1] - data.offsets[SENSITIVE, row]
    return data.weights[row] if removable + sensitive == 0 else np.int64(0)
