"""Groups of records around those that are farthest out; see search/table/mdav and search/table/condensation.

Points are rows of standardized numbers, each with so many records. Each group takes a look at every point that is left:
(points)^2 * columns / k steps in all.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .cache import njit

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]

LEFT, RECORDS, GROUPS, ENTRIES = range(4)
"""The state of a search: points and records that are left, groups that were made, and entries that were written."""


@njit(cache=True)
def _squared_distance(one: Floats, other: Floats) -> float:
    total = 0.0
    for column in range(len(one)):
        step = one[column] - other[column]
        total += step * step
    return total


@njit(cache=True)
def _farthest(points: Floats, alive: Int64s, left: int, center: Floats) -> int:
    """Of the points that are left the one farthest from a place."""
    found, most = alive[0], -1.0
    for place in range(left):
        apart = _squared_distance(points[alive[place]], center)
        if apart > most:
            found, most = alive[place], apart
    return int(found)


@njit(cache=True)
def _nearest(
    points: Floats, rest: Int64s, alive: Int64s, left: int, seed: int, k: int, near: Int64s, apart: Floats
) -> int:
    """Fills `near` with the points nearest to the seed that have k records together; returns how many they are."""
    found = records = 0
    for place in range(left):
        point = alive[place]
        distance = _squared_distance(points[point], points[seed])
        if records >= k and distance >= apart[found - 1]:
            continue
        slot = found
        while slot > 0 and apart[slot - 1] > distance:
            near[slot], apart[slot] = near[slot - 1], apart[slot - 1]
            slot -= 1
        near[slot], apart[slot] = point, distance
        found += 1
        records += rest[point]
        while records - rest[near[found - 1]] >= k:
            found -= 1
            records -= rest[near[found]]
    return found


@njit(cache=True)
def make_groups(
    points: Floats,
    k: int,
    most: int,
    rest: Int64s,
    alive: Int64s,
    total: Floats,
    state: Int64s,
    entries: Int64s,
    both_ends: bool,
) -> None:
    """Makes groups of k records around those farthest out, until fewer than 2k are left or `most` were made.

    rest: point -> records left. alive: the points that have any. total: the sum over the records that are left.
    entries: for each entry its point, group and number of records. both_ends: a group around the record farthest from
    the mean is followed by one around the record farthest from that; otherwise the mean is taken anew for each.
    """
    near, apart = np.empty(k + 1, np.int64), np.empty(k + 1)
    made = 0
    while state[RECORDS] >= 2 * k and made < most:
        first = _farthest(points, alive, state[LEFT], total / state[RECORDS])
        # With fewer than 3k records the group around the other end is what is left.
        is_followed = both_ends and state[RECORDS] >= 3 * k
        second = _farthest(points, alive, state[LEFT], points[first]) if is_followed else -1
        for seed in (first, second):
            if seed < 0:
                continue
            found = _nearest(points, rest, alive, state[LEFT], seed, k, near, apart)
            wanted = k
            for place in range(found):
                point = near[place]
                taken = min(rest[point], wanted)
                entry = state[ENTRIES]
                entries[entry, 0], entries[entry, 1], entries[entry, 2] = point, state[GROUPS], taken
                state[ENTRIES] += 1
                wanted -= taken
                rest[point] -= taken
                for column in range(len(total)):
                    total[column] -= taken * points[point, column]
            left = 0
            for place in range(state[LEFT]):
                if rest[alive[place]] > 0:
                    alive[left] = alive[place]
                    left += 1
            state[LEFT] = left
            state[RECORDS] -= k
            state[GROUPS] += 1
            made += 1


@njit(cache=True)
def fill_groups(points: Floats, counts: Int64s, k: int) -> tuple[Int64s, Int64s, Int64s]:
    """Entry e: amounts[e] of the records of point sources[e] are in group groups[e].

    The record farthest from the mean of those left and the k - 1 nearest to it are a group, again and again; the last
    k to 2k - 1 are one. counts: records of each point, at least k together.
    """
    number, width = points.shape
    rest, alive, total = counts.copy(), np.arange(number), np.zeros(width)
    for point in range(number):
        for column in range(width):
            total[column] += counts[point] * points[point, column]
    state = np.zeros(4, np.int64)
    state[LEFT], state[RECORDS] = number, counts.sum()
    entries = np.empty((number + state[RECORDS] // k + 1, 3), np.int64)
    make_groups(points, k, state[RECORDS], rest, alive, total, state, entries, False)
    for place in range(state[LEFT]):
        point = alive[place]
        entry = state[ENTRIES]
        entries[entry, 0], entries[entry, 1], entries[entry, 2] = point, state[GROUPS], rest[point]
        state[ENTRIES] += 1
    made = entries[: state[ENTRIES]]
    return made[:, 0].copy(), made[:, 1].copy(), made[:, 2].copy()
