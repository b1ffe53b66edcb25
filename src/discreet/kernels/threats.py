"""Finding privacy threats among the itemsets of a cut (Liu 2010, 4.3).

The itemsets are the nodes of an inverse itemset enumeration tree: items are numbered so that a general one comes before
those below it, and an itemset grows by items of lower numbers, children from left to right. A subset and a
generalization of an itemset are then met before it (Theorem 4.1). All extensions of an itemset are counted in one sweep
over its transactions, of which only the items before the last one are looked at.

Pruning, each unable to lose the answer:
- III: an item that all transactions of a (non-empty) itemset have is not added, since the same transactions are found
  knowing less. The empty itemset is no threat by itself, so this does not hold at the first item.
- A transaction of at most m items is settled by one itemset, all it has: anyone who knows less of it finds more. If
  that is no threat, not even with absent items, no itemset that the transaction supports is supported by less than k.
- Only items are added that some transaction has which still matters: one that is not settled, or one with a sensitive
  item that is in enough transactions to be too frequent among k.
- II: below a threat, and beside it among the descendants of its last item, there are only specializations.
- I, on clauses: an itemset whose parents include a known clause (threat_clauses) is in no release anyway. Each threat
  found is first made as general as possible, so that its clause excludes as much as it can.
- Absent items are added after the present ones (absent_items).
"""

from __future__ import annotations

import numpy as np

from .absent_items import (
    FINISHED,
    FOUND,
    FULL,
    STOPPED,
    absence_may_tell,
    absent_threats,
    stays_safe,
)
from .cache import njit
from .itemset_data import (
    CUT,
    END,
    LISTED,
    REMOVABLE,
    SENSITIVE,
    Bools,
    Database,
    Int32s,
    Int64s,
    Nodes,
    Number,
    Power,
    has,
    is_threat,
    rows_having,
    sort_ascending,
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
        begin, end = data.offsets[CUT, row], data.offsets[CUT, row + 1]
        size = end - begin
        # A row of no items supports nothing that is present.
        if size == 0 or data.weights[row] >= power.k:
            settled[row] = True
        if settled[row] or size > power.present:
            continue
        if stop[0]:
            return STOPPED, count
        settled[row] = True
        for index in range(size):
            chosen[index] = data.items[begin + index]
        if _is_safe_alone(chosen, size, data, power):
            continue
        examined[0] += 1
        having = rows_having(chosen, size, data)
        support = np.int64(0)
        for s in range(sensitive_count):
            own[s] = 0
        for other in having:
            support += data.weights[other]
            for at in range(data.offsets[SENSITIVE, other], data.offsets[SENSITIVE, other + 1]):
                own[data.items[at]] += data.weights[other]
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
                data.items, data.offsets[CUT, row], data.offsets[CUT, row + 1], chosen[index]
            ):
                fits = False
                break
        if not fits:
            continue
        for at in range(data.offsets[REMOVABLE, row], data.offsets[REMOVABLE, row + 1]):
            if not has(chosen, 0, size, data.items[at]):
                fits = False
                break
        if fits:
            alike += data.weights[row]
            if alike >= power.k:
                return True
    return False


ROW, STOP_PLACE, MATTERS = range(3)
"""Of an entry, a transaction of an itemset: its row, where its items before the itemset's end, and whether adding one
of them can lead to a threat."""

COUNT, STAYING, MOST, ENTRIES, SLOT, WITH_UNSETTLED = range(6)
"""Of an item that could be added: how many transactions have it, how many of these have nothing removable, how many
have the same sensitive item, in how many entries they are and where these go, and whether one is not settled."""

FIRST, STOP, TOP, FIRST_CANDIDATE, STOP_CANDIDATE, NEXT_CANDIDATE = range(6)
"""Of an itemset on the way down: its entries, where the entries of its extensions end, and its extensions to visit."""


@njit(cache=True, nogil=True)
def _larger(table: Int64s, used: Number, size: Number) -> Int64s:
    grown = np.empty((size, table.shape[1]), np.int64)
    for row in range(used):
        for column in range(table.shape[1]):
            grown[row, column] = table[row, column]
    return grown


@njit(cache=True, nogil=True)
def _entries_of_items(data: Database, item_count: Number) -> tuple[Int64s, Int64s]:
    """The entries of every single item, one after the other, and where those of each begin."""
    first = np.zeros(item_count + 1, np.int64)
    for row in range(len(data.weights)):
        for at in range(data.offsets[LISTED, row], data.offsets[LISTED, row + 1]):
            first[data.items[at] + 1] += 1
    for item in range(item_count):
        first[item + 1] += first[item]
    entries = np.empty((first[item_count], STOP_PLACE + 1), np.int64)
    place = first.copy()
    for row in range(len(data.weights)):
        for at in range(data.offsets[LISTED, row], data.offsets[LISTED, row + 1]):
            entry = place[data.items[at]]
            entries[entry, ROW] = row
            entries[entry, STOP_PLACE] = at
            place[data.items[at]] += 1
    return first, entries


