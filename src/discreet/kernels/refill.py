"""Cutting records to what they share with another one, and filling them up again.

Let an item x be taken out of a record with the content X. Supports only fall, so a rule can break only where its own
support stays: q + x -> e for q within X - x and a sensitive e that is not in X. Such rules are counted in the other
records with x alone. As in kernels/insertion, only the intersections of X with those of them that have e need a look,
and a branch is safe as a whole as soon as so few are left that even X, the set with the least support, allows them.

A record is cut, item by item, to what it shares in the original with another one as released, a partner; then it is
filled up as in kernels/insertion. Every step keeps the release safe. A record that does not have more items than before
at the end gets back those it had.
"""

from __future__ import annotations

import numpy as np

from .cache import njit
from .insertion import Masks, Release, closed_set_breaks, has_bit, includes, may_put_back, overlap, put
from .itemset_data import Bools, Int64s, sort_ascending

MOST_PARTNERS = 8
"""that a record is tried with: those it shares most with"""

MOST_HOLDERS = 1_000
"""An item that more records have is not taken out: the look at all of them takes long, and gains nothing."""


@njit(cache=True, nogil=True)
def may_take_out(
    place: int,
    record: int,
    numerator: int,
    denominator: int,
    first_sensitive: int,
    release: Release,
    stop: Int64s,
) -> bool:
    """Whether the release stays safe without the item at this place of the record.

    At times a needless no, as when the item is too frequent, or once stop[0] is set.
    """
    offsets, items, kept, holders = release.offsets, release.items, release.kept, release.holders
    item = items[place]
    count = release.held[item] - 1
    if count == 0:
        return True
    if count > MOST_HOLDERS:
        return False
    content = np.empty(offsets[record + 1] - offsets[record] + 1, np.int32)
    size = 0
    for at in range(offsets[record], offsets[record + 1]):
        if kept[at] and at != place:
            content[size] = items[at]
            size += 1
    masks = np.zeros((count, (size >> 6) + 1), np.uint64)
    others = np.empty(count, np.int32)
    filled = 0
    room = 0
    for at in range(release.first_holder[item], release.first_holder[item] + release.held[item]):
        if holders[at] != record:
            others[filled] = holders[at]
            overlap(content, size, holders[at], release, masks[filled])
            room += offsets[holders[at] + 1] - offsets[holders[at]]
            filled += 1
    whole = np.zeros(masks.shape[1], np.uint64)
    for bit in range(size):
        whole[bit >> 6] |= np.uint64(1) << np.uint64(bit & 63)
    with_whole = 0
    for index in range(count):
        with_whole += includes(masks[index], whole)
    most_safe = with_whole * numerator // denominator
    # The sensitive items beside x, each with the records that have it.
    beside = np.empty(room, np.int64)
    filled = 0
    for index in range(count):
        for at in range(offsets[others[index]], offsets[others[index] + 1]):
            if kept[at] and items[at] >= first_sensitive and items[at] != item:
                beside[filled] = np.int64(items[at]) * count + index
                filled += 1
    sort_ascending(beside, filled)
    # e has the place behind the content.
    content[size] = item
    word, sensitive_bit = size >> 6, np.uint64(1) << np.uint64(size & 63)
    first = 0
    in_content = 0
    while first < filled:
        sensitive = beside[first] // count
        end = first
        while end < filled and beside[end] // count == sensitive:
            end += 1
        while in_content < size and content[in_content] < sensitive:
            in_content += 1
        is_known = in_content < size and content[in_content] == sensitive
        if not is_known and end - first > most_safe:
            for at in range(first, end):
                masks[beside[at] % count, word] |= sensitive_bit
            if closed_set_breaks(
                masks, count, size, 0, most_safe, content, size + 1, numerator, denominator, release, stop
):  # fmt: skip
                return False
            for at in range(first, end):
                masks[beside[at] % count, word] &= ~sensitive_bit
        first = end
    return True


