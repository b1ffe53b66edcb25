"""Frequent patterns that begin with one item, grown depth first (Zaki 2000).

Transactions are bits: a word of 64 counts as often as its weight says. What is grown, and why nothing is missed, is
explained in measure/transactions/mining.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .cache import njit

Int64s = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]

_PAIRS, _FOURS, _EIGHTS = (np.uint64(mask) for mask in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F))
_SUM = np.uint64(0x0101010101010101)
_ONE, _TWO, _FOUR, _LAST = (np.uint64(shift) for shift in (1, 2, 4, 56))


@njit(cache=True)
def _ones(word: np.uint64) -> int:
    word = word - ((word >> _ONE) & _PAIRS)
    word = (word & _FOURS) + ((word >> _TWO) & _FOURS)
    word = (word + (word >> _FOUR)) & _EIGHTS
    return int((word * _SUM) >> _LAST)


@njit(cache=True)
def _support(has: Words, other: Words, weights: Int64s) -> int:
    total = 0
    for word in range(len(weights)):
        both = has[word] & other[word]
        if both:
            total += weights[word] * _ones(both)
    return total


@njit(cache=True)
def grow(
    bits: Words,
    weights: Int64s,
    others: Int64s,
    supports: Int64s,
    are_pairs: Flags,
    smallest: int,
    longest: int,
    most: int,
) -> tuple[int, Int64s]:
    """The patterns of one item and up to `longest` of the others, in ascending order; and how many there are.

    bits: other x words, the transactions that have it and the item. are_pairs: by the numbers in `others`. A row for
    each pattern: its support, and the places of its items among the others, -1 behind the last. Where there are more
    than `most`, the number is `most` + 1 and the rows are not all there.
    """
    found = np.full((64, longest + 1), -1, np.int64)
    number = 0
    # By depth: the transactions that have the pattern, what may extend it, with which support, and where we are.
    having = np.zeros((longest, len(weights)), np.uint64)
    candidates = np.zeros((longest, len(others)), np.int64)
    known = np.zeros((longest, len(others)), np.int64)
    length = np.zeros(longest, np.int64)
    place = np.zeros(longest, np.int64)
    for word in range(len(weights)):
        having[0, word] = ~np.uint64(0)
    for other in range(len(others)):
        candidates[0, other] = other
        known[0, other] = supports[other]
    length[0] = len(others)
    depth = 0
    while depth >= 0:
        if place[depth] == length[depth]:
            depth -= 1
            continue
        chosen = candidates[depth, place[depth]]
        if number == most:
            return most + 1, found
        if number == len(found):
            larger = np.full((2 * len(found), longest + 1), -1, np.int64)
            for row in range(number):
                for column in range(longest + 1):
                    larger[row, column] = found[row, column]
            found = larger
        found[number, 0] = known[depth, place[depth]]
        for above in range(depth):
            found[number, 1 + above] = candidates[above, place[above] - 1]
        found[number, 1 + depth] = chosen
        number += 1
        place[depth] += 1
        if depth + 1 == longest:
            continue
        below = depth + 1
        for word in range(len(weights)):
            having[below, word] = having[depth, word] & bits[chosen, word]
        length[below] = 0
        place[below] = 0
        for position in range(place[depth], length[depth]):
            candidate = candidates[depth, position]
            if not are_pairs[others[chosen], others[candidate]]:
                continue
            support = _support(having[below], bits[candidate], weights)
            if support >= smallest:
                candidates[below, length[below]] = candidate
                known[below, length[below]] = support
                length[below] += 1
        depth = below
    return number, found
