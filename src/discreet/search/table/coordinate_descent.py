"""A warm start: one attribute at a time is cut as well as the others allow, until none can be improved any further.

With all other cuts given, the best cut of one attribute is a dynamic programme (kernels/cut_programme), so each
step is exact and the cost never rises. It ends in a cut that no change of a single attribute improves; a few
different starts usually find the optimum itself, which branch and bound then only has to prove.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from discreet.kernels import group_price
from discreet.kernels.codes import LOSS_METRIC
from discreet.kernels.cut_programme import UNREACHABLE
from discreet.search.branch_and_bound import ValueCut
from discreet.search.cut_enumeration import OccurringTree
from discreet.search.incumbents import Incumbents
from discreet.search.limits import Limits
from discreet.search.table.space import PreparedTable, cheapest_cut_of, new_arena
from discreet.values.arrays import column_codes

Nodes = tuple[int, ...]
RANDOM_STARTS = 4
SURCHARGE_STEPS = 6


class CoordinateDescent:
    """Improves cuts of a prepared table."""

    def __init__(self, prepared: PreparedTable) -> None:
        self.prepared = prepared
        trees = prepared.forest.trees
        count = prepared.rows.leaves.shape[1]
        self.arena = new_arena(count, 1, max(len(tree.nodes) for tree in trees), 1)
        self.programmes = [prepared.programme(attribute) for attribute in range(len(trees))]
        self.scratch = [prepared.scratch(programme, atoms=False) for programme in self.programmes]

    def prices(self, cuts: list[Nodes], attribute: int) -> npt.NDArray[np.int64]:
        """What each node of one attribute costs when the others are cut like this: row 0; row 1 > 0: not allowed."""
        prepared = self.prepared
        rows, trees = prepared.rows, prepared.forest.trees
        others = [index for index in range(len(trees)) if index != attribute]
        values = [_values(trees[index], cuts[index])[rows.leaves[index]] for index in others]
        generalization = np.zeros(rows.leaves.shape[1], np.int64)
        for index, row in zip(others, values, strict=True):
            generalization += prepared.generalization[index][row]
        # The programmed attribute's leaf last: groups in one piece, each sorted by that leaf.
        codes = column_codes(np.stack([*values, rows.leaves[attribute]]))
        order = np.argsort(codes, kind="stable")
        group_of = codes[order] // (int(rows.leaves[attribute].max()) + 1)
        self.arena.row[: len(order)] = order
        totals = np.zeros((2, len(trees[attribute].nodes)), np.int64)
        totals[1] += trees[attribute].forbidden
        group_price.price_nodes(
            group_of,
            generalization[order],
            rows,
            self.programmes[attribute],
            prepared.rules,
            self.scratch[attribute],
            self.arena,
            totals,
        )
        return totals

    def cost(self, cuts: list[Nodes]) -> int:
        """What cuts cost; UNREACHABLE if they are not allowed."""
        costs, blocked = self.prices(cuts, 0)[:, list(cuts[0])]
        return UNREACHABLE if blocked.any() else int(costs.sum())

    def descend(self, cuts: list[Nodes], order: list[int], limits: Limits) -> tuple[int, list[Nodes]]:
        """Goes down from these cuts, attribute by attribute in this order; the cost and the cuts at the end."""
        cost, unchanged = UNREACHABLE, 0
        cuts = list(cuts)
        while True:
            for attribute in order:
                totals = self.prices(cuts, attribute)
                best = cheapest_cut_of(self.prepared.forest.trees[attribute], totals[0], totals[1])
                if best is not None and best[0] < cost:
                    cost, cuts[attribute] = best
                    unchanged = 0
                else:
                    unchanged += 1
                if unchanged == len(order) or limits.is_over:
                    return cost, cuts

    def offer(self, incumbents: Incumbents[ValueCut], cost: int, cuts: list[Nodes]) -> None:
        forest = self.prepared.forest
        incumbents.offer(
            cost,
            tuple(forest.value(attribute, node) for attribute, nodes in enumerate(cuts) for node in nodes),
        )


def most_general_cut(prepared: PreparedTable, incumbents: Incumbents[ValueCut]) -> bool:
    """Offers the coarsest cut that is allowed; False if even that one is not allowed, and so none is."""
    descent = CoordinateDescent(prepared)
    cuts = [tree.coarsest_cut() for tree in prepared.forest.trees]
    cost = descent.cost(cuts)
    if cost < UNREACHABLE:
        descent.offer(incumbents, cost, cuts)
    return cost < UNREACHABLE


def warm_start(
    prepared: PreparedTable, incumbents: Incumbents[ValueCut], limits: Limits, random: np.random.Generator
) -> None:
    """Offers the cuts in which descents from the roots, from the leaves and from a few random cuts end."""
    descent = CoordinateDescent(prepared)
    trees = prepared.forest.trees
    in_order = list(range(len(trees)))
    starts: list[tuple[list[Nodes], list[int]]] = [
        ([tree.coarsest_cut() for tree in trees], in_order),
        ([tuple(int(node) for node in tree.leaf_nodes) for tree in trees], in_order),
    ]
    for _ in range(RANDOM_STARTS):
        cuts = [_random_cut(tree, random) for tree in trees]
        starts.append((cuts, [int(index) for index in random.permutation(len(trees))]))
    for cuts, order in starts:
        cost, found = descent.descend(cuts, order, limits)
        if cost < UNREACHABLE:
            descent.offer(incumbents, cost, found)
        if limits.is_over:
            return


def capped_warm_start(prepared: PreparedTable, incumbents: Incumbents[ValueCut], limits: Limits, most: int) -> int:
    """Offers the best cuts within a limit on what is suppressed that descents come upon.

    Returns a surcharge on what is suppressed, in costs, with which a descent keeps to the limit by itself (0 where the
    loss knows none); see `capped`.
    """
    counting = CoordinateDescent(prepared.of_suppression())
    cuts = [tree.coarsest_cut() for tree in prepared.forest.trees]
    order = list(range(len(cuts)))

    def descend(surcharge: int) -> bool:
        """Whether a descent with this surcharge ends within the limit."""
        descent = CoordinateDescent(prepared.with_surcharge(surcharge))
        cost, found = descent.descend(cuts, order, limits)
        suppressed = counting.cost(found)
        within = cost < UNREACHABLE and suppressed <= most
        if within:
            descent.offer(incumbents, cost - surcharge * suppressed, found)
        return within

    if descend(0) or prepared.rules.loss != LOSS_METRIC:
        return 0
    low, high, highest = 0, max(1, prepared.rules.penalty // 8), UNREACHABLE // (4 * prepared.rules.rows)
    while not descend(high):
        low, high = high, 2 * high
        if high > highest or limits.is_over:
            return low
    for _ in range(SURCHARGE_STEPS):
        middle = (low + high) // 2
        low, high = (low, middle) if descend(middle) else (middle, high)
    return high


def _values(tree: OccurringTree, cut: Nodes) -> npt.NDArray[np.int64]:
    """leaf number -> node of the cut above it"""
    values = np.empty(len(tree.leaf_nodes), np.int64)
    for node in cut:
        values[tree.first_leaf[node] : tree.stop_leaf[node]] = node
    return values


def _random_cut(tree: OccurringTree, random: np.random.Generator) -> Nodes:
    forbidden = tree.forbidden
    chance = random.random()
    cut, open_nodes = [], [0]
    while open_nodes:
        node = open_nodes.pop()
        if forbidden[node] or (tree.children(node) and random.random() < chance):
            open_nodes += tree.children(node)
        else:
            cut.append(node)
    return tuple(sorted(cut))
