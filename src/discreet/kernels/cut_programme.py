"""The best cut of one taxonomy when every node has a price: a dynamic programme, leaves to root.

best(v) = min(price(v), sum of best(children of v)). Nodes are in pre-order, so one backward sweep does it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .cache import njit

Int64s = npt.NDArray[np.int64]

UNREACHABLE = 1 << 60
"""More than any cost: no cut at all keeps the promise."""


@njit(cache=True)
def cheapest_cut(
    prices: Int64s, blocked: Int64s, parents: npt.NDArray[np.int32], end: npt.NDArray[np.int32], best: Int64s
) -> int:
    """The least total price of a cut; `best` is filled with that of every subtree.

    A node with blocked > 0 may not be in the cut. All prices together stay far below UNREACHABLE, so the
    sums of two saturated values fit.
    """
    best[:] = 0
    for node in range(len(prices) - 1, -1, -1):
        price = UNREACHABLE if blocked[node] > 0 else prices[node]
        if end[node] > node + 1 and best[node] < price:
            price = best[node]
        best[node] = price
        if node > 0:
            parent = parents[node]
            best[parent] = min(best[parent] + price, UNREACHABLE)
    return int(best[0])
