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
- I, on clauses: a threat is supported by a cut exactly when the parents of all its items are specialized in it. So a
  threat is a clause "not all of these", its items' deepest parents; an itemset whose parents include a known clause is
  in no release anyway. Each threat found is first made as general as possible, so that its clause excludes as much as
  it can.
- Absent items are added after the present ones. Only nodes of the cut need to be tried: to know an inner node absent is
  to know all cut nodes below it absent, for the same number of leaves. Transactions of which no item can be declared
  absent any more stay whatever follows: if these are k or more, and enough of them lack each sensitive item, there
  is no threat to come. An item without which k transactions would stay has to be among those declared absent.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from numba import njit

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Number: TypeAlias = int | np.int64
"""A number that begins as np.int64(0) is no literal: for each literal a function would be compiled anew."""

FINISHED, FOUND, FULL, STOPPED = 0, 1, 2, 3
"""How a search for threats ends: none left, one found (where one is enough), no room for more clauses, told to stop."""


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


class Clauses(NamedTuple):
    """Sets of nodes that are not all specialized in a valid cut, over nodes numbered in pre-order."""

    ends: Int32s
    above: Int32s
    pairs: Bools
    """a, b: no valid cut specializes both (on the diagonal: a); closed under going down"""
    members: Int32s
    """clause x place -> node, ascending"""
    sizes: Int32s
    heads: Int32s
    """node -> the first entry of a list of the larger clauses with it; entry = clause * width + place"""
    links: Int32s


class Power(NamedTuple):
    """The promise: at least k, at most numerator / denominator; knowing so many present items and absent leaves."""

    k: int
    numerator: int
    denominator: int
    present: int
    absent: int


@njit(cache=True, nogil=True)
def _has(items: Int32s, first: Number, stop: Number, item: Number) -> bool:
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
def _is_threat(support: Number, sensitive: Int64s, power: Power) -> bool:
    if support <= 0:
        return False
    most = 0
    for s in range(len(sensitive)):
        most = max(most, sensitive[s])
    return bool(support < power.k or most * power.denominator > power.numerator * support)


@njit(cache=True, nogil=True)
def _breaks(chosen: Int32s, present: Number, size: Number, data: Database, sensitive: Int64s, power: Power) -> bool:
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
            if chosen[index] != shortest and _has(data.all_items, begin, end, chosen[index]) != (index < present):
                fits = False
                break
        if fits:
            support += data.weights[row]
            if support >= power.k and len(sensitive) == 0:
                return False
            for at in range(data.sensitive_offsets[row], data.sensitive_offsets[row + 1]):
                sensitive[data.sensitive_items[at]] += data.weights[row]
    return _is_threat(support, sensitive, power)


@njit(cache=True, nogil=True)
def _generalize(
    chosen: Int32s, present: Number, size: Number, data: Database, nodes: Nodes, sensitive: Int64s, power: Power
) -> tuple[Number, Number]:
    """Makes a threat as general as it stays a threat: items left out or replaced by their parents, in place."""
    trial = chosen.copy()
    changed = True
    while changed:
        changed = False
        index = 0
        while index < size:
            if size > 1:
                fewer = present - 1 if index < present else present
                trial[:index] = chosen[:index]
                trial[index : size - 1] = chosen[index + 1 : size]
                if _breaks(trial, fewer, size - 1, data, sensitive, power):
                    present, size = fewer, size - 1
                    chosen[:size] = trial[:size]
                    changed = True
                    continue
            parent = nodes.above[chosen[index]]
            possible = parent >= 0
            worth = 0
            for other in range(size):
                if other != index and possible and parent <= chosen[other] < nodes.ends[parent]:
                    possible = False
                if other >= present:
                    worth += nodes.leaves[parent if other == index else chosen[other]]
            if possible and worth <= power.absent:
                trial[:size] = chosen[:size]
                trial[index] = parent
                if _breaks(trial, present, size, data, sensitive, power):
                    chosen[index] = parent
                    changed = True
                    continue
            index += 1
    return present, size


