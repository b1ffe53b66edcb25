"""All rules q -> e by which a sensitive item e follows with a confidence above rho, without enumerating itemsets.

A rule is unsafe when sup(q + e) * denominator > numerator * sup(q), for a non-empty itemset q and a sensitive e not in
it. Let D be the records with e. Of all q in the same records of D only the largest needs a look, what these records
have in common: it is in the same records of D and in no more of the others, so sup(q + e) is the same and sup(q) no
greater. If it is safe, all of them are. These closed sets are found depth-first, each once, by extensions that keep the
prefix (Uno, Asai, Uchida and Arimura 2004): the set of the records X grows by an item i to what those of X with i have
in common, and is followed up only if nothing before i came along.

The sets of one record alone are not searched for: each is a record r without e, looked at first. So a branch ends where
fewer than two records are left.

It ends sooner when no rule within it can be unsafe. Let m(r) be how many records without e have all of r but e. A set q
of k records of the branch is within each of these, so sup(q) >= k + m(r) for the greatest m(r) of them, and that is at
least the k-th smallest in the whole branch, m_k. If k * denominator <= numerator * (k + m_k) for every k, all rules of
the branch are safe.

Costs: for each closed set the items of its records. Every record is in a branch at most once for each of its items, so
memory is within a few numbers for each occurrence.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .cache import njit
from .itemset_data import Bools, Int32s, Int64s, Number, place_of, sort_ascending


class Part(NamedTuple):
    """Records; r has items[offsets[r]:offsets[r + 1]], ascending, as far as they are kept."""

    offsets: Int64s
    items: Int32s
    kept: Bools
    posting_offsets: Int64s
    postings: Int32s
    """item -> the records that have it or had it"""


MEMBERS, HOLDERS, RULES = range(3)
WITHOUT, WITH = range(2)


CLOSED, OPEN_WHERE_TOUCHED, OPEN = range(3)


class Rules(NamedTuple):
    """Room for rules q -> e."""

    filled: Int64s
    """how many MEMBERS, HOLDERS and RULES there are"""
    offsets: Int64s
    """rule, and one more, x (MEMBERS, HOLDERS): where its members and its holders begin"""
    members: Int32s
    """the items of q and e, ascending"""
    holders: Int32s
    """the records that had q when the rule was found"""
    supports: Int64s
    """rule x (WITHOUT, WITH): sup(q), sup(q + e)"""
    sensitive: Int32s
    """rule -> e"""


def room_for_rules(rules: int, members: int, holders: int) -> Rules:
    return Rules(
        np.zeros(3, np.int64),
        np.zeros((rules + 1, 2), np.int64),
        np.empty(members, np.int32),
        np.empty(holders, np.int32),
        np.empty((rules, 2), np.int64),
        np.empty(rules, np.int32),
    )


class Search(NamedTuple):
    """What a search has at hand."""

    part: Part
    rules: Rules
    numerator: int
    denominator: int
    chosen: Int32s
    """the items of q"""
    is_chosen: Bools
    counts: Int32s
    """item -> in how many records of the branch; 0 between two branches"""
    others: Int64s
    """record r with e -> m(r)"""
    stop: Int64s


@njit(cache=True, nogil=True)
def kept_place(part: Part, record: Number, item: Number) -> Number:
    """Where the record has the item; -1 if it no longer has it or never had."""
    place = place_of(part.items, part.offsets[record], part.offsets[record + 1], item)
    return place if place >= 0 and part.kept[place] else np.int64(-1)


@njit(cache=True, nogil=True)
def holds_all(part: Part, record: Number, items: Int32s, first: Number, end: Number) -> bool:
    while first < end and kept_place(part, record, items[first]) >= 0:
        first += 1
    return bool(first == end)


@njit(cache=True, nogil=True)
def find_unsafe_records(
    part: Part, numerator: int, denominator: int, first_sensitive: int, is_open: Bools, rules: Rules, stop: Int64s
) -> None:
    """Adds the unsafe rules r less e -> e of the records r that are open, and closes these.

    Those of which not all rules are there, as there was no more room or stop[0] was set, stay open; a rule of theirs is
    found again by the next call.
    """
    search = _search(part, rules, numerator, denominator, stop)
    for record in range(len(is_open)):
        if not is_open[record]:
            continue
        for place in range(part.offsets[record], part.offsets[record + 1]):
            if stop[0]:
                return
            if part.kept[place] and part.items[place] >= first_sensitive:
                size, holders, both = _having_the_rest(record, part.items[place], search)
                is_unsafe = both * denominator > numerator * len(holders)
                if is_unsafe and not _add(part.items[place], size, holders, both, search):
                    return
        is_open[record] = False


@njit(cache=True, nogil=True)
def find_unsafe_rules(
    part: Part, numerator: int, denominator: int, state: Int64s, is_touched: Bools, rules: Rules, stop: Int64s
) -> None:
    """Adds the unsafe rules q -> e, q closed in the records with e, of the items e that are not closed; closes these.

    An item that is OPEN_WHERE_TOUCHED is only searched in the touched records; its rules must be known to be safe where
    q is in a record with e that is not touched. Those items of which not all rules are there, as there was no more room
    or stop[0] was set, stay as they are; a rule of theirs is found again by the next call. So where no rule was found
    and all items are closed, all rules are safe.
    """
    search = _search(part, rules, numerator, denominator, stop)
    for item in range(len(state)):
        if state[item] != CLOSED:
            having = _records_with_more(part, item, is_touched, state[item] == OPEN)
            if not _sets_of_one_record(item, having, search):
                return
            if not _closed_sets(item, having, having[:0], np.int64(0), np.int64(-1), search):
                return
            state[item] = CLOSED


@njit(cache=True, nogil=True)
def _search(part: Part, rules: Rules, numerator: int, denominator: int, stop: Int64s) -> Search:
    records, items = len(part.offsets) - 1, len(part.posting_offsets) - 1
    return Search(
        part,
        rules,
        numerator,
        denominator,
        np.empty(items, np.int32),
        np.zeros(items, np.bool_),
        np.zeros(items, np.int32),
        np.empty(records, np.int64),
        stop,
    )


@njit(cache=True, nogil=True)
def _records_with_more(part: Part, item: Number, is_touched: Bools, also_others: bool) -> Int32s:
    """The touched records with this item and another one, or all such records."""
    first, end = part.posting_offsets[item], part.posting_offsets[item + 1]
    having = np.empty(end - first, np.int32)
    size = 0
    for index in range(first, end):
        record = part.postings[index]
        if not (also_others or is_touched[record]):
            continue
        items = 0
        for place in range(part.offsets[record], part.offsets[record + 1]):
            items += part.kept[place]
        if items > 1 and kept_place(part, record, item) >= 0:
            having[size] = record
            size += 1
    return having[:size]


@njit(cache=True, nogil=True)
def _having_the_rest(record: Number, e: Number, search: Search) -> tuple[Number, Int32s, Number]:
    """Chooses all of the record but e: how many items, the records with all of them, and how many of these have e."""
    part, chosen = search.part, search.chosen
    size = np.int64(0)
    rarest = np.int64(-1)
    for place in range(part.offsets[record], part.offsets[record + 1]):
        item = part.items[place]
        if part.kept[place] and item != e:
            chosen[size] = item
            size += 1
            length = part.posting_offsets[item + 1] - part.posting_offsets[item]
            if rarest < 0 or length < part.posting_offsets[rarest + 1] - part.posting_offsets[rarest]:
                rarest = np.int64(item)
    if size == 0:
        return size, part.postings[:0], size
    first, end = part.posting_offsets[rarest], part.posting_offsets[rarest + 1]
    holders = np.empty(end - first, np.int32)
    count, both = np.int64(0), np.int64(0)
    for index in range(first, end):
        other = part.postings[index]
        if holds_all(part, other, chosen, np.int64(0), size):
            holders[count] = other
            count += 1
            both += kept_place(part, other, e) >= 0
    return size, holders[:count], both


@njit(cache=True, nogil=True)
def _sets_of_one_record(e: Number, having: Int32s, search: Search) -> bool:
    """Notes m(r) for the records with e; adds r less e -> e where unsafe and no other record with e has that.

    False when there was no room.
    """
    for record in having:
        if search.stop[0]:
            return False
        size, holders, both = _having_the_rest(record, e, search)
        search.others[record] = len(holders) - both
        is_unsafe = both == 1 and search.denominator > search.numerator * len(holders)
        if is_unsafe and not _add(e, size, holders, both, search):
            return False
    return True


@njit(cache=True, nogil=True)
def _closed_sets(e: Number, having: Int32s, without: Int32s, size: Number, added: Number, search: Search) -> bool:
    """Looks at what the records `having` share, and at all that grows from it, if no item before `added` is new in it.

    chosen[:size] is the set that it grew from, and `without` are the records without e that have that. A set comes
    after all that grew from it. False when there was no room.
    """
    if search.stop[0]:
        return False
    if len(having) < 2 or _is_safe_branch(having, search):
        return True
    seen = _count_items(e, having, search)
    grown, keeps_prefix = size, True
    for item in seen:
        if search.counts[item] == len(having) and not search.is_chosen[item]:
            search.chosen[grown] = item
            grown += 1
            keeps_prefix = keeps_prefix and item >= added
    children, starts, lists = _extensions(having, seen, added, keeps_prefix, search)
    if not keeps_prefix:
        return True
    if grown > size:
        without = _holding(e, without, size, grown, search)
    for index in range(size, grown):
        search.is_chosen[search.chosen[index]] = True
    complete = True
    for child in range(len(children)):
        branch = lists[starts[child] : starts[child + 1]]
        if not _closed_sets(e, branch, without, grown, np.int64(children[child]), search):
            complete = False
            break
    for index in range(size, grown):
        search.is_chosen[search.chosen[index]] = False
    if complete and grown > size:
        holders = np.concatenate((having, without))
        is_unsafe = len(having) * search.denominator > search.numerator * len(holders)
        complete = not is_unsafe or _add(e, grown, holders, len(having), search)
    return complete


@njit(cache=True, nogil=True)
def _is_safe_branch(having: Int32s, search: Search) -> bool:
    others = np.empty(len(having), np.int32)
    for index in range(len(having)):
        others[index] = search.others[having[index]]
    sort_ascending(others, len(others))
    k = 2
    while k <= len(others) and k * search.denominator <= search.numerator * (k + others[k - 1]):
        k += 1
    return k > len(others)


@njit(cache=True, nogil=True)
def _count_items(e: Number, having: Int32s, search: Search) -> Int32s:
    """Counts the items of the records; returns those that there are, but e."""
    part, counts = search.part, search.counts
    occurrences = 0
    for record in having:
        occurrences += part.offsets[record + 1] - part.offsets[record]
    seen = np.empty(min(occurrences, len(counts)), np.int32)
    size = 0
    for record in having:
        for place in range(part.offsets[record], part.offsets[record + 1]):
            item = part.items[place]
            if part.kept[place] and item != e:
                if counts[item] == 0:
                    seen[size] = item
                    size += 1
                counts[item] += 1
    return seen[:size]


@njit(cache=True, nogil=True)
def _extensions(
    having: Int32s, seen: Int32s, added: Number, wanted: bool, search: Search
) -> tuple[Int32s, Int64s, Int32s]:
    """The items after `added` in some but not all of the records, in two at least, and the records with each.

    None if they are not wanted. Sets the counts of the items seen back to 0.
    """
    part, counts = search.part, search.counts
    children = np.empty(len(seen), np.int32)
    starts = np.zeros(len(seen) + 2, np.int64)
    size = 0
    for item in seen:
        count = counts[item]
        counts[item] = 0
        if wanted and item > added and 2 <= count < len(having):
            children[size] = item
            starts[size + 2] = starts[size + 1] + count
            size += 1
            counts[item] = size
    lists = np.empty(starts[size + 1], np.int32)
    if size > 0:
        for record in having:
            for place in range(part.offsets[record], part.offsets[record + 1]):
                if part.kept[place] and counts[part.items[place]] > 0:
                    child = counts[part.items[place]]
                    lists[starts[child]] = record
                    starts[child] += 1
    for child in range(size):
        counts[children[child]] = 0
    return children[:size], starts[: size + 1], lists


@njit(cache=True, nogil=True)
def _holding(e: Number, without: Int32s, size: Number, grown: Number, search: Search) -> Int32s:
    """Of the records without e that have chosen[:size], those with chosen[:grown]."""
    part, chosen = search.part, search.chosen
    if size == 0:
        without = part.postings[part.posting_offsets[chosen[0]] : part.posting_offsets[chosen[0] + 1]]
    holding = np.empty(len(without), np.int32)
    count = 0
    for record in without:
        if holds_all(part, record, chosen, size, grown) and (size > 0 or kept_place(part, record, e) < 0):
            holding[count] = record
            count += 1
    return holding[:count]


@njit(cache=True, nogil=True)
def _add(e: Number, size: Number, holders: Int32s, both: Number, search: Search) -> bool:
    """Adds chosen[:size] -> e; False when there is no room."""
    rules = search.rules
    rule = rules.filled[RULES]
    first, end = rules.filled[MEMBERS], rules.filled[MEMBERS] + size + 1
    before, after = rules.filled[HOLDERS], rules.filled[HOLDERS] + len(holders)
    if rule == len(rules.sensitive) or end > len(rules.members) or after > len(rules.holders):
        return False
    for index in range(size):
        rules.members[first + index] = search.chosen[index]
    rules.members[end - 1] = e
    sort_ascending(rules.members[first:end], end - first)
    for index in range(len(holders)):
        rules.holders[before + index] = holders[index]
    rules.supports[rule, WITHOUT] = len(holders)
    rules.supports[rule, WITH] = both
    rules.sensitive[rule] = e
    rules.offsets[rule + 1, MEMBERS] = rules.filled[MEMBERS] = end
    rules.offsets[rule + 1, HOLDERS] = rules.filled[HOLDERS] = after
    rules.filled[RULES] = rule + 1
    return True