@njit(cache=True, nogil=True)
def _sum_up(
    entries: Int64s, first: Number, stop: Number, data: Database, stays: Int64s, own: Int64s
) -> tuple[Number, Number, Number]:
    """Of the entries of an itemset: weight, weight that stays, most with one sensitive item; own: with each of them."""
    support = np.int64(0)
    staying = np.int64(0)
    most = np.int64(0)
    for s in range(len(own)):
        own[s] = 0
    for entry in range(first, stop):
        row = entries[entry, ROW]
        support += data.weights[row]
        staying += stays[row]
        for at in range(data.offsets[SENSITIVE, row], data.offsets[SENSITIVE, row + 1]):
            own[data.items[at]] += data.weights[row]
            most = max(most, own[data.items[at]])
    return support, staying, most


@njit(cache=True, nogil=True)
def _mark_what_matters(
    entries: Int64s, first: Number, stop: Number, data: Database, settled: Bools, own: Int64s, power: Power
) -> None:
    for entry in range(first, stop):
        row = entries[entry, ROW]
        matters = not settled[row]
        if not matters:
            for at in range(data.offsets[SENSITIVE, row], data.offsets[SENSITIVE, row + 1]):
                if own[data.items[at]] * power.denominator > power.numerator * power.k:
                    matters = True
        entries[entry, MATTERS] = matters


@njit(cache=True, nogil=True)
def _count_extensions(
    entries: Int64s,
    first: Number,
    stop: Number,
    newest: Number,
    data: Database,
    nodes: Nodes,
    settled: Bools,
    stays: Int64s,
    extensions: Int64s,
    with_sensitive: Int64s,
    touched: Int32s,
) -> Number:
    """Counts every item before the newest that something has which matters.

    Returns how many such items there are; they are `touched`, ascending.
    """
    items, offsets, weights = data.items, data.offsets, data.weights
    found = 0
    for others in range(2):
        for entry in range(first, stop):
            if entries[entry, MATTERS] == others:
                continue
            row = entries[entry, ROW]
            for at in range(offsets[LISTED, row], entries[entry, STOP_PLACE]):
                item = items[at]
                if nodes[item, END] > newest:
                    continue  # above the newest item
                if extensions[item, COUNT] == 0:
                    if others == 1:
                        continue  # in nothing that matters
                    touched[found] = item
                    found += 1
                extensions[item, COUNT] += weights[row]
                extensions[item, STAYING] += stays[row]
                extensions[item, ENTRIES] += 1
                extensions[item, WITH_UNSETTLED] |= not settled[row]
                for s in range(offsets[SENSITIVE, row], offsets[SENSITIVE, row + 1]):
                    with_sensitive[item, items[s]] += weights[row]
                    extensions[item, MOST] = max(extensions[item, MOST], with_sensitive[item, items[s]])
    sort_ascending(touched, found)
    return found


@njit(cache=True, nogil=True)
def _hand_on(
    entries: Int64s, first: Number, stop: Number, newest: Number, data: Database, nodes: Nodes, extensions: Int64s
) -> None:
    """Writes the entries of the extensions that will be visited, from where their SLOT says."""
    items, offsets = data.items, data.offsets
    for entry in range(first, stop):
        row = entries[entry, ROW]
        for at in range(offsets[LISTED, row], entries[entry, STOP_PLACE]):
            item = items[at]
            if nodes[item, END] <= newest and extensions[item, COUNT] > 0 and extensions[item, SLOT] >= 0:
                new = extensions[item, SLOT]
                extensions[item, SLOT] += 1
                entries[new, ROW] = row
                entries[new, STOP_PLACE] = at


@njit(cache=True, nogil=True)
def _forget(extensions: Int64s, with_sensitive: Int64s, touched: Int32s, found: Number) -> None:
    for index in range(found):
        item = touched[index]
        if extensions[item, MOST] > 0:
            for s in range(with_sensitive.shape[1]):
                with_sensitive[item, s] = 0
        for column in range(WITH_UNSETTLED + 1):
            extensions[item, column] = 0