@njit(cache=True, nogil=True)
def _is_covered(chosen: Int32s, size: Number, added: Number, nodes: Nodes, clauses: Clauses) -> bool:
    """Whether a known clause already forbids chosen[:size] together with the item `added`."""
    new = nodes.specialized[added]
    if new < 0:
        return False
    if clauses.pairs[new, new]:
        return True
    for index in range(size):
        old = nodes.specialized[chosen[index]]
        if old >= 0 and clauses.pairs[old, new]:
            return True
    width = clauses.members.shape[1]
    node = new
    while node >= 0:
        entry = clauses.heads[node]
        while entry >= 0:
            clause = entry // width
            met = True
            for place in range(clauses.sizes[clause]):
                wanted = clauses.members[clause, place]
                inside = wanted <= new < clauses.ends[wanted]
                for index in range(size):
                    if inside:
                        break
                    inside = wanted <= nodes.specialized[chosen[index]] < clauses.ends[wanted]
                if not inside:
                    met = False
                    break
            if met:
                return True
            entry = clauses.links[entry]
        node = clauses.above[node]
    return False


@njit(cache=True, nogil=True)
def add_clause(members: Int32s, clauses: Clauses, count: Number) -> Number:
    """Notes a clause, given by its members in any order, those above others among them left out. Returns the count."""
    length = 0
    for index in range(len(members)):
        node = members[index]
        deepest = node >= 0
        for other in range(len(members)):
            lower = members[other]
            if deepest and ((node < lower < clauses.ends[node]) or (lower == node and other < index)):
                deepest = False
        if deepest:
            clauses.members[count, length] = node
            length += 1
    clauses.members[count, :length] = np.sort(clauses.members[count, :length])
    clauses.sizes[count] = length
    first, last = clauses.members[count, 0], clauses.members[count, length - 1]
    if length == 1:
        clauses.pairs[first : clauses.ends[first], :] = True
        clauses.pairs[:, first : clauses.ends[first]] = True
    elif length == 2:
        clauses.pairs[first : clauses.ends[first], last : clauses.ends[last]] = True
        clauses.pairs[last : clauses.ends[last], first : clauses.ends[first]] = True
    else:
        for place in range(length):
            entry = count * clauses.members.shape[1] + place
            clauses.links[entry] = clauses.heads[clauses.members[count, place]]
            clauses.heads[clauses.members[count, place]] = entry
    return count + 1


@njit(cache=True, nogil=True)
def _note(
    chosen: Int32s,
    present: Number,
    size: Number,
    data: Database,
    nodes: Nodes,
    clauses: Clauses,
    count: Number,
    sensitive: Int64s,
    power: Power,
) -> Number:
    """Notes the clause of a threat, made as general as possible."""
    threat = chosen[:size].copy()
    _, size = _generalize(threat, present, size, data, nodes, sensitive, power)
    members = np.empty(size, np.int32)
    for index in range(size):
        members[index] = nodes.specialized[threat[index]]
    return add_clause(members, clauses, count)


@njit(cache=True, nogil=True)
def _lies_under(item: Number, chosen: Int32s, present: Number, ends: Int32s) -> bool:
    under = False
    for index in range(present):
        under = under or chosen[index] <= item < ends[chosen[index]]
    return under


