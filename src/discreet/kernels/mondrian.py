"""Cuts groups of points in two for as long as a cut leaves both sides lawful; see search/table/mondrian.

For each attribute the points of a group stand in the order of their leaves, in one stretch of `orders`. A cut keeps
that order on both sides, so nothing is sorted twice. A look at a group goes through each order once from either end and
knows at every place the box and the histogram of what lies before and behind: it takes (attributes)^2 steps a point.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .boxes import Charges, Points, charge_of_box, width_of_box
from .cache import njit
from .lawful import Promise, is_lawful

Bools = npt.NDArray[np.bool_]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]

HEAD, TAIL, CUTS = range(3)
"""The state of a search: the next group to look at, where the next new one is written, and how many cuts were made."""
LOSS, ATTRIBUTE, PLACE = range(3)
"""A cut: what it leaves to pay, and how many points of the order of which attribute come before it."""
NOT_LAWFUL = -1


@njit(cache=True)
def _loss(charges: Charges, lows: Int32s, highs: Int32s, size: int) -> int:
    """What a group pays, at the nodes and by their width together.

    By the nodes alone most first cuts save nothing: both sides still need the root. By their width alone cuts
    do not care where the nodes end.
    """
    return int(size * (charge_of_box(charges, lows, highs) + width_of_box(charges, lows, highs)))


@njit(cache=True)
def _include(points: Points, point: int, lows: Int32s, highs: Int32s, histogram: Int64s) -> None:
    for attribute in range(len(lows)):
        leaf = points.leaves[point, attribute]
        lows[attribute] = min(lows[attribute], leaf)
        highs[attribute] = max(highs[attribute], leaf)
    for entry in range(points.first_entry[point], points.first_entry[point + 1]):
        histogram[0, points.columns[entry]] += points.counts[entry]


@njit(cache=True)
def _cuts_between(points: Points, attribute: int, one: int, other: int, strict: bool) -> bool:
    """Whether a cut may lie between two points that are neighbours in the order of an attribute."""
    return bool(not strict or points.leaves[one, attribute] != points.leaves[other, attribute])


@njit(cache=True)
def _best_cuts(
    order: Int32s,
    points: Points,
    charges: Charges,
    promise: Promise,
    strict: bool,
    cuts: Int64s,
) -> int:
    """Fills `cuts` with the lawful cuts of a group that leave least to pay, best first; returns how many there are.

    order: attribute x place -> point, of this group.
    """
    attributes, number = order.shape
    lows, highs = np.empty(attributes, np.int32), np.empty(attributes, np.int32)
    histogram = np.empty((1, len(promise.shares) - 1), np.int64)
    before = np.empty(number, np.int64)
    total = 0
    for place in range(number):
        total += points.sizes[order[0, place]]
    found = 0
    if total < 2 * promise.smallest:
        return found
    for attribute in range(attributes):
        own = order[attribute]
        if points.leaves[own[0], attribute] == points.leaves[own[number - 1], attribute]:
            continue
        lows[:], highs[:], histogram[:] = np.iinfo(np.int32).max, -1, 0
        size = 0
        for place in range(number):
            before[place] = NOT_LAWFUL
            if (
                place > 0
                and size >= promise.smallest
                and total - size >= promise.smallest
                and _cuts_between(points, attribute, own[place - 1], own[place], strict)
                and is_lawful(histogram, 0, size, promise)
            ):
                before[place] = _loss(charges, lows, highs, size)
            _include(points, own[place], lows, highs, histogram)
            size += points.sizes[own[place]]
        lows[:], highs[:], histogram[:] = np.iinfo(np.int32).max, -1, 0
        size = 0
        for place in range(number - 1, 0, -1):
            _include(points, own[place], lows, highs, histogram)
            size += points.sizes[own[place]]
            if before[place] == NOT_LAWFUL or not is_lawful(histogram, 0, size, promise):
                continue
            loss = before[place] + _loss(charges, lows, highs, size)
            if found < len(cuts):
                found += 1
            elif loss >= cuts[found - 1, LOSS]:
                continue
            free = found - 1
            while free > 0 and cuts[free - 1, LOSS] > loss:
                cuts[free] = cuts[free - 1]
                free -= 1
            cuts[free, LOSS], cuts[free, ATTRIBUTE], cuts[free, PLACE] = loss, attribute, place
    return found


@njit(cache=True)
def _divide(order: Int32s, cut: Int64s, is_before: Bools, divided: Int32s) -> None:
    """Writes the order of a group to `divided` as the two sides of a cut, one after the other."""
    attributes, number = order.shape
    for place in range(number):
        is_before[order[cut[ATTRIBUTE], place]] = place < cut[PLACE]
    for attribute in range(attributes):
        first, second = 0, cut[PLACE]
        for place in range(number):
            point = order[attribute, place]
            if is_before[point]:
                divided[attribute, first] = point
                first += 1
            else:
                divided[attribute, second] = point
                second += 1


@njit(cache=True)
def _left_to_pay(order: Int32s, points: Points, charges: Charges, promise: Promise, strict: bool, cuts: Int64s) -> int:
    """What a group pays after the best cut of it, or as it is where there is none."""
    if _best_cuts(order, points, charges, promise, strict, cuts):
        return int(cuts[0, LOSS])
    attributes, number = order.shape
    lows, highs = np.empty(attributes, np.int32), np.empty(attributes, np.int32)
    for attribute in range(attributes):
        lows[attribute] = points.leaves[order[attribute, 0], attribute]
        highs[attribute] = points.leaves[order[attribute, number - 1], attribute]
    size = 0
    for place in range(number):
        size += points.sizes[order[0, place]]
    return _loss(charges, lows, highs, size)


@njit(cache=True)
def cut_groups(
    orders: Int32s,
    groups: Int64s,
    is_whole: Bools,
    state: Int64s,
    points: Points,
    charges: Charges,
    promise: Promise,
    strict: bool,
    tried: int,
    work: int,
) -> None:
    """Looks at one group after the other, first in, first out, until about so many points were looked at.

    orders: attribute x place -> point. groups: where each group begins and ends in them. is_whole: those that stay as
    they are; one that was cut is followed by its two sides, at the end of the list. tried: of so many of the best cuts,
    the one is made that leaves least to pay after the next cut of each side; of one, nothing has to be looked up.
    """
    cuts, next_cut = np.empty((tried, 3), np.int64), np.empty((1, 3), np.int64)
    is_before = np.empty(len(points.sizes), np.bool_)
    divided = np.empty_like(orders)
    while state[HEAD] < state[TAIL] and work > 0:
        group = state[HEAD]
        state[HEAD] += 1
        start, stop = groups[group, 0], groups[group, 1]
        order, room = orders[:, start:stop], divided[:, start:stop]
        work -= stop - start
        found = _best_cuts(order, points, charges, promise, strict, cuts)
        if found == 0:
            is_whole[group] = True
            continue
        chosen = 0
        if found > 1:
            least = np.iinfo(np.int64).max
            for candidate in range(found):
                _divide(order, cuts[candidate], is_before, room)
                place = cuts[candidate, PLACE]
                loss = _left_to_pay(room[:, :place], points, charges, promise, strict, next_cut)
                loss += _left_to_pay(room[:, place:], points, charges, promise, strict, next_cut)
                work -= stop - start
                if loss < least:
                    chosen, least = candidate, loss
        _divide(order, cuts[chosen], is_before, room)
        order[:] = room
        middle, tail = start + cuts[chosen, PLACE], state[TAIL]
        groups[tail, 0], groups[tail, 1] = start, middle
        groups[tail + 1, 0], groups[tail + 1, 1] = middle, stop
        state[TAIL] += 2
        state[CUTS] += 1
