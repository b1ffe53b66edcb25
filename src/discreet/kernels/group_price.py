"""The price of every partition of a group, one for each node of a taxonomy, in one pass over its rows.

One attribute, the *programmed* one, is never branched on (see refinement). The records are grouped by the values of
all the other attributes; for each group and each node of the programmed taxonomy there is one partition. A group is
a slice of an arena of row numbers, sorted by the leaf of the programmed attribute, so that a partition is a slice as
well, and one walk along the slice prices them all.

Rows of 64-bit numbers with named columns stand for records here: tuples of many arrays take numba ten times longer to
compile and, as every call counts references to each of them, run at a third of the speed.
"""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt

from .cache import njit
from .codes import CLASSIFICATION, LOSS_METRIC
from .partition_price import (
    BOUND_FIXED,
    BOUND_WEIGHT,
    COST_FIXED,
    COST_WEIGHT,
    POSSIBLE,
    PRICE_COLUMNS,
    Rules,
    price_partition,
)

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]

NOTHING = cast(int, np.int64(0))
"""A plain 0 would be a type of its own for numba, and every kernel it is passed to compiled twice."""

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


@njit(cache=True)
def differ(start: int, stop: int, open_attributes: int, leaves: Int32s, rows: Int32s) -> bool:
    """Whether the rows of a slice differ in any open attribute."""
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
            if path[level, PATH_CHILDREN] != 1:  # otherwise the only child's price is this node's, too
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
                    and not differ(path[level, PATH_START], position, open_attributes, table.leaves, arena.row)
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
                    if table.sensitive[index] >= rules.promise.blocks[0, 1]:
                        continue  # a record is in one column of the first block, and counts once
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
