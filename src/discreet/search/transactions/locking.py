"""Which nodes no valid cut specializes, found before anything else.

Let C(x) be the most general cut in which x is specialized: the children of x, and along the path from the root to x
the siblings of its nodes. Every cut that specializes x is a specialization of C(x), and validity is monotone, so x is
locked for good exactly when C(x) is invalid (a permanently locked item of Liu 2010, pruning IV, found by one test
instead of by meeting its threats). Top-down, C(parent of x) is known to be valid, so only itemsets with a child of x
are new (Theorem 4.3), and these have no item above C(x).

A test looks at few transactions: without knowledge of absent items only those under x. All others look as they did at
C(parent of x), so its merged patterns are taken over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.kernels.absent_items import FOUND
from discreet.kernels.row_sets import (
    children_by_row,
    generalize_rows,
    group_rows,
    node_supports,
    places_in,
    rows_of_items,
)
from discreet.models.itemset_limits import ItemsetLimits
from discreet.search.limits import Limits
from discreet.search.transactions.stoppable import run_stoppable
from discreet.search.transactions.view import Bools, CutView, Rows, database, no_clauses, power_of
from discreet.taxonomy import Taxonomy
from discreet.values.arrays import Int32s, Int64s
from discreet.values.sets import Sets


@dataclass(frozen=True, eq=False)
class _Patterns:
    """The transactions at C(x) for some x, merged; an item is a place in `cut`, where specialized nodes leave holes."""

    sets: Sets
    sensitive: Sets
    counts: Int64s
    cut: Int32s
    """place -> node; the children of x come last"""
    rows: Int64s
    """the original transactions under x, ascending"""
    pattern_of: Int64s
    """parallel to rows"""


@dataclass(frozen=True, eq=False)
class Locking:
    """What the tests found."""

    free: Bools
    """node -> can it be specialized by some valid cut?"""
    tests: int
    examined: int
    finished: bool
    """False: time was up, and the nodes not yet tested are not free"""


def unlocked_nodes(
    rows: Rows, taxonomy: Taxonomy, limits: ItemsetLimits, may_be_specialized: Bools, clock: Limits
) -> Locking | None:
    """Tests all nodes that may be specialized, top-down; None where even the root alone is a threat."""
    tester = _Tester(rows, taxonomy, limits)
    top = tester.most_general()
    if tester.is_threat_by_absence([0]) or tester.has_threat(top, 1, np.zeros(1, np.int64)):
        return None

    def test_all(stop: Int64s) -> Locking:
        free = np.zeros(len(taxonomy.labels), bool)
        stack = [(0, top)]
        while stack:
            node, patterns = stack.pop()
            children = tester.occurring_children(node)
            if (
                not may_be_specialized[node]
                or not len(children)
                or tester.is_one_rare(children)
                or tester.is_threat_by_absence(taxonomy.children(node))
            ):
                continue
            below = patterns
            if not tester.single_supports_decide:
                below = tester.specialized(patterns, node)
                if tester.has_threat(below, len(children), stop):
                    continue
            if stop[0] or clock.is_over:
                return Locking(free, tester.tests, int(tester.examined[0]), False)
            free[node] = True
            stack += [(int(child), below) for child in children]
        return Locking(free, tester.tests, int(tester.examined[0]), True)

    return run_stoppable(test_all, clock)


class _Tester:
    def __init__(self, rows: Rows, taxonomy: Taxonomy, limits: ItemsetLimits) -> None:
        self.rows = rows
        self.taxonomy = taxonomy
        self.limits = limits
        self.leaves = (taxonomy.stop_leaf - taxonomy.first_leaf).astype(np.int64)
        self.first_place, self.rows_in_order = rows_of_items(rows.sets.offsets, rows.sets.items, len(taxonomy.labels))
        self.supports = node_supports(rows.sets.offsets, rows.sets.items, taxonomy.parents, rows.counts)
        self.occurs = self.supports > 0
        self.sensitive_count = int(rows.sensitive.items.max(initial=-1)) + 1
        self.tests = 0
        self.examined = np.zeros(1, np.int64)
        self.scratch = np.zeros(len(rows.counts), np.int64)

    def occurring_children(self, node: int) -> Int32s:
        return np.array([child for child in self.taxonomy.children(node) if self.occurs[child]], np.int32)

    def is_one_rare(self, nodes: Int32s) -> bool:
        """Whether one of these is a threat on its own, by its support; quicker than a test."""
        return self.limits.present > 0 and bool((self.supports[nodes] < self.limits.smallest).any())

    @property
    def single_supports_decide(self) -> bool:
        """Whether is_one_rare finds every threat."""
        return self.limits.present == 1 and self.limits.absent == 0 and not self.limits.limits_confidence

    def is_threat_by_absence(self, nodes: Sequence[int]) -> bool:
        """Whether one of these that is in no transaction is a threat if known absent: when the whole file is one."""
        if not any(self.leaves[node] <= self.limits.absent for node in nodes if not self.occurs[node]):
            return False
        total = int(self.rows.counts.sum())
        with_item = self.rows.sensitive.supports(self.rows.counts, 1)
        share = self.limits.share
        return total < self.limits.smallest or int(with_item.max()) * share.denominator > share.numerator * total

    def most_general(self) -> _Patterns:
        """Everything at the root."""
        under = np.flatnonzero(self.rows.sets.sizes > 0).astype(np.int64)
        root = np.zeros(len(self.taxonomy.labels), np.int32)
        sets = Sets(*generalize_rows(self.rows.sets.offsets, self.rows.sets.items, root))
        merged, group = self.rows.merged(sets)
        return _Patterns(merged.sets, merged.sensitive, merged.counts, np.zeros(1, np.int32), under, group[under])

    def specialized(self, patterns: _Patterns, node: int) -> _Patterns:
        """The patterns after specializing one node of their cut."""
        children = self.occurring_children(node)
        ends = self.taxonomy.end
        occurrences = self.first_place[ends[children]] - self.first_place[children]
        place = np.repeat(np.arange(len(children), dtype=np.int32) + len(patterns.cut), occurrences)
        rows = self.rows_in_order[self.first_place[node] : self.first_place[ends[node]]]
        under, offsets, places = children_by_row(rows, place, self.scratch)
        below = Sets(offsets, places)
        old = patterns.pattern_of[places_in(patterns.rows, under)]
        representative, group = group_rows(offsets, places, old)
        came_from = old[representative]
        hole = np.flatnonzero(patterns.cut == node)[-1]
        new_sets = _side_by_side(_without(patterns.sets.take(came_from), hole), below.take(representative))
        new_counts = np.bincount(group, weights=self.rows.counts[under], minlength=len(representative))
        # Without knowledge of absent items a transaction outside x is in no itemset with a child of x.
        others = np.zeros(0, np.int64)
        if self.limits.absent:
            has_node = np.zeros(len(patterns.sets), bool)
            has_node[patterns.sets.rows[patterns.sets.items == hole]] = True
            others = np.flatnonzero(~has_node)
        return _Patterns(
            _stacked(new_sets, patterns.sets.take(others)),
            _stacked(patterns.sensitive.take(came_from), patterns.sensitive.take(others)),
            np.concatenate((new_counts.astype(np.int64), patterns.counts[others])),
            np.concatenate((patterns.cut, children)),
            under,
            group,
        )

    def has_threat(self, patterns: _Patterns, new: int, stop: Int64s) -> bool:
        """Whether an itemset with one of the last `new` places of the cut is a threat; unknown if it is stopped."""
        self.tests += 1
        size = len(patterns.cut)
        leaves = self.leaves[patterns.cut]
        none = np.full(size, -1)
        nodes = np.column_stack((np.arange(1, size + 1), none, leaves, none)).astype(np.int32)
        sets = patterns.sets
        power = power_of(self.limits, sets, leaves)
        data = database(sets, sets, sets, patterns.sensitive, patterns.counts, leaves <= power.absent)
        at_cut = CutView(data, nodes, power, self.sensitive_count)
        first = 0 if power.absent else size - new
        ended, _ = at_cut.find_threats(no_clauses(), 0, first, stop, self.examined, one_is_enough=True)
        return ended == FOUND


def _without(sets: Sets, item: int) -> Sets:
    """All sets without one item."""
    kept = sets.items != item
    before = np.concatenate(([0], np.cumsum(kept)))
    return Sets(before[sets.offsets].astype(np.int64), sets.items[kept])


def _side_by_side(left: Sets, right: Sets) -> Sets:
    """Row by row the union, all items of the right being larger."""
    offsets = left.offsets + right.offsets
    items = np.empty(offsets[-1], np.int32)
    items[np.arange(len(left.items)) + right.offsets[:-1][left.rows]] = left.items
    items[np.arange(len(right.items)) + left.offsets[1:][right.rows]] = right.items
    return Sets(offsets, items)


def _stacked(left: Sets, right: Sets) -> Sets:
    """One after the other."""
    offsets = np.concatenate((left.offsets, left.offsets[-1] + right.offsets[1:]))
    return Sets(offsets, np.concatenate((left.items, right.items)))
