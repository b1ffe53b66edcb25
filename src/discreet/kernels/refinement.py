"""Partitions of a table under a growing set of decisions, with the price of every cut of one attribute.

One attribute, the *programmed* one, is never branched on. For each group of the others' values and each node of the
programmed taxonomy there is one partition (group_price), and its price goes into that node's total. The cheapest
cut of the programmed taxonomy under these totals is then a dynamic programme (cut_programme), over the bounds as well
as over the costs: a cut of the programmed attribute is common to all groups, and every loss is a sum over partitions.

A decision never changes a slice of the arena, it appends new ones, so going back is forgetting the end of the arena.

A group is *settled* when its rows do not differ in any open attribute: no decision can split it further. It needs
no second look; only lm has to charge it the generalization cost of a value that gets locked.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .cache import njit
from .codes import LOSS_METRIC
from .cut_programme import cheapest_cut
from .group_price import (
    ARENA_PRICE_COLUMNS,
    NODE,
    NOTHING,
    SLICE_START,
    SLICE_STOP,
    Arena,
    Int32s,
    Int64s,
    Programme,
    Rows,
    Scratch,
    differ,
    price_group,
)
from .partition_price import BOUND_FIXED, BOUND_WEIGHT, COST_FIXED, COST_WEIGHT, POSSIBLE, Rules

DONE, PRUNED, FULL_ROWS, FULL_GROUPS, FULL_PRICES, FULL_ACTIVE = range(6)
GROUPS_BETWEEN_CHECKS = 8
HASH_FACTOR, HASH_MASK = 1_000_003, (1 << 40) - 1  # their product stays within 64 bits

# A group: its slice of the arena; bit a of OPEN says that attribute a still has an open value here; what one
# record pays for the locked values (lm); 1 when settled; its slice of the prices.
START, STOP, OPEN, GENERALIZATION, SETTLED, FIRST_PRICE, STOP_PRICE = range(7)
GROUP_COLUMNS = 7


class Tops(NamedTuple):
    """How far each list of the arena is in use, and which groups are alive."""

    rows: int
    groups: int
    prices: int
    first_active: int
    stop_active: int


class Step(NamedTuple):
    """One decision: a value of `attribute` is specialized into its children, or locked."""

    lock: bool
    attribute: int
    first_leaf: int
    stop_leaf: int
    generalization: int
    """lm: what a record pays for the locked value"""
    child_of_leaf: Int32s
    """leaf - first_leaf -> number of the child above it"""
    child_is_leaf: npt.NDArray[np.bool_]


@njit(cache=True)
def _charge(group: int, sign: int, groups: Int64s, prices: Int64s, totals: Int64s) -> None:
    """Adds the bounds of a group to the totals of the programmed nodes, or takes them out again."""
    generalization = groups[group, GENERALIZATION]
    for price in range(groups[group, FIRST_PRICE], groups[group, STOP_PRICE]):
        node = prices[price, NODE]
        if prices[price, POSSIBLE]:
            totals[0, node] += sign * (prices[price, BOUND_FIXED] + prices[price, BOUND_WEIGHT] * generalization)
        else:
            totals[1, node] += sign


@njit(cache=True)
def _number_atoms(
    source: int,
    start: int,
    stop: int,
    open_attributes: int,
    leaves: Int32s,
    places: Int64s,
    rows: Int32s,
    atoms: Int32s,
) -> None:
    """Copies a slice to [start, stop) and numbers its atoms: rows equal in all open attributes share one.

    Open addressing: row 0 of `places` holds the first row of each atom, row 1 its number. The programmed
    attribute is never among the open ones, so atoms reach across its leaves.
    """
    room = 16
    while room < 2 * (stop - start):
        room *= 2
    for empty in range(room):
        places[0, empty] = -1
    count = 0
    for position in range(start, stop):
        row = rows[source + position - start]
        rows[position] = row
        code = NOTHING
        for attribute in range(leaves.shape[0]):
            if open_attributes >> attribute & 1:
                code = ((code ^ leaves[attribute, row]) * HASH_FACTOR) & HASH_MASK
        place = (code ^ (code >> 17)) & (room - 1)
        while True:
            other = places[0, place]
            if other < 0:
                places[0, place] = row
                places[1, place] = count
                count += 1
                break
            same = True
            for attribute in range(leaves.shape[0]):
                if open_attributes >> attribute & 1 and leaves[attribute, row] != leaves[attribute, other]:
                    same = False
                    break
            if same:
                break
            place = (place + 1) & (room - 1)
        atoms[position] = places[1, place]


@njit(cache=True)
def _finish_group(
    group: int, top: int, table: Rows, programme: Programme, rules: Rules, scratch: Scratch, arena: Arena
) -> int:
    """Prices a new group whose slice is in place; returns where its prices end."""
    start, stop, open_attributes = arena.groups[group, START], arena.groups[group, STOP], arena.groups[group, OPEN]
    arena.groups[group, FIRST_PRICE] = top
    top = price_group(start, stop, open_attributes, table, programme, rules, scratch, arena, top)
    arena.groups[group, STOP_PRICE] = top
    split_left = differ(start, stop, open_attributes, table.leaves, arena.row)
    arena.groups[group, SETTLED] = 0 if split_left else 1
    return top


@njit(cache=True)
def open_root(
    open_attributes: int,
    table: Rows,
    programme: Programme,
    rules: Rules,
    scratch: Scratch,
    arena: Arena,
    totals: Int64s,
) -> Tops:
    """The state before any decision: one group with all rows (already in the arena, sorted)."""
    count = table.leaves.shape[1]
    if rules.loss != LOSS_METRIC:
        _number_atoms(NOTHING, NOTHING, count, open_attributes, table.leaves, scratch.hash_table, arena.row, arena.atom)
    arena.groups[0, START] = 0
    arena.groups[0, STOP] = count
    arena.groups[0, OPEN] = open_attributes
    arena.groups[0, GENERALIZATION] = 0
    arena.active[0] = 0
    top = _finish_group(NOTHING, NOTHING, table, programme, rules, scratch, arena)
    _charge(NOTHING, 1, arena.groups, arena.prices, totals)
    return Tops(count, 1, top, 0, 1)


@njit(cache=True)
def _reprice_locked(group: int, new: int, top: int, leaves: Int32s, arena: Arena) -> int:
    """lm: the prices of a group with one attribute less open; a bound becomes the cost where no split is left."""
    groups, prices = arena.groups, arena.prices
    groups[new, FIRST_PRICE] = top
    for price in range(groups[group, FIRST_PRICE], groups[group, STOP_PRICE]):
        for column in range(ARENA_PRICE_COLUMNS):
            prices[top, column] = prices[price, column]
        if (
            prices[top, BOUND_FIXED] != prices[top, COST_FIXED] or prices[top, BOUND_WEIGHT] != prices[top, COST_WEIGHT]
        ) and not differ(prices[top, SLICE_START], prices[top, SLICE_STOP], groups[new, OPEN], leaves, arena.row):
            prices[top, BOUND_FIXED] = prices[top, COST_FIXED]
            prices[top, BOUND_WEIGHT] = prices[top, COST_WEIGHT]
        top += 1
    groups[new, STOP_PRICE] = top
    split_left = differ(groups[new, START], groups[new, STOP], groups[new, OPEN], leaves, arena.row)
    groups[new, SETTLED] = 0 if split_left else 1
    return top


@njit(cache=True)
def _spread(
    start: int,
    stop: int,
    target: int,
    codes: Int32s,
    step: Step,
    rows: Int32s,
    atoms: Int32s,
    with_atoms: bool,
    child_of: Int32s,
    ends: Int64s,
) -> None:
    """Sorts a slice by child, stable, to `target`; ends[child] is then where that child's part ends."""
    for child in range(len(ends)):
        ends[child] = 0
    for position in range(start, stop):
        child = step.child_of_leaf[codes[rows[position]] - step.first_leaf]
        child_of[position - start] = child
        ends[child] += 1
    place = target
    for child in range(len(ends)):
        part = ends[child]
        ends[child] = place
        place += part
    for position in range(start, stop):
        child = child_of[position - start]
        rows[ends[child]] = rows[position]
        if with_atoms:
            atoms[ends[child]] = atoms[position]
        ends[child] += 1


