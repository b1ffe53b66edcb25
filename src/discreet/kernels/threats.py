"""Finding privacy threats among the itemsets of a cut (Liu 2010, 4.3).

The itemsets are the nodes of an inverse itemset enumeration tree: items are numbered so that a general one comes before
those below it, and an itemset grows by items of lower numbers, children from left to right. A subset and a
generalization of an itemset are then met before it (Theorem 4.1). All extensions of an itemset are counted in one sweep
over its transactions, of which only the items before the last one are looked at. Transactions without sensitive items
that are equal up to there are merged, as in an FP-tree (Han, Pei and Yin 2000).

Pruning, each unable to lose the answer:
- III: an item that all transactions of a (non-empty) itemset have is not added, for the same transactions are found
  knowing less. The empty itemset is no threat by itself, so this does not hold at the first item.
- A transaction of at most m items is settled by one itemset, all it has: whoever knows less of it finds more. If that
  is no threat, not even with absent items, no itemset that the transaction supports is supported by less than k.
- Only items are added that some transaction has which still matters: one of more than m items of which fewer than k are
  alike in what is still looked at, or one with a sensitive item that is in enough transactions to be too frequent
  among k.
- II: below a threat, and beside it among the descendants of its last item, there are only specializations.
- I, on clauses: an itemset whose parents include a known clause (threat_clauses) is in no release anyway. Each threat
  found is first made as general as possible, so that its clause excludes as much as it can.
- Absent items are added after the present ones (absent_items).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from .absent_items import (
    FINISHED,
    FOUND,
    FULL,
    STOPPED,
    absence_may_tell,
    absent_threats,
    stays_safe,
)
from .itemset_data import (
    Bools,
    Database,
    Int32s,
    Int64s,
    Nodes,
    Number,
    Power,
    Prefixes,
    has,
    is_threat,
    rows_having,
    staying_weight,
)
from .threat_clauses import Clauses, is_covered, note


@njit(cache=True, nogil=True)
def settle_short_rows(
    data: Database,
    nodes: Nodes,
    clauses: Clauses,
    count: Number,
    power: Power,
    one_is_enough: bool,
    sensitive_count: Number,
    stop: Int64s,
    examined: Int64s,
    settled: Bools,
) -> tuple[Number, Number]:
    """Tests all items of each row that has at most as many as can be known; notes the rows that need no other test.

    Returns how it ended and the number of clauses.
    """
    chosen = np.empty(power.present + power.absent + 2, np.int32)
    own = np.zeros(sensitive_count, np.int64)
    for row in range(len(data.weights)):
        begin, end = data.cut_offsets[row], data.cut_offsets[row + 1]
        size = end - begin
        # A row of no items supports nothing that is present.
        if size == 0 or data.weights[row] >= power.k:
            settled[row] = True
        if settled[row] or size > power.present:
            continue
        if stop[0]:
            return STOPPED, count
        settled[row] = True
        chosen[:size] = data.cut_items[begin:end]
        if _is_safe_alone(chosen, size, data, power):
            continue
        examined[0] += 1
        having = rows_having(chosen, size, data)
        support = np.int64(0)
        own[:] = 0
        for other in having:
            support += data.weights[other]
            for at in range(data.sensitive_offsets[other], data.sensitive_offsets[other + 1]):
                own[data.sensitive_items[at]] += data.weights[other]
        if is_threat(support, own, power):
            if one_is_enough:
                return FOUND, count
            if not is_covered(chosen, size - 1, np.int64(chosen[size - 1]), nodes, clauses):
                if count == len(clauses.sizes):
                    return FULL, count
                count = note(chosen, size, size, data, nodes, clauses, count, own, power)
        elif power.absent > 0 and absence_may_tell(having, chosen, size, data, nodes, own, power):
            ended, count = absent_threats(
                having, chosen, size, data, nodes, clauses, count, power, one_is_enough, sensitive_count, stop,
                examined,
            )  # fmt: skip
            if ended != FINISHED:
                return ended, count
    return FINISHED, count


@njit(cache=True, nogil=True)
def _is_safe_alone(chosen: Int32s, size: Number, data: Database, power: Power) -> bool:
    """Whether k rows have all these items, and besides them nothing that could be known to be absent."""
    shortest = chosen[0]
    for index in range(1, size):
        item = chosen[index]
        length = data.posting_offsets[item + 1] - data.posting_offsets[item]
        if length < data.posting_offsets[shortest + 1] - data.posting_offsets[shortest]:
            shortest = item
    alike = 0
    for place in range(data.posting_offsets[shortest], data.posting_offsets[shortest + 1]):
        row = data.postings[place]
        fits = True
        for index in range(size):
            if chosen[index] != shortest and not has(
                data.cut_items, data.cut_offsets[row], data.cut_offsets[row + 1], chosen[index]
            ):
                fits = False
                break
        if not fits:
            continue
        for at in range(data.removable_offsets[row], data.removable_offsets[row + 1]):
            if not has(chosen, 0, size, data.removable_items[at]):
                fits = False
                break
        if fits:
            alike += data.weights[row]
            if alike >= power.k:
                return True
    return False


@njit(cache=True, nogil=True)
def _larger(array: npt.NDArray[Any], used: Number, size: Number) -> npt.NDArray[Any]:
    grown = np.empty(size, array.dtype)
    grown[:used] = array[:used]
    return grown


@njit(cache=True, nogil=True)
def find_threats(
    data: Database,
    trie: Prefixes,
    nodes: Nodes,
    clauses: Clauses,
    count: Number,
    power: Power,
    first_item: Number,
    one_is_enough: bool,
    sensitive_count: Number,
    stop: Int64s,
    examined: Int64s,
    settled: Bools,
) -> tuple[Number, Number]:
    """Looks for all threats of which the last present item is first_item or after, or none is present.

    New clauses go into `clauses`. settled: the rows that settle_short_rows has settled. Set stop[0] from another thread
    to end it early. Returns how it ended and the number of clauses.
    """
    item_count = len(nodes.ends)
    chosen = np.empty(power.present + power.absent + 2, np.int32)
    # Of each item that could be added:
    counts = np.zeros(item_count, np.int64)
    with_sensitive = np.zeros((item_count, sensitive_count), np.int64)
    most = np.zeros(item_count, np.int64)
    staying = np.zeros(item_count, np.int64)
    has_unsettled = np.zeros(item_count, np.bool_)
    entries_of = np.zeros(item_count, np.int64)
    slots = np.zeros(item_count, np.int64)
    touched = np.empty(item_count, np.int32)
    # Of each node of the trie that is met:
    node_weight = np.zeros(len(trie.begins), np.int64)
    node_staying = np.zeros(len(trie.begins), np.int64)
    node_item = np.zeros(len(trie.begins), np.int32)
    node_matters = np.zeros(len(trie.begins), np.bool_)
    met = np.empty(len(trie.begins), np.int32)
    own = np.zeros(sensitive_count, np.int64)
    # The transactions of the itemsets on the way: merged beginnings (row -1) and rows alone.
    begins = np.empty(1024, np.int64)
    lengths = np.empty(1024, np.int32)
    weights = np.empty(1024, np.int64)
    stays = np.empty(1024, np.int64)
    rows = np.empty(1024, np.int32)
    unsettled = np.empty(1024, np.bool_)
    matters = np.empty(1024, np.bool_)
    first_entry = np.zeros(power.present + 2, np.int64)
    stop_entry = np.zeros(power.present + 2, np.int64)
    top_entry = np.zeros(power.present + 2, np.int64)
    candidates = np.empty(256, np.int32)
    buckets = np.empty(256, np.int64)
    first_candidate = np.zeros(power.present + 2, np.int64)
    stop_candidate = np.zeros(power.present + 2, np.int64)
    next_candidate = np.zeros(power.present + 2, np.int64)

    if power.absent > 0:
        everything = np.arange(len(data.weights)).astype(np.int32)
        nobody = np.int64(0)
        for row in range(len(data.weights)):
            for at in range(data.sensitive_offsets[row], data.sensitive_offsets[row + 1]):
                own[data.sensitive_items[at]] += data.weights[row]
        if absence_may_tell(everything, chosen, nobody, data, nodes, own, power):
            ended, count = absent_threats(
                everything, chosen, nobody, data, nodes, clauses, count, power, one_is_enough, sensitive_count, stop,
                examined,
            )  # fmt: skip
            if ended != FINISHED:
                return ended, count

    for root in range(first_item, item_count):
        if stop[0]:
            return STOPPED, count
        merged, merged_stop = trie.item_offsets[root], trie.item_offsets[root + 1]
        alone, alone_stop = trie.alone_offsets[root], trie.alone_offsets[root + 1]
        room = merged_stop - merged + alone_stop - alone
        if room == 0 or (not one_is_enough and is_covered(chosen, np.int64(0), root, nodes, clauses)):
            continue
        if room > len(rows):
            begins, lengths = np.empty(2 * room, np.int64), np.empty(2 * room, np.int32)
            weights, stays = np.empty(2 * room, np.int64), np.empty(2 * room, np.int64)
            rows, unsettled = np.empty(2 * room, np.int32), np.empty(2 * room, np.bool_)
            matters = np.empty(2 * room, np.bool_)
        slot = 0
        support = np.int64(0)
        own[:] = 0
        for place in range(alone, alone_stop):
            row = trie.alone_rows[place]
            begins[slot] = data.offsets[row]
            lengths[slot] = trie.alone_places[place] - data.offsets[row]
            weights[slot] = data.weights[row]
            stays[slot] = staying_weight(row, data)
            rows[slot] = row
            unsettled[slot] = not settled[row]
            slot += 1
            support += data.weights[row]
            for at in range(data.sensitive_offsets[row], data.sensitive_offsets[row + 1]):
                own[data.sensitive_items[at]] += data.weights[row]
        for place in range(merged, merged_stop):
            node = trie.item_nodes[place]
            begins[slot] = trie.begins[node]
            lengths[slot] = trie.lengths[node]
            weights[slot] = trie.weights[node]
            stays[slot] = trie.staying[node]
            rows[slot] = -1
            unsettled[slot] = trie.matters[node]
            slot += 1
            support += trie.weights[node]
        examined[0] += 1
        chosen[0] = root
        if is_threat(support, own, power):
            if one_is_enough:
                return FOUND, count
            if count == len(clauses.sizes):
                return FULL, count
            count = note(chosen, np.int64(1), np.int64(1), data, nodes, clauses, count, own, power)
            continue
        depth = np.int64(1)
        first_entry[1], stop_entry[1], top_entry[1] = 0, room, room
        first_candidate[1] = 0
        while True:
            # Everything about the itemset chosen[:depth], whose transactions are the entries first_entry..stop_entry.
            support = np.int64(0)
            staying_here = np.int64(0)
            own[:] = 0
            most_here = np.int64(0)
            for entry in range(first_entry[depth], stop_entry[depth]):
                support += weights[entry]
                staying_here += stays[entry]
                if rows[entry] >= 0:
                    for at in range(data.sensitive_offsets[rows[entry]], data.sensitive_offsets[rows[entry] + 1]):
                        own[data.sensitive_items[at]] += weights[entry]
                        most_here = max(most_here, own[data.sensitive_items[at]])
            if power.absent > 0 and not stays_safe(staying_here, most_here, power):
                having = rows_having(chosen, depth, data)
                if absence_may_tell(having, chosen, depth, data, nodes, own, power):
                    ended, count = absent_threats(
                        having, chosen, depth, data, nodes, clauses, count, power, one_is_enough, sensitive_count,
                        stop, examined,
                    )  # fmt: skip
                    if ended != FINISHED:
                        return ended, count
            stop_candidate[depth] = first_candidate[depth]
            next_candidate[depth] = first_candidate[depth]
            if depth < power.present:
                newest = chosen[depth - 1]
                found = 0
                met_count = 0
                for entry in range(first_entry[depth], stop_entry[depth]):
                    row = rows[entry]
                    matters[entry] = unsettled[entry] and weights[entry] < power.k
                    if row >= 0 and not matters[entry]:
                        for at in range(data.sensitive_offsets[row], data.sensitive_offsets[row + 1]):
                            if own[data.sensitive_items[at]] * power.denominator > power.numerator * power.k:
                                matters[entry] = True
                for others in range(2):
                    for entry in range(first_entry[depth], stop_entry[depth]):
                        if matters[entry] == (others == 1):
                            continue
                        weight = weights[entry]
                        row = rows[entry]
                        for at in range(begins[entry], begins[entry] + lengths[entry]):
                            item = data.items[at]
                            if nodes.ends[item] > newest:
                                continue  # above the newest item
                            if counts[item] == 0:
                                if others == 1:
                                    continue  # in nothing that matters
                                touched[found] = item
                                found += 1
                            counts[item] += weight
                            staying[item] += stays[entry]
                            if row >= 0:
                                entries_of[item] += 1
                                has_unsettled[item] = has_unsettled[item] or unsettled[entry]
                                for s in range(data.sensitive_offsets[row], data.sensitive_offsets[row + 1]):
                                    code = data.sensitive_items[s]
                                    with_sensitive[item, code] += weight
                                    most[item] = max(most[item], with_sensitive[item, code])
                            else:
                                node = trie.node_of[at]
                                if node_weight[node] == 0:
                                    met[met_count] = node
                                    met_count += 1
                                    node_item[node] = item
                                    node_matters[node] = False
                                    entries_of[item] += 1
                                node_weight[node] += weight
                                node_staying[node] += stays[entry]
                                node_matters[node] = node_matters[node] or unsettled[entry]
                for index in range(met_count):
                    node = met[index]
                    if node_matters[node] and node_weight[node] < power.k:
                        has_unsettled[node_item[node]] = True
                ordered = np.sort(touched[:found])
                examined[0] += found
                if stop_candidate[depth] + found > len(candidates):
                    more = np.empty(2 * (stop_candidate[depth] + found), np.int32)
                    more[: len(candidates)] = candidates
                    further = np.empty(len(more), np.int64)
                    further[: len(buckets)] = buckets
                    candidates, buckets = more, further
                top = top_entry[depth]
                skip_until = -1
                for item in ordered:
                    slots[item] = -1
                    if item < skip_until or counts[item] == support:
                        continue
                    if counts[item] < power.k or most[item] * power.denominator > power.numerator * counts[item]:
                        if one_is_enough:
                            return FOUND, count
                        skip_until = nodes.ends[item]
                        chosen[depth] = item
                        if not is_covered(chosen, depth, np.int64(item), nodes, clauses):
                            if count == len(clauses.sizes):
                                return FULL, count
                            count = note(chosen, depth + 1, depth + 1, data, nodes, clauses, count, own, power)
                        continue
                    may_be_sure = most[item] * power.denominator > power.numerator * power.k
                    goes_on = depth + 1 < power.present and (has_unsettled[item] or may_be_sure)
                    if goes_on or (power.absent > 0 and not stays_safe(staying[item], most[item], power)):
                        candidates[stop_candidate[depth]] = item
                        buckets[stop_candidate[depth]] = top
                        stop_candidate[depth] += 1
                        slots[item] = top
                        top += entries_of[item]
                if top > len(rows):
                    size = top_entry[depth]
                    begins, lengths = _larger(begins, size, 2 * top), _larger(lengths, size, 2 * top)
                    weights, stays = _larger(weights, size, 2 * top), _larger(stays, size, 2 * top)
                    rows, unsettled = _larger(rows, size, 2 * top), _larger(unsettled, size, 2 * top)
                    matters = np.empty(2 * top, np.bool_)
                if stop_candidate[depth] > first_candidate[depth]:
                    for entry in range(first_entry[depth], stop_entry[depth]):
                        if rows[entry] < 0:
                            continue
                        for at in range(begins[entry], begins[entry] + lengths[entry]):
                            item = data.items[at]
                            if nodes.ends[item] <= newest and counts[item] > 0 and slots[item] >= 0:
                                new = slots[item]
                                slots[item] += 1
                                begins[new] = begins[entry]
                                lengths[new] = at - begins[entry]
                                weights[new] = weights[entry]
                                stays[new] = stays[entry]
                                rows[new] = rows[entry]
                                unsettled[new] = unsettled[entry]
                    for index in range(met_count):
                        node = met[index]
                        item = node_item[node]
                        if slots[item] >= 0:
                            new = slots[item]
                            slots[item] += 1
                            begins[new] = trie.begins[node]
                            lengths[new] = trie.lengths[node]
                            weights[new] = node_weight[node]
                            stays[new] = node_staying[node]
                            rows[new] = -1
                            unsettled[new] = node_matters[node]
                for index in range(met_count):
                    node_weight[met[index]] = 0
                    node_staying[met[index]] = 0
                for item in ordered:
                    counts[item] = 0
                    staying[item] = 0
                    entries_of[item] = 0
                    has_unsettled[item] = False
                    if most[item] > 0:
                        most[item] = 0
                        with_sensitive[item, :] = 0
                top_entry[depth] = top
            # Go to the next itemset.
            while depth > 0:
                if next_candidate[depth] < stop_candidate[depth]:
                    index = next_candidate[depth]
                    next_candidate[depth] += 1
                    item = candidates[index]
                    if one_is_enough or not is_covered(chosen, depth, np.int64(item), nodes, clauses):
                        break
                else:
                    depth -= 1
            if depth == 0:
                break
            if stop[0]:
                return STOPPED, count
            first_entry[depth + 1] = buckets[index]
            stop_entry[depth + 1] = top_entry[depth] if index + 1 == stop_candidate[depth] else buckets[index + 1]
            top_entry[depth + 1] = top_entry[depth]
            first_candidate[depth + 1] = stop_candidate[depth]
            chosen[depth] = item
            depth += 1
    return FINISHED, count