@njit(cache=True, nogil=True)
def take_out(place: int, record: int, release: Release) -> None:
    """Releases the record without the item at this place."""
    item = release.items[place]
    release.kept[place] = False
    release.held[item] -= 1
    last = release.first_holder[item] + release.held[item]
    at = release.first_holder[item]
    while release.holders[at] != record:
        at += 1
    release.holders[at] = release.holders[last]
    release.holders[last] = record


@njit(cache=True, nogil=True)
def _partners(record: int, least: int, release: Release, sizes: Int64s, shared: Masks, shared_sizes: Int64s) -> int:
    """What the record shares with others as released: the largest different sets of `least` items and more.

    Returns how many it found; with each set one of the items that the record lacks.
    """
    first = release.offsets[record]
    length = release.offsets[record + 1] - first
    mask = np.empty(shared.shape[1], np.uint64)
    found = 0
    for place in range(first, first + length):
        if release.kept[place]:
            continue
        first_holder = release.first_holder[release.items[place]]
        for at in range(first_holder, first_holder + release.held[release.items[place]]):
            if sizes[release.holders[at]] < least:
                continue
            overlap(release.items[first : first + length], length, release.holders[at], release, mask)
            size = 0
            for bit in range(length):
                size += has_bit(mask, bit)
            if size < least or (found == len(shared) and size <= shared_sizes[found - 1]):
                continue
            is_new = True
            for rank in range(found):
                if shared_sizes[rank] == size and includes(shared[rank], mask):
                    is_new = False
                    break
            if is_new:
                found = min(found + 1, len(shared))
                rank = found - 1
                while rank > 0 and shared_sizes[rank - 1] < size:
                    shared_sizes[rank] = shared_sizes[rank - 1]
                    for word in range(len(mask)):
                        shared[rank, word] = shared[rank - 1, word]
                    rank -= 1
                shared_sizes[rank] = size
                for word in range(len(mask)):
                    shared[rank, word] = mask[word]
    return found


@njit(cache=True, nogil=True)
def refill(
    records: Int64s,
    order: Int64s,
    numerator: int,
    denominator: int,
    first_sensitive: int,
    release: Release,
    is_changed: Bools,
    stop: Int64s,
) -> None:
    """Cuts and refills these records, one after the other, where that makes them larger.

    order: the places of each record in the order in which they are filled up, those that it shares with its partner
    first. The release is changed, and is_changed says where. Set stop[0] from another thread to end it early.
    """
    offsets, items, kept = release.offsets, release.items, release.kept
    sizes = np.zeros(len(offsets) - 1, np.int64)
    longest = 0
    for record in range(len(sizes)):
        longest = max(longest, offsets[record + 1] - offsets[record])
        for at in range(offsets[record], offsets[record + 1]):
            sizes[record] += kept[at]
    had = np.empty(longest, np.bool_)
    shared_sizes = np.empty(MOST_PARTNERS, np.int64)
    for record in records:
        if stop[0]:
            break
        first, end = offsets[record], offsets[record + 1]
        if end - first - sizes[record] < 2:
            continue  # it would lose at least one, and gain no more
        shared = np.empty((MOST_PARTNERS, (end - first + 63) >> 6), np.uint64)
        partners = _partners(record, sizes[record], release, sizes, shared, shared_sizes)
        for at in range(first, end):
            had[at - first] = kept[at]
        for partner in range(partners):
            size = sizes[record]
            is_cut = True
            for at in range(first, end):
                if kept[at] and not has_bit(shared[partner], at - first):
                    if not may_take_out(at, record, numerator, denominator, first_sensitive, release, stop):
                        is_cut = False
                        break
                    take_out(at, record, release)
                    size -= 1
            if is_cut:
                for is_shared in (True, False):
                    for index in range(first, end):
                        at = order[index]
                        if (
                            not kept[at]
                            and has_bit(shared[partner], at - first) == is_shared
                            and may_put_back(record, items[at], numerator, denominator, first_sensitive, release, stop)
                        ):
                            put(at, record, release)
                            size += 1
            if is_cut and size > sizes[record]:
                sizes[record] = size
                is_changed[record] = True
                break
            for at in range(first, end):
                if kept[at] and not had[at - first]:
                    take_out(at, record, release)
                elif had[at - first] and not kept[at]:
                    put(at, record, release)
