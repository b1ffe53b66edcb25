"""Threats that need knowledge of absent items, for a given set of present ones.

Only nodes of the cut need to be tried: knowing an inner node absent is knowing all cut nodes below it absent, for the
same number of leaves. Transactions none of whose items can still be declared absent stay whatever follows: if these are
k or more, and enough of them lack each sensitive item, there is no threat to come. An item without which k transactions
would stay has to be among those declared absent.
"""

from __future__ import annotations

import numpy as np

from .cache import njit
from .itemset_data import (
    END,
    LEAVES,
    REMOVABLE,
    SENSITIVE,
    Database,
    Int32s,
    Int64s,
    Nodes,
    Number,
    Power,
    has,
    is_threat,
    sort_ascending,
)
from .threat_clauses import Clauses, is_covered, note

FINISHED, FOUND, FULL, STOPPED = 0, 1, 2, 3
"""How a search for threats ends: none left, one found (where one is enough), no room for more clauses, told to stop."""


@njit(cache=True, nogil=True)
def stays_safe(staying: Number, most: Number, power: Power) -> bool:
    """Whether the transactions that nothing can remove keep the promise whatever is known to be absent.

    staying: their number, without sensitive items. most: how many transactions have the same sensitive item.
    """
    enough = (power.denominator - power.numerator) * most <= power.numerator * staying
    return bool(staying >= power.k and enough)


@njit(cache=True, nogil=True)
def _lies_under(item: Number, chosen: Int32s, present: Number, nodes: Nodes) -> bool:
    under = False
    for index in range(present):
        under = under or chosen[index] <= item < nodes[chosen[index], END]
    return under


@njit(cache=True, nogil=True)
def absence_may_tell(
    rows: Int32s, chosen: Int32s, present: Number, data: Database, nodes: Nodes, sensitive: Int64s, power: Power
) -> bool:
    """Whether knowing some items absent could turn these transactions into a threat; False is certain.

    sensitive: how many of the transactions have each sensitive item.
    """
    most = 0
    for s in range(len(sensitive)):
        most = max(most, sensitive[s])
    stay = 0
    stay_without = 0
    for row in rows:
        removable = False
        for at in range(data.offsets[REMOVABLE, row], data.offsets[REMOVABLE, row + 1]):
            if not _lies_under(data.items[at], chosen, present, nodes):
                removable = True
                break
        if not removable:
            stay += data.weights[row]
            if data.offsets[SENSITIVE, row] == data.offsets[SENSITIVE, row + 1]:
                stay_without += data.weights[row]
            # A sensitive item is in c of those that stay in the end and missing in at least stay_without.
            if stay >= power.k and (power.denominator - power.numerator) * most <= power.numerator * stay_without:
                return False
    return True