@njit(cache=True, nogil=True)
def find_threats(
    data: Database,
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
    item_count = len(nodes)
    chosen = np.empty(power.present + power.absent + 2, np.int32)
    own = np.zeros(sensitive_count, np.int64)
    extensions = np.zeros((item_count, WITH_UNSETTLED + 1), np.int64)
    with_sensitive = np.zeros((item_count, sensitive_count), np.int64)
    touched = np.empty(item_count, np.int32)
    stays = np.empty(len(data.weights), np.int64)
    for row in range(len(stays)):
        stays[row] = staying_weight(row, data)
    first_of_item, entries_of_items = _entries_of_items(data, item_count)
    entries = np.empty((1024, MATTERS + 1), np.int64)
    candidates = np.empty((256, 2), np.int64)  # item, its first entry
    levels = np.zeros((power.present + 2, NEXT_CANDIDATE + 1), np.int64)

    if power.absent > 0:
        everything = np.arange(len(data.weights)).astype(np.int32)
        nobody = np.int64(0)
        for row in range(len(data.weights)):
            for at in range(data.offsets[SENSITIVE, row], data.offsets[SENSITIVE, row + 1]):
                own[data.items[at]] += data.weights[row]
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
        room = first_of_item[root + 1] - first_of_item[root]
        if room == 0 or (not one_is_enough and is_covered(chosen, np.int64(0), root, nodes, clauses)):
            continue
        if room > len(entries):
            entries = np.empty((2 * room, MATTERS + 1), np.int64)
        for entry in range(room):
            entries[entry, ROW] = entries_of_items[first_of_item[root] + entry, ROW]
            entries[entry, STOP_PLACE] = entries_of_items[first_of_item[root] + entry, STOP_PLACE]
        levels[1, FIRST], levels[1, STOP], levels[1, TOP] = 0, room, room
        levels[1, FIRST_CANDIDATE] = 0
        examined[0] += 1
        chosen[0] = root
        depth = np.int64(1)
        while True:
            # Everything about the itemset chosen[:depth].
            first_entry, stop_entry = levels[depth, FIRST], levels[depth, STOP]
            support, staying, most = _sum_up(entries, first_entry, stop_entry, data, stays, own)
            if depth == 1 and is_threat(support, own, power):
                if one_is_enough:
                    return FOUND, count
                if count == len(clauses.sizes):
                    return FULL, count
                count = note(chosen, depth, depth, data, nodes, clauses, count, own, power)
                break
            if power.absent > 0 and not stays_safe(staying, most, power):
                having = rows_having(chosen, depth, data)
                if absence_may_tell(having, chosen, depth, data, nodes, own, power):
                    ended, count = absent_threats(
                        having, chosen, depth, data, nodes, clauses, count, power, one_is_enough, sensitive_count,
                        stop, examined,
                    )  # fmt: skip
                    if ended != FINISHED:
                        return ended, count
            levels[depth, STOP_CANDIDATE] = levels[depth, FIRST_CANDIDATE]
            levels[depth, NEXT_CANDIDATE] = levels[depth, FIRST_CANDIDATE]
            if depth < power.present:
                newest = chosen[depth - 1]
                _mark_what_matters(entries, first_entry, stop_entry, data, settled, own, power)
                found = _count_extensions(
                    entries, first_entry, stop_entry, newest, data, nodes, settled, stays, extensions, with_sensitive,
                    touched,
                )  # fmt: skip
                examined[0] += found
                if levels[depth, STOP_CANDIDATE] + found > len(candidates):
                    used = levels[depth, STOP_CANDIDATE]
                    candidates = _larger(candidates, used, 2 * (used + found))
                top = levels[depth, TOP]
                skip_until = -1
                for index in range(found):
                    item = touched[index]
                    extensions[item, SLOT] = -1
                    with_item, most = extensions[item, COUNT], extensions[item, MOST]
                    if item < skip_until or with_item == support:
                        continue
                    if with_item < power.k or most * power.denominator > power.numerator * with_item:
                        if one_is_enough:
                            return FOUND, count
                        skip_until = nodes[item, END]
                        chosen[depth] = item
                        if not is_covered(chosen, depth, np.int64(item), nodes, clauses):
                            if count == len(clauses.sizes):
                                return FULL, count
                            count = note(chosen, depth + 1, depth + 1, data, nodes, clauses, count, own, power)
                        continue
                    may_be_sure = most * power.denominator > power.numerator * power.k
                    goes_on = depth + 1 < power.present and (extensions[item, WITH_UNSETTLED] or may_be_sure)
                    if goes_on or (power.absent > 0 and not stays_safe(extensions[item, STAYING], most, power)):
                        candidates[levels[depth, STOP_CANDIDATE], 0] = item
                        candidates[levels[depth, STOP_CANDIDATE], 1] = top
                        levels[depth, STOP_CANDIDATE] += 1
                        extensions[item, SLOT] = top
                        top += extensions[item, ENTRIES]
                if top > len(entries):
                    entries = _larger(entries, levels[depth, TOP], 2 * top)
                if levels[depth, STOP_CANDIDATE] > levels[depth, FIRST_CANDIDATE]:
                    _hand_on(entries, first_entry, stop_entry, newest, data, nodes, extensions)
                _forget(extensions, with_sensitive, touched, found)
                levels[depth, TOP] = top
            # Go to the next itemset.
            while depth > 0:
                if levels[depth, NEXT_CANDIDATE] < levels[depth, STOP_CANDIDATE]:
                    index = levels[depth, NEXT_CANDIDATE]
                    levels[depth, NEXT_CANDIDATE] += 1
                    item = candidates[index, 0]
                    if one_is_enough or not is_covered(chosen, depth, np.int64(item), nodes, clauses):
                        break
                else:
                    depth -= 1
            if depth == 0:
                break
            if stop[0]:
                return STOPPED, count
            is_last = index + 1 == levels[depth, STOP_CANDIDATE]
            levels[depth + 1, FIRST] = candidates[index, 1]
            levels[depth + 1, STOP] = levels[depth, TOP] if is_last else candidates[index + 1, 1]
            levels[depth + 1, TOP] = levels[depth, TOP]
            levels[depth + 1, FIRST_CANDIDATE] = levels[depth, STOP_CANDIDATE]
            chosen[depth] = item
            depth += 1
    return FINISHED, count
