"""Sets of whole numbers row by row: row r has items[offsets[r]:offsets[r + 1]], ascending and without repeats.

What a search does to transactions again and again: generalize them, merge those that became equal, look them up by
item. One pass each, without sorting.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .cache import njit

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""An odd number of no pattern, whose multiples spread over a hash table."""


@njit(cache=True)
def generalize_rows(offsets: Int64s, items: Int32s, node_of: Int32s) -> tuple[Int64s, Int32s]:
    """Each item replaced by node_of[item], which must never decrease; what becomes equal within a row becomes one."""
    new_offsets = np.empty(len(offsets), np.int64)
    new_items = np.empty(len(items), np.int32)
    kept = 0
    new_offsets[0] = 0
    for row in range(len(offsets) - 1):
        first = kept
        for at in range(offsets[row], offsets[row + 1]):
            node = node_of[items[at]]
            if kept == first or new_items[kept - 1] != node:
                new_items[kept] = node
                kept += 1
        new_offsets[row + 1] = kept
    return new_offsets, new_items[:kept].copy()


@njit(cache=True)
def rows_with_above(offsets: Int64s, items: Int32s, parents: Int32s) -> tuple[Int64s, Int32s]:
    """Each row with all nodes above its own. Nodes are numbered in pre-order, parents[0] = -1.

    So the nodes above an item that are not above the item before it in its row lie between the two.
    """
    new_offsets = np.zeros(len(offsets), np.int64)
    new_items = np.empty(0, np.int32)
    for writing in range(2):
        filled = 0
        for row in range(len(offsets) - 1):
            before = -1
            for at in range(offsets[row], offsets[row + 1]):
                size = 0
                node = items[at]
                while node > before:
                    size += 1
                    node = parents[node]
                if writing == 1:
                    node = items[at]
                    for back in range(1, size + 1):
                        new_items[filled + size - back] = node
                        node = parents[node]
                filled += size
                before = items[at]
            new_offsets[row + 1] = filled
        if writing == 0:
            new_items = np.empty(filled, np.int32)
    return new_offsets, new_items


@njit(cache=True)
def rows_of_items(offsets: Int64s, items: Int32s, item_count: int) -> tuple[Int64s, Int32s]:
    """The other way round: item -> the rows that have it, ascending."""
    row_offsets = np.zeros(item_count + 1, np.int64)
    for item in items:
        row_offsets[item + 1] += 1
    for item in range(item_count):
        row_offsets[item + 1] += row_offsets[item]
    place = row_offsets.copy()
    rows = np.empty(len(items), np.int32)
    for row in range(len(offsets) - 1):
        for at in range(offsets[row], offsets[row + 1]):
            rows[place[items[at]]] = row
            place[items[at]] += 1
    return row_offsets, rows


@njit(cache=True)
def node_supports(offsets: Int64s, items: Int32s, parents: Int32s, weights: Int64s) -> Int64s:
    """Node -> the weight of the rows that have it or a node below it; nodes as for rows_with_above."""
    supports = np.zeros(len(parents), np.int64)
    for row in range(len(offsets) - 1):
        before = -1
        for at in range(offsets[row], offsets[row + 1]):
            node = items[at]
            while node > before:
                supports[node] += weights[row]
                node = parents[node]
            before = items[at]
    return supports


@njit(cache=True)
def have_in_common(nodes: Int64s, smallest: int, first: Int64s, rows: Int32s, counts: Int64s) -> bool:
    """Whether at least `smallest` rows have all of these nodes; rows[first[v]:first[v + 1]] have v (rows_of_items)."""
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


@njit(cache=True)
def group_rows(offsets: Int64s, items: Int32s, before: Int64s) -> tuple[Int64s, Int64s]:
    """Rows are alike where their items and before[row] are: the first row of each kind, and row -> its kind."""
    size = 64
    while size < 2 * len(before):
        size *= 2
    table = np.full(size, -1, np.int64)
    first = np.empty(len(before), np.int64)
    group = np.empty(len(before), np.int64)
    count = 0
    for row in range(len(before)):
        begin, length = offsets[row], offsets[row + 1] - offsets[row]
        key = np.uint64(before[row])
        for at in range(begin, begin + length):
            key = (key ^ np.uint64(items[at])) * GOLDEN
            key ^= key >> np.uint64(29)
        slot = np.int64((key * GOLDEN) >> np.uint64(20)) & (size - 1)
        while table[slot] >= 0:
            other = first[table[slot]]
            alike = before[other] == before[row] and offsets[other + 1] - offsets[other] == length
            index = 0
            while alike and index < length:
                alike = items[offsets[other] + index] == items[begin + index]
                index += 1
            if alike:
                break
            slot = (slot + 1) & (size - 1)
        if table[slot] < 0:
            table[slot] = count
            first[count] = row
            count += 1
        group[row] = table[slot]
    return first[:count].copy(), group


@njit(cache=True)
def places_in(rows: Int64s, wanted: Int64s) -> Int64s:
    """Where each of the wanted is among the rows; both ascending."""
    places = np.empty(len(wanted), np.int64)
    place = 0
    for index in range(len(wanted)):
        while rows[place] < wanted[index]:
            place += 1
        places[index] = place
    return places


@njit(cache=True)
def children_by_row(rows: Int32s, children: Int32s, place: Int64s) -> tuple[Int64s, Int64s, Int32s]:
    """Which children of a node each row has; rows[i] has the child children[i], ascending in i, with repeats.

    place: as long as there are rows in all, zeros before and after. Returns the rows concerned, ascending, and the
    children of each: those of the i-th are at offsets[i]:offsets[i + 1], ascending and without repeats.
    """
    for row in rows:
        place[row] += 1
    concerned = np.flatnonzero(place)
    count = len(concerned)
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
