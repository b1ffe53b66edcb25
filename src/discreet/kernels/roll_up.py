"""Groups of records that look alike, counted from finer groups: one column goes up, and groups that meet are added.

Groups are told apart by their nodes in all columns. They are looked up by a hash of these, in a table with open
addressing that is at most half full; equal hashes of different groups only cost time.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .cache import njit

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""2 to the 64th over the golden ratio, which spreads neighbouring numbers"""


@njit(cache=True)
def roll_up(nodes: Int32s, counts: Int64s, column: int, above: Int32s) -> tuple[Int32s, Int64s]:
    """The groups when each node of the column becomes the node above it: their nodes and their counts.

    nodes: group x column; counts: group x whatever is counted; above: node -> the one it becomes.
    """
    groups, columns = nodes.shape
    bits = 1
    while (1 << bits) < 2 * groups:
        bits += 1
    mask = (1 << bits) - 1
    shift = np.uint64(64 - bits)
    slots = np.full(1 << bits, -1, np.int64)
    merged = np.empty_like(nodes)
    sums = np.zeros_like(counts)
    found = 0
    for group in range(groups):
        for place in range(columns):
            merged[found, place] = nodes[group, place]
        merged[found, column] = above[nodes[group, column]]
        hashed = np.uint64(0)
        for place in range(columns):
            hashed = (hashed ^ np.uint64(merged[found, place])) * MULTIPLIER
        slot = np.int64(hashed >> shift)
        while slots[slot] >= 0:
            other = slots[slot]
            same = True
            for place in range(columns):
                if merged[other, place] != merged[found, place]:
                    same = False
                    break
            if same:
                break
            slot = (slot + 1) & mask
        if slots[slot] < 0:
            slots[slot] = found
            found += 1
        target = slots[slot]
        for place in range(counts.shape[1]):
            sums[target, place] += counts[group, place]
    return merged[:found].copy(), sums[:found].copy()
