"""Groups of records that may lend and borrow: which copies of which items are in which group, kept up to date.

An *item* is what is moved as one: a record of a combination, or all records of a combination together where these stay
together. It has *copies* that are told apart by nothing. Some copies of an item in a group are a *place*. Places are
chained twice, by group and by item, so that both are at hand; places and groups that are given up are used again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .boxes import Charges, Points, charge
from .cache import njit
from .lawful import Promise, is_lawful

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]

FREE_PLACES, FREE_GROUPS, COST, ROUND = range(4)
"""Counters: how many places and groups are free, what all records pay, and how often groups were gone through."""
NONE = -1


class Places(NamedTuple):
    """Groups, and what is in them."""

    lows: Int32s
    """group x attribute -> its lowest leaf"""
    highs: Int32s
    sizes: Int64s
    """group -> records; 0 for one that is free"""
    charge: Int64s
    """group -> what each of its records pays"""
    histograms: Int64s
    first: Int32s
    """group -> the first of its places"""
    item: Int32s
    group: Int32s
    copies: Int64s
    next: Int32s
    """place -> the next one of its group"""
    previous: Int32s
    first_of_item: Int32s
    next_of_item: Int32s
    previous_of_item: Int32s
    free_places: Int32s
    free_groups: Int32s
    seen: Int64s
    """group -> the round in which it was looked at last"""
    counters: Int64s


def no_places(items: Points, places: int, groups: int, columns: int) -> Places:
    """Room for so many places and groups, all of them free; columns: those of a histogram."""
    attributes = items.leaves.shape[1]
    return Places(
        lows=np.zeros((groups, attributes), np.int32),
        highs=np.zeros((groups, attributes), np.int32),
        sizes=np.zeros(groups, np.int64),
        charge=np.zeros(groups, np.int64),
        histograms=np.zeros((groups, columns), np.int64),
        first=np.full(groups, NONE, np.int32),
        item=np.full(places, NONE, np.int32),
        group=np.full(places, NONE, np.int32),
        copies=np.zeros(places, np.int64),
        next=np.full(places, NONE, np.int32),
        previous=np.full(places, NONE, np.int32),
        first_of_item=np.full(len(items.sizes), NONE, np.int32),
        next_of_item=np.full(places, NONE, np.int32),
        previous_of_item=np.full(places, NONE, np.int32),
        free_places=np.arange(places, dtype=np.int32)[::-1].copy(),
        free_groups=np.arange(groups, dtype=np.int32)[::-1].copy(),
        seen=np.zeros(groups, np.int64),
        counters=np.array([places, groups, 0, 0], np.int64),
    )


@njit(cache=True)
def has_room(places: Places, needed: int) -> bool:
    """Whether so many places, and a group, are free."""
    return bool(places.counters[FREE_PLACES] >= needed and places.counters[FREE_GROUPS] >= 1)


@njit(cache=True)
def new_group(places: Places) -> int:
    """A free group; it stays free until something is put in."""
    return int(places.free_groups[places.counters[FREE_GROUPS] - 1])


@njit(cache=True)
def place_of(places: Places, item: int, group: int) -> int:
    """Where copies of an item are in a group, or NONE."""
    place = places.first_of_item[item]
    while place != NONE and places.group[place] != group:
        place = places.next_of_item[place]
    return int(place)


@njit(cache=True)
def put(places: Places, items: Points, charges: Charges, group: int, item: int, copies: int) -> int:
    """Puts copies of an item into a group; returns their place."""
    if places.sizes[group] == 0:
        places.counters[FREE_GROUPS] -= 1  # the group that `new_group` gave
        places.lows[group] = items.leaves[item]
        places.highs[group] = items.leaves[item]
    place = place_of(places, item, group)
    if place == NONE:
        places.counters[FREE_PLACES] -= 1
        place = places.free_places[places.counters[FREE_PLACES]]
        places.item[place], places.group[place], places.copies[place] = item, group, 0
        _link(places.first, places.next, places.previous, group, place)
        _link(places.first_of_item, places.next_of_item, places.previous_of_item, item, place)
        for attribute in range(items.leaves.shape[1]):
            leaf = items.leaves[item, attribute]
            places.lows[group, attribute] = min(places.lows[group, attribute], leaf)
            places.highs[group, attribute] = max(places.highs[group, attribute], leaf)
    places.copies[place] += copies
    _count(places, items, charges, group, item, copies)
    return int(place)


@njit(cache=True)
def take(places: Places, items: Points, charges: Charges, place: int, copies: int) -> None:
    """Takes copies out of a place; a group of which nothing is left is free again."""
    item, group = places.item[place], places.group[place]
    places.copies[place] -= copies
    if places.copies[place] == 0:
        _unlink(places.first, places.next, places.previous, group, place)
        _unlink(places.first_of_item, places.next_of_item, places.previous_of_item, item, place)
        places.free_places[places.counters[FREE_PLACES]] = place
        places.counters[FREE_PLACES] += 1
        if _is_at_the_border(places, items, group, item):
            _box(places, items, group, NONE, places.lows[group], places.highs[group])
    _count(places, items, charges, group, item, -copies)
    if places.sizes[group] == 0:
        places.free_groups[places.counters[FREE_GROUPS]] = group
        places.counters[FREE_GROUPS] += 1


@njit(cache=True)
def _link(first: Int32s, following: Int32s, previous: Int32s, chain: int, place: int) -> None:
    following[place], previous[place] = first[chain], NONE
    if first[chain] != NONE:
        previous[first[chain]] = place
    first[chain] = place


@njit(cache=True)
def _unlink(first: Int32s, following: Int32s, previous: Int32s, chain: int, place: int) -> None:
    if previous[place] == NONE:
        first[chain] = following[place]
    else:
        following[previous[place]] = following[place]
    if following[place] != NONE:
        previous[following[place]] = previous[place]


@njit(cache=True)
def _count(places: Places, items: Points, charges: Charges, group: int, item: int, copies: int) -> None:
    """The size, the histogram and the charge of a group whose box is up to date."""
    places.counters[COST] -= places.sizes[group] * places.charge[group]
    places.sizes[group] += copies * items.sizes[item]
    _add(places, items, group, item, copies)
    total = 0
    for attribute in range(items.leaves.shape[1]):
        total += charge(charges, attribute, places.lows[group, attribute], places.highs[group, attribute])
    places.charge[group] = total
    places.counters[COST] += places.sizes[group] * total


@njit(cache=True)
def _add(places: Places, items: Points, group: int, item: int, copies: int) -> None:
    for entry in range(items.first_entry[item], items.first_entry[item + 1]):
        places.histograms[group, items.columns[entry]] += copies * items.counts[entry]


@njit(cache=True)
def _is_at_the_border(places: Places, items: Points, group: int, item: int) -> bool:
    """Whether the box of a group may shrink without an item."""
    for attribute in range(items.leaves.shape[1]):
        leaf = items.leaves[item, attribute]
        low, high = places.lows[group, attribute], places.highs[group, attribute]
        if low < high and leaf in (low, high):
            return True
    return False


@njit(cache=True)
def _box(places: Places, items: Points, group: int, left_out: int, lows: Int32s, highs: Int32s) -> None:
    """Fills `lows` and `highs` with the box of a group without one of its places."""
    place = places.first[group]
    is_first = True
    while place != NONE:
        if place != left_out:
            item = places.item[place]
            for attribute in range(items.leaves.shape[1]):
                leaf = items.leaves[item, attribute]
                lows[attribute] = leaf if is_first else min(lows[attribute], leaf)
                highs[attribute] = leaf if is_first else max(highs[attribute], leaf)
            is_first = False
        place = places.next[place]


@njit(cache=True)
def charge_with(places: Places, items: Points, charges: Charges, group: int, item: int) -> int:
    """What each record of a group would pay with one more item in it."""
    total = 0
    for attribute in range(items.leaves.shape[1]):
        leaf = items.leaves[item, attribute]
        low, high = places.lows[group, attribute], places.highs[group, attribute]
        total += charge(charges, attribute, min(low, leaf), max(high, leaf))
    return int(total)


@njit(cache=True)
def charge_without(places: Places, items: Points, charges: Charges, place: int, lows: Int32s, highs: Int32s) -> int:
    """What each record of a group would pay without one copy in a place; fills `lows` and `highs` with its box."""
    group = places.group[place]
    lows[:], highs[:] = places.lows[group], places.highs[group]
    if places.copies[place] > 1 or not _is_at_the_border(places, items, group, places.item[place]):
        return int(places.charge[group])
    _box(places, items, group, place, lows, highs)
    total = 0
    for attribute in range(items.leaves.shape[1]):
        total += charge(charges, attribute, lows[attribute], highs[attribute])
    return int(total)


@njit(cache=True)
def is_lawful_with(places: Places, items: Points, promise: Promise, group: int, more: int, less: int) -> bool:
    """Whether a group keeps the promise with one item more and one less; NONE for no item."""
    size = places.sizes[group]
    if more != NONE:
        size += items.sizes[more]
        _add(places, items, group, more, 1)
    if less != NONE:
        size -= items.sizes[less]
        _add(places, items, group, less, -1)
    lawful = is_lawful(places.histograms, group, size, promise)
    if more != NONE:
        _add(places, items, group, more, -1)
    if less != NONE:
        _add(places, items, group, less, 1)
    return bool(lawful)
