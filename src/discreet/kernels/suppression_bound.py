"""How few items each record can lose: the propagation behind discreet.search.transactions.suppression_bound.

What is computed, and why it is a bound, is explained there.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .cache import njit

Bools = npt.NDArray[np.bool_]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]


@njit(cache=True, nogil=True)
def least_deletions(
    offsets: Int64s,
    items: Int32s,
    counts: Int64s,
    starts: Int64s,
    holders: Int32s,
    is_sensitive: Bools,
    needed: int,
    most_looked_up: int,
    stop: Int64s,
) -> Int64s:
    """Distinct record -> the least number of deletions that was not refuted for one of its copies.

    Items are numbered from the rarest on, and ascend within a record; holders[starts[i] : starts[i + 1]] are the
    records that have item i. needed: how many other records must hold what is kept less one sensitive item.
    most_looked_up: a number that would take more entries of `holders` to refute is not refuted. Once stop[0] is set,
    which another thread may do, nothing more is refuted.
    """
    records = len(offsets) - 1
    least = np.zeros(records, np.int64)
    met = np.full(records, -1, np.int32)
    missing = np.empty(1024, np.int64)
    ends = np.zeros(257, np.int64)
    weights = np.empty(256, np.int64)
    signatures = _signatures(offsets, items)
    # In the order of the holders: what is read one after the other need not be waited for.
    theirs = np.empty(len(holders), np.int64)
    for at in range(len(holders)):
        theirs[at] = signatures[holders[at]]
    for record in range(records):
        if stop[0]:
            break
        first = offsets[record]
        size = offsets[record + 1] - first
        sensitive = np.empty(size, np.bool_)
        number = 0
        for at in range(size):
            sensitive[at] = is_sensitive[items[first + at]]
            number += sensitive[at]
        most = min(number, size - 1)
        met[record] = record
        found, places, looked_up = 0, 0, 0
        for deletions in range(most):
            # What lacks at most deletions + 1 of the items has one of the deletions + 2 rarest.
            for place in range(places, min(size, deletions + 2)):
                item = items[first + place]
                looked_up += starts[item + 1] - starts[item]
                if looked_up > most_looked_up:
                    break
                for at in range(starts[item], starts[item + 1]):
                    other = holders[at]
                    if _has_more_bits(signatures[record] & ~theirs[at], most) or met[other] == record:
                        continue
                    met[other] = record
                    if found == len(weights):
                        weights, ends = _grown(weights), _grown(ends)
                    while ends[found] + size > len(missing):
                        missing = _grown(missing)
                    # From the back on, where items are frequent, most others differ soon.
                    end = ends[found]
                    for lacked in range(place):
                        missing[end] = lacked
                        end += 1
                    back = offsets[other + 1] - 1
                    for mine in range(size - 1, place, -1):
                        while items[back] > items[first + mine]:
                            back -= 1
                        if items[back] != items[first + mine]:
                            missing[end] = mine
                            end += 1
                            if end > ends[found] + most:
                                break
                    if end <= ends[found] + most:
                        weights[found] = counts[other]
                        found += 1
                        ends[found] = end
                places = place + 1
            if looked_up > most_looked_up:
                break
            if _is_possible(deletions, sensitive, missing, ends, weights[:found], counts[record] - 1, needed):
                break
            least[record] = deletions + 1
    return least


@njit(cache=True, nogil=True)
def _signatures(offsets: Int64s, items: Int32s) -> Int64s:
    """A bit for each item of a record, 63 in all: bits that another record does not have are items that it lacks."""
    signatures = np.zeros(len(offsets) - 1, np.int64)
    for record in range(len(signatures)):
        for at in range(offsets[record], offsets[record + 1]):
            signatures[record] |= np.int64(1) << np.int64(items[at] % 63)
    return signatures


@njit(cache=True, nogil=True)
def _has_more_bits(bits: int, number: int) -> bool:
    for _ in range(number):
        if bits == 0:
            return False
        bits &= bits - 1
    return bits != 0


@njit(cache=True, nogil=True)
def _grown(numbers: Int64s) -> Int64s:
    larger = np.empty(2 * len(numbers), np.int64)
    for at in range(len(numbers)):
        larger[at] = numbers[at]
    return larger


@njit(cache=True, nogil=True)
def _is_possible(
    deletions: int, sensitive: Bools, missing: Int64s, ends: Int64s, weights: Int64s, copies: int, needed: int
) -> bool:
    """Whether so many deletions are not refuted.

    missing[ends[j] : ends[j + 1]]: the places of the record that the others of kind j lack; weights: how many those
    are. copies: how many others equal the record.
    """
    size = len(sensitive)
    gone = np.zeros(size, np.bool_)
    left = deletions
    while True:
        for_all = copies
        for_one = np.zeros(size, np.int64)
        for kind in range(len(weights)):
            lacking = 0
            for at in range(ends[kind], ends[kind + 1]):
                if not gone[missing[at]]:
                    lacking += 1
            if lacking <= left:
                for_all += weights[kind]
            elif lacking == left + 1:
                for at in range(ends[kind], ends[kind + 1]):
                    for_one[missing[at]] += weights[kind]
        kept, served, before = 0, for_all, left
        for at in range(size):
            if sensitive[at] and not gone[at]:
                if for_all + for_one[at] < needed:
                    gone[at] = True
                    left -= 1
                else:
                    kept += 1
                    served += min(for_one[at], needed)
        if left < 0 or kept == 0:
            return False
        if left == before:
            return served >= needed * max(1, kept - left)
