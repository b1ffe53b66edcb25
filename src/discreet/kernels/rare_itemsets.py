"""Itemsets of present items that fewer than k transactions have, counted in a table and no further than k.

Where nothing is promised about sensitive items and no absent items are known, these are all the threats there are. The
itemsets of one size are counted transaction by transaction. Most reach k soon and need no more counting: for all
but the lowest item of an itemset there is a mask of the lowest items that have not. So a transaction of L items costs
as many looks at a mask as there are ways to choose size - 1 of L, and the time grows with the number of transactions
only, where an enumeration of the itemsets visits each with all its transactions (kernels/threats).
"""

from __future__ import annotations

import numpy as np

from .absent_items import FINISHED, FULL, STOPPED
from .cache import njit
from .itemset_data import CUT, Bools, Database, Int32s, Int64s, Nodes, Number, Power
from .threat_clauses import Clauses, is_covered, note

WORD = 64
"""Items in one word of a mask."""
MOST_CELLS = 1 << 25
"""Of the table of counts: 128 MB."""


def ways_to_choose(chosen: int, items: int) -> Int64s:
    """[i, c] -> the ways to choose i of c, for i up to chosen and c up to items."""
    ways = np.zeros((chosen + 1, items + 1), np.int64)
    ways[0] = 1
    for size in range(1, chosen + 1):
        ways[size, 1:] = np.cumsum(ways[size - 1, :-1])
    return ways


@njit(cache=True, nogil=True)
def find_rare_itemsets(
    data: Database,
    nodes: Nodes,
    clauses: Clauses,
    count: Number,
    power: Power,
    size: Number,
    number: Int32s,
    ways: Int64s,
    smaller: Int32s,
    stop: Int64s,
    examined: Int64s,
    settled: Bools,
) -> tuple[Number, Number, Int32s]:
    """Looks for all threats of this size in rows that are not settled.

    number: item -> its number among those of the cut. An itemset of numbers c1 < ... < cs has the cell C(c1, 1) + ... +
    C(cs, s), where C(c, i) = ways[i, c]. The mask of c2 ... cs is found by the same rule, and c1 is a bit of it.
    smaller: the counts of the itemsets with one item less. Below a rare one there is nothing new.

    Returns how it ended, the number of clauses, and the counts.
    """
    item_count = ways.shape[1] - 1
    undecided = np.zeros((len(smaller), (item_count + WORD - 1) // WORD), np.uint64)
    for index in range(len(smaller)):
        if smaller[index] >= power.k:
            undecided[index] = ~np.uint64(0)
    counts = np.zeros(ways[size, item_count], np.int32)
    own = np.empty(item_count, np.int32)
    bits = np.zeros(undecided.shape[1], np.uint64)
    chosen = np.empty(size + 1, np.int32)
    nothing = np.zeros(0, np.int64)
    place = np.empty(size + 1, np.int64)
    cell = np.zeros(size + 1, np.int64)
    mask = np.zeros(size + 1, np.int64)
    for noting in range(2):
        for row in range(len(data.weights)):
            begin = data.offsets[CUT, row]
            length = data.offsets[CUT, row + 1] - begin
            if length < size or (noting == 1 and settled[row]):
                continue
            if stop[0]:
                return STOPPED, count, counts
            bits[:] = 0
            for index in range(length):
                own[index] = number[data.items[begin + index]]
                bits[own[index] >> 6] |= np.uint64(1) << np.uint64(own[index] & 63)
            # All but the lowest item are chosen, from the right; place[d] is where the d-th of them is in the row.
            depth = 0
            place[0] = length
            while depth >= 0:
                if depth < size - 1:
                    place[depth] -= 1
                    if place[depth] < size - 1 - depth:  # too few are left for the rest
                        depth -= 1
                        continue
                    item = own[place[depth]]
                    cell[depth + 1] = cell[depth] + ways[size - depth, item]
                    mask[depth + 1] = mask[depth] + ways[size - 1 - depth, item]
                    depth += 1
                    place[depth] = place[depth - 1]
                    continue
                these = mask[depth]
                lowest = own[place[depth] - 1]
                up_to_lowest = (np.uint64(2) << np.uint64(lowest & 63)) - np.uint64(1)
                is_open = (undecided[these, lowest >> 6] & bits[lowest >> 6] & up_to_lowest) != 0
                for word in range(lowest >> 6):
                    is_open = is_open or (undecided[these, word] & bits[word]) != 0
                for index in range(place[depth] if is_open else 0):
                    item = own[index]
                    bit = np.uint64(1) << np.uint64(item & 63)
                    if not undecided[these, item >> 6] & bit:
                        continue
                    if noting == 0:
                        at = cell[depth] + item
                        examined[0] += counts[at] == 0
                        counts[at] = min(counts[at] + data.weights[row], power.k)
                        if counts[at] == power.k:
                            undecided[these, item >> 6] ^= bit
                        continue
                    undecided[these, item >> 6] ^= bit
                    for d in range(depth):
                        chosen[d] = data.items[begin + place[d]]
                    chosen[depth] = data.items[begin + index]
                    if not is_covered(chosen, depth, np.int64(chosen[depth]), nodes, clauses):
                        if count == len(clauses.sizes):
                            return FULL, count, counts
                        count = note(chosen, size, size, data, nodes, clauses, count, nothing, power)
                depth -= 1
    return FINISHED, count, counts
