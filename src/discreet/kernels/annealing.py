"""Moves records between groups at random: what saves is done, what costs is done the less often the more it costs.

Kirkpatrick, Gelatt and Vecchi 1983. A try takes an item in a group and the group of a neighbour. The item moves over;
or, where its own group cannot do without it, is exchanged for one of the other group. Now and then a group is dissolved
among its neighbours, or a new one is opened from what other groups can spare. Every group is lawful after every try.
"""

from __future__ import annotations

from math import log

import numpy as np
import numpy.typing as npt

from .boxes import Charges, Points, charge
from .cache import njit
from .k_member import MOST_DISSOLVED, dissolve
from .lawful import Promise, is_lawful
from .places import (
    COST,
    NONE,
    Places,
    charge_with,
    charge_without,
    has_room,
    is_lawful_with,
    new_group,
    place_of,
    put,
    take,
)

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
UInt64s = npt.NDArray[np.uint64]

RARE = 64
"""One try in so many dissolves a group, and one opens one."""


@njit(cache=True)
def _share(state: UInt64s) -> float:
    """The next random number from 0 to 1 (splitmix64)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    mixed = state[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return float(mixed >> np.uint64(11)) * (1.0 / (1 << 53))


@njit(cache=True)
def _below(state: UInt64s, number: int) -> int:
    return int(_share(state) * number)


@njit(cache=True)
def _place_of_item(places: Places, item: int, state: UInt64s) -> int:
    """One of the places of an item, drawn at random."""
    chosen, place = NONE, places.first_of_item[item]
    seen = 0
    while place != NONE and seen < 16:
        seen += 1
        if chosen == NONE or _below(state, seen) == 0:
            chosen = place
        place = places.next_of_item[place]
    return int(chosen)


@njit(cache=True)
def _place_of_group(places: Places, group: int, state: UInt64s) -> int:
    """One of the places of a group, drawn at random from the first of them."""
    chosen, place = NONE, places.first[group]
    seen = 0
    while place != NONE and seen < 32:
        seen += 1
        if chosen == NONE or _below(state, seen) == 0:
            chosen = place
        place = places.next[place]
    return int(chosen)


@njit(cache=True)
def _pays_with(places: Places, items: Points, charges: Charges, lows: Int32s, highs: Int32s, item: int) -> int:
    """What each record of a box pays with one more item in it."""
    total = 0
    for attribute in range(len(lows)):
        leaf = items.leaves[item, attribute]
        total += charge(charges, attribute, min(lows[attribute], leaf), max(highs[attribute], leaf))
    return int(total)


@njit(cache=True)
def anneal(
    places: Places,
    items: Points,
    charges: Charges,
    promise: Promise,
    neighbours: Int32s,
    first_item: Int64s,
    point_of: Int32s,
    moved: Int32s,
    temperature: float,
    tries: int,
    state: UInt64s,
) -> None:
    """So many tries with items of `moved`, at a temperature in the unit of charges."""
    attributes = items.leaves.shape[1]
    lows, highs = np.empty(attributes, np.int32), np.empty(attributes, np.int32)
    other_lows, other_highs = np.empty(attributes, np.int32), np.empty(attributes, np.int32)
    for trial in range(tries):
        item = moved[_below(state, len(moved))]
        place = _place_of_item(places, item, state)
        group = places.group[place]
        kind = trial % RARE
        # What adds more than this is not done.
        allowed = -temperature * log(max(_share(state), 1e-300))
        if kind == 0:
            if places.charge[group] > 0:
                dissolve(
                    places, items, charges, promise, neighbours, first_item, point_of, group, int(min(allowed, 1e15))
                )
            continue
        nearby = neighbours[point_of[item]]
        if kind == 1:
            _open(places, items, charges, promise, nearby, first_item, item, place, allowed, state)
            continue
        if places.charge[group] == 0:
            continue
        rank = int(len(nearby) * _share(state) ** 2)
        if nearby[rank] == NONE:
            continue
        first, stop = first_item[nearby[rank]], first_item[nearby[rank] + 1]
        other = _place_of_item(places, first + _below(state, stop - first), state)
        target = places.group[other]
        if target == group or not has_room(places, 2):
            continue
        before = places.sizes[group] * places.charge[group] + places.sizes[target] * places.charge[target]
        pays = charge_without(places, items, charges, place, lows, highs)
        if is_lawful_with(places, items, promise, group, NONE, item):
            after = (places.sizes[group] - items.sizes[item]) * pays
            after += (places.sizes[target] + items.sizes[item]) * charge_with(places, items, charges, target, item)
            if after - before <= allowed and is_lawful_with(places, items, promise, target, item, NONE):
                take(places, items, charges, place, 1)
                put(places, items, charges, target, item, 1)
            continue
        other = _place_of_group(places, target, state)
        exchanged = places.item[other]
        if exchanged == item:
            continue
        difference = items.sizes[exchanged] - items.sizes[item]
        after = (places.sizes[group] + difference) * _pays_with(places, items, charges, lows, highs, exchanged)
        if after - before > allowed:
            continue
        charge_without(places, items, charges, other, other_lows, other_highs)
        after += (places.sizes[target] - difference) * _pays_with(places, items, charges, other_lows, other_highs, item)
        if (
            after - before <= allowed
            and is_lawful_with(places, items, promise, group, exchanged, item)
            and is_lawful_with(places, items, promise, target, item, exchanged)
        ):
            put(places, items, charges, target, item, 1)
            put(places, items, charges, group, exchanged, 1)
            take(places, items, charges, place, 1)
            take(places, items, charges, other, 1)


@njit(cache=True)
def _open(
    places: Places,
    items: Points,
    charges: Charges,
    promise: Promise,
    nearby: Int32s,
    first_item: Int64s,
    item: int,
    place: int,
    allowed: float,
    state: UInt64s,
) -> None:
    """Opens a group with an item and what its neighbours' groups can spare, if that costs at most `allowed` more."""
    if places.charge[places.group[place]] == 0 or not has_room(places, MOST_DISSOLVED):
        return
    if not is_lawful_with(places, items, promise, places.group[place], NONE, item):
        return
    before = places.counters[COST]
    given, sources = np.empty(MOST_DISSOLVED, np.int32), np.empty(MOST_DISSOLVED, np.int32)
    given[0], sources[0] = item, places.group[place]
    number = 1
    group = new_group(places)
    put(places, items, charges, group, item, 1)
    take(places, items, charges, place, 1)
    lawful = is_lawful(places.histograms, group, places.sizes[group], promise)
    for point in nearby:
        if point == NONE or lawful:
            break
        for neighbour in range(first_item[point], first_item[point + 1]):
            source = places.first_of_item[neighbour]
            while source != NONE and not lawful and number < MOST_DISSOLVED:
                following = places.next_of_item[source]
                giver = places.group[source]
                if giver != group and is_lawful_with(places, items, promise, giver, NONE, neighbour):
                    is_last = places.copies[source] == 1
                    put(places, items, charges, group, neighbour, 1)
                    take(places, items, charges, source, 1)
                    given[number], sources[number] = neighbour, giver
                    number += 1
                    lawful = is_lawful(places.histograms, group, places.sizes[group], promise)
                    if not is_last:
                        following = source
                source = following
    if lawful and places.counters[COST] - before <= allowed:
        return
    for step in range(number - 1, -1, -1):
        put(places, items, charges, sources[step], given[step], 1)
        take(places, items, charges, place_of(places, given[step], group), 1)
