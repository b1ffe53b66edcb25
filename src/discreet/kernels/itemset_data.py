"""Transactions and items as the search for threats counts them."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from numba import njit

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Number: TypeAlias = int | np.int64
"""A number that begins as np.int64(0) is no literal: for each literal a function would be compiled anew."""


class Prefixes(NamedTuple):
    """The transactions' beginnings as a trie: rows that are equal up to and with an item have one node for it.

    Some rows stay alone: those with sensitive items and, where absent items can be known, those not settled.
    """

    node_of: Int32s
    """place among the items to enumerate -> its node; -1 in rows that stay alone"""
    begins: Int64s
    """node -> where a row begins that has it; the items before it are places begins .. begins + lengths"""
    lengths: Int32s
    weights: Int64s
    staying: Int64s
    """node -> weight of its rows that have nothing removable"""
    matters: Bools
    """node -> is one of its rows not settled?"""
    item_offsets: Int64s
    item_nodes: Int32s
    """item -> its nodes"""
    alone_offsets: Int64s
    alone_rows: Int32s
    alone_places: Int64s
    """item -> where it stands in rows that stay alone"""


class Database(NamedTuple):
    """Distinct transactions at a cut; row r has items[offsets[r]:offsets[r + 1]], ascending."""

    offsets: Int64s
    items: Int32s
    """the items to enumerate: the cut's own, or with those above them"""
    cut_offsets: Int64s
    cut_items: Int32s
    """the cut's own items"""
    all_offsets: Int64s
    all_items: Int32s
    """the cut's items and all above them"""
    weights: Int64s
    sensitive_offsets: Int64s
    sensitive_items: Int32s
    posting_offsets: Int64s
    postings: Int32s
    """item -> the rows that have it, among all items"""
    removable_offsets: Int64s
    removable_items: Int32s
    """the items of the cut that are worth few enough leaves to be known absent"""


class Nodes(NamedTuple):
    """The items by number: below v are the items in (v, ends[v])."""

    ends: Int32s
    above: Int32s
    """item -> its parent, -1 for the root"""
    leaves: Int64s
    specialized: Int32s
    """item -> the number, among the nodes that can be specialized, of its parent; -1 for the root"""


class Power(NamedTuple):
    """The promise: at least k, at most numerator / denominator; knowing so many present items and absent leaves."""

    k: int
    numerator: int
    denominator: int
    present: int
    absent: int


@njit(cache=True, nogil=True)
def has(items: Int32s, first: Number, stop: Number, item: Number) -> bool:
    while first < stop:
        middle = (first + stop) >> 1
        if items[middle] < item:
            first = middle + 1
        elif items[middle] > item:
            stop = middle
        else:
            return True
    return False


@njit(cache=True, nogil=True)
def is_threat(support: Number, sensitive: Int64s, power: Power) -> bool:
    if support <= 0:
        return False
    most = 0
    for s in range(len(sensitive)):
        most = max(most, sensitive[s])
    return bool(support < power.k or most * power.denominator > power.numerator * support)


@njit(cache=True, nogil=True)
def breaks(chosen: Int32s, present: Number, size: Number, data: Database, sensitive: Int64s, power: Power) -> bool:
    """Whether chosen[:present] present and chosen[present:size] absent is a threat, counted from the transactions."""
    shortest = -1
    for index in range(present):
        item = chosen[index]
        length = data.posting_offsets[item + 1] - data.posting_offsets[item]
        if shortest < 0 or length < data.posting_offsets[shortest + 1] - data.posting_offsets[shortest]:
            shortest = item
    first, stop = np.int64(0), np.int64(len(data.weights))
    if shortest >= 0:
        first, stop = data.posting_offsets[shortest], data.posting_offsets[shortest + 1]
    sensitive[:] = 0
    support = 0
    for place in range(first, stop):
        row = np.int64(data.postings[place]) if shortest >= 0 else place
        begin, end = data.all_offsets[row], data.all_offsets[row + 1]
        fits = True
        for index in range(size):
            if chosen[index] != shortest and has(data.all_items, begin, end, chosen[index]) != (index < present):
                fits = False
                break
        if fits:
            support += data.weights[row]
            if support >= power.k and len(sensitive) == 0:
                return False
            for at in range(data.sensitive_offsets[row], data.sensitive_offsets[row + 1]):
                sensitive[data.sensitive_items[at]] += data.weights[row]
    return is_threat(support, sensitive, power)


