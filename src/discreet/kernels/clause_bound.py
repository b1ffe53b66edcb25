"""What satisfying all clauses costs at least: a dual ascent (Chvatal 1979; Bar-Yehuda and Even 1981).

A clause "not all of these nodes are specialized" is satisfied by locking a node at or above one of its members, and
locking a node costs its penalty. Give each clause a price so that, for every node, the clauses it would satisfy
together cost no more than its penalty. Satisfying all clauses pays each clause's price at least once, so the sum
of the prices is a lower bound. Clause by clause, the price is the least penalty not yet used up among the nodes that
would satisfy it. Nodes used up to the last satisfy all clauses together: a solution to begin with.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .cache import njit

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Int8s = npt.NDArray[np.int8]

UNDECIDED, SPECIALIZED, LOCKED = 0, 1, 2
IMPOSSIBLE = 1 << 60
"""More than any cost: a clause has all its members specialized."""


@njit(cache=True)
def clause_bound(offsets: Int64s, members: Int32s, above: Int32s, penalties: Int64s, state: Int8s, left: Int64s) -> int:
    """The bound over clauses that no locked node satisfies; fills `left` with the penalties not used up.

    Clause c has members[offsets[c]:offsets[c + 1]]. state: of each node; below a locked node everything is locked.
    """
    left[:] = penalties
    total = 0
    for clause in range(len(offsets) - 1):
        satisfied = False
        price = IMPOSSIBLE
        for at in range(offsets[clause], offsets[clause + 1]):
            if state[members[at]] == LOCKED:
                satisfied = True
                break
            node = members[at]
            while node >= 0 and state[node] != SPECIALIZED:
                price = min(price, left[node])
                node = above[node]
        if satisfied:
            continue
        if price == IMPOSSIBLE:
            return IMPOSSIBLE
        if price > 0:
            total += price
            for at in range(offsets[clause], offsets[clause + 1]):
                node = members[at]
                while node >= 0 and state[node] != SPECIALIZED:
                    left[node] -= price
                    node = above[node]
    return total