@njit(cache=True, nogil=True)
def _absence_may_tell(
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
        for at in range(data.removable_offsets[row], data.removable_offsets[row + 1]):
            if not _lies_under(data.removable_items[at], chosen, present, nodes.ends):
                removable = True
                break
        if not removable:
            stay += data.weights[row]
            if data.sensitive_offsets[row] == data.sensitive_offsets[row + 1]:
                stay_without += data.weights[row]
            # A sensitive item is in c of those that stay in the end and missing in at least stay_without.
            if stay >= power.k and (power.denominator - power.numerator) * most <= power.numerator * stay_without:
                return False
    return True


@njit(cache=True, nogil=True)
def _absent_threats(
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
    item_count = len(nodes.ends)
    counts = np.zeros(item_count, np.int64)
    lone = np.zeros(item_count, np.int64)
    with_sensitive = np.zeros((item_count, sensitive_count), np.int64)
    touched = np.empty(item_count, np.int32)
    scratch = np.empty(sensitive_count, np.int64)
    depth_limit = power.absent + 1
    row_arena = np.empty(4 * len(rows) + 16, np.int32)
    row_arena[: len(rows)] = rows
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
        scratch[:] = 0
        for place in range(first_row[depth], stop_row[depth]):
            row = row_arena[place]
            weight = data.weights[row]
            support += weight
            usable = 0
            only = -1
            for at in range(data.removable_offsets[row], data.removable_offsets[row + 1]):
                item = data.removable_items[at]
                if item <= last[depth] or nodes.leaves[item] > left[depth]:
                    continue
                if _lies_under(item, chosen, present, nodes.ends):
                    continue
                if counts[item] == 0:
                    touched[found] = item
                    found += 1
                counts[item] += weight
                usable += 1
                only = item
                for s in range(data.sensitive_offsets[row], data.sensitive_offsets[row + 1]):
                    with_sensitive[item, data.sensitive_items[s]] += weight
            if usable == 0:
                stay += weight
            elif usable == 1:
                lone[only] += weight
            for s in range(data.sensitive_offsets[row], data.sensitive_offsets[row + 1]):
                scratch[data.sensitive_items[s]] += weight
        ordered = np.sort(touched[:found])
        examined[0] += found
        hopeless = sensitive_count == 0 and stay >= power.k
        up_to = item_count
        if sensitive_count == 0 and not hopeless:
            forced = np.int64(0)
            for item in ordered:
                if lone[item] + stay >= power.k:
                    forced += nodes.leaves[item]
                    up_to = min(up_to, item)
            hopeless = forced > left[depth]
        kept = 0
        if candidates.shape[1] < found:
            wider = np.empty((depth_limit + 1, 2 * found), np.int32)
            wider[:, : candidates.shape[1]] = candidates
            candidates = wider
        rest = np.empty(sensitive_count, np.int64)
        for item in ordered:
            if not hopeless and item <= up_to:
                remaining = support - counts[item]
                for s in range(sensitive_count):
                    rest[s] = scratch[s] - with_sensitive[item, s]
                if _is_threat(remaining, rest, power):
                    if one_is_enough:
                        return FOUND, count
                    chosen[present + depth] = item
                    if not _is_covered(chosen, present + depth, np.int64(item), nodes, clauses):
                        if count == len(clauses.sizes):
                            return FULL, count
                        count = _note(chosen, present, present + depth + 1, data, nodes, clauses, count, rest, power)
                elif remaining > 0 and left[depth] > nodes.leaves[item]:
                    candidates[depth, kept] = item
                    kept += 1
            counts[item] = 0
            lone[item] = 0
            with_sensitive[item, :] = 0
        candidate_count[depth] = kept
        next_candidate[depth] = 0
        # Go to the next itemset.
        while depth >= 0:
            if next_candidate[depth] < candidate_count[depth]:
                item = candidates[depth, next_candidate[depth]]
                next_candidate[depth] += 1
                if not one_is_enough and _is_covered(chosen, present + depth, np.int64(item), nodes, clauses):
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
            larger[: len(row_arena)] = row_arena
            row_arena = larger
        for place in range(first_row[depth], stop_row[depth]):
            row = row_arena[place]
            if not _has(data.removable_items, data.removable_offsets[row], data.removable_offsets[row + 1], item):
                row_arena[top] = row
                top += 1
        chosen[present + depth] = item
        first_row[depth + 1] = stop_row[depth]
        stop_row[depth + 1] = top
        left[depth + 1] = left[depth] - nodes.leaves[item]
        last[depth + 1] = item
        depth += 1


@njit(cache=True, nogil=True)
def _rows_having(chosen: Int32s, size: Number, data: Database) -> Int32s:
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
            if item != shortest and not _has(data.all_items, data.all_offsets[row], data.all_offsets[row + 1], item):
                fits = False
                break
        if fits:
            rows[kept] = row
            kept += 1
    return rows[:kept]


@njit(cache=True, nogil=True)
def _staying(row: Number, data: Database) -> Number:
    """The weight of a row that has neither sensitive nor removable items; 0 for others."""
    removable = data.removable_offsets[row + 1] - data.removable_offsets[row]
    sensitive = data.sensitive_offsets[row + 1] - data.sensitive_offsets[row]
    return data.weights[row] if removable + sensitive == 0 else np.int64(0)


@njit(cache=True, nogil=True)
def _stays_safe(staying: Number, most: Number, power: Power) -> bool:
    """Whether the transactions that nothing can remove keep the promise whatever is known to be absent.

    staying: their number, without sensitive items. most: how many transactions have the same sensitive item.
    """
    enough = (power.denominator - power.numerator) * most <= power.numerator * staying
    return bool(staying >= power.k and enough)


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
        having = _rows_having(chosen, size, data)
        support = np.int64(0)
        own[:] = 0
        for other in having:
            support += data.weights[other]
            for at in range(data.sensitive_offsets[other], data.sensitive_offsets[other + 1]):
                own[data.sensitive_items[at]] += data.weights[other]
        if _is_threat(support, own, power):
            if one_is_enough:
                return FOUND, count
            if not _is_covered(chosen, size - 1, np.int64(chosen[size - 1]), nodes, clauses):
                if count == len(clauses.sizes):
                    return FULL, count
                count = _note(chosen, size, size, data, nodes, clauses, count, own, power)
        elif power.absent > 0 and _absence_may_tell(having, chosen, size, data, nodes, own, power):
            ended, count = _absent_threats(
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
            if chosen[index] != shortest and not _has(
                data.cut_items, data.cut_offsets[row], data.cut_offsets[row + 1], chosen[index]
            ):
                fits = False
                break
        if not fits:
            continue
        for at in range(data.removable_offsets[row], data.removable_offsets[row + 1]):
            if not _has(chosen, 0, size, data.removable_items[at]):
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
        if _absence_may_tell(everything, chosen, nobody, data, nodes, own, power):
            ended, count = _absent_threats(
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
        if room == 0 or (not one_is_enough and _is_covered(chosen, np.int64(0), root, nodes, clauses)):
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
            stays[slot] = _staying(row, data)
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
        if _is_threat(support, own, power):
            if one_is_enough:
                return FOUND, count
            if count == len(clauses.sizes):
                return FULL, count
            count = _note(chosen, np.int64(1), np.int64(1), data, nodes, clauses, count, own, power)
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
            if power.absent > 0 and not _stays_safe(staying_here, most_here, power):
                having = _rows_having(chosen, depth, data)
                if _absence_may_tell(having, chosen, depth, data, nodes, own, power):
                    ended, count = _absent_threats(
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
                        if not _is_covered(chosen, depth, np.int64(item), nodes, clauses):
                            if count == len(clauses.sizes):
                                return FULL, count
                            count = _note(chosen, depth + 1, depth + 1, data, nodes, clauses, count, own, power)
                        continue
                    may_be_sure = most[item] * power.denominator > power.numerator * power.k
                    goes_on = depth + 1 < power.present and (has_unsettled[item] or may_be_sure)
                    if goes_on or (power.absent > 0 and not _stays_safe(staying[item], most[item], power)):
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
                    if one_is_enough or not _is_covered(chosen, depth, np.int64(item), nodes, clauses):
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
            staying[node] += _staying(row, data)
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
