"""Groups of nearby points for condensation: all at once, or one point after the other; see search/table/condensation.

Points are rows of standardized numbers. `fill_groups` looks at every point that is left twice for each group, so it
takes (points)^2 * columns / k steps. `add_points` looks at the mean of every group once for each point.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .cache import njit

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]


@njit(cache=True)
def _distance(one: Floats, other: Floats) -> float:
    total = 0.0
    for column in range(len(one)):
        step = one[column] - other[column]
        total += step * step
    return total


@njit(cache=True)
def _farthest(points: Floats, alive: Int64s, left: int, center: Floats) -> int:
    best, farthest = alive[0], -1.0
    for place in range(left):
        apart = _distance(points[alive[place]], center)
        if apart > farthest:
            best, farthest = alive[place], apart
    return int(best)


@njit(cache=True)
def fill_groups(points: Floats, counts: Int64s, k: int) -> tuple[Int64s, Int64s, Int64s]:
    """Entry e: amounts[e] of the records of point sources[e] are in group groups[e].

    The record farthest from the mean of those left and the k - 1 nearest to it are a group, again and again; the last
    k to 2k - 1 are one. counts: records of each point, at least k together.
    """
    number, width = points.shape
    room = number + int(counts.sum()) // k + 1
    sources, groups, amounts = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    entries = group = 0
    alive, rest = np.arange(number), counts.copy()
    left, records = number, int(counts.sum())
    total = np.zeros(width)
    for point in range(number):
        for column in range(width):
            total[column] += counts[point] * points[point, column]
    near, apart = np.empty(k, np.int64), np.empty(k)
    place_of = np.arange(number)
    while records >= 2 * k:
        seed = points[_farthest(points, alive, left, total / records)]
        found = within = 0
        for place in range(left):
            point = alive[place]
            distance = _distance(points[point], seed)
            if within >= k and distance >= apart[found - 1]:
                continue
            # Those farthest away make room as long as k records stay, the new ones included.
            within += rest[point]
            while found and distance < apart[found - 1] and within - rest[near[found - 1]] >= k:
                found -= 1
                within -= rest[near[found]]
            slot = found
            while slot and apart[slot - 1] > distance:
                near[slot], apart[slot] = near[slot - 1], apart[slot - 1]
                slot -= 1
            near[slot], apart[slot] = point, distance
            found += 1
        taken = 0
        for slot in range(found):
            point = near[slot]
            amount = min(rest[point], k - taken)
            sources[entries], groups[entries], amounts[entries] = point, group, amount
            entries += 1
            taken += amount
            rest[point] -= amount
            for column in range(width):
                total[column] -= amount * points[point, column]
            if not rest[point]:
                left -= 1
                last, place = alive[left], place_of[point]
                alive[place], place_of[last] = last, place
        records -= k
        group += 1
    for place in range(left):
        point = alive[place]
        sources[entries], groups[entries], amounts[entries] = point, group, rest[point]
        entries += 1
    return sources[:entries], groups[:entries], amounts[:entries]


@njit(cache=True)
def add_points(
    points: Floats,
    labels: Int64s,
    first: int,
    number: int,
    full: int,
    sizes: Int64s,
    means: Floats,
    moments: Floats,
    shares: Floats,
) -> tuple[int, int]:
    """Adds points from `first` on to the nearest of so many groups, until one has `full` records; it, and what is next.

    Of a group only its size, mean, centred second moments and records of each label are kept (Welford 1962): sums of
    squares would lose all digits where a mean is large beside the spread.
    """
    width = points.shape[1]
    before = np.empty(width)
    for point in range(first, len(points)):
        best, nearest = 0, np.inf
        for group in range(number):
            apart = 0.0
            for column in range(width):
                step = points[point, column] - means[group, column]
                apart += step * step
                if apart >= nearest:
                    break
            if apart < nearest:
                best, nearest = group, apart
        sizes[best] += 1
        shares[best, labels[point]] += 1
        for column in range(width):
            before[column] = points[point, column] - means[best, column]
            means[best, column] += before[column] / sizes[best]
        for column in range(width):
            for other in range(width):
                moments[best, column, other] += before[column] * (points[point, other] - means[best, other])
        if sizes[best] == full:
            return best, point + 1
    return -1, len(points)
