"""How far a histogram is from what is lawful: 0 where it is, and less the nearer it comes; a guide, not a proof.

Whoever fills a group record by record wants to know whether the next one brings it nearer to the promise. For shares
that is so when fewer others are needed to make them small enough; for diversity and distances when they are better,
whatever the size: of two values one each, both are in excess, more than one alone would be, and yet half of the way is
done. What decides whether the promise is kept at last is `is_lawful`, in whole numbers.
"""

from __future__ import annotations

from math import log

import numpy as np
import numpy.typing as npt

from .cache import njit
from .lawful import (
    BY_LOGARITHM,
    DISTINCT,
    DIVERSITY,
    ENTROPY,
    FACTOR,
    FACTOR_BELOW,
    FIRST_NODE,
    LARGEST,
    LARGEST_BELOW,
    LEAST_VALUES,
    REFERENCE,
    STOP_NODE,
    TOTAL,
    VALUE,
    WEIGHTS,
    Promise,
    _excess,
)

Int64s = npt.NDArray[np.int64]

PER_MISSING_RECORD = 1e-6
NOTHING = 1e-9
"""Any record brings a group nearer to the least size; so that counts only where nothing else is missing."""


@njit(cache=True)
def violation(histogram: Int64s, slot: int, size: int, promise: Promise) -> float:
    """What is missing to be lawful, over all that is demanded."""
    parts = 0.0
    for distance in range(len(promise.distances)):
        terms = promise.distances[distance]
        if terms[BY_LOGARITHM]:
            parts += max(0.0, _bits_too_many(histogram, slot, size, promise, distance))
        else:
            unit = float(terms[TOTAL]) * terms[WEIGHTS] * terms[LARGEST_BELOW]
            parts += max(0.0, _excess(histogram, slot, size, promise, distance) / unit)
    needed = 0.0
    for column in range(histogram.shape[1]):
        if histogram[slot, column] > 0:
            share = max(promise.shares[column, 0] / promise.shares[column, 1], NOTHING)
            needed = max(needed, histogram[slot, column] / share)
    missing = max(0.0, needed - size) + parts / max(1, size)
    for diversity in range(len(promise.diversities)):
        missing += max(0.0, _lack_of_diversity(histogram, slot, size, promise, promise.diversities[diversity]))
    if missing > NOTHING:
        return float(missing)
    return float(PER_MISSING_RECORD * max(0, promise.smallest - size))


@njit(cache=True)
def _lack_of_diversity(histogram: Int64s, slot: int, size: int, promise: Promise, diversity: Int64s) -> float:
    """In values for distinct diversity, else as a part of the records."""
    values = promise.blocks[0, 1]
    if diversity[DIVERSITY] == DISTINCT:
        distinct = 0
        for value in range(values):
            distinct += histogram[slot, value] > 0
        return float(diversity[LEAST_VALUES] - distinct)
    factor = diversity[FACTOR] / diversity[FACTOR_BELOW]
    if diversity[DIVERSITY] == ENTROPY:
        lack = size * (log(factor) - log(max(1, size)))
        for value in range(values):
            if histogram[slot, value] > 0:
                lack += histogram[slot, value] * log(histogram[slot, value])
        return float(lack / max(1, size))
    largest = np.zeros(max(1, diversity[LEAST_VALUES] - 1), np.int64)
    for value in range(values):
        count = histogram[slot, value]
        for place in range(len(largest)):
            if count > largest[place]:
                count, largest[place] = largest[place], count
    rest = size
    if diversity[LEAST_VALUES] > 1:
        for count in largest:
            rest -= count
    return float((largest[0] + PER_MISSING_RECORD - factor * rest) / max(1, size))


@njit(cache=True)
def _bits_too_many(histogram: Int64s, slot: int, size: int, promise: Promise, distance: int) -> float:
    terms = promise.distances[distance]
    bits = 0.0
    for node in range(terms[FIRST_NODE], terms[STOP_NODE]):
        row = promise.nodes[node]
        records = histogram[slot, row[VALUE]]
        if records > 0:
            expected = size * max(row[REFERENCE], PER_MISSING_RECORD) / terms[TOTAL]
            bits += records * log(records / expected) / log(2.0)
    return float(bits - size * terms[LARGEST] / terms[LARGEST_BELOW])
