"""Prices of points that no grouping can undercut; see search/table/least_loss for why.

A *tuple* is one node above a point for each attribute. Every point lies in one tuple for each choice of levels. In each
tuple the k records with the highest prices are kept, falling, so that it is known at once how far a price may rise.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .cache import njit

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]

NONE = -1
UNBOUNDED = np.iinfo(np.int64).max


@njit(cache=True)
def find_tuples(
    nodes: Int32s,
    first_level: Int64s,
    levels: Int64s,
    charge_of: Int64s,
    first_node: Int64s,
    sizes: Int64s,
    priced: Int32s,
    k: int,
    tuples: Int32s,
) -> Int64s:
    """Fills `tuples`, priced point x choice of levels -> tuple, NONE for one with fewer than k records.

    nodes: level (those of an attribute one after the other, from `first_level` on) x point -> node. levels: how many
    each attribute has. charge_of: what a record pays for a node, those of an attribute from `first_node` on. Returns
    what a record pays for each tuple.
    """
    attributes, points = len(levels), nodes.shape[1]
    room = 1
    while room < 2 * points:
        room *= 2
    slot_point, stamp = np.empty(room, np.int64), np.zeros(room, np.int64)
    slot_of, content, number_of = np.empty(points, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    level = np.zeros(attributes, np.int64)
    charges = np.empty(1024, np.int64)
    number = 0
    for choice in range(tuples.shape[1]):
        for point in range(points):
            mixed = np.uint64(choice)
            for attribute in range(attributes):
                node = nodes[first_level[attribute] + level[attribute], point]
                mixed = (mixed ^ np.uint64(node)) * np.uint64(0x9E3779B97F4A7C15)
                mixed ^= mixed >> np.uint64(29)
            slot = np.int64(mixed & np.uint64(room - 1))
            while stamp[slot] == choice + 1:
                other = slot_point[slot]
                same = True
                for attribute in range(attributes):
                    row = first_level[attribute] + level[attribute]
                    if nodes[row, other] != nodes[row, point]:
                        same = False
                        break
                if same:
                    break
                slot = np.int64((slot + 1) % room)
            if stamp[slot] != choice + 1:
                stamp[slot], slot_point[slot], content[slot], number_of[slot] = choice + 1, point, 0, NONE
            content[slot] += sizes[point]
            slot_of[point] = slot
        for place in range(len(priced)):
            slot = slot_of[priced[place]]
            if content[slot] >= k and number_of[slot] == NONE:
                if number == len(charges):
                    longer = np.empty(2 * number, np.int64)
                    longer[:number] = charges
                    charges = longer
                total = 0
                for attribute in range(attributes):
                    node = nodes[first_level[attribute] + level[attribute], priced[place]]
                    total += charge_of[first_node[attribute] + node]
                charges[number] = total
                number_of[slot] = number
                number += 1
            tuples[place, choice] = number_of[slot]
        for attribute in range(attributes):
            level[attribute] += 1
            if level[attribute] < levels[attribute]:
                break
            level[attribute] = 0
    return charges[:number].copy()


@njit(cache=True)
def raise_prices(
    prices: Int64s,
    sizes: Int64s,
    tuples: Int32s,
    charges: Int64s,
    highest: Int32s,
    order: Int64s,
    rises: Int64s,
) -> None:
    """Raises the price of each point by its part of `rises`, or by as much as all of its tuples allow.

    highest: tuple x rank -> the point of the record with this rank, falling by price; NONE for records at no price.
    sizes: records of each point, fewer than k.
    """
    k = highest.shape[1]
    others = np.empty(k, np.int32)
    for point in order:
        size = sizes[point]
        allowed = prices[point] + rises[point]
        for number in tuples[point]:
            if number == NONE:
                continue
            # The k highest prices of a tuple sum up to the largest of: j records of the point and k - j others.
            most = k * charges[number]
            above = 0
            here = 0
            for rank in range(k):
                other = highest[number, rank]
                if other == point:
                    here += 1
                elif other != NONE:
                    others[above] = other
                    above += 1
            total = 0
            for rank in range(k - size):
                if rank < above:
                    total += prices[others[rank]]
            for records in range(size, max(here, 1) - 1, -1):
                allowed = min(allowed, (most - total) // records)
                rank = k - records
                if rank < above:
                    total += prices[others[rank]]
            if allowed <= prices[point]:
                break
        if allowed <= prices[point]:
            continue
        prices[point] = allowed
        for number in tuples[point]:
            if number == NONE:
                continue
            above = 0
            for rank in range(k):
                other = highest[number, rank]
                if other != point and other != NONE:
                    others[above] = other
                    above += 1
            rank, waiting, copies = 0, 0, size
            while rank < k:
                if copies > 0 and (waiting == above or prices[others[waiting]] <= allowed):
                    highest[number, rank] = point
                    copies -= 1
                elif waiting < above:
                    highest[number, rank] = others[waiting]
                    waiting += 1
                else:
                    highest[number, rank] = NONE
                rank += 1


@njit(cache=True)
def is_within(prices: Int64s, sizes: Int64s, tuples: Int32s, charges: Int64s, k: int) -> bool:
    """Whether the k highest prices in every tuple are at most k times its charge, counted anew."""
    highest = np.zeros((len(charges), k), np.int64)
    for point in range(len(prices)):
        for number in tuples[point]:
            if number == NONE:
                continue
            for _ in range(sizes[point]):
                price = prices[point]
                for rank in range(k):
                    if price > highest[number, rank]:
                        price, highest[number, rank] = highest[number, rank], price
    for number in range(len(charges)):
        total = 0
        for rank in range(k):
            total += highest[number, rank]
        if total > k * charges[number]:
            return False
    return True