@njit(cache=True)
def decide(
    step: Step,
    cutoff: int,
    tops: Tops,
    table: Rows,
    programme: Programme,
    rules: Rules,
    scratch: Scratch,
    arena: Arena,
    totals: Int64s,
) -> tuple[int, int, Tops]:
    """Takes one decision; returns (DONE, bound, tops), or PRUNED as soon as the bound reaches the cutoff.

    `totals` is changed in place (row 0: bounds, row 1: impossible partitions, per programmed node).
    FULL_...: that list of the arena is too short; nothing of what was there has been touched but `totals`.
    """
    groups, prices, active = arena.groups, arena.prices, arena.active
    codes = table.leaves[step.attribute]
    children = len(step.child_is_leaf)
    ends = np.zeros(children, np.int64)
    top_row, top_group, top_price, top_active = tops.rows, tops.groups, tops.prices, tops.stop_active
    closed = ~(1 << step.attribute)
    unchecked = 0
    for index in range(tops.first_active, tops.stop_active):
        if top_active + children + 1 > len(active):
            return FULL_ACTIVE, 0, tops
        group = NOTHING + active[index]
        start, stop = groups[group, START], groups[group, STOP]
        concerned = step.first_leaf <= codes[arena.row[start]] < step.stop_leaf
        if not concerned or groups[group, SETTLED]:
            if concerned and step.generalization:
                for price in range(groups[group, FIRST_PRICE], groups[group, STOP_PRICE]):
                    totals[0, prices[price, NODE]] += prices[price, BOUND_WEIGHT] * step.generalization
            active[top_active] = group
            top_active += 1
            continue
        if top_row + stop - start > len(arena.row):
            return FULL_ROWS, 0, tops
        if top_group + children + 1 > len(groups):
            return FULL_GROUPS, 0, tops
        if top_price + (children + 1) * len(programme.parents) > len(prices):
            return FULL_PRICES, 0, tops
        _charge(group, -1, groups, prices, totals)
        if step.lock:
            new = top_group
            groups[new, START] = start
            groups[new, STOP] = stop
            groups[new, OPEN] = groups[group, OPEN] & closed
            groups[new, GENERALIZATION] = groups[group, GENERALIZATION] + step.generalization
            if rules.loss == LOSS_METRIC:
                top_price = _reprice_locked(group, new, top_price, table.leaves, arena)
            else:  # atoms merge, so the bounds change
                groups[new, START] = top_row
                groups[new, STOP] = top_row + stop - start
                top_row = groups[new, STOP]
                _number_atoms(
                    start,
                    groups[new, START],
                    top_row,
                    groups[new, OPEN],
                    table.leaves,
                    scratch.hash_table,
                    arena.row,
                    arena.atom,
                )
                top_price = _finish_group(new, top_price, table, programme, rules, scratch, arena)
            _charge(new, 1, groups, prices, totals)
            active[top_active] = new
            top_active += 1
            top_group += 1
        else:
            _spread(
                start,
                stop,
                top_row,
                codes,
                step,
                arena.row,
                arena.atom,
                rules.loss != LOSS_METRIC,
                scratch.child,
                ends,
            )
            for child in range(children):
                if ends[child] == top_row:
                    continue
                new = top_group
                groups[new, START] = top_row
                groups[new, STOP] = ends[child]
                top_row = ends[child]
                groups[new, OPEN] = groups[group, OPEN] & closed if step.child_is_leaf[child] else groups[group, OPEN]
                groups[new, GENERALIZATION] = groups[group, GENERALIZATION]
                top_price = _finish_group(new, top_price, table, programme, rules, scratch, arena)
                _charge(new, 1, groups, prices, totals)
                active[top_active] = new
                top_active += 1
                top_group += 1
        unchecked += 1
        if unchecked == GROUPS_BETWEEN_CHECKS:
            unchecked = 0
            bound = cheapest_cut(totals[0], totals[1], programme.parents, programme.end, scratch.best)
            if bound >= cutoff:
                return PRUNED, bound, tops
    bound = cheapest_cut(totals[0], totals[1], programme.parents, programme.end, scratch.best)
    return DONE, bound, Tops(top_row, top_group, top_price, tops.stop_active, top_active)
