"""Partitions of a table under a growing set of decisions, with the price of every cut of one attribute.

One attribute, the *programmed* one, is never branched on. The records are grouped by the values of all the
other attributes; for each group and each node of the programmed taxonomy there is one partition, and its
price goes into that node's total. The cheapest cut of the programmed taxonomy under these totals is then a
dynamic programme (cut_programme), over the bounds as well as over the costs: a cut of the programmed
attribute is common to all groups, and every loss is a sum over partitions.

Records come as *rows*: distinct combinations of leaves, each with its counts of sensitive values and classes. A
group is a slice of an arena of row numbers, sorted by the leaf of the programmed attribute, so that a partition
is a slice as well. A decision never changes a slice, it appends new ones, so going back is forgetting the end of
the arena.

A group is *settled* when its rows do not differ in any open attribute: no decision can split it any more.
It needs no second look; only lm has to charge it the generalization cost of a value that gets locked.

Rows of 64-bit numbers with named columns stand for records here: tuples of many arrays take numba ten times
longer to compile and, as every call counts references to each of them, run at a third of the speed.
"""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt
from numba import njit

from .cut_programme import cheapest_cut
from .partition_price import (
    BOUND_FIXED,
    BOUND_WEIGHT,
    CLASSIFICATION,
    COST_FIXED,
    COST_WEIGHT,
    LOSS_METRIC,
    POSSIBLE,
    PRICE_COLUMNS,
    Rules,
    price_partition,
)

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]

DONE, PRUNED, FULL_ROWS, FULL_GROUPS, FULL_PRICES, FULL_ACTIVE = range(6)
NOTHING = cast(int, np.int64(0))
"""A plain 0 would be a type of its own for numba, and every kernel it is passed to compiled twice."""
GROUPS_BETWEEN_CHECKS = 8
HASH_FACTOR, HASH_MASK = 1_000_003, (1 << 40) - 1  # their product stays within 64 bits

# A group: its slice of the arena; bit a of OPEN says that attribute a still has an open value here; what one
# record pays for the locked values (lm); 1 when settled; its slice of the prices.
START, STOP, OPEN, GENERALIZATION, SETTLED, FIRST_PRICE, STOP_PRICE = range(7)
GROUP_COLUMNS = 7

# A price in the arena: the columns of partition_price and then these.
NODE, SLICE_START, SLICE_STOP = range(PRICE_COLUMNS, PRICE_COLUMNS + 3)
ARENA_PRICE_COLUMNS = PRICE_COLUMNS + 3

# One level of the path in the programmed taxonomy: the node on it, where its slice starts, how many of its
# children had rows, and the slot with what it has collected.
PATH_NODE, PATH_START, PATH_CHILDREN, PATH_SLOT = range(4)
PATH_COLUMNS = 4

# What a slot has collected, besides its histograms and atoms: the number of records, of atoms, and the stamp that
# tells its atoms from those of earlier uses.
SIZE, ATOMS, STAMP = range(3)
SLOT_COLUMNS = 3


class Rows(NamedTuple):
    """The distinct combinations of leaves of a table."""

    leaves: Int32s
    """attribute x row -> leaf number"""
    first_count: Int32s
    """row -> where its counts begin; one more at the end"""
    sensitive: Int32s
    classes: Int32s
    counts: Int64s
    sizes: Int64s
    """row -> the sum of its counts"""


class Programme(NamedTuple):
    """The taxonomy of the programmed attribute, in pre-order, with what a record pays at each node."""

    attribute: int
    parents: Int32s
    end: Int32s
    first_leaf: Int32s
    stop_leaf: Int32s
    leaf_nodes: Int32s
    generalization: Int64s


class Scratch(NamedTuple):
    """Room for one path of the programmed taxonomy."""

    path: Int64s
    slots: Int64s
    histogram: Int64s
    by_class: Int64s
    price: Int64s
    atom_list: Int32s
    atom_stamp: Int64s
    atom_sizes: Int64s
    sizes: Int64s
    remainder: Int64s
    best: Int64s
    hash_table: Int64s
    child: Int32s


class Arena(NamedTuple):
    """All groups on the current path of the search; each list only grows, and is cut back on return."""

    row: Int32s
    atom: Int32s
    """the atom of each row, among those of its group (dm, cm)"""
    groups: Int64s
    prices: Int64s
    active: Int32s


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
def _differ(start: int, stop: int, open_attributes: int, leaves: Int32s, rows: Int32s) -> bool:
    """Do the rows of a slice differ in any open attribute?"""
    first = rows[start]
    for position in range(start + 1, stop):
        other = rows[position]
        for attribute in range(leaves.shape[0]):
            if open_attributes >> attribute & 1 and leaves[attribute, other] != leaves[attribute, first]:
                return True
    return False


