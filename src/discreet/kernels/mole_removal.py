"""Which item to leave out next, and the moles that go with it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .cache import njit

Bools = npt.NDArray[np.bool_]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]


@njit(cache=True)
def moles_of_items(moles: Int32s, number_of_items: int) -> tuple[Int64s, Int32s]:
    """Item e is in the moles members[first[e]:first[e + 1]]; first and members. Items below 0 are none."""
    first = np.zeros(number_of_items + 1, np.int64)
    for item in moles.flat:
        if item >= 0:
            first[item + 1] += 1
    for below in range(number_of_items):
        first[below + 1] += first[below]
    free = first[:-1].copy()
    members = np.empty(first[number_of_items], np.int32)
    for mole in range(len(moles)):
        for item in moles[mole]:
            if item >= 0:
                members[free[item]] = mole
                free[item] += 1
    return first, members


@njit(cache=True)
def item_to_suppress(moles_left: Int64s, supports: Int64s) -> int:
    """The item with the most moles for its support, the lowest of equals; -1 when no item has any."""
    best = -1
    for item in range(len(moles_left)):
        if moles_left[item] > 0 and (best < 0 or moles_left[item] * supports[best] > moles_left[best] * supports[item]):
            best = item
    return best


@njit(cache=True)
def remove_moles_of(
    item: int, moles: Int32s, first: Int64s, members: Int32s, is_gone: Bools, moles_left: Int64s
) -> None:
    """Marks the moles with the item as gone and takes them off the count of each of their items."""
    for mole in members[first[item] : first[item + 1]]:
        if not is_gone[mole]:
            is_gone[mole] = True
            for other in moles[mole]:
                if other >= 0:
                    moles_left[other] -= 1
