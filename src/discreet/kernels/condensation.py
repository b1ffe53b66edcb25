"""Condensed groups that grow by one point after the other; see search/table/condensed_stream.

Points are rows of standardized numbers. The mean of every group is looked at once for each point.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .cache import njit

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]


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
