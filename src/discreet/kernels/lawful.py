"""Does a histogram of sensitive values keep the promise, and how much of one that does not can be kept?

A promise is a set of lawful histograms. Limits say how large a share of the records a value, or some values together,
may have. *Cones* say more: that the values are diverse, or that their distribution is close to a reference. All of them
are closed under addition: each is f(h) <= 0 with f convex and f(c h) = c f(h), so f(g + h) <= f(g) + f(h).

The greatest lawful remainder of a histogram is the most records of it that are lawful together. As lawful histograms
add up to lawful ones, whatever lawful parts the records of a partition are split into, they keep at most that many.

Limits alone. Lawful sub-histograms are closed under the maximum value by value (a value's count stays, the total
grows), so there is a greatest one, and deleting step by step what violates ends in it (the least fixed point of
Lemma 3.3 in Liu 2010). Columns of limits come in *blocks*: those of one block exclude each other, so a record is in one
of them at most. With several blocks the one that keeps least bounds the remainder; records that are in no column of a
block break none of its limits and stay.

Promises that treat all values alike (diversity, and one share for all). Of all sub-histograms of a size, the one that
cuts all counts down to a level is majorized by every other, so it is lawful if any is. Full levels: the shares at a
lower level are majorized by those at a higher one, so the highest lawful level is found by bisection. Between it and
the next there are single steps, tried one by one, since sizes in between may be lawful or not: with entropy 2, (2, 2)
and (1, 1) are lawful and (2, 1) is not. Above the next level nothing is. The remainder is not unique; of values of
equal count the first ones keep one more.

Distances on a tree (Li, Li and Venkatasubramanian 2007). The earth mover's distance on a tree of values is a sum over
its nodes, weight * |share below the node - reference below it|; an order is a chain, and values that are equally far
apart are the leaves of a root. With the size n given, the least distance that a sub-histogram can have is found from
the leaves up: as a function of the records taken below a node it is convex, so it is a list of slopes in rising order;
the lists of the children are merged, and the node's own term lowers the slopes up to its reference and raises those
beyond. Each slope belongs to records of one value, so the first n records of the root's list are the remainder. In
parts of records the lawful sizes form an interval from 0 (0 is lawful and the cone is convex), so its end is found by
bisection, and no lawful size in whole records lies above it; from there down the first is the greatest.

Kullback-Leibler. Of all sub-histograms of a size in parts of records, min(h, level * reference) has the least
divergence, which falls with the level. So bisection over the level bounds the remainder, rounded up by more than the
error of floats. Whole records are not worked out.

Several of these: the least of their remainders bounds what can be kept. It need not be reached.
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .cache import njit
from .powers import is_at_least_one

Bools = npt.NDArray[np.bool_]
Int64s = npt.NDArray[np.int64]

LIMITS, ALIKE, ON_A_TREE, SEVERAL = range(4)
"""How the remainder is found: by limits alone, by levels, by slopes, or as a bound only."""
DISTINCT, ENTROPY, RECURSIVE = range(3)
"""Diversity: at least l values; n^n >= l^n * product of count^count; the largest count < c * those from the l-th on."""
DIVERSITY, FACTOR, FACTOR_BELOW, LEAST_VALUES = range(4)
DIVERSITY_COLUMNS = 4
"""One row a diversity: which, the fraction l (entropy) or c (recursive), and the whole number l."""
LARGEST, LARGEST_BELOW, TOTAL, WEIGHTS, FIRST_NODE, STOP_NODE, BY_LOGARITHM = range(7)
DISTANCE_COLUMNS = 7
"""One row a distance: the fraction t, what the reference adds up to, the unit of weights, its nodes, whether it is
Kullback-Leibler's, in bits."""
VALUE, FIRST_BELOW, WEIGHT, REFERENCE = range(4)
NODE_COLUMNS = 4
"""One row a node, those below it before it: a value that it has or -1, the first row below it, its weight, and the
reference of all below it."""
SURELY = 1e-9