@njit(cache=True, nogil=True)
def absent_threats(
    rows: Int32s,
    chosen: Int32s,
    present: Number,
    data: Database,
    nodes: Nodes,
    clauses: Clauses,
    count: Number,
    power: Power,
    one_is_enough: bool,
    sensitive_count: Number,
    stop: Int64s,
    examined: Int64s,
) -> tuple[Number, Number]:
    """Threats of chosen[:present] with absent items; rows are its transactions. Returns how it ended and the count."""
    item_count = len(nodes)
    counts = np.zeros(item_count, np.int64)
    lone = np.zeros(item_count, np.int64)
    with_sensitive = np.zeros((item_count, sensitive_count), np.int64)
    touched = np.empty(item_count, np.int32)
    scratch = np.empty(sensitive_count, np.int64)
    depth_limit = power.absent + 1
    row_arena = np.empty(4 * len(rows) + 16, np.int32)
    for index in range(len(rows)):
        row_arena[index] = rows[index]
    first_row = np.zeros(depth_limit + 1, np.int64)
    stop_row = np.zeros(depth_limit + 1, np.int64)
    stop_row[0] = len(rows)
    left = np.zeros(depth_limit + 1, np.int64)
    left[0] = power.absent
    candidates = np.empty((depth_limit + 1, 8), np.int32)
    next_candidate = np.zeros(depth_limit + 1, np.int64)
    candidate_count = np.zeros(depth_limit + 1, np.int64)
    last = np.full(depth_limit + 1, -1, np.int64)
    depth = np.int64(0)
    while True:
        # Count what the transactions of this itemset have, and what must stay.
        support = np.int64(0)
        stay = np.int64(0)
        found = 0
        for s in range(sensitive_count):
            scratch[s] = 0
        for place in range(first_row[depth], stop_row[depth]):
            row = row_arena[place]
            weight = data.weights[row]
            support += weight
            usable = 0
            only = -1
            for at in range(data.offsets[REMOVABLE, row], data.offsets[REMOVABLE, row + 1]):
                item = data.items[at]
                if item <= last[depth] or nodes[item, LEAVES] > left[depth]:
                    continue
                if _lies_under(item, chosen, present, nodes):
                    continue
                if counts[item] == 0:
                    touched[found] = item
                    found += 1
                counts[item] += weight
                usable += 1
                only = item
                for s in range(data.offsets[SENSITIVE, row], data.offsets[SENSITIVE, row + 1]):
                    with_sensitive[item, data.items[s]] += weight
            if usable == 0:
                stay += weight
            elif usable == 1:
                lone[only] += weight
            for s in range(data.offsets[SENSITIVE, row], data.offsets[SENSITIVE, row + 1]):
                scratch[data.items[s]] += weight
        sort_ascending(touched, found)
        examined[0] += found
        hopeless = sensitive_count == 0 and stay >= power.k
        up_to = item_count
        if sensitive_count == 0 and not hopeless:
            forced = np.int64(0)
            for index in range(found):
                item = touched[index]
                if lone[item] + stay >= power.k:
                    forced += nodes[item, LEAVES]
                    up_to = min(up_to, item)
            hopeless = forced > left[depth]
        kept = 0
        if candidates.shape[1] < found:
            wider = np.empty((depth_limit + 1, 2 * found), np.int32)
            for level in range(depth):
                for index in range(candidate_count[level]):
                    wider[level, index] = candidates[level, index]
            candidates = wider
        rest = np.empty(sensitive_count, np.int64)
        for index in range(found):
            item = touched[index]
            if not hopeless and item <= up_to:
                remaining = support - counts[item]
                for s in range(sensitive_count):
                    rest[s] = scratch[s] - with_sensitive[item, s]
                if is_threat(remaining, rest, power):
                    if one_is_enough:
                        return FOUND, count
                    chosen[present + depth] = item
                    if not is_covered(chosen, present + depth, np.int64(item), nodes, clauses):
                        if count == len(clauses.sizes):
                            return FULL, count
                        count = note(chosen, present, present + depth + 1, data, nodes, clauses, count, rest, power)
                elif remaining > 0 and left[depth] > nodes[item, LEAVES]:
                    candidates[depth, kept] = item
                    kept += 1
            counts[item] = 0
            lone[item] = 0
            for s in range(sensitive_count):
                with_sensitive[item, s] = 0
        candidate_count[depth] = kept
        next_candidate[depth] = 0
        # Go to the next itemset.
        while depth >= 0:
            if next_candidate[depth] < candidate_count[depth]:
                item = candidates[depth, next_candidate[depth]]
                next_candidate[depth] += 1
                if not one_is_enough and is_covered(chosen, present + depth, np.int64(item), nodes, clauses):
                    continue
                break
            depth -= 1
        if depth < 0:
            return FINISHED, count
        if stop[0]:
            return STOPPED, count
        top = stop_row[depth]
        if top + (stop_row[depth] - first_row[depth]) > len(row_arena):
            larger = np.empty(2 * len(row_arena), np.int32)
            for index in range(top):
                larger[index] = row_arena[index]
            row_arena = larger
        for place in range(first_row[depth], stop_row[depth]):
            row = row_arena[place]
            if not has(data.items, data.offsets[REMOVABLE, row], data.offsets[REMOVABLE, row + 1], item):
                row_arena[top] = row
                top += 1
        chosen[present + depth] = item
        first_row[depth + 1] = stop_row[depth]
        stop_row[depth + 1] = top
        left[depth + 1] = left[depth] - nodes[item, LEAVES]
        last[depth + 1] = item
        depth += 1
