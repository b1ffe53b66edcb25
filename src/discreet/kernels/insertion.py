"""Putting sensitive items back into records while no rule becomes too sure.

Let a record have the content X, and let z be put back. Supports only grow, so a rule can break only where its own
support grows:
1. q -> z for a non-empty q within X: sup(q + z) grows by one and sup(q) stays.
2. q + z -> e for a sensitive e in X and any q within X - e: both sup(q + z + e) and sup(q + z) grow by one.

An item that is not sensitive can only break rules of the second kind.

In both cases let D be the records that had the rule's other side before: those with z, or with z and e. Of the sets q
that the same records of D hold, the largest one has the least support, so only sets closed within D need a look: the
intersections of X with records of D. And every q within X is held by all records that hold X. So a branch of the search
is safe as a whole as soon as so few records of D are left that even X, the set with the least support, allows them.

A record is lonely if the items in it that are not sensitive have a support below 1 / rho. As long as it has all of
them, no sensitive item can come back: that support no longer grows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .cache import njit
from .itemset_data import Bools, Int32s, Int64s, place_of

Masks = npt.NDArray[np.uint64]


class Release(NamedTuple):
    """Record r has items[offsets[r]:offsets[r + 1]], ascending, and is released with those that are kept."""

    offsets: Int64s
    items: Int32s
    kept: Bools
    first_holder: Int64s
    holders: Int32s
    """item z is kept in the records holders[first_holder[z]:][:held[z]]; behind them is room for those to come"""
    held: Int64s


@njit(cache=True, nogil=True)
def _has(items: Int32s, kept: Bools, first: int, stop: int, item: int) -> bool:
    """Whether the record at these places is released with an item."""
    place = place_of(items, first, stop, item)
    return bool(place >= 0 and kept[place])


@njit(cache=True, nogil=True)
def support(wanted: Int32s, size: int, enough: int, release: Release) -> int:
    """How many records have all of wanted[:size]; counting ends at `enough`."""
    offsets, items, kept, holders, held = release.offsets, release.items, release.kept, release.holders, release.held
    rarest = wanted[0]
    for index in range(1, size):
        if held[wanted[index]] < held[rarest]:
            rarest = wanted[index]
    count = 0
    for place in range(release.first_holder[rarest], release.first_holder[rarest] + held[rarest]):
        record = holders[place]
        has_all = True
        for index in range(size):
            if wanted[index] != rarest and not _has(items, kept, offsets[record], offsets[record + 1], wanted[index]):
                has_all = False
                break
        if has_all:
            count += 1
            if count >= enough:
                return count
    return count


@njit(cache=True, nogil=True)
def overlap(content: Int32s, size: int, record: int, release: Release, mask: Masks) -> None:
    """Notes in a mask which of content[:size] a record has."""
    for word in range(len(mask)):
        mask[word] = 0
    items, kept = release.items, release.kept
    index = 0
    at, stop = release.offsets[record], release.offsets[record + 1]
    while index < size and at < stop:
        if content[index] < items[at]:
            index += 1
        elif content[index] > items[at]:
            at += 1
        else:
            if kept[at]:
                mask[index >> 6] |= np.uint64(1) << np.uint64(index & 63)
            index += 1
            at += 1


@njit(cache=True, nogil=True)
def has_bit(mask: Masks, bit: int) -> bool:
    return bool((mask[bit >> 6] >> np.uint64(bit & 63)) & np.uint64(1))


@njit(cache=True, nogil=True)
def includes(mask: Masks, part: Masks) -> bool:
    missing = np.uint64(0)
    for word in range(len(mask)):
        missing |= part[word] & ~mask[word]
    return bool(missing == 0)


@njit(cache=True, nogil=True)
def closed_set_breaks(
    masks: Masks,
    count: int,
    with_bit: int,
    put: int,
    most_safe: int,
    content: Int32s,
    size: int,
    numerator: int,
    denominator: int,
    release: Release,
    stop_now: Int64s,
) -> bool:
    """Whether some closed set of the records masks[:count] breaks its rule, with `put` records of content[:size] more.

    with_bit: -1 for the rules q -> z, where supports are counted in all records; otherwise the place of e in the
    content, for the rules q + z -> e, where they are counted in masks[:count]. most_safe: that many records are allowed
    for every set. Once stop_now[0] is set, which another thread may do, the answer is yes.
    """
    words = masks.shape[1]
    arena = np.empty(2 * count + 64, np.int32)
    filled = 0
    for index in range(count):
        if with_bit < 0 or has_bit(masks[index], with_bit):
            arena[filled] = index
            filled += 1
    if filled <= most_safe:
        return False
    first = np.zeros(size + 2, np.int64)
    stop = np.zeros(size + 2, np.int64)
    next_bit = np.zeros(size + 2, np.int64)
    closures = np.zeros((size + 2, words), np.uint64)
    wanted = np.empty(size, np.int32)
    stop[0] = filled
    depth = 0
    is_new = True
    while depth >= 0:
        if stop_now[0]:
            return True
        closure = closures[depth]
        if is_new:
            for word in range(words):
                closure[word] = ~np.uint64(0)
            for place in range(first[depth], stop[depth]):
                for word in range(words):
                    closure[word] &= masks[arena[place], word]
            if with_bit >= 0:
                closure[with_bit >> 6] &= ~(np.uint64(1) << np.uint64(with_bit & 63))
            if depth > 0:
                # What came in before the newest bit was looked at on another path.
                newest = next_bit[depth - 1] - 1
                for bit in range(newest):
                    if has_bit(closure, bit) and not has_bit(closures[depth - 1], bit):
                        is_new = False
                        break
                if not is_new:
                    depth -= 1
                    continue
            is_new = False
            rule_support = stop[depth] - first[depth] + put
            chosen = 0
            for bit in range(size):
                if has_bit(closure, bit):
                    wanted[chosen] = content[bit]
                    chosen += 1
            if with_bit < 0:
                enough = (rule_support * denominator + numerator - 1) // numerator
                if chosen > 0 and enough > support(wanted, chosen, enough, release):
                    return True
            else:
                found = put
                for index in range(count):
                    found += includes(masks[index], closure)
                if rule_support * denominator > numerator * found:
                    return True
            next_bit[depth] = 0 if depth == 0 else next_bit[depth - 1]
        # Go to the next bit that enough of the records have.
        bit = next_bit[depth]
        while bit < size and (bit == with_bit or has_bit(closure, bit)):
            bit += 1
        next_bit[depth] = bit + 1
        if bit >= size:
            depth -= 1
            continue
        top = stop[depth]
        if top + stop[depth] - first[depth] > len(arena):
            larger = np.empty(2 * (top + stop[depth] - first[depth]), np.int32)
            for index in range(top):
                larger[index] = arena[index]
            arena = larger
        for place in range(first[depth], stop[depth]):
            if has_bit(masks[arena[place]], bit):
                arena[top] = arena[place]
                top += 1
        if top - stop[depth] > most_safe:
            first[depth + 1] = stop[depth]
            stop[depth + 1] = top
            depth += 1
            is_new = True
    return False


@njit(cache=True, nogil=True)
def may_put_back(
    record: int,
    item: int,
    numerator: int,
    denominator: int,
    first_sensitive: int,
    release: Release,
    stop: Int64s,
) -> bool:
    """Whether the release stays safe with the item put back into the record; no once stop[0] is set."""
    content = np.empty(release.offsets[record + 1] - release.offsets[record], np.int32)
    size = 0
    others = 0
    for at in range(release.offsets[record], release.offsets[record + 1]):
        if release.kept[at]:
            content[size] = release.items[at]
            size += 1
            others += release.items[at] < first_sensitive
    if size == 0:
        return True
    is_sensitive = item >= first_sensitive
    if numerator == 0:  # nothing may follow from anything
        return not is_sensitive and others == size
    count = release.held[item]
    most_safe = count
    if is_sensitive:
        enough = ((count + 1) * denominator + numerator - 1) // numerator
        most_safe = support(content, size, enough, release) * numerator // denominator - 1
    if most_safe < 0:
        return False
    if count <= most_safe and others == size:
        return True
    masks = np.empty((count, (size + 63) >> 6), np.uint64)
    for index in range(count):
        overlap(content, size, release.holders[release.first_holder[item] + index], release, masks[index])
    if is_sensitive and closed_set_breaks(
        masks, count, -1, 1, most_safe, content, size, numerator, denominator, release, stop
):  # fmt: skip
        return False
    part = np.empty(masks.shape[1], np.uint64)
    for bit in range(others, size):
        for word in range(len(part)):
            part[word] = 0
        for other in range(size):
            if other != bit:
                part[other >> 6] |= np.uint64(1) << np.uint64(other & 63)
        found = 1
        for index in range(count):
            found += includes(masks[index], part)
        most_safe = found * numerator // denominator - 1
        if most_safe < 0 or closed_set_breaks(
            masks, count, bit, 1, most_safe, content, size, numerator, denominator, release, stop
):  # fmt: skip
            return False
    return True


@njit(cache=True, nogil=True)
def put(place: int, record: int, release: Release) -> None:
    """Releases the record with the item at this place."""
    item = release.items[place]
    release.kept[place] = True
    release.holders[release.first_holder[item] + release.held[item]] = record
    release.held[item] += 1


@njit(cache=True, nogil=True)
def put_back(
    places: Int64s,
    records: Int64s,
    numerator: int,
    denominator: int,
    first_sensitive: int,
    release: Release,
    stop: Int64s,
) -> int:
    """Puts back what it can of the occurrences at these places of these records, one after the other.

    Returns how many it tried: all, unless another thread sets stop[0].
    """
    for index in range(len(places)):
        if stop[0]:
            return index
        place, record = places[index], records[index]
        if may_put_back(record, release.items[place], numerator, denominator, first_sensitive, release, stop):
            put(place, record, release)
    return len(places)


@njit(cache=True, nogil=True)
def find_lonely(
    numerator: int, denominator: int, first_sensitive: int, release: Release, is_lonely: Bools, stop: Int64s
) -> None:
    """Which records have items that are not sensitive, and all of them with too few others for any sensitive one."""
    enough = (denominator + numerator - 1) // max(numerator, 1)
    for record in range(len(is_lonely)):
        if stop[0]:
            break
        first, others = release.offsets[record], release.offsets[record]
        while others < release.offsets[record + 1] and release.items[others] < first_sensitive:
            others += 1
        if others > first:
            is_lonely[record] = support(release.items[first:others], others - first, enough, release) < enough