class Promise(NamedTuple):
    """What is demanded of every partition, as numbers."""

    shares: Int64s
    """column of the histogram x (numerator, denominator) of its largest share; in the last row the smallest of them"""
    blocks: Int64s
    """block x (its first column, the one after its last); where there are cones, the first block has all values"""
    smallest: int
    family: int
    """LIMITS, ALIKE, ON_A_TREE or SEVERAL"""
    diversities: Int64s
    distances: Int64s
    nodes: Int64s


@njit(cache=True)
def is_lawful(histogram: Int64s, slot: int, size: int, promise: Promise) -> bool:
    """Whether the partition in row `slot` keeps the promise."""
    if size < promise.smallest or not _is_within_shares(histogram, slot, size, promise.shares):
        return False
    return promise.family == LIMITS or _is_in_cones(histogram, slot, size, promise)


@njit(cache=True)
def _is_within_shares(histogram: Int64s, slot: int, size: int, shares: Int64s) -> bool:
    values = histogram.shape[1]
    largest = 0
    for value in range(values):
        largest = max(largest, histogram[slot, value])
    if largest * shares[values, 1] <= shares[values, 0] * size:
        return True  # the most frequent value keeps even the smallest share
    for value in range(values):  # noqa: SIM110 - all() over a generator does not compile
        if histogram[slot, value] * shares[value, 1] > shares[value, 0] * size:
            return False
    return True


@njit(cache=True)
def _is_in_cones(histogram: Int64s, slot: int, size: int, promise: Promise) -> bool:
    for diversity in range(len(promise.diversities)):
        if not _is_diverse(histogram, slot, size, promise.blocks[0, 1], promise.diversities[diversity]):
            return False
    for distance in range(len(promise.distances)):
        if promise.distances[distance, BY_LOGARITHM]:
            if not _is_within_bits(histogram, slot, size, promise, distance):
                return False
        elif _excess(histogram, slot, size, promise, distance) > 0:
            return False
    return True


@njit(cache=True)
def _is_diverse(histogram: Int64s, slot: int, size: int, values: int, diversity: Int64s) -> bool:
    if size == 0:
        return True
    if diversity[DIVERSITY] == DISTINCT:
        distinct = 0
        for value in range(values):
            distinct += histogram[slot, value] > 0
        return bool(distinct >= diversity[LEAST_VALUES])
    if diversity[DIVERSITY] == ENTROPY:
        bases, exponents = np.empty(values + 3, np.int64), np.empty(values + 3, np.int64)
        bases[0], exponents[0] = size, size
        bases[1], exponents[1] = diversity[FACTOR], -size
        bases[2], exponents[2] = diversity[FACTOR_BELOW], size
        count = 3
        for value in range(values):
            if histogram[slot, value] > 0:
                bases[count], exponents[count] = histogram[slot, value], -histogram[slot, value]
                count += 1
        return bool(is_at_least_one(bases, exponents, count))
    largest = np.zeros(max(1, diversity[LEAST_VALUES] - 1), np.int64)  # the l - 1 largest counts, falling; or the first
    for value in range(values):
        count = histogram[slot, value]
        for place in range(len(largest)):
            if count > largest[place]:
                count, largest[place] = largest[place], count
    rest = size
    if diversity[LEAST_VALUES] > 1:
        for count in largest:  # not `largest.sum()`, with which compiled code loads scipy's linear algebra
            rest -= count
    return bool(largest[0] * diversity[FACTOR_BELOW] < diversity[FACTOR] * rest)


@njit(cache=True)
def _excess(histogram: Int64s, slot: int, size: int, promise: Promise, distance: int) -> int:
    """By how much a partition is farther from the reference than allowed, in whole numbers; at most 0 if it is not."""
    terms = promise.distances[distance]
    first, stop = terms[FIRST_NODE], terms[STOP_NODE]
    before = np.empty(stop - first + 1, np.int64)
    before[0] = 0
    moved = 0
    for node in range(first, stop):
        row = promise.nodes[node]
        own = histogram[slot, row[VALUE]] if row[VALUE] >= 0 else 0
        before[node - first + 1] = before[node - first] + own
        below = before[node - first + 1] - before[row[FIRST_BELOW] - first]
        moved += row[WEIGHT] * abs(below * terms[TOTAL] - size * row[REFERENCE])
    return int(moved * terms[LARGEST_BELOW] - terms[LARGEST] * size * terms[TOTAL] * terms[WEIGHTS])


