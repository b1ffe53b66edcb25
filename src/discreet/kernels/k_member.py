"""Fills groups one after the other, and moves records between them as long as that saves; see search/table/k_member.

Points are the distinct combinations; the items of a point stand one after the other.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .boxes import Charges, Points, charge
from .cache import njit
from .lawful import Promise, is_lawful
from .places import (
    NONE,
    ROUND,
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
from .violation import violation

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]

MOST_DISSOLVED = 256
"""Groups with more items than this are not dissolved."""
FARTHEST = np.iinfo(np.int64).max


@njit(cache=True)
def find_neighbours(block: Int32s, leaves: Int32s, charges: Charges, neighbours: Int32s) -> Int64s:
    """Fills in the nearest points of each point of a block, nearest first, the point itself before them.

    Two points are as far apart as they would pay in a group of their own; of equal ones the narrower comes first.
    neighbours: point x rank, NONE where there are fewer. Returns how far away each of them is.
    """
    attributes, wanted = leaves.shape[1], neighbours.shape[1] - 1
    number = len(block)
    ranks = np.full((number, wanted), NONE, np.int32)
    distances = np.full((number, wanted), FARTHEST, np.int64)
    for one in range(number):
        for other in range(one + 1, number):
            limit = max(distances[one, wanted - 1], distances[other, wanted - 1])
            distance = 0
            for attribute in range(attributes):
                low, high = leaves[block[one], attribute], leaves[block[other], attribute]
                if low > high:
                    low, high = high, low
                distance += 8 * charge(charges, attribute, low, high) + charges.steps[attribute] * (high - low)
                if distance >= limit:
                    break
            if distance < distances[one, wanted - 1]:
                _insert(ranks[one], distances[one], other, distance)
            if distance < distances[other, wanted - 1]:
                _insert(ranks[other], distances[other], one, distance)
    for one in range(number):
        neighbours[block[one], 0] = block[one]
        for rank in range(wanted):
            other = ranks[one, rank]
            neighbours[block[one], rank + 1] = NONE if other == NONE else block[other]
    return distances


@njit(cache=True)
def _insert(ranks: Int32s, distances: Int64s, other: int, distance: int) -> None:
    place = len(ranks) - 1
    while place > 0 and distances[place - 1] > distance:
        ranks[place], distances[place] = ranks[place - 1], distances[place - 1]
        place -= 1
    ranks[place], distances[place] = other, distance


@njit(cache=True)
def fill_homes(places: Places, items: Points, charges: Charges, point_of: Int32s, homes: Int64s) -> None:
    """A group for each point some of whose copies are lawful together. homes: item -> those copies."""
    group, point = NONE, NONE
    for item in range(len(homes)):
        if homes[item] == 0:
            continue
        if point_of[item] != point:
            group, point = new_group(places), point_of[item]
        put(places, items, charges, group, item, homes[item])


@njit(cache=True)
def gather(
    places: Places,
    items: Points,
    charges: Charges,
    promise: Promise,
    neighbours: Int32s,
    first_item: Int64s,
    point_of: Int32s,
    seeds: Int32s,
    left: Int64s,
) -> None:
    """Opens a group at each seed and adds what costs least and brings it nearer to the promise, until it keeps it.

    What is added comes from the neighbours of the seed or, where none of them helps, from all of `seeds`: the items of
    a block, in the order in which they are tried. left: item -> copies that are in no group yet; those of groups that
    cannot be filled stay.
    """
    waiting, nearby = seeds.copy(), np.empty_like(seeds)
    number = len(waiting)
    for seed in seeds:
        near = 0
        for point in neighbours[point_of[seed]]:
            if point == NONE:
                break
            for item in range(first_item[point], first_item[point + 1]):
                if left[item] > 0 and near < len(nearby):
                    nearby[near] = item
                    near += 1
        while left[seed] > 0 and has_room(places, number):
            group = new_group(places)
            put(places, items, charges, group, seed, 1)
            left[seed] -= 1
            while not is_lawful(places.histograms, group, places.sizes[group], promise):
                best, near = _cheapest(places, items, charges, promise, group, nearby, near, left)
                if best == NONE:
                    lender = _lender(places, items, charges, promise, group, neighbours[point_of[seed]], first_item)
                    if lender != NONE:
                        borrowed = places.item[lender]
                        put(places, items, charges, group, borrowed, 1)
                        take(places, items, charges, lender, 1)
                        continue
                    best, number = _cheapest(places, items, charges, promise, group, waiting, number, left)
                if best == NONE:
                    break
                put(places, items, charges, group, best, 1)
                left[best] -= 1
            if not is_lawful(places.histograms, group, places.sizes[group], promise):
                while places.sizes[group] > 0:
                    place = places.first[group]
                    left[places.item[place]] += places.copies[place]
                    take(places, items, charges, place, places.copies[place])
                break


@njit(cache=True)
def _cheapest(
    places: Places,
    items: Points,
    charges: Charges,
    promise: Promise,
    group: int,
    waiting: Int32s,
    number: int,
    left: Int64s,
) -> tuple[int, int]:
    """Of the first so many items, the one that adds least to the loss of those that bring a group nearer to lawful.

    NONE if none does. Items of which nothing is left are dropped on the way; the second is how many there are then.
    """
    before = places.sizes[group] * places.charge[group]
    missing = violation(places.histograms, group, places.sizes[group], promise)
    best, least, fewest = NONE, FARTHEST, missing
    place = 0
    while place < number:
        item = waiting[place]
        if left[item] == 0:
            number -= 1
            waiting[place] = waiting[number]
            continue
        place += 1
        size = places.sizes[group] + items.sizes[item]
        added = size * charge_with(places, items, charges, group, item) - before
        if added > least:
            continue
        then = _violation_with(places, items, promise, group, item)
        if then < missing and (added < least or then < fewest):
            best, least, fewest = item, added, then
    return best, number


@njit(cache=True)
def _lender(
    places: Places,
    items: Points,
    charges: Charges,
    promise: Promise,
    group: int,
    nearby: Int32s,
    first_item: Int64s,
) -> int:
    """The place nearby from whose group a copy can be spared that brings this one nearer to lawful, and adds least."""
    before = places.sizes[group] * places.charge[group]
    missing = violation(places.histograms, group, places.sizes[group], promise)
    best, least = NONE, FARTHEST
    for point in nearby:
        if point == NONE:
            break
        for item in range(first_item[point], first_item[point + 1]):
            place = places.first_of_item[item]
            if place == NONE:
                continue
            size = places.sizes[group] + items.sizes[item]
            added = size * charge_with(places, items, charges, group, item) - before
            if added >= least or _violation_with(places, items, promise, group, item) >= missing:
                continue
            while place != NONE:
                giver = places.group[place]
                if giver != group and is_lawful_with(places, items, promise, giver, NONE, item):
                    best, least = place, added
                    break
                place = places.next_of_item[place]
    return best


@njit(cache=True)
def _violation_with(places: Places, items: Points, promise: Promise, group: int, item: int) -> float:
    for entry in range(items.first_entry[item], items.first_entry[item + 1]):
        places.histograms[group, items.columns[entry]] += items.counts[entry]
    then = violation(places.histograms, group, places.sizes[group] + items.sizes[item], promise)
    for entry in range(items.first_entry[item], items.first_entry[item + 1]):
        places.histograms[group, items.columns[entry]] -= items.counts[entry]
    return float(then)


@njit(cache=True)
def best_group(
    places: Places,
    items: Points,
    charges: Charges,
    promise: Promise,
    nearby: Int32s,
    first_item: Int64s,
    item: int,
    other_than: int,
    enough: int,
) -> tuple[int, int]:
    """The group nearby in which a copy of an item costs least and the promise stays, and what it adds to the loss.

    Nearby are the groups of `nearby`, a row of neighbours. (NONE, enough) where nothing adds less than `enough`.
    """
    best, least = NONE, enough
    places.counters[ROUND] += 1
    for point in nearby:
        if point == NONE:
            break
        for neighbour in range(first_item[point], first_item[point + 1]):
            place = places.first_of_item[neighbour]
            while place != NONE:
                group = places.group[place]
                place = places.next_of_item[place]
                if places.seen[group] == places.counters[ROUND]:
                    continue
                places.seen[group] = places.counters[ROUND]
                size = places.sizes[group]
                if group == other_than or items.sizes[item] * places.charge[group] >= least:
                    continue
                added = (size + items.sizes[item]) * charge_with(places, items, charges, group, item)
                added -= size * places.charge[group]
                if added < least and is_lawful_with(places, items, promise, group, item, NONE):
                    best, least = group, added
    return best, least


@njit(cache=True)
def settle(
    places: Places,
    items: Points,
    charges: Charges,
    promise: Promise,
    neighbours: Int32s,
    first_item: Int64s,
    point_of: Int32s,
    waiting: Int32s,
    left: Int64s,
) -> None:
    """Puts what was left over into groups nearby that take it."""
    for item in waiting:
        while left[item] > 0 and has_room(places, 1):
            group, _ = best_group(
                places, items, charges, promise, neighbours[point_of[item]], first_item, item, NONE, FARTHEST
            )
            if group == NONE:
                break
            put(places, items, charges, group, item, 1)
            left[item] -= 1


@njit(cache=True)
def settle_anywhere(
    places: Places, items: Points, charges: Charges, promise: Promise, cell_of: Int64s, waiting: Int32s, left: Int64s
) -> None:
    """The same with all groups of the cell; cell_of: by item."""
    for item in waiting:
        while left[item] > 0 and has_room(places, 1):
            best, least = NONE, FARTHEST
            for group in range(len(places.sizes)):
                size = places.sizes[group]
                if size == 0 or items.sizes[item] * places.charge[group] >= least:
                    continue
                added = (size + items.sizes[item]) * charge_with(places, items, charges, group, item)
                added -= size * places.charge[group]
                if (
                    added < least
                    and cell_of[places.item[places.first[group]]] == cell_of[item]
                    and is_lawful_with(places, items, promise, group, item, NONE)
                ):
                    best, least = group, added
            if best == NONE:
                break
            put(places, items, charges, best, item, 1)
            left[item] -= 1


@njit(cache=True)
def relocate(
    places: Places,
    items: Points,
    charges: Charges,
    promise: Promise,
    neighbours: Int32s,
    first_item: Int64s,
    point_of: Int32s,
    moved: Int32s,
) -> None:
    """Moves each copy of the items `moved` to where it costs least, where its group keeps the promise without it."""
    lows, highs = np.empty(items.leaves.shape[1], np.int32), np.empty(items.leaves.shape[1], np.int32)
    for item in moved:
        place = places.first_of_item[item]
        while place != NONE:
            following = places.next_of_item[place]
            group = places.group[place]
            while (
                places.charge[group] > 0
                and has_room(places, 1)
                and is_lawful_with(places, items, promise, group, NONE, item)
            ):
                rest = places.sizes[group] - items.sizes[item]
                saved = places.sizes[group] * places.charge[group]
                saved -= rest * charge_without(places, items, charges, place, lows, highs)
                target, _ = best_group(
                    places, items, charges, promise, neighbours[point_of[item]], first_item, item, group, saved
                )
                if target == NONE:
                    break
                is_last = places.copies[place] == 1
                take(places, items, charges, place, 1)
                put(places, items, charges, target, item, 1)
                if is_last:
                    break
            place = following


@njit(cache=True)
def dissolve(
    places: Places,
    items: Points,
    charges: Charges,
    promise: Promise,
    neighbours: Int32s,
    first_item: Int64s,
    point_of: Int32s,
    group: int,
    allowed: int,
) -> bool:
    """Gives every copy of a group to other groups, if all pay at most `allowed` more than before; else nothing changes.

    Whether it was done.
    """
    given, targets = np.empty(MOST_DISSOLVED, np.int32), np.empty(MOST_DISSOLVED, np.int32)
    room = places.sizes[group] * places.charge[group] + allowed
    number = 0
    place = places.first[group]
    copies = 0
    while place != NONE:
        copies += places.copies[place]
        place = places.next[place]
    if copies > MOST_DISSOLVED or not has_room(places, copies):
        return False
    while places.sizes[group] > 0:
        place = places.first[group]
        item = places.item[place]
        # What the group itself pays while it empties is not looked at: in the end it pays nothing.
        target, added = best_group(
            places, items, charges, promise, neighbours[point_of[item]], first_item, item, group, room + 1
        )
        if target == NONE:
            break
        take(places, items, charges, place, 1)
        put(places, items, charges, target, item, 1)
        given[number], targets[number] = item, target
        number += 1
        room -= added
    if places.sizes[group] == 0:
        return True
    for step in range(number - 1, -1, -1):
        take(places, items, charges, place_of(places, given[step], targets[step]), 1)
        put(places, items, charges, group, given[step], 1)
    return False


@njit(cache=True)
def dissolve_groups(
    places: Places,
    items: Points,
    charges: Charges,
    promise: Promise,
    neighbours: Int32s,
    first_item: Int64s,
    point_of: Int32s,
    moved: Int32s,
) -> None:
    """Dissolves each group of the items `moved` where that saves."""
    for item in moved:
        place = places.first_of_item[item]
        while place != NONE:
            following = places.next_of_item[place]
            group = places.group[place]
            if places.charge[group] > 0:
                dissolve(places, items, charges, promise, neighbours, first_item, point_of, group, -1)
                following = NONE  # the chain may have changed
            place = following


@njit(cache=True)
def gather_the_rest(
    places: Places, items: Points, charges: Charges, promise: Promise, cell_of: Int64s, rest: Int32s, left: Int64s
) -> None:
    """Makes one group of what is left, and merges others into it, the cheapest that help, until it keeps the promise.

    rest: items of one cell. A cell keeps the promise as a whole, so this ends. cell_of: by item.
    """
    group, cell = new_group(places), cell_of[rest[0]]
    for item in rest:
        put(places, items, charges, group, item, left[item])
        left[item] = 0
    histogram = np.empty((1, places.histograms.shape[1]), np.int64)
    while not is_lawful(places.histograms, group, places.sizes[group], promise):
        missing = violation(places.histograms, group, places.sizes[group], promise)
        best, least, helps = NONE, FARTHEST, False
        for other in range(len(places.sizes)):
            if other == group or places.sizes[other] == 0 or cell_of[places.item[places.first[other]]] != cell:
                continue
            size = places.sizes[group] + places.sizes[other]
            added = size * _charge_of_both(places, charges, group, other)
            added -= places.sizes[group] * places.charge[group] + places.sizes[other] * places.charge[other]
            if helps and added >= least:
                continue
            histogram[0] = places.histograms[group] + places.histograms[other]
            nearer = violation(histogram, 0, size, promise) < missing
            if nearer > helps or (nearer == helps and added < least):
                best, least, helps = other, added, nearer
        merge(places, items, charges, best, group)


@njit(cache=True)
def _charge_of_both(places: Places, charges: Charges, one: int, other: int) -> int:
    total = 0
    for attribute in range(places.lows.shape[1]):
        low = min(places.lows[one, attribute], places.lows[other, attribute])
        total += charge(charges, attribute, low, max(places.highs[one, attribute], places.highs[other, attribute]))
    return int(total)


@njit(cache=True)
def merge(places: Places, items: Points, charges: Charges, one: int, other: int) -> None:
    """Moves all that is in one group to another."""
    while places.sizes[one] > 0:
        place = places.first[one]
        item, copies = places.item[place], places.copies[place]
        take(places, items, charges, place, copies)
        put(places, items, charges, other, item, copies)


@njit(cache=True)
def merge_groups(places: Places, items: Points, charges: Charges, ones: Int64s, others: Int64s) -> None:
    """Merges each of `ones` with the group at its place in `others`."""
    for number in range(len(ones)):
        merge(places, items, charges, ones[number], others[number])
