"""Deleting single occurrences until every rule of a buffer is safe.

The next deletion is the best of all (d, q, e) with q -> e unsafe and d in q + e. For a rule the number of deletions is
the same for every d in q, and another one for e; so of an item only the least number over its rules counts, its level.
A level is kept as a lower bound: it falls at once when a rule changes and rises only when the item is the best by it
and no rule of that level is found. Rules before the item's cursor have none, so a list is read once for each level.

A deletion of d from a record touches the rules within that record alone. These are listed for each record; a rule
leaves the list with the first of q's items that does. So the supports of all rules are exact at any time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .cache import njit
from .itemset_data import Int32s, Int64s, Number, has
from .unsafe_rules import HOLDERS, MEMBERS, RULES, WITH, WITHOUT, Part, Rules, holds_all, kept_place

NONE = np.iinfo(np.int32).max
"""The level of an item without an unsafe rule."""

DELETED, SANITIZED = range(2)


class Progress(NamedTuple):
    """How far a part is; the counts of items may be those of more than the part."""

    supports: Int64s
    """item -> how many records still have it"""
    originals: Int64s
    """item -> how many records had it"""
    draws: npt.NDArray[np.float64]
    """one random number in [0, 1) for each occurrence; each deletion uses up one"""
    done: Int64s
    """how many occurrences were DELETED, how many rules SANITIZED"""


class Lists(NamedTuple):
    """Which rules have an item, and which are within a record."""

    item_offsets: Int64s
    of_item: Int32s
    """ascending"""
    record_offsets: Int64s
    record_ends: Int64s
    of_record: Int32s
    """the rules whose q the record has, up to its end"""
    levels: Int32s
    cursors: Int64s
    """item -> the first place among of_item at which a rule of its level may be"""


@njit(cache=True, nogil=True)
def sanitize(
    part: Part, rules: Rules, progress: Progress, numerator: int, denominator: int, for_rules: bool, stop: Int64s
) -> None:
    """Deletes occurrences until no rule of the buffer is unsafe or stop[0] is set."""
    if rules.filled[RULES] == 0:
        return
    supports, originals, done = progress.supports, progress.originals, progress.done
    lists = _lists(part, rules)
    while not stop[0]:
        best, best_value = np.int64(-1), 0.0
        # From the last, so that among equals the sensitive items come first.
        for item in range(len(supports) - 1, -1, -1):
            level = lists.levels[item]
            if level == NONE:
                continue
            leftover = supports[item] / originals[item]
            value = -leftover * level if for_rules else leftover / level
            if best < 0 or value > best_value:
                best, best_value = np.int64(item), value
        if best < 0:
            return
        rule = _rule_at_level(best, rules, lists, numerator, denominator)
        if rule < 0:
            continue
        holders = _holders_of_all(rule, part, rules)
        deletions = lists.levels[best]
        for chosen in range(deletions):
            left = len(holders) - chosen
            drawn = chosen + min(left - 1, int(progress.draws[done[DELETED]] * left))
            record = holders[drawn]
            holders[drawn] = holders[chosen]
            _delete(best, record, part, rules, lists, numerator, denominator)
            done[DELETED] += 1
        done[SANITIZED] += 1
        supports[best] -= deletions


@njit(cache=True, nogil=True)
def deletions_needed(without: Number, both: Number, of_sensitive: bool, numerator: int, denominator: int) -> Number:
    """The least number of records with q + e to delete e from, or else an item of q, for q -> e to be safe.

    0 when it is safe. Exact: deleting e lowers sup(q + e) alone, deleting of q lowers both supports.
    """
    excess = both * denominator - numerator * without
    if excess <= 0:
        return np.int64(0)
    each = denominator if of_sensitive else denominator - numerator
    return (excess + each - 1) // each


@njit(cache=True, nogil=True)
def _lists(part: Part, rules: Rules) -> Lists:
    count = rules.filled[RULES]
    item_offsets, of_item = _inverted(rules.offsets, rules.members, MEMBERS, count, len(part.posting_offsets) - 1)
    record_offsets, of_record = _inverted(rules.offsets, rules.holders, HOLDERS, count, len(part.offsets) - 1)
    items = len(item_offsets) - 1
    levels = np.empty(items, np.int32)
    for item in range(items):
        levels[item] = 1 if item_offsets[item + 1] > item_offsets[item] else NONE
    return Lists(
        item_offsets, of_item, record_offsets, record_offsets[1:].copy(), of_record, levels, item_offsets[:-1].copy()
    )


@njit(cache=True, nogil=True)
def _inverted(offsets: Int64s, numbers: Int32s, kind: int, count: Number, length: Number) -> tuple[Int64s, Int32s]:
    """Number -> the rules that have it."""
    starts = np.zeros(length + 2, np.int64)
    for index in range(offsets[count, kind]):
        starts[numbers[index] + 2] += 1
    for number in range(length):
        starts[number + 2] += starts[number + 1]
    inverted = np.empty(offsets[count, kind], np.int32)
    for rule in range(count):
        for index in range(offsets[rule, kind], offsets[rule + 1, kind]):
            number = numbers[index]
            inverted[starts[number + 1]] = rule
            starts[number + 1] += 1
    return starts[:-1], inverted


@njit(cache=True, nogil=True)
def _needed(rule: Number, item: Number, rules: Rules, numerator: int, denominator: int) -> Number:
    return deletions_needed(
        rules.supports[rule, WITHOUT], rules.supports[rule, WITH], rules.sensitive[rule] == item, numerator, denominator
    )


@njit(cache=True, nogil=True)
def _rule_at_level(item: Number, rules: Rules, lists: Lists, numerator: int, denominator: int) -> Number:
    """The first rule with the item that needs as many deletions of it as its level says.

    -1 when there is none: then the level is raised to the least number that there is.
    """
    end = lists.item_offsets[item + 1]
    for index in range(lists.cursors[item], end):
        rule = lists.of_item[index]
        if _needed(rule, item, rules, numerator, denominator) == lists.levels[item]:
            lists.cursors[item] = index
            return np.int64(rule)
    lists.levels[item] = NONE
    for index in range(lists.item_offsets[item], end):
        needed = _needed(lists.of_item[index], item, rules, numerator, denominator)
        if 0 < needed < lists.levels[item]:
            lists.levels[item] = needed
            lists.cursors[item] = index
    return np.int64(-1)


@njit(cache=True, nogil=True)
def _holders_of_all(rule: Number, part: Part, rules: Rules) -> Int32s:
    """The records that have q + e."""
    first, end = rules.offsets[rule, MEMBERS], rules.offsets[rule + 1, MEMBERS]
    holders = np.empty(rules.supports[rule, WITH], np.int32)
    count = 0
    for index in range(rules.offsets[rule, HOLDERS], rules.offsets[rule + 1, HOLDERS]):
        if holds_all(part, rules.holders[index], rules.members, first, end):
            holders[count] = rules.holders[index]
            count += 1
    return holders


@njit(cache=True, nogil=True)
def _delete(
    item: Number, record: Number, part: Part, rules: Rules, lists: Lists, numerator: int, denominator: int
) -> None:
    """Deletes an item from a record that has it."""
    part.kept[kept_place(part, record, item)] = False
    index = lists.record_offsets[record]
    while index < lists.record_ends[record]:
        rule = lists.of_record[index]
        index += 1
        if not has(rules.members, rules.offsets[rule, MEMBERS], rules.offsets[rule + 1, MEMBERS], item):
            continue
        sensitive = rules.sensitive[rule]
        before = _needed(rule, sensitive, rules, numerator, denominator)
        before_other = _needed(rule, -1, rules, numerator, denominator)
        if sensitive == item:
            rules.supports[rule, WITH] -= 1
        else:
            rules.supports[rule, WITHOUT] -= 1
            rules.supports[rule, WITH] -= kept_place(part, record, sensitive) >= 0
            index -= 1
            lists.record_ends[record] -= 1
            lists.of_record[index] = lists.of_record[lists.record_ends[record]]
        after = _needed(rule, sensitive, rules, numerator, denominator)
        after_other = _needed(rule, -1, rules, numerator, denominator)
        if after and (before == 0 or after < before or after_other < before_other):
            _lower_levels(rule, after, after_other, rules, lists)


@njit(cache=True, nogil=True)
def _lower_levels(rule: Number, of_sensitive: Number, of_other: Number, rules: Rules, lists: Lists) -> None:
    """A rule now needs so many deletions of e, or of another of its items: have these found."""
    for index in range(rules.offsets[rule, MEMBERS], rules.offsets[rule + 1, MEMBERS]):
        item = rules.members[index]
        needed = of_sensitive if item == rules.sensitive[rule] else of_other
        if needed > lists.levels[item]:
            continue
        first, end = lists.item_offsets[item], lists.item_offsets[item + 1]
        while first < end:
            middle = (first + end) >> 1
            if lists.of_item[middle] < rule:
                first = middle + 1
            else:
                end = middle
        if needed < lists.levels[item] or first < lists.cursors[item]:
            lists.levels[item] = needed
            lists.cursors[item] = first
