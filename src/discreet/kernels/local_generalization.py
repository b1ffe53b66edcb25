"""Local generalization from the top: partitions of transactions split until no part could stay large enough.

A partition is a run of rows, each a distinct set and how many transactions of it are here, and a run of nodes, the
items that all of them are published with. Partitions wait on a stack. The one on top has the last rows and the last
nodes, so what it is split into can be written where it was, even when a row is split in two.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .cache import njit

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class Sources(NamedTuple):
    """The distinct sets, as leaf numbers: set i is leaves[offsets[i]:offsets[i + 1]], ascending."""

    offsets: Int64s
    leaves: Int32s


class Tree(NamedTuple):
    """The taxonomy in pre-order; the children of v are children[first_child[v]:first_child[v + 1]]."""

    first_leaf: Int32s
    stop_leaf: Int32s
    first_child: Int64s
    children: Int32s
    price: Int64s
    """node -> what one occurrence published as it costs"""


class Partitions(NamedTuple):
    """Partitions one after another; partition i begins at row first_row[i] and at node first_node[i]."""

    sources: Int32s
    counts: Int64s
    nodes: Int32s
    is_open: Bools
    """parallel to nodes: whether the node might still be expanded"""
    first_row: Int64s
    first_node: Int64s
    length: Int64s
    """how many PARTITIONS, ROWS and NODES there are"""


PARTITIONS, ROWS, NODES = range(3)

# What the kernel reports about its work.
STEPS, SAVED = range(2)


@njit(cache=True)
def split_partitions(
    sources: Sources,
    tree: Tree,
    smallest: int,
    waiting: Partitions,
    final: Partitions,
    steps: int,
    random: np.random.Generator,
    told: Int64s,
) -> None:
    """Takes `steps` partitions from the stack and expands the best node of each, or moves it to the final ones."""
    for _ in range(steps):
        top = waiting.length[PARTITIONS] - 1
        if top < 0:
            return
        told[STEPS] += 1
        first_row, first_node = waiting.first_row[top], waiting.first_node[top]
        row_sources = waiting.sources[first_row : waiting.length[ROWS]].copy()
        row_counts = waiting.counts[first_row : waiting.length[ROWS]].copy()
        nodes = waiting.nodes[first_node : waiting.length[NODES]].copy()
        is_open = waiting.is_open[first_node : waiting.length[NODES]].copy()
        waiting.length[PARTITIONS], waiting.length[ROWS], waiting.length[NODES] = top, first_row, first_node

        best = _best_node(sources, tree, smallest, row_sources, row_counts, nodes, is_open)
        if best < 0:
            _begin_partition(final)
            for row in range(len(row_sources)):
                _add_row(final, row_sources[row], row_counts[row])
            for index in range(len(nodes)):
                _add_node(final, nodes[index], False)
        else:
            told[SAVED] += _expand(
                sources, tree, smallest, row_sources, row_counts, nodes, is_open, best, waiting, random
            )


@njit(cache=True)
def _best_node(
    sources: Sources,
    tree: Tree,
    smallest: int,
    row_sources: Int32s,
    row_counts: Int64s,
    nodes: Int32s,
    is_open: Bools,
) -> int:
    """The index of the open node whose expansion saves most, -1 for none; closes those that cannot be expanded."""
    best, most_saved = -1, -1
    for index in range(len(nodes)):
        if not is_open[index]:
            continue
        pattern, saving, size = _patterns(sources, tree, nodes[index], row_sources, row_counts)
        parts, left_over, spare = 0, 0, 0
        for transactions in size:
            if transactions >= smallest:
                parts += 1
                spare += transactions - smallest
            else:
                left_over += transactions
        if parts == 0 or (parts == 1 and left_over > 0 and left_over + spare < smallest):
            is_open[index] = False
            continue
        saved = 0
        for row in range(len(row_sources)):
            if size[pattern[row]] >= smallest:
                saved += row_counts[row] * saving[row]
        if saved > most_saved:
            best, most_saved = index, saved
    return best


@njit(cache=True)
def _patterns(
    sources: Sources, tree: Tree, node: int, row_sources: Int32s, row_counts: Int64s
) -> tuple[Int32s, Int64s, Int64s]:
    """Which children of the node each row has.

    Row -> a number for its set of children, row -> what one transaction of it saves when the node becomes them, and
    number -> how many transactions have it. Sets are told apart exactly: a set's number is found by its last child and
    the number of the set of those before.
    """
    rows = len(row_sources)
    pattern = np.empty(rows, np.int32)
    saving = np.empty(rows, np.int64)
    numbers = {np.int64(-1): np.int64(0)}
    width = np.int64(len(tree.price))
    for row in range(rows):
        stop = sources.offsets[row_sources[row] + 1]
        place = _first_below(sources, tree, node, row_sources[row])
        number, saved = np.int64(0), np.int64(0)
        while place < stop and sources.leaves[place] < tree.stop_leaf[node]:
            child = _child_above(tree, node, sources.leaves[place])
            key = number * width + child
            if key in numbers:
                number = numbers[key]
            else:
                number = np.int64(len(numbers))
                numbers[key] = number
            while place < stop and sources.leaves[place] < tree.stop_leaf[child]:
                saved += tree.price[node] - tree.price[child]
                place += 1
        pattern[row] = number
        saving[row] = saved
    size = np.zeros(len(numbers), np.int64)
    for row in range(rows):
        size[pattern[row]] += row_counts[row]
    return pattern, saving, size


@njit(cache=True)
def _first_below(sources: Sources, tree: Tree, node: int, source: int) -> int:
    """Where the leaves of the source that lie under the node begin."""
    low, high = sources.offsets[source], sources.offsets[source + 1]
    while low < high:
        middle = (low + high) // 2
        if sources.leaves[middle] < tree.first_leaf[node]:
            low = middle + 1
        else:
            high = middle
    return int(low)


@njit(cache=True)
def _child_above(tree: Tree, node: int, leaf: int) -> int:
    low, high = tree.first_child[node], tree.first_child[node + 1] - 1
    while low < high:
        middle = (low + high) // 2
        if tree.stop_leaf[tree.children[middle]] <= leaf:
            low = middle + 1
        else:
            high = middle
    return int(tree.children[low])


@njit(cache=True)
def _expand(
    sources: Sources,
    tree: Tree,
    smallest: int,
    row_sources: Int32s,
    row_counts: Int64s,
    nodes: Int32s,
    is_open: Bools,
    best: int,
    waiting: Partitions,
    random: np.random.Generator,
) -> int:
    """Puts the parts on the stack, the left-over one with the node as it is and closed; returns what was saved."""
    rows = len(row_sources)
    pattern, saving, size = _patterns(sources, tree, nodes[best], row_sources, row_counts)
    moved = _balance(smallest, pattern, row_counts, size, random)
    kept_rows = np.zeros(len(size) + 1, np.int64)
    left_over = 0
    for row in range(rows):
        if moved[row] < row_counts[row]:
            kept_rows[pattern[row] + 1] += 1
        left_over += moved[row]
    place = np.cumsum(kept_rows)
    order = np.empty(place[-1], np.int64)
    for row in range(rows):
        if moved[row] < row_counts[row]:
            order[place[pattern[row]]] = row
            place[pattern[row]] += 1

    saved = 0
    last = -1
    for row in order:
        if pattern[row] != last:
            last = pattern[row]
            _begin_partition(waiting)
            for index in range(best):
                _add_node(waiting, nodes[index], is_open[index])
            _add_children(sources, tree, nodes[best], row_sources[row], waiting)
            for index in range(best + 1, len(nodes)):
                _add_node(waiting, nodes[index], is_open[index])
        kept = row_counts[row] - moved[row]
        saved += kept * saving[row]
        _add_row(waiting, row_sources[row], kept)
    if left_over > 0:
        _begin_partition(waiting)
        for index in range(len(nodes)):
            _add_node(waiting, nodes[index], is_open[index] and index != best)
        for row in range(rows):
            if moved[row] > 0:
                _add_row(waiting, row_sources[row], moved[row])
    return saved


@njit(cache=True)
def _balance(smallest: int, pattern: Int32s, row_counts: Int64s, size: Int64s, random: np.random.Generator) -> Int64s:
    """Row -> how many of its transactions go to the left-over part.

    All of those whose pattern is too rare, and where these are too few to be alone, others: from the largest parts
    what they can spare, drawn at random, or else the whole smallest part.
    """
    rows = len(pattern)
    taken = np.zeros(len(size), np.int64)
    left_over, spare, least = 0, 0, -1
    for number in range(len(size)):
        if size[number] < smallest:
            taken[number] = size[number]
            left_over += size[number]
        else:
            spare += size[number] - smallest
            if least < 0 or size[number] < size[least]:
                least = number
    wanted = smallest - left_over if left_over > 0 else 0
    if wanted > spare:
        taken[least] = size[least]
    else:
        while wanted > 0:
            largest = np.argmax(size - taken)
            given = min(wanted, size[largest] - taken[largest] - smallest)
            taken[largest] += given
            wanted -= given

    moved = np.zeros(rows, np.int64)
    unseen = size.copy()
    for row in range(rows):
        number = pattern[row]
        if taken[number] == unseen[number]:
            moved[row] = row_counts[row]
            taken[number] -= row_counts[row]
            unseen[number] -= row_counts[row]
            continue
        for _ in range(row_counts[row]):
            if taken[number] == 0:
                break
            if random.random() * unseen[number] < taken[number]:
                moved[row] += 1
                taken[number] -= 1
            unseen[number] -= 1
    return moved


@njit(cache=True)
def _add_children(sources: Sources, tree: Tree, node: int, source: int, partitions: Partitions) -> None:
    """Adds the children of the node that the source has."""
    place, stop = _first_below(sources, tree, node, source), sources.offsets[source + 1]
    while place < stop and sources.leaves[place] < tree.stop_leaf[node]:
        child = _child_above(tree, node, sources.leaves[place])
        _add_node(partitions, child, tree.first_child[child] < tree.first_child[child + 1])
        while place < stop and sources.leaves[place] < tree.stop_leaf[child]:
            place += 1


@njit(cache=True)
def _begin_partition(partitions: Partitions) -> None:
    number = partitions.length[PARTITIONS]
    partitions.first_row[number] = partitions.length[ROWS]
    partitions.first_node[number] = partitions.length[NODES]
    partitions.length[PARTITIONS] += 1


@njit(cache=True)
def _add_row(partitions: Partitions, source: int, count: int) -> None:
    partitions.sources[partitions.length[ROWS]] = source
    partitions.counts[partitions.length[ROWS]] = count
    partitions.length[ROWS] += 1


@njit(cache=True)
def _add_node(partitions: Partitions, node: int, is_open: bool) -> None:
    partitions.nodes[partitions.length[NODES]] = node
    partitions.is_open[partitions.length[NODES]] = is_open
    partitions.length[NODES] += 1
