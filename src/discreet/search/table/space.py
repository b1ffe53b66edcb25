"""The cuts of a table's quasi-identifiers as a space for branch and bound.

One attribute is not branched on: its best cut is a dynamic programme at every node (kernels/refinement). This
cannot lose the optimum: every loss is a sum over partitions, so with the other attributes' cuts given, the cost
of a node of the programmed taxonomy is the sum over its partitions whatever the rest of the cut is; and the
least total of the partitions' lower bounds over all cuts bounds what any cut of that attribute can reach.

The programmed attribute is the one whose tree is deepest over the records: the mean number of inner nodes above
a record, each of which would be a decision. (Most cuts, the other natural choice, is misled by wide trees whose
values hardly occur.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from heapq import heappop, heappush
from math import ceil
from typing import Literal

import numpy as np
import numpy.typing as npt

from discreet.encode.table import EncodedTable
from discreet.errors import InputError
from discreet.kernels import cut_programme, group_price, refinement
from discreet.kernels.codes import LOSS_METRIC
from discreet.kernels.group_price import Arena, Programme, Rows, Scratch
from discreet.kernels.partition_price import ALL_BOUNDS, PRICE_COLUMNS, Rules
from discreet.kernels.refinement import Step, Tops
from discreet.models.cones import ConeDemand, compiled_promise
from discreet.models.limit_columns import LimitColumns
from discreet.models.schemes import SCHEMES
from discreet.search.branch_and_bound import Value, ValueCut
from discreet.search.cut_enumeration import Forest, OccurringTree
from discreet.search.table.problem import TableProblem
from discreet.values.arrays import Int64s

LARGEST_COST = 1 << 58
COARSEST_UNIT = 1 << 20
"""Where costs have to be rounded, they are rounded to this or less."""


@dataclass(frozen=True)
class Techniques:
    """What makes the search fast; each part can be switched off to measure what it gains."""

    warm_start: bool = True
    programme: Literal["deepest", "most-cuts", "none"] = "deepest"
    """the attribute that is not branched on"""
    order: Literal["descending", "ascending"] = "descending"
    """of the open values, by their number of records"""
    tighten: bool = True
    """the bound after backtracking takes the locked value into account"""
    stop_early: bool = True
    """a decision is not worked out to the end once its bound prunes it"""
    bounds: int = ALL_BOUNDS


FULL = Techniques()


@dataclass(frozen=True)
class PreparedTable:
    """A problem in the terms of the kernels, shared by warm start and search."""

    problem: TableProblem
    techniques: Techniques
    forest: Forest
    rows: Rows
    rules: Rules
    unit: int
    exact: bool
    """False: costs of lm had to be rounded down to 1 / unit"""
    generalization: tuple[Int64s, ...]
    """per tree: what a record pays at each node, in 1 / unit"""

    @property
    def rounding(self) -> Fraction:
        """What a release may cost more than it does in rounded costs: less than a unit for each value of a record,
        one for its suppression included."""
        table = self.problem.table
        return Fraction(0 if self.exact else table.rows * (len(table.attributes) + 1), self.unit)

    @classmethod
    def of(
        cls, problem: TableProblem, techniques: Techniques = FULL, *, merge_only_children: bool = True
    ) -> PreparedTable:
        table, loss = problem.table, problem.loss
        problem.check_digits()
        if loss.code is None:
            raise TypeError(f"The kernels cannot price {loss.name}.")
        trees = tuple(
            OccurringTree.of(
                taxonomy,
                table.occurrences(attribute) > 0,
                merge_only_children=merge_only_children,
                is_forbidden=table.is_forbidden(attribute),
            )
            for attribute, taxonomy in enumerate(table.taxonomies)
        )
        unit, exact = _unit(problem)
        generalization = tuple(
            np.array(
                [int(weight * loss.generalization(tree.taxonomy, int(node)) * unit) for node in tree.nodes], np.int64
            )
            for tree, weight in zip(trees, problem.weights, strict=True)
        )
        has_cones = isinstance(problem.demand, ConeDemand)
        columns = LimitColumns.of(problem.limits, every_value=loss.needs_class or has_cones)
        rules = Rules(
            scheme=SCHEMES[problem.scheme].code,
            loss=loss.code,
            promise=compiled_promise(problem.demand, columns),
            rows=table.rows,
            penalty=int(loss.penalty(problem.scheme, problem.weights) * unit),
            classes=len(table.class_values) if loss.needs_class else 1,
            guard_stars=problem.guard_stars,
            bounds=techniques.bounds,
        )
        return cls(problem, techniques, Forest(trees), _rows(table, trees, columns), rules, unit, exact, generalization)

    def of_suppression(self) -> PreparedTable:
        """The same table, with a cost of 1 for what is suppressed and nothing else."""
        rules = self.rules._replace(loss=LOSS_METRIC, penalty=1)
        free = tuple(np.zeros_like(charges) for charges in self.generalization)
        return replace(self, rules=rules, generalization=free, unit=1, exact=True)

    def with_surcharge(self, surcharge: int) -> PreparedTable:
        """The same table, with so much more to pay for what is suppressed (lm)."""
        return replace(self, rules=self.rules._replace(penalty=self.rules.penalty + surcharge))

    def programme(self, attribute: int) -> Programme:
        if attribute == len(self.forest.trees):  # none of the attributes: the constant one after them
            return _constant_programme(attribute)
        tree = self.forest.trees[attribute]
        return Programme(
            attribute=attribute,
            parents=tree.parents,
            end=tree.end,
            first_leaf=tree.first_leaf,
            stop_leaf=tree.stop_leaf,
            leaf_nodes=tree.leaf_nodes,
            generalization=self.generalization[attribute],
        )

    def programmed_attribute(self) -> int:
        """The attribute not to branch on: most inner nodes above a record, on average; ties by number of cuts."""
        choice, attributes = self.techniques.programme, range(len(self.forest.trees))
        if choice == "none":
            return len(attributes)

        def inner_nodes(attribute: int) -> int:
            tree = self.forest.trees[attribute]
            inner = tree.end > np.arange(len(tree.nodes)) + 1
            return int(self.records(attribute)[inner].sum()) if choice == "deepest" else 0

        return max(
            attributes, key=lambda attribute: (inner_nodes(attribute), self.forest.trees[attribute].count_cuts())
        )

    def records(self, attribute: int) -> Int64s:
        """How many records lie under each node of a tree."""
        tree = self.forest.trees[attribute]
        by_leaf = np.bincount(self.rows.leaves[attribute], weights=self.rows.sizes, minlength=len(tree.leaf_nodes))
        before = np.concatenate(([0], np.cumsum(by_leaf))).astype(np.int64)
        return np.asarray(before[tree.stop_leaf] - before[tree.first_leaf])

    def scratch(self, programme: Programme, *, atoms: bool) -> Scratch:
        """Working space for one programmed attribute; atoms: for the bounds of dm and cm."""
        levels = int(_depths(programme.parents).max()) + 1
        values, classes = len(self.rules.promise.shares) - 1, self.rules.classes
        count = self.rows.leaves.shape[1]
        with_atoms = atoms and self.rules.loss != LOSS_METRIC
        room = count if with_atoms else 0
        return Scratch(
            path=np.tile(np.arange(levels)[:, None], (1, group_price.PATH_COLUMNS)),
            slots=np.zeros((levels + 1, group_price.SLOT_COLUMNS), np.int64),
            histogram=np.zeros((levels, values), np.int64),
            by_class=np.zeros((levels, values * classes), np.int64),
            price=np.zeros((levels, PRICE_COLUMNS), np.int64),
            atom_list=np.zeros((levels, room), np.int32),
            atom_stamp=np.zeros((levels, room), np.int64),
            atom_sizes=np.zeros((levels, room * classes), np.int64),
            sizes=np.zeros(room, np.int64),
            remainder=np.zeros((1, values), np.int64),
            best=np.zeros(len(programme.parents), np.int64),
            hash_table=np.zeros((2, 16 + 4 * room), np.int64),
            child=np.zeros(count, np.int32),
        )


def _constant_programme(attribute: int) -> Programme:
    """A taxonomy of one value: programming it means branching on all attributes."""
    zero, one = np.zeros(1, np.int32), np.ones(1, np.int32)
    return Programme(attribute, zero - 1, one, zero, one, zero, np.zeros(1, np.int64))


def _depths(parents: npt.NDArray[np.int32]) -> Int64s:
    depths = np.zeros(len(parents), np.int64)
    for node in range(1, len(parents)):
        depths[node] = depths[parents[node]] + 1
    return depths


def _unit(problem: TableProblem) -> tuple[int, bool]:
    """The common denominator of all costs and whether costs are exact in it."""
    table, loss = problem.table, problem.loss
    exact = loss.unit(table.taxonomies, problem.weights)
    highest = 2 * max(1, ceil(loss.worst(table.rows, problem.weights)))
    if highest * exact < LARGEST_COST:
        return exact, True
    if highest * COARSEST_UNIT < LARGEST_COST:
        return 1 << ((LARGEST_COST - 1) // highest).bit_length() - 1, False
    raise InputError(f"{table.rows} rows are more than the loss {loss.name} can count in 64 bits.")


def _rows(table: EncodedTable, trees: tuple[OccurringTree, ...], columns: LimitColumns) -> Rows:
    """The distinct combinations of leaves in lexical order, so that neighbours in memory are similar.

    A constant attribute comes after the table's own, for the programme that branches on all of them.
    """
    leaves = np.stack([tree.leaf_of[row] for tree, row in zip(trees, table.leaves, strict=True)])
    order = np.lexsort((table.classes, table.sensitive, *leaves[::-1]))
    leaves, counts = leaves[:, order], table.counts[order]
    is_first = np.append(True, (leaves[:, 1:] != leaves[:, :-1]).any(axis=0))
    starts = np.flatnonzero(is_first)
    # Each record counts in every column that its sensitive value belongs to.
    sensitive = table.sensitive[order]
    first_entry = np.searchsorted(columns.value, np.arange(len(table.sensitive_values) + 1))
    entries = (first_entry[1:] - first_entry[:-1])[sensitive]
    before = np.concatenate(([0], np.cumsum(entries)))
    within = np.arange(before[-1]) - np.repeat(before[:-1], entries)
    return Rows(
        leaves=np.ascontiguousarray(np.vstack((leaves[:, starts], np.zeros_like(starts))), np.int32),
        first_count=before[np.append(starts, len(counts))].astype(np.int32),
        sensitive=columns.column[np.repeat(first_entry[:-1][sensitive], entries) + within],
        classes=np.repeat(table.classes[order], entries).astype(np.int32),
        counts=np.repeat(counts, entries),
        sizes=np.add.reduceat(counts, starts),
    )


def new_arena(rows: int, groups: int, prices: int, active: int) -> Arena:
    """An arena with this much room in each list."""
    return Arena(
        row=np.zeros(rows, np.int32),
        atom=np.zeros(rows, np.int32),
        groups=np.zeros((groups, refinement.GROUP_COLUMNS), np.int64),
        prices=np.zeros((prices, group_price.ARENA_PRICE_COLUMNS), np.int64),
        active=np.zeros(active, np.int32),
    )


def _enlarged(arena: Arena, full: int, tops: Tops) -> Arena:
    """The arena with the full list made twice as long; only what is in use is copied."""
    names, top = {
        refinement.FULL_ROWS: (("row", "atom"), tops.rows),
        refinement.FULL_GROUPS: (("groups",), tops.groups),
        refinement.FULL_PRICES: (("prices",), tops.prices),
        refinement.FULL_ACTIVE: (("active",), tops.stop_active),
    }[full]
    for name in names:
        old = getattr(arena, name)
        new = np.empty((2 * len(old), *old.shape[1:]), old.dtype)
        new[:top] = old[:top]
        arena = arena._replace(**{name: new})
    return arena


@dataclass
class TableSpace:
    """The Space of a prepared table: decisions on all attributes but the programmed one."""

    prepared: PreparedTable
    programmed: int
    _programme: Programme = field(init=False)
    _scratch: Scratch = field(init=False)
    _arena: Arena = field(init=False)
    _frames: list[tuple[Tops, Int64s]] = field(init=False)
    _ranks: list[tuple[int, int, int]] = field(init=False)
    _steps: dict[tuple[Value, bool], Step] = field(init=False)

    def __post_init__(self) -> None:
        prepared, forest = self.prepared, self.prepared.forest
        self._programme = prepared.programme(self.programmed)
        self._scratch = prepared.scratch(self._programme, atoms=True)
        count = prepared.rows.leaves.shape[1]
        nodes = len(self._programme.parents)
        self._arena = new_arena(4 * count + 64, 256, 16 * nodes + 4 * count, 1024)
        self._arena.row[:count] = np.argsort(prepared.rows.leaves[self.programmed], kind="stable")
        self._steps = {}
        records = [prepared.records(attribute) for attribute in range(len(forest.trees))]
        sizes = [tree.count_cuts() for tree in forest.trees]
        sign = -1 if prepared.techniques.order == "descending" else 1
        self._ranks = [
            (sign * int(records[attribute][node]), sizes[attribute], forest.value(attribute, node))
            for attribute, node in forest.places
        ]
        totals = np.zeros((2, nodes), np.int64)
        open_attributes = sum(
            1 << attribute
            for attribute, tree in enumerate(forest.trees)
            if attribute != self.programmed and len(tree.nodes) > 1
        )
        tops = refinement.open_root(
            open_attributes,
            prepared.rows,
            self._programme,
            prepared.rules,
            self._scratch,
            self._arena,
            totals,
        )
        if self.programmed < len(forest.trees):
            totals[1] += forest.trees[self.programmed].forbidden
        self._frames = [(Tops(*tops), totals)]
        for value in self._too_coarse():
            self.specialize(value, None)
        del self._frames[:-1]

    def _too_coarse(self) -> list[Value]:
        """The values that every cut has to specialize, those above first."""
        forest = self.prepared.forest
        return [
            forest.value(attribute, int(node))
            for attribute, tree in enumerate(forest.trees)
            if attribute != self.programmed
            for node in np.flatnonzero(tree.forbidden)
        ]

    @property
    def unit(self) -> int:
        return self.prepared.unit

    def root(self) -> tuple[tuple[Value, ...], ValueCut, int]:
        forest = self.prepared.forest
        coarsest = [
            forest.value(attribute, node)
            for attribute, tree in enumerate(forest.trees)
            if attribute != self.programmed
            for node in tree.coarsest_cut()
        ]
        opened = tuple(value for value in coarsest if self.is_open(value))
        fixed = tuple(value for value in coarsest if not self.is_open(value))
        return opened, fixed, self._bound()

    def children(self, value: Value) -> tuple[Value, ...]:
        return self.prepared.forest.children[value]

    def is_open(self, value: Value) -> bool:
        return bool(self.prepared.forest.children[value])

    def rank(self, value: Value) -> tuple[int, ...]:
        """Most records first (Observation 3.4); at a tie, as among the roots, the smaller taxonomy."""
        return self._ranks[value]

    def specialize(self, value: Value, cutoff: int | None) -> int:
        return self._decide(value, cutoff, lock=False)

    def lock(self, value: Value, cutoff: int | None) -> int:
        return self._decide(value, cutoff, lock=True)

    def rewind(self, decisions: int) -> None:
        del self._frames[decisions + 1 :]

    def solutions(self, fixed: ValueCut) -> Iterator[tuple[int, ValueCut]]:
        """With nothing open every bound is a cost: the cheapest cuts of the programmed taxonomy."""
        totals, forest = self.totals, self.prepared.forest
        if self.programmed == len(forest.trees):
            if not totals[1, 0]:
                yield int(totals[0, 0]), fixed
            return
        handed_out: set[tuple[int, ...]] = set()
        wanted = 1
        while True:
            found = cheapest_cuts(forest.trees[self.programmed], totals[0], totals[1], wanted)
            for cost, nodes in found:
                if nodes not in handed_out:  # cuts of equal cost may come in another order when more are asked for
                    handed_out.add(nodes)
                    yield cost, fixed + tuple(forest.value(self.programmed, node) for node in nodes)
            if len(found) < wanted:
                return
            wanted *= 2

    @property
    def totals(self) -> Int64s:
        """Per node of the programmed taxonomy: the bound, and a number above 0 where it must not be in a cut."""
        return self._frames[-1][1]

    def _bound(self) -> int:
        totals, programme = self.totals, self._programme
        best = self._scratch.best
        return int(cut_programme.cheapest_cut(totals[0], totals[1], programme.parents, programme.end, best))

    def _decide(self, value: Value, cutoff: int | None, *, lock: bool) -> int:
        tops, totals = self._frames[-1]
        step = self._steps.get((value, lock))
        if step is None:
            step = self._steps[value, lock] = self._step(value, lock)
        limit = cut_programme.UNREACHABLE + 1  # which no bound reaches
        if cutoff is not None and self.prepared.techniques.stop_early:
            limit = cutoff
        while True:
            changed = totals.copy()
            status, bound, after = refinement.decide(
                step,
                limit,
                tops,
                self.prepared.rows,
                self._programme,
                self.prepared.rules,
                self._scratch,
                self._arena,
                changed,
            )
            if status in (refinement.DONE, refinement.PRUNED):
                break
            self._arena = _enlarged(self._arena, status, tops)
        if status == refinement.DONE:
            self._frames.append((Tops(*after), changed))
        return int(bound)

    def _step(self, value: Value, lock: bool) -> Step:
        attribute, node = self.prepared.forest.places[value]
        tree = self.prepared.forest.trees[attribute]
        children = tree.children(node)
        sizes = [int(tree.stop_leaf[child] - tree.first_leaf[child]) for child in children]
        return Step(
            lock=lock,
            attribute=attribute,
            first_leaf=int(tree.first_leaf[node]),
            stop_leaf=int(tree.stop_leaf[node]),
            generalization=int(self.prepared.generalization[attribute][node]) if lock else 0,
            child_of_leaf=np.repeat(np.arange(len(children), dtype=np.int32), sizes),
            child_is_leaf=np.array([not tree.children(child) for child in children], np.bool_),
        )


def cheapest_cut_of(tree: OccurringTree, prices: Int64s, blocked: Int64s) -> tuple[int, tuple[int, ...]] | None:
    """The cheapest cut of a tree in which every node has a price; at a tie the more specific. None: all are blocked."""
    best = np.zeros(len(tree.nodes), np.int64)
    cost = int(cut_programme.cheapest_cut(prices, blocked, tree.parents, tree.end, best))
    if cost >= cut_programme.UNREACHABLE:
        return None
    cut, open_nodes = [], [0]
    while open_nodes:
        node = open_nodes.pop()
        children = tree.children(node)
        if children and (blocked[node] or sum(int(best[child]) for child in children) <= prices[node]):
            open_nodes += reversed(children)
        else:
            cut.append(node)
    return cost, tuple(cut)


def cheapest_cuts(tree: OccurringTree, prices: Int64s, blocked: Int64s, most: int) -> list[tuple[int, tuple[int, ...]]]:
    """The `most` cheapest cuts of a tree, cheapest first."""
    if most == 1:
        only = cheapest_cut_of(tree, prices, blocked)
        return [] if only is None else [only]
    best: list[list[tuple[int, tuple[int, ...]]]] = [[] for _ in tree.nodes]
    for node in range(len(tree.nodes) - 1, -1, -1):
        children = tree.children(node)
        found: list[tuple[int, tuple[int, ...]]] = []
        if children:
            found = best[children[0]]
            for child in children[1:]:
                found = _cheapest_pairs(found, best[child], most)
        if not blocked[node]:
            found = sorted([*found, (int(prices[node]), (node,))], key=lambda cut: cut[0])
        best[node] = found[:most]
        for child in children:
            best[child] = []
    return best[0]


def _cheapest_pairs(
    left: list[tuple[int, tuple[int, ...]]], right: list[tuple[int, tuple[int, ...]]], most: int
) -> list[tuple[int, tuple[int, ...]]]:
    """The cheapest sums of one element from each sorted list."""
    if not left or not right:
        return []
    pairs: list[tuple[int, tuple[int, ...]]] = []
    seen = {(0, 0)}
    heap = [(left[0][0] + right[0][0], 0, 0)]
    while heap and len(pairs) < most:
        cost, i, j = heappop(heap)
        pairs.append((cost, left[i][1] + right[j][1]))
        for k, m in ((i + 1, j), (i, j + 1)):
            if k < len(left) and m < len(right) and (k, m) not in seen:
                seen.add((k, m))
                heappush(heap, (left[k][0] + right[m][0], k, m))
    return pairs