@njit(cache=True)
def _is_within_bits(histogram: Int64s, slot: int, size: int, promise: Promise, distance: int) -> bool:
    """sum count log2(count / (n q)) <= t n, as a product of powers; q = reference / total, t = largest / below."""
    terms = promise.distances[distance]
    nodes = terms[STOP_NODE] - terms[FIRST_NODE]
    bases, exponents = np.empty(2 * nodes + 3, np.int64), np.empty(2 * nodes + 3, np.int64)
    bases[0], exponents[0] = 2, terms[LARGEST] * size
    bases[1], exponents[1] = max(1, size), size * terms[LARGEST_BELOW]
    bases[2], exponents[2] = terms[TOTAL], -size * terms[LARGEST_BELOW]
    count = 3
    for node in range(terms[FIRST_NODE], terms[STOP_NODE]):
        row = promise.nodes[node]
        records = histogram[slot, row[VALUE]]
        if records > 0:
            if row[REFERENCE] == 0:
                return False
            bases[count], exponents[count] = records, -records * terms[LARGEST_BELOW]
            bases[count + 1], exponents[count + 1] = row[REFERENCE], records * terms[LARGEST_BELOW]
            count += 2
    return bool(is_at_least_one(bases, exponents, count))


@njit(cache=True)
def greatest_remainder(
    histogram: Int64s, slot: int, size: int, promise: Promise, exact: bool, remainder: Int64s
) -> int:
    """The most records of a partition that are lawful together; not exact, or of several families: at least as many.

    Row 0 of `remainder` says which, where that is exact.
    """
    if promise.family == LIMITS:
        kept = _within_limits(histogram, slot, size, promise, remainder)
    elif promise.family == ALIKE:
        kept = _levelled(histogram, slot, promise, remainder)
    elif promise.family == ON_A_TREE:
        kept = _nearest_size(histogram, slot, size, promise, 0)
        while (
            exact and kept >= promise.smallest and _least_excess(histogram, slot, kept, promise, 0, True, remainder) > 0
        ):
            kept -= 1
    else:
        kept = _within_limits(histogram, slot, size, promise, remainder)
        if len(promise.diversities):
            kept = min(kept, _levelled(histogram, slot, promise, remainder))
        for distance in range(len(promise.distances)):
            if promise.distances[distance, BY_LOGARITHM]:
                kept = min(kept, _nearest_by_level(histogram, slot, size, promise, distance))
            else:
                kept = min(kept, _nearest_size(histogram, slot, size, promise, distance))
    if kept < promise.smallest or kept == 0:
        remainder[0, :] = 0
        return 0
    return int(kept)


@njit(cache=True)
def _within_limits(histogram: Int64s, slot: int, size: int, promise: Promise, remainder: Int64s) -> int:
    """Block by block; returns the least total of a block."""
    shares = promise.shares
    for value in range(histogram.shape[1]):
        remainder[0, value] = histogram[slot, value]
    least = size
    for block in range(len(promise.blocks)):
        total = size
        changed = True
        while changed:
            changed = False
            for value in range(promise.blocks[block, 0], promise.blocks[block, 1]):
                excess = remainder[0, value] * shares[value, 1] - shares[value, 0] * total
                if excess > 0:
                    step = shares[value, 1] - shares[value, 0]
                    removed = (excess + step - 1) // step
                    remainder[0, value] -= removed
                    total -= removed
                    changed = True
        least = min(least, total)
    return int(least)


@njit(cache=True)
def _levelled(histogram: Int64s, slot: int, promise: Promise, remainder: Int64s) -> int:
    """The greatest remainder of what treats all values alike: the diversities, and in their family the share too."""
    values = promise.blocks[0, 1]
    low, high = 0, 0
    for value in range(values):
        high = max(high, histogram[slot, value])
    while low < high:
        level = (low + high + 1) // 2
        if _is_lawful_alike(remainder, _cut_to(histogram, slot, values, level, 0, remainder), promise):
            low = level
        else:
            high = level - 1
    above = 0
    for value in range(values):
        above += histogram[slot, value] > low
    steps = max(0, above - 1)
    while True:
        total = _cut_to(histogram, slot, values, low, steps, remainder)
        if steps == 0 or _is_lawful_alike(remainder, total, promise):
            return int(total)
        steps -= 1