@njit(cache=True)
def _add_to_atom(
    atom: int,
    cell: int,
    count: int,
    slot: int,
    classes: int,
    slots: Int64s,
    stamps: Int64s,
    atoms: Int32s,
    sizes: Int64s,
) -> None:
    """Adds records of one class (cell) to an atom of the slot; a new atom starts empty."""
    if stamps[slot, atom] != slots[slot, STAMP]:
        stamps[slot, atom] = slots[slot, STAMP]
        atoms[slot, slots[slot, ATOMS]] = atom
        slots[slot, ATOMS] += 1
        for label in range(classes):
            sizes[slot, atom * classes + label] = 0
    sizes[slot, atom * classes + cell] += count


@njit(cache=True)
def price_group(
    start: int,
    stop: int,
    open_attributes: int,
    table: Rows,
    programme: Programme,
    rules: Rules,
    scratch: Scratch,
    arena: Arena,
    top: int,
) -> int:
    """Prices the partitions of a group, one for each node of the programmed taxonomy that has rows.

    Writes them from `top` on and returns where they end. Walks the taxonomy as the rows do, leaf by leaf;
    a node is closed when the next leaf lies outside it, and hands what it has collected up to its parent.
    """
    path, slots, histogram, by_class = scratch.path, scratch.slots, scratch.histogram, scratch.by_class
    atom_sizes, price, prices = scratch.atom_sizes, scratch.price, arena.prices
    values, classes = histogram.shape[1], rules.classes
    with_classes = rules.loss == CLASSIFICATION
    with_atoms = rules.loss != LOSS_METRIC and open_attributes != 0
    programmed = table.leaves[programme.attribute]
    level = -1
    position = start
    while True:
        leaf = programmed[arena.row[position]] if position < stop else -1

        while level >= 0:  # close the nodes that the next leaf is not under
            node = path[level, PATH_NODE]
            if programme.first_leaf[node] <= leaf < programme.stop_leaf[node]:
                break
            slot = path[level, PATH_SLOT]
            if path[level, PATH_CHILDREN] != 1:  # else the only child's price is this node's, too
                atom_count = slots[slot, ATOMS] if with_atoms else 0
                majorities = 0
                if atom_count > 1:
                    for index in range(atom_count):
                        first_cell = scratch.atom_list[slot, index] * classes
                        if with_classes:
                            majority = 0
                            for cell in range(first_cell, first_cell + classes):
                                majority = max(majority, atom_sizes[slot, cell])
                            majorities += majority
                        else:
                            scratch.sizes[index] = atom_sizes[slot, first_cell]
                price_partition(
                    histogram,
                    by_class,
                    slot,
                    slots[slot, SIZE],
                    scratch.sizes,
                    atom_count,
                    majorities,
                    rules,
                    scratch.remainder,
                    price,
                )
                if (
                    rules.loss == LOSS_METRIC
                    and (
                        price[slot, BOUND_FIXED] != price[slot, COST_FIXED]
                        or price[slot, BOUND_WEIGHT] != price[slot, COST_WEIGHT]
                    )
                    and not _differ(path[level, PATH_START], position, open_attributes, table.leaves, arena.row)
                ):
                    price[slot, BOUND_FIXED] = price[slot, COST_FIXED]
                    price[slot, BOUND_WEIGHT] = price[slot, COST_WEIGHT]
            own = programme.generalization[node]
            prices[top, POSSIBLE] = price[slot, POSSIBLE]
            prices[top, BOUND_FIXED] = price[slot, BOUND_FIXED] + price[slot, BOUND_WEIGHT] * own
            prices[top, BOUND_WEIGHT] = price[slot, BOUND_WEIGHT]
            prices[top, COST_FIXED] = price[slot, COST_FIXED] + price[slot, COST_WEIGHT] * own
            prices[top, COST_WEIGHT] = price[slot, COST_WEIGHT]
            prices[top, NODE] = node
            prices[top, SLICE_START] = path[level, PATH_START]
            prices[top, SLICE_STOP] = position
            top += 1
            level -= 1
            if level < 0:
                break
            path[level, PATH_CHILDREN] += 1
            above = path[level, PATH_SLOT]
            if path[level, PATH_CHILDREN] == 1:  # the parent takes the slot over as it is
                path[level, PATH_SLOT] = slot
                path[level + 1, PATH_SLOT] = above
                continue
            slots[above, SIZE] += slots[slot, SIZE]
            for value in range(values):
                histogram[above, value] += histogram[slot, value]
            if with_classes:
                for cell in range(values * classes):
                    by_class[above, cell] += by_class[slot, cell]
            if with_atoms:
                for index in range(slots[slot, ATOMS]):
                    atom = scratch.atom_list[slot, index]
                    for label in range(classes):
                        _add_to_atom(
                            atom,
                            label,
                            atom_sizes[slot, atom * classes + label],
                            above,
                            classes,
                            slots,
                            scratch.atom_stamp,
                            scratch.atom_list,
                            atom_sizes,
                        )
        if position >= stop:
            return top

        above = path[level, PATH_NODE] if level >= 0 else -1  # open the path down to the leaf
        node = programme.leaf_nodes[leaf]
        while node != above:
            level += 1
            node = programme.parents[node]
        node = programme.leaf_nodes[leaf]
        lower = level
        while node != above:
            path[lower, PATH_NODE] = node
            path[lower, PATH_START] = position
            path[lower, PATH_CHILDREN] = 0
            node = programme.parents[node]
            lower -= 1

        slot = path[level, PATH_SLOT]  # collect the rows of the leaf
        for value in range(values):
            histogram[slot, value] = 0
        if with_classes:
            for cell in range(values * classes):
                by_class[slot, cell] = 0
        slots[slot, ATOMS] = 0
        scratch.slots[len(slots) - 1, STAMP] += 1  # the last row is the clock
        slots[slot, STAMP] = slots[len(slots) - 1, STAMP]
        size = 0
        while position < stop:
            row = arena.row[position]
            if programmed[row] != leaf:
                break
            size += table.sizes[row]
            for index in range(table.first_count[row], table.first_count[row + 1]):
                histogram[slot, table.sensitive[index]] += table.counts[index]
            if with_classes:
                for index in range(table.first_count[row], table.first_count[row + 1]):
                    label, count = table.classes[index], table.counts[index]
                    by_class[slot, table.sensitive[index] * classes + label] += count
                    if with_atoms:
                        _add_to_atom(
                            arena.atom[position],
                            label,
                            count,
                            slot,
                            classes,
                            slots,
                            scratch.atom_stamp,
                            scratch.atom_list,
                            atom_sizes,
                        )
            elif with_atoms:
                _add_to_atom(
                    arena.atom[position],
                    NOTHING,
                    table.sizes[row],
                    slot,
                    classes,
                    slots,
                    scratch.atom_stamp,
                    scratch.atom_list,
                    atom_sizes,
                )
            position += 1
        slots[slot, SIZE] = size


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
    differ = _differ(start, stop, open_attributes, table.leaves, arena.row)
    arena.groups[group, SETTLED] = 0 if differ else 1
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
        ) and not _differ(prices[top, SLICE_START], prices[top, SLICE_STOP], groups[new, OPEN], leaves, arena.row):
            prices[top, BOUND_FIXED] = prices[top, COST_FIXED]
            prices[top, BOUND_WEIGHT] = prices[top, COST_WEIGHT]
        top += 1
    groups[new, STOP_PRICE] = top
    differ = _differ(groups[new, START], groups[new, STOP], groups[new, OPEN], leaves, arena.row)
    groups[new, SETTLED] = 0 if differ else 1
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


@njit(cache=True)
def price_nodes(
    group_of: Int64s,
    generalization: Int64s,
    table: Rows,
    programme: Programme,
    rules: Rules,
    scratch: Scratch,
    arena: Arena,
    totals: Int64s,
) -> None:
    """The exact cost of every node of the programmed taxonomy when the cuts of all others are given.

    arena.row holds all rows sorted by group and, within, by programmed leaf; `group_of` and
    `generalization` (of one record at the others' cuts) are parallel to it.
    """
    prices = arena.prices
    start = NOTHING
    for position in range(1, len(group_of) + 1):
        if position < len(group_of) and group_of[position] == group_of[start]:
            continue
        top = price_group(start, position, NOTHING, table, programme, rules, scratch, arena, NOTHING)
        for price in range(top):
            node = prices[price, NODE]
            if prices[price, POSSIBLE]:
                totals[0, node] += prices[price, COST_FIXED] + prices[price, COST_WEIGHT] * generalization[start]
            else:
                totals[1, node] += 1
        start = position
