"""Groups of transactions in which no two share a sensitive item, each of neighbours in a given order.

Transactions are numbered by their place in the order. Those not yet in a group form a doubly linked list, with place 0
before the first of them and place n + 1 after the last; transaction i has place i + 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .cache import njit

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]

NO_GROUP = -1


class Transactions(NamedTuple):
    """Transaction i, in order, has the items of the distinct transaction sources[i]."""

    sources: Int32s
    item_offsets: Int64s
    items: Int32s
    sensitive_offsets: Int64s
    sensitive: Int32s


class Grouping(NamedTuple):
    """How far the grouping has come; changed in place."""

    group: Int32s
    """transaction -> its group, or NO_GROUP"""
    before: Int64s
    after: Int64s
    unassigned: Int64s
    """sensitive item -> how many transactions that have it are in no group"""
    item_mark: Int64s
    """item -> the last pivot that had it"""
    sensitive_mark: Int64s
    """sensitive item -> the last pivot in whose group, as far as it was chosen, somebody had it"""
    progress: Int64s
    """the next TRANSACTION to look at, how many GROUPS there are and how many transactions are LEFT in none"""


TRANSACTION, GROUPS, LEFT = range(3)


@njit(cache=True)
def form_groups(transactions: Transactions, grouping: Grouping, degree: int, candidates: int, pivots: int) -> int:
    """Tries the next so many ungrouped transactions with a sensitive item as pivots; returns how many it tried.

    Each is grouped with the degree - 1 most like it among the nearest in order, so many `candidates` on either side.
    """
    tried = 0
    while tried < pivots and grouping.progress[TRANSACTION] < len(transactions.sources):
        pivot = grouping.progress[TRANSACTION]
        grouping.progress[TRANSACTION] += 1
        source = transactions.sources[pivot]
        has_sensitive = transactions.sensitive_offsets[source] < transactions.sensitive_offsets[source + 1]
        if has_sensitive and grouping.group[pivot] == NO_GROUP:
            tried += 1
            members = _choose(transactions, grouping, degree, candidates, pivot)
            if len(members) == degree:
                _assign_if_rest_is_solvable(transactions, grouping, degree, members)
    return tried


@njit(cache=True)
def _choose(transactions: Transactions, grouping: Grouping, degree: int, candidates: int, pivot: int) -> Int64s:
    """The pivot and the candidates with most items in common with it, no two with a common sensitive item."""
    source = transactions.sources[pivot]
    for place in range(transactions.item_offsets[source], transactions.item_offsets[source + 1]):
        grouping.item_mark[transactions.items[place]] = pivot
    _mark_sensitive(transactions, grouping, pivot, pivot)

    near = np.empty(2 * candidates, np.int64)
    found = 0
    found_before, found_after = 0, 0
    before, after = grouping.before[pivot + 1], grouping.after[pivot + 1]
    while True:
        may_go_back = before > 0 and found_before < candidates
        may_go_on = after <= len(transactions.sources) and found_after < candidates
        if not may_go_back and not may_go_on:
            break
        if may_go_back:
            if not _conflicts(transactions, grouping, before - 1, pivot):
                near[found] = before - 1
                found, found_before = found + 1, found_before + 1
            before = grouping.before[before]
        if may_go_on:
            if not _conflicts(transactions, grouping, after - 1, pivot):
                near[found] = after - 1
                found, found_after = found + 1, found_after + 1
            after = grouping.after[after]

    common = np.zeros(found, np.int64)
    for index in range(found):
        source = transactions.sources[near[index]]
        for place in range(transactions.item_offsets[source], transactions.item_offsets[source + 1]):
            common[index] += grouping.item_mark[transactions.items[place]] == pivot
    members = np.empty(degree, np.int64)
    members[0] = pivot
    chosen = 1
    for index in np.argsort(-common, kind="mergesort"):
        if chosen == degree:
            break
        if not _conflicts(transactions, grouping, near[index], pivot):
            _mark_sensitive(transactions, grouping, near[index], pivot)
            members[chosen] = near[index]
            chosen += 1
    return members[:chosen]


@njit(cache=True)
def _mark_sensitive(transactions: Transactions, grouping: Grouping, transaction: int, pivot: int) -> None:
    source = transactions.sources[transaction]
    for place in range(transactions.sensitive_offsets[source], transactions.sensitive_offsets[source + 1]):
        grouping.sensitive_mark[transactions.sensitive[place]] = pivot


@njit(cache=True)
def _conflicts(transactions: Transactions, grouping: Grouping, transaction: int, pivot: int) -> bool:
    """Whether the transaction has a sensitive item that somebody in the pivot's group has."""
    source = transactions.sources[transaction]
    for place in range(transactions.sensitive_offsets[source], transactions.sensitive_offsets[source + 1]):
        if grouping.sensitive_mark[transactions.sensitive[place]] == pivot:
            return True
    return False


@njit(cache=True)
def _assign_if_rest_is_solvable(transactions: Transactions, grouping: Grouping, degree: int, members: Int64s) -> None:
    """Makes the members a group, unless a sensitive item would then be in more than one in `degree` of the rest."""
    _count_sensitive(transactions, grouping, members, -1)
    left = grouping.progress[LEFT] - len(members)
    if grouping.unassigned.max() * degree > left:
        _count_sensitive(transactions, grouping, members, 1)
        return
    for member in members:
        grouping.group[member] = grouping.progress[GROUPS]
        before, after = grouping.before[member + 1], grouping.after[member + 1]
        grouping.after[before], grouping.before[after] = after, before
    grouping.progress[GROUPS] += 1
    grouping.progress[LEFT] = left


@njit(cache=True)
def _count_sensitive(transactions: Transactions, grouping: Grouping, members: Int64s, change: int) -> None:
    for member in members:
        source = transactions.sources[member]
        for place in range(transactions.sensitive_offsets[source], transactions.sensitive_offsets[source + 1]):
            grouping.unassigned[transactions.sensitive[place]] += change