@njit(cache=True)
def _cut_to(histogram: Int64s, slot: int, values: int, level: int, steps: int, remainder: Int64s) -> int:
    """Cuts all counts to a level, the first so many of those above it to one more; returns what is left in all."""
    total = 0
    remainder[0, :] = 0
    for value in range(values):
        count = histogram[slot, value]
        if count > level:
            count = level
            if steps > 0:
                count += 1
                steps -= 1
        remainder[0, value] = count
        total += count
    return int(total)


@njit(cache=True)
def _is_lawful_alike(remainder: Int64s, size: int, promise: Promise) -> bool:
    if promise.family == ALIKE and not _is_within_shares(remainder, 0, size, promise.shares):
        return False
    for diversity in range(len(promise.diversities)):
        if not _is_diverse(remainder, 0, size, promise.blocks[0, 1], promise.diversities[diversity]):
            return False
    return True


@njit(cache=True)
def _nearest_size(histogram: Int64s, slot: int, size: int, promise: Promise, distance: int) -> int:
    """The largest size at which some part, in parts of records, is close enough."""
    low, high = 0, size
    nothing = np.empty((0, 0), np.int64)
    while low < high:
        middle = (low + high + 1) // 2
        if _least_excess(histogram, slot, middle, promise, distance, False, nothing) <= 0:
            low = middle
        else:
            high = middle - 1
    return int(low)


@njit(cache=True)
def _least_excess(
    histogram: Int64s, slot: int, size: int, promise: Promise, distance: int, whole: bool, remainder: Int64s
) -> int:
    """The least that `_excess` can be of so many records of a partition; whole: in whole records, and which they are.

    Records are counted in `units` each; a unit is worth `worth` in terms of the reference.
    """
    terms = promise.distances[distance]
    first, stop = terms[FIRST_NODE], terms[STOP_NODE]
    units, worth = (1, terms[TOTAL]) if whole else (terms[TOTAL], 1)
    room = 3 * (stop - first) + 1
    slopes, lengths, values = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    begins = np.empty(stop - first, np.int64)
    top = 0
    moved = 0  # the distance where nothing is taken
    for node in range(first, stop):
        row = promise.nodes[node]
        begin = top if row[FIRST_BELOW] == node else begins[row[FIRST_BELOW] - first]
        begins[node - first] = begin
        if row[VALUE] >= 0 and histogram[slot, row[VALUE]] > 0:
            slopes[top], lengths[top], values[top] = 0, histogram[slot, row[VALUE]] * units, row[VALUE]
            top += 1
        for newest in range(begin + 1, top):  # sorted by slope; the lists of the children are sorted already
            slope, length, value = slopes[newest], lengths[newest], values[newest]
            free = newest
            while free > begin and slopes[free - 1] > slope:
                slopes[free], lengths[free], values[free] = slopes[free - 1], lengths[free - 1], values[free - 1]
                free -= 1
            slopes[free], lengths[free], values[free] = slope, length, value
        if row[WEIGHT] == 0:
            continue
        wanted = size * row[REFERENCE]
        moved += row[WEIGHT] * wanted
        border = wanted // worth
        top = _bent(slopes, lengths, values, begin, top, border, -row[WEIGHT] * worth)
        at_border = worth - 2 * (wanted - border * worth)
        position = 0
        place = begin
        while place < top:
            if position == border and lengths[place] > 1 and at_border != worth:
                top = _cut_after(slopes, lengths, values, place, top, 1)
            if position >= border:
                slopes[place] += row[WEIGHT] * (at_border if position == border else worth)
            position += lengths[place]
            place += 1
    left = size * units
    if whole:
        remainder[0, :] = 0
    for place in range(top):
        taken = min(left, lengths[place])
        moved += slopes[place] * taken
        if whole:
            remainder[0, values[place]] += taken
        left -= taken
    return int(moved * terms[LARGEST_BELOW] - terms[LARGEST] * size * terms[TOTAL] * terms[WEIGHTS])


