"""Short unsafe rules, at most one for each sensitive occurrence.

A rule q -> e is unsafe when sup(q + e) * denominator > numerator * sup(q). Where items are left out of all records
alike, a rule of items that stay keeps both supports. So it ends when one of its items goes and not before, and the
shorter a rule is, the more it says about what must go.

For each record r and each sensitive e in it the rule r without e -> e is looked at. If it is unsafe, items of r are
taken one by one in random order until they make an unsafe rule, and then each that it can spare is dropped. A rule of
more than one record may be unsafe where these are all safe: finding none here proves nothing yet.

Costs: for each sensitive occurrence the records with it or with the rarest other item of its record; for each rule as
much for each of its items.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .cache import njit
from .itemset_data import Bools, Int32s, Int64s, Number

Floats = npt.NDArray[np.float64]


class Holdings(NamedTuple):
    """Record r has items[offsets[r]:offsets[r + 1]], ascending; those from first_sensitive on are sensitive."""

    offsets: Int64s
    items: Int32s
    posting_offsets: Int64s
    postings: Int32s
    """item -> the records that have it"""
    first_sensitive: Number
    frequent: Int32s
    """item -> its row among is_held, -1 for a rare one"""
    is_held: Bools
    """row x record, for the frequent items, which are asked for most"""


@njit(cache=True, nogil=True)
def find_minimal_rules(
    data: Holdings,
    is_published: Bools,
    rows: Int64s,
    draws: Floats,
    numerator: int,
    denominator: int,
    enough: int,
    offsets: Int64s,
    members: Int32s,
    stop: Int64s,
) -> tuple[int, int]:
    """Rule i gets members[offsets[i]:offsets[i + 1]], e last. Returns how many rules, and how many rows were read.

    Of the items that are published; ends when there are enough. There is room for the rules of one more record.
    draws: a random number for each occurrence.
    """
    rules, longest = 0, 0
    for row in rows:
        longest = max(longest, data.offsets[row + 1] - data.offsets[row])
    known, keys = np.empty(longest, np.int32), np.empty(longest, np.float64)
    rest = np.empty(longest, np.int32)
    for read in range(len(rows)):
        row = rows[read]
        size = _published(data, is_published, row, draws, known, keys)
        if stop[0] or rules >= enough or offsets[rules] + size * size > len(members):
            return rules, read
        for index in range(size):
            if size > 1 and known[index] >= data.first_sensitive:
                length = 0
                for other in range(size):
                    if other != index:
                        rest[length] = known[other]
                        length += 1
                if _is_unsafe(data, rest, length, -1, known[index], numerator, denominator):
                    length = _shortened(data, rest, length, known[index], numerator, denominator)
                    first = offsets[rules]
                    for place in range(length):
                        members[first + place] = rest[place]
                    members[first + length] = known[index]
                    rules += 1
                    offsets[rules] = first + length + 1
    return rules, len(rows)


@njit(cache=True, nogil=True)
def _published(data: Holdings, is_published: Bools, row: Number, draws: Floats, known: Int32s, keys: Floats) -> Number:
    """The published items of the record in random order; returns their number."""
    size = 0
    for place in range(data.offsets[row], data.offsets[row + 1]):
        item = data.items[place]
        if is_published[item]:
            key = draws[place]
            index = size
            while index > 0 and keys[index - 1] > key:
                known[index], keys[index] = known[index - 1], keys[index - 1]
                index -= 1
            known[index], keys[index] = item, key
            size += 1
    return size


@njit(cache=True, nogil=True)
def _shortened(data: Holdings, rest: Int32s, length: int, e: Number, numerator: int, denominator: int) -> int:
    """Leaves a short unsafe rule in the first places of rest, and returns its length."""
    taken = 1
    while taken < length and not _is_unsafe(data, rest, taken, -1, e, numerator, denominator):
        taken += 1
    index = taken - 1
    while index >= 0 and taken > 1:
        if _is_unsafe(data, rest, taken, index, e, numerator, denominator):
            taken -= 1
            rest[index] = rest[taken]
        index -= 1
    return taken


@njit(cache=True, nogil=True)
def _is_unsafe(
    data: Holdings, items: Int32s, length: Number, left_out: Number, e: Number, numerator: int, denominator: int
) -> bool:
    """Whether q -> e is unsafe, for q = items[:length] without the one at left_out."""
    rarest, fewest = -1, 0
    for index in range(length):
        holders = data.posting_offsets[items[index] + 1] - data.posting_offsets[items[index]]
        if index != left_out and (rarest < 0 or holders < fewest):
            rarest, fewest = index, holders
    first, end = data.posting_offsets[e], data.posting_offsets[e + 1]
    if end - first > fewest:
        first = data.posting_offsets[items[rarest]]
        end = first + fewest
    both = 0
    for place in range(first, end):
        record = data.postings[place]
        both += _has(data, record, e) and _has_all(data, record, items, length, left_out)
    # The records with q are counted only as long as the rule can be unsafe.
    first, holders = data.posting_offsets[items[rarest]], 0
    if fewest * numerator >= both * denominator:
        for place in range(first, first + fewest):
            holders += _has_all(data, data.postings[place], items, length, left_out)
            if holders * numerator >= both * denominator:
                return False
    return True


@njit(cache=True, nogil=True)
def _has_all(data: Holdings, record: Number, items: Int32s, length: Number, left_out: Number) -> bool:
    for index in range(length):  # noqa: SIM110 - all() over a generator does not compile
        if index != left_out and not _has(data, record, items[index]):
            return False
    return True


@njit(cache=True, nogil=True)
def _has(data: Holdings, record: Number, item: Number) -> bool:
    if data.frequent[item] >= 0:
        return bool(data.is_held[data.frequent[item], record])
    first, end = data.offsets[record], data.offsets[record + 1]
    while first < end:
        middle = (first + end) >> 1
        if data.items[middle] < item:
            first = middle + 1
        else:
            end = middle
    return bool(first < data.offsets[record + 1] and data.items[first] == item)
