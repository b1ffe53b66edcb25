"""Which children of a node each transaction has, without sorting: the occurrences come in the order of the children."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]


@njit(cache=True)
def children_by_row(rows: Int64s, children: Int32s, place: Int64s) -> tuple[Int64s, Int64s, Int32s]:
    """rows[i] has the child children[i], ascending in i, with repeats.

    place: as long as there are rows in all, zeros before and after. Returns the rows concerned, ascending, and the
    children of each: those of the i-th stand at offsets[i]:offsets[i + 1], ascending and without repeats.
    """
    concerned = np.empty(len(rows), np.int64)
    count = 0
    for row in rows:
        if place[row] == 0:
            concerned[count] = row
            count += 1
        place[row] += 1
    concerned = np.sort(concerned[:count])
    begins = np.empty(count, np.int64)
    filled = 0
    for index in range(count):
        begins[index] = filled
        filled += place[concerned[index]]
        place[concerned[index]] = begins[index]
    found = np.empty(filled, np.int32)
    for at in range(len(rows)):
        row = rows[at]
        found[place[row]] = children[at]
        place[row] += 1
    offsets = np.empty(count + 1, np.int64)
    kept = 0
    for index in range(count):
        offsets[index] = kept
        stop = place[concerned[index]]
        place[concerned[index]] = 0
        for at in range(begins[index], stop):
            if at == begins[index] or found[at] != found[at - 1]:
                found[kept] = found[at]
                kept += 1
    offsets[count] = kept
    return concerned, offsets, found[:kept].copy()