@njit(cache=True)
def _bent(slopes: Int64s, lengths: Int64s, values: Int64s, begin: int, top: int, border: int, change: int) -> int:
    """Changes the slopes up to a border; returns where the list ends."""
    position = 0
    place = begin
    while place < top and position < border:
        if position + lengths[place] > border:
            top = _cut_after(slopes, lengths, values, place, top, border - position)
        slopes[place] += change
        position += lengths[place]
        place += 1
    return int(top)


@njit(cache=True)
def _cut_after(slopes: Int64s, lengths: Int64s, values: Int64s, place: int, top: int, length: int) -> int:
    """Cuts a stretch of one slope in two, the first of this length; returns where the list ends."""
    for other in range(top, place + 1, -1):
        slopes[other], lengths[other], values[other] = slopes[other - 1], lengths[other - 1], values[other - 1]
    slopes[place + 1], lengths[place + 1], values[place + 1] = slopes[place], lengths[place] - length, values[place]
    lengths[place] = length
    return int(top + 1)


@njit(cache=True)
def _nearest_by_level(histogram: Int64s, slot: int, size: int, promise: Promise, distance: int) -> int:
    """At least the largest size at which some part is within so many bits of the reference."""
    terms = promise.distances[distance]
    allowed = terms[LARGEST] / terms[LARGEST_BELOW] * log(2.0) * (1 + SURELY) + SURELY
    low, high = 0.0, 1.0
    for node in range(terms[FIRST_NODE], terms[STOP_NODE]):
        row = promise.nodes[node]
        if row[REFERENCE] > 0:
            high = max(high, histogram[slot, row[VALUE]] * terms[TOTAL] / row[REFERENCE])
    for _ in range(64):
        level = (low + high) / 2
        if _divergence(histogram, slot, level, promise, distance) <= allowed:
            low = level
        else:
            high = level
    kept = 0.0
    for node in range(terms[FIRST_NODE], terms[STOP_NODE]):
        row = promise.nodes[node]
        kept += min(float(histogram[slot, row[VALUE]]), high * row[REFERENCE] / terms[TOTAL])
    return int(min(size, int(kept * (1 + SURELY) + SURELY)))


@njit(cache=True)
def _divergence(histogram: Int64s, slot: int, level: float, promise: Promise, distance: int) -> float:
    """Of min(histogram, level * reference) from the reference, in natural units."""
    terms = promise.distances[distance]
    total, together = 0.0, 0.0
    for node in range(terms[FIRST_NODE], terms[STOP_NODE]):
        row = promise.nodes[node]
        reference = row[REFERENCE] / terms[TOTAL]
        part = min(float(histogram[slot, row[VALUE]]), level * reference)
        if part > 0:
            total += part
            together += part * log(part / reference)
    return together / total - log(total) if total > 0 else 0.0


@njit(cache=True)
def lawful_rows(histograms: Int64s, promise: Promise) -> Bools:
    """Which partitions keep the promise."""
    lawful = np.empty(len(histograms), np.bool_)
    for slot in range(len(histograms)):
        lawful[slot] = is_lawful(histograms, slot, histograms[slot].sum(), promise)
    return lawful


@njit(cache=True)
def remainders(histograms: Int64s, promise: Promise) -> Int64s:
    """The greatest lawful remainder of each partition that breaks the promise, and those that keep it as they are."""
    rest = histograms.copy()
    remainder = np.zeros((1, histograms.shape[1]), np.int64)
    for slot in range(len(histograms)):
        size = histograms[slot].sum()
        if not is_lawful(histograms, slot, size, promise):
            greatest_remainder(histograms, slot, size, promise, True, remainder)
            rest[slot] = remainder[0]
    return rest


@njit(cache=True)
def most_kept(histograms: Int64s, promise: Promise) -> int:
    """So many records can stay at most, however partitions are split further and whatever is deleted."""
    kept = 0
    remainder = np.zeros((1, histograms.shape[1]), np.int64)
    for slot in range(len(histograms)):
        size = histograms[slot].sum()
        if is_lawful(histograms, slot, size, promise):
            kept += size
        else:
            kept += greatest_remainder(histograms, slot, size, promise, False, remainder)
    return int(kept)