@njit(cache=True, nogil=True)
def rows_having(chosen: Int32s, size: Number, data: Database) -> Int32s:
    """The rows with all of chosen[:size]."""
    shortest = chosen[0]
    for index in range(1, size):
        item = chosen[index]
        length = data.posting_offsets[item + 1] - data.posting_offsets[item]
        if length < data.posting_offsets[shortest + 1] - data.posting_offsets[shortest]:
            shortest = item
    rows = data.postings[data.posting_offsets[shortest] : data.posting_offsets[shortest + 1]].copy()
    kept = 0
    for row in rows:
        fits = True
        for index in range(size):
            item = chosen[index]
            if item != shortest and not has(data.all_items, data.all_offsets[row], data.all_offsets[row + 1], item):
                fits = False
                break
        if fits:
            rows[kept] = row
            kept += 1
    return rows[:kept]


@njit(cache=True, nogil=True)
def staying_weight(row: Number, data: Database) -> Number:
    """The weight of a row that has neither sensitive nor removable items; 0 for others."""
    removable = data.removable_offsets[row + 1] - data.removable_offsets[row]
    sensitive = data.sensitive_offsets[row + 1] - data.sensitive_offsets[row]
    return data.weights[row] if removable + sensitive == 0 else np.int64(0)


@njit(cache=True, nogil=True)
def prefixes_of(data: Database, is_alone: Bools, settled: Bools, item_count: Number) -> Prefixes:
    """The trie of the rows that are not alone."""
    offsets, items, weights = data.offsets, data.items, data.weights
    size = 64
    while size < 2 * len(items):
        size *= 2
    keys = np.full(size, -1, np.int64)
    values = np.empty(size, np.int32)
    node_of = np.full(len(items), -1, np.int32)
    begins = np.empty(len(items), np.int64)
    lengths = np.empty(len(items), np.int32)
    node_items = np.empty(len(items), np.int32)
    node_weights = np.zeros(len(items), np.int64)
    staying = np.zeros(len(items), np.int64)
    matters = np.zeros(len(items), np.bool_)
    count = 0
    per_item = np.zeros(item_count + 1, np.int64)
    alone_per_item = np.zeros(item_count + 1, np.int64)
    for row in range(len(weights)):
        parent = np.int64(0)
        for at in range(offsets[row], offsets[row + 1]):
            item = items[at]
            if is_alone[row]:
                alone_per_item[item + 1] += 1
                continue
            key = parent * item_count + item
            slot = (np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) & np.uint64(size - 1)
            while keys[slot] != -1 and keys[slot] != key:
                slot = (slot + np.uint64(1)) & np.uint64(size - 1)
            if keys[slot] == -1:
                keys[slot] = key
                values[slot] = count
                begins[count] = offsets[row]
                lengths[count] = at - offsets[row]
                node_items[count] = item
                per_item[item + 1] += 1
                count += 1
            node = values[slot]
            node_of[at] = node
            node_weights[node] += weights[row]
            staying[node] += staying_weight(row, data)
            matters[node] = matters[node] or not settled[row]
            parent = np.int64(node) + 1
    item_offsets = np.cumsum(per_item)
    alone_offsets = np.cumsum(alone_per_item)
    item_nodes = np.empty(count, np.int32)
    place = item_offsets.copy()
    for node in range(count):
        item_nodes[place[node_items[node]]] = node
        place[node_items[node]] += 1
    alone_rows = np.empty(alone_offsets[-1], np.int32)
    alone_places = np.empty(alone_offsets[-1], np.int64)
    place = alone_offsets.copy()
    for row in range(len(weights)):
        if is_alone[row]:
            for at in range(offsets[row], offsets[row + 1]):
                alone_rows[place[items[at]]] = row
                alone_places[place[items[at]]] = at
                place[items[at]] += 1
    return Prefixes(
        node_of, begins[:count], lengths[:count], node_weights[:count], staying[:count], matters[:count],
        item_offsets, item_nodes, alone_offsets, alone_rows, alone_places,
    )  # fmt: skip
