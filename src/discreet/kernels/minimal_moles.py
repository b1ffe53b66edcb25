"""Minimal moles: the itemsets that break a promise though no smaller itemset within them does.

A mole (Xu et al. 2008) is an itemset in fewer than `smallest` transactions, or one with a sensitive item in more than
a share of its transactions. They are found size by size and first item by first item: depth-first over the itemsets
that start with an item, on the places where the last item of the prefix is. What comes after such a place in its
transaction can extend the prefix, so nothing is ever counted that does not occur.

Three kinds of itemsets are left at once, with all that extend them, as none of these is a minimal mole:
- Those with a smaller mole in them, looked up in a hash table of the minimal moles of all smaller sizes.
- Those with an item that is in all transactions of the others. Without it an itemset that extends them has the same
  transactions, so that it is a mole with and without the item or neither. Seen where the item is the last or the last
  but one.
- Where only the support counts, those that are in no *doubtful* transaction. A transaction is doubtful when fewer than
  `smallest` have all its items; an itemset of any other has as many transactions as that one at least.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .cache import njit

Bools = npt.NDArray[np.bool_]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]

NONE = -1
"""Fills up itemsets that are smaller than the array is wide, and the empty places of a hash table."""
BITS_IN_WORD = 62
"""of a 64-bit number, so that none is its sign"""
HASH_FACTOR, HASH_MODULUS = 1_000_003, (1 << 31) - 1  # their product stays within 64 bits


class Baskets(NamedTuple):
    """Distinct transactions of items that are numbered from 0, by transaction and by item."""

    offsets: Int64s
    """transaction -> where its items begin, ascending; one more at the end"""
    items: Int32s
    counts: Int64s
    rows: Int64s
    """parallel to items: the transaction"""
    first_place: Int64s
    """item -> where its places begin; one more at the end"""
    places: Int64s
    """the indexes into `items` where each item is"""
    sensitive_offsets: Int64s
    sensitive_items: Int32s


class Breach(NamedTuple):
    """What makes a mole: fewer transactions than `smallest`, or a sensitive item in more than the share of them."""

    smallest: int
    share_numerator: int
    share_denominator: int
    sensitive_items: int
    """how many there are; 0 where only the support counts"""


class KnownMoles(NamedTuple):
    """Minimal moles and a hash table of their row numbers."""

    itemsets: Int32s
    """mole x item, ascending, NONE behind the last"""
    table: Int32s
    """a power of two long"""


class Scratch(NamedTuple):
    """Room for one search; `number` is all 0 between two calls."""

    number: Int64s
    """level x item -> one more than its places, 0 where it cannot extend the prefix"""
    weight: Int64s
    """level x item -> how many transactions"""
    start: Int64s
    touched: Int32s
    """level x the items that occur there"""
    sensitive: Int64s


@njit(cache=True)
def _hash(itemset: Int32s, size: int) -> int:
    code = 0
    for index in range(size):
        code = (code * HASH_FACTOR + int(itemset[index]) + 1) % HASH_MODULUS
    return code


@njit(cache=True)
def places_of_items(items: Int32s, number_of_items: int) -> tuple[Int64s, Int64s]:
    """For each item where it is, as first_place and places."""
    first = np.zeros(number_of_items + 1, np.int64)
    for item in items:
        first[item + 1] += 1
    for item in range(number_of_items):
        first[item + 1] += first[item]
    free = first[:-1].copy()
    places = np.empty(len(items), np.int64)
    for place, item in enumerate(items):
        places[free[item]] = place
        free[item] += 1
    return first, places


@njit(cache=True)
def doubtful_transactions(size: int, baskets: Baskets, breach: Breach) -> Bools:
    """Transaction -> whether it has `size` items or more, and fewer than `smallest` transactions have all of them.

    The transactions come longest first, so that those that can have all items of another come before it. Takes a
    bit for each item and transaction.
    """
    offsets, items, counts = baskets.offsets, baskets.items, baskets.counts
    transactions = len(counts)
    has = np.zeros((len(baskets.first_place) - 1, transactions // BITS_IN_WORD + 1), np.int64)
    for place, item in enumerate(items):
        row = baskets.rows[place]
        has[item, row // BITS_IN_WORD] |= 1 << (row % BITS_IN_WORD)
    is_doubtful = np.zeros(transactions, np.bool_)
    words, long_enough = 0, 0
    for row in range(transactions):
        own = items[offsets[row] : offsets[row + 1]]
        if len(own) < size:
            break
        while long_enough < transactions and offsets[long_enough + 1] - offsets[long_enough] >= len(own):
            long_enough += 1
            words = (long_enough - 1) // BITS_IN_WORD + 1
        support = counts[row]
        is_doubtful[row] = support < breach.smallest
        for word in range(words):
            if not is_doubtful[row]:
                break
            common = has[own[-1], word]
            for item in own[::-1]:
                common &= has[item, word]
                if common == 0:
                    break
            if common != 0:
                for bit in range(BITS_IN_WORD):
                    other = word * BITS_IN_WORD + bit
                    if common >> bit & 1 and other != row:
                        support += counts[other]
                is_doubtful[row] = support < breach.smallest
    return is_doubtful


@njit(cache=True)
def merge_equal(offsets: Int64s, items: Int32s, counts: Int64s) -> tuple[Int64s, Int32s, Int64s]:
    """The different ones of some transactions with their counts added up, in the order in which they come first."""
    length = 2
    while length < 2 * len(counts):
        length *= 2
    table = np.full(length, NONE, np.int32)
    merged_offsets, merged_counts = np.zeros(len(offsets), np.int64), np.zeros(len(counts), np.int64)
    merged_items = np.empty(len(items), np.int32)
    different = 0
    for row in range(len(counts)):
        own = items[offsets[row] : offsets[row + 1]]
        place = _hash(own, len(own)) & (length - 1)
        while table[place] != NONE:
            start, stop = merged_offsets[table[place]], merged_offsets[table[place] + 1]
            same = stop - start == len(own)
            for index in range(len(own)):
                same = same and merged_items[start + index] == own[index]
            if same:
                break
            place = (place + 1) & (length - 1)
        if table[place] == NONE:
            table[place] = different
            stop = merged_offsets[different] + len(own)
            merged_items[merged_offsets[different] : stop] = own
            merged_offsets[different + 1] = stop
            different += 1
        merged_counts[table[place]] += counts[row]
    used = merged_offsets[different]
    return merged_offsets[: different + 1].copy(), merged_items[:used].copy(), merged_counts[:different].copy()


@njit(cache=True)
def hash_table(itemsets: Int32s) -> Int32s:
    """The row numbers of different itemsets, each at its hash or at the next free place behind it."""
    length = 2
    while length < 2 * len(itemsets):
        length *= 2
    table = np.full(length, NONE, np.int32)
    for row in range(len(itemsets)):
        size = 0
        while size < itemsets.shape[1] and itemsets[row, size] != NONE:
            size += 1
        place = _hash(itemsets[row], size) & (length - 1)
        while table[place] != NONE:
            place = (place + 1) & (length - 1)
        table[place] = row
    return table


@njit(cache=True)
def _is_known(known: KnownMoles, itemset: Int32s, size: int) -> bool:
    width = known.itemsets.shape[1]
    place = _hash(itemset, size) & (len(known.table) - 1)
    while known.table[place] != NONE:
        row = known.table[place]
        same = size == width or known.itemsets[row, size] == NONE
        for index in range(size):
            same = same and known.itemsets[row, index] == itemset[index]
        if same:
            return True
        place = (place + 1) & (len(known.table) - 1)
    return False


@njit(cache=True)
def _has_mole(known: KnownMoles, prefix: Int32s, length: int, item: int, part: Int32s) -> bool:
    """Whether a known mole of at least two items with this one lies in the prefix and the item."""
    width = known.itemsets.shape[1]
    for chosen in range(1, 1 << length):
        size = 0
        for index in range(length):
            if chosen >> index & 1:
                part[size] = prefix[index]
                size += 1
        part[size] = item
        if size < width and _is_known(known, part, size + 1):
            return True
    return False


@njit(cache=True)
def _is_mole(baskets: Baskets, breach: Breach, support: int, places: Int64s, tally: Int64s) -> bool:
    if support < breach.smallest:
        return True
    if breach.sensitive_items == 0:
        return False
    tally[:] = 0
    for place in places:
        row = baskets.rows[place]
        for index in range(baskets.sensitive_offsets[row], baskets.sensitive_offsets[row + 1]):
            tally[baskets.sensitive_items[index]] += baskets.counts[row]
    for item in range(breach.sensitive_items):
        if tally[item] * breach.share_denominator > breach.share_numerator * support:
            return True
    return False


@njit(cache=True)
def moles_starting_with(
    root: int,
    size: int,
    baskets: Baskets,
    breach: Breach,
    known: KnownMoles,
    is_doubtful: Bools,
    is_open: Bools,
    scratch: Scratch,
) -> Int32s:
    """All minimal moles of this size whose lowest item is `root`, in lexicographic order.

    Only of open items, none of which is a mole alone unless the size is 1; `known` has the minimal moles of them of all
    sizes from 2 up to this one. A transaction that is not doubtful has no mole of this size.
    """
    room, support = 0, 0
    root_places = baskets.places[baskets.first_place[root] : baskets.first_place[root + 1]]
    for place in root_places:
        row = baskets.rows[place]
        room += baskets.offsets[row + 1] - place - 1
        support += baskets.counts[row]
    if size == 1:
        is_mole = support > 0 and _is_mole(baskets, breach, support, root_places, scratch.sensitive)
        return np.full((1 if is_mole else 0, 1), root, np.int32)
    last = size - 2
    places_below = np.empty((last + 1, room), np.int64)
    touched_size = np.zeros(last + 1, np.int64)
    cursor = np.zeros(last + 1, np.int64)
    support_of = np.zeros(last + 1, np.int64)
    prefix = np.empty(size, np.int32)
    part = np.empty(size, np.int32)
    found, found_size = np.empty((16, size), np.int32), 0

    prefix[0], support_of[0] = root, support
    places = root_places
    level, entering = 0, True
    while level >= 0:
        number, weight, start = scratch.number[level], scratch.weight[level], scratch.start[level]
        touched = scratch.touched[level]
        wants_places = level < last or breach.sensitive_items > 0
        if entering:
            # What extends the prefix: how often, and, where it is needed, at which places.
            occurring = 0
            for place in places:
                row = baskets.rows[place]
                if is_doubtful[row]:
                    for behind in range(place + 1, baskets.offsets[row + 1]):
                        item = baskets.items[behind]
                        if is_open[item] and number[item] == 0:
                            touched[occurring] = item
                            occurring += 1
                            number[item] = 1
                            weight[item] = 0
            touched[:occurring].sort()
            touched_size[level], cursor[level] = occurring, 0
            if occurring > 0:
                for place in places:
                    row = baskets.rows[place]
                    for behind in range(place + 1, baskets.offsets[row + 1]):
                        item = baskets.items[behind]
                        if number[item] > 0:
                            number[item] += 1
                            weight[item] += baskets.counts[row]
            if occurring > 0 and wants_places:
                filled = 0
                for item in touched[:occurring]:
                    start[item] = filled
                    filled += number[item] - 1
                    number[item] = 1
                for place in places:
                    for behind in range(place + 1, baskets.offsets[baskets.rows[place] + 1]):
                        item = baskets.items[behind]
                        if number[item] > 0:
                            places_below[level, start[item] + number[item] - 1] = behind
                            number[item] += 1
            entering = False
        if cursor[level] == touched_size[level]:
            for item in touched[: touched_size[level]]:
                number[item] = 0
            level -= 1
            continue
        item = touched[cursor[level]]
        cursor[level] += 1
        if weight[item] == support_of[level] or (level > 0 and weight[item] == scratch.weight[level - 1, item]):
            continue
        if len(known.itemsets) > 0 and _has_mole(known, prefix, level + 1, item, part):
            continue
        if wants_places:
            places = places_below[level, start[item] : start[item] + number[item] - 1]
        prefix[level + 1] = item
        if level < last:
            level, entering = level + 1, True
            support_of[level] = weight[item]
        elif _is_mole(baskets, breach, weight[item], places, scratch.sensitive):
            if found_size == len(found):
                larger = np.empty((2 * found_size, size), np.int32)
                larger[:found_size] = found
                found = larger
            found[found_size] = prefix
            found_size += 1
    return found[:found_size]
