"""In which transactions each node of a taxonomy has a leaf, and whether several nodes have enough in common."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]


@njit(cache=True)
def rows_of_nodes(offsets: Int64s, leaves: Int32s, leaf_nodes: Int32s, parents: Int32s) -> tuple[Int64s, Int32s]:
    """Node v has a leaf in the transactions rows[first[v]:first[v + 1]], ascending; first and rows."""
    nodes = len(parents)
    first = np.zeros(nodes + 1, np.int64)
    rows = np.empty(0, np.int32)
    free = first
    for filling in range(2):
        seen = np.full(nodes, -1, np.int32)
        for row in range(len(offsets) - 1):
            for place in range(offsets[row], offsets[row + 1]):
                node = leaf_nodes[leaves[place]]
                while node >= 0 and seen[node] != row:
                    seen[node] = row
                    if filling:
                        rows[free[node]] = row
                        free[node] += 1
                    else:
                        first[node + 1] += 1
                    node = parents[node]
        if not filling:
            for node in range(nodes):
                first[node + 1] += first[node]
            rows = np.empty(first[nodes], np.int32)
            free = first.copy()
    return first, rows


@njit(cache=True)
def have_in_common(nodes: Int64s, smallest: int, first: Int64s, rows: Int32s, counts: Int64s) -> bool:
    """Whether at least `smallest` transactions have a leaf of every one of these nodes."""
    rarest = nodes[0]
    for node in nodes:
        if first[node + 1] - first[node] < first[rarest + 1] - first[rarest]:
            rarest = node
    support = 0
    for row in rows[first[rarest] : first[rarest + 1]]:
        in_all = True
        for node in nodes:
            if node != rarest:
                of_node = rows[first[node] : first[node + 1]]
                place = np.searchsorted(of_node, row)
                if place == len(of_node) or of_node[place] != row:
                    in_all = False
                    break
        if in_all:
            support += counts[row]
            if support >= smallest:
                return True
    return False
