"""The lattice of full-domain recoding: what the searches that give each column one level have in common.

A node of the lattice gives each column a level of its taxonomy. Levels are counted from the root: at level d a value is
published as its ancestor d steps below the root, or as itself where it is higher up, so a level is a cut of any
taxonomy, even one whose leaves lie at different depths. One node is above another when none of its columns is more
detailed. The height of a node is the number of steps up from the most detailed levels, over all columns together.

Counting. Levels are nested, so the groups of a node are sums of the groups of any node below it (roll-up, as in
LeFevre, DeWitt and Ramakrishnan 2005). A node is counted from the one that has its last column, in a fixed order, at
full detail; that is counted from the one with the last two at full detail, and so on down to the distinct combinations
of the table. What was counted last is kept as long as there is room, so that any order of nodes will do.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import TypeAlias

import numpy as np

from discreet.errors import NoReleaseError
from discreet.kernels.lawful import Promise, most_kept
from discreet.kernels.roll_up import roll_up
from discreet.models.cones import ConeDemand, compiled_promise
from discreet.models.limit_columns import LimitColumns
from discreet.models.partition_limits import Demand, PartitionLimits
from discreet.recode.table.recoded import ByCuts
from discreet.recode.table.suppression import suppress
from discreet.search.branch_and_bound import SECONDS_BETWEEN_EVENTS
from discreet.search.events import Listener, SearchEvent
from discreet.search.limits import Limits
from discreet.search.table.problem import TableProblem, why_none, why_too_few
from discreet.taxonomy import Cut, Taxonomy
from discreet.values.arrays import Bools, Int32s
from discreet.values.partitions import Partitions, Suppressed

Levels: TypeAlias = tuple[int, ...]
"""For each attribute, how many steps below the root it is published."""

MOST_CELLS_KEPT = 1 << 23
"""Counts of groups that are kept to count others from: 64 MB."""


class Lattice:
    """The levels of a table's columns, and what a node of their lattice publishes."""

    def __init__(self, problem: TableProblem, most_suppressed: int | None) -> None:
        """most_suppressed: so many records may be deleted or lose their value; None for any number."""
        self.problem = problem
        self.most_suppressed = most_suppressed
        taxonomies = problem.table.taxonomies
        self.deepest = tuple(int(taxonomy.depth.max()) for taxonomy in taxonomies)
        self.cuts = [
            [Cut.at_depth(taxonomy, depth) for depth in range(deepest + 1)]
            for taxonomy, deepest in zip(taxonomies, self.deepest, strict=True)
        ]
        self.coarsest = tuple(
            _coarsest_level(cuts, problem.table.is_forbidden(attribute)) for attribute, cuts in enumerate(self.cuts)
        )
        self.total = prod(steps + 1 for steps in self.most_steps)
        self._above = [
            [_ancestors(taxonomy, level) for level in range(deepest)]
            for taxonomy, deepest in zip(taxonomies, self.deepest, strict=True)
        ]
        # Columns with many values go up first: what has few groups is quick to count from.
        self._order = sorted(range(len(taxonomies)), key=lambda attribute: -len(taxonomies[attribute].leaf_nodes))
        self._promise = _promise_of_single_values(problem.demand)
        self._bottom: Partitions | None = None
        self._counted: OrderedDict[Levels, Partitions] = OrderedDict()
        self._cells = 0

    @property
    def most_steps(self) -> Levels:
        """How far each attribute can go up."""
        return tuple(deepest - coarsest for deepest, coarsest in zip(self.deepest, self.coarsest, strict=True))

    def height(self, levels: Levels) -> int:
        return sum(self.deepest) - sum(levels)

    def at_height(self, height: int) -> Iterator[Levels]:
        """All nodes of a height, in lexical order of how far each attribute goes up."""
        for steps in _sums(height, self.most_steps):
            yield tuple(deepest - step for deepest, step in zip(self.deepest, steps, strict=True))

    def contains(self, levels: Levels) -> bool:
        """Whether no column is coarser than it may be."""
        return all(level >= coarsest for level, coarsest in zip(levels, self.coarsest, strict=True))

    def below(self, levels: Levels) -> Iterator[Levels]:
        """The nodes one step down."""
        for place, (level, deepest) in enumerate(zip(levels, self.deepest, strict=True)):
            if level < deepest:
                yield at(levels, place, level + 1)

    def in_words(self, levels: Levels) -> str:
        names = self.problem.table.attributes
        return ", ".join(
            f"{name} {level} of {deepest}" for name, level, deepest in zip(names, levels, self.deepest, strict=True)
        )

    def recoded(self, levels: Levels) -> ByCuts:
        return ByCuts(tuple(cuts[level] for cuts, level in zip(self.cuts, levels, strict=True)))

    def partitions(self, levels: Levels) -> Partitions:
        """The groups of a node, in no particular order."""
        raised = next((place for place in reversed(self._order) if levels[place] < self.deepest[place]), None)
        if raised is None:
            if self._bottom is None:
                self._bottom = self.problem.table.partitions(self.recoded(self.deepest).cuts)
            return self._bottom
        if levels in self._counted:
            self._counted.move_to_end(levels)
            return self._counted[levels]
        finer = self.partitions(at(levels, raised, self.deepest[raised]))
        groups, *shape = finer.histogram.shape
        nodes, counts = roll_up(
            finer.nodes, finer.histogram.reshape(groups, -1), raised, self._above[raised][levels[raised]]
        )
        self._counted[levels] = partitions = Partitions(nodes, counts.reshape(len(counts), *shape))
        self._cells += counts.size
        while self._cells > MOST_CELLS_KEPT:
            self._cells -= self._counted.popitem(last=False)[1].histogram.size
        return partitions

    def least_suppressed(self, levels: Levels) -> int:
        """So many records have to be deleted, or lose their value, at this node and at every node below it.

        None of the schemes keeps more of a group than its greatest lawful remainder, and those of the parts of a group
        are at most that of the whole (kernels/lawful). vio-sa takes out single values and is not looked at. A demand
        that the kernels do not know says nothing.
        """
        if self._promise is None or self.problem.scheme == "vio-sa":
            return 0
        histogram = self.partitions(levels).histogram.sum(axis=2)
        return self.problem.table.rows - most_kept(histogram, self._promise)

    def release(self, levels: Levels) -> Suppressed:
        """What a node publishes under the problem's suppression scheme."""
        problem = self.problem
        return suppress(
            self.partitions(levels),
            problem.demand,
            problem.scheme,
            guard_stars=problem.guard_stars,
            prefer_classes=problem.loss.needs_class,
        )

    def cost(self, levels: Levels) -> Fraction | None:
        """The loss of a node; None where it breaks the promise or suppresses too much."""
        release = self.release(levels)
        most = self.most_suppressed
        if not release.lawful or (most is not None and release.records + release.values > most):
            return None
        return self.problem.loss.cost(self.problem.table.taxonomies, release, self.problem.weights)


class LatticeSearch:
    """A search in the lattice: the nodes it has tested, the best of them, and what it tells while it runs."""

    def __init__(self, lattice: Lattice, limits: Limits, listen: Listener) -> None:
        self.lattice = lattice
        self.limits = limits
        self.listen = listen
        self.costs: dict[Levels, Fraction | None] = {}
        """node -> its loss; None where it breaks the promise or suppresses too much"""
        self.best: tuple[Fraction, Levels] | None = None
        self.bound: Fraction | None = None
        """what no node costs less than, where the method proves it"""
        self.events: list[SearchEvent] = []
        self._told = float("-inf")

    def cost(self, levels: Levels) -> Fraction | None:
        if levels not in self.costs:
            self.costs[levels] = self.lattice.cost(levels)
        return self.costs[levels]

    def take(self, levels: Levels) -> None:
        """The node becomes the best one."""
        cost = self.cost(levels)
        assert cost is not None
        self.best = cost, levels
        self.events.append(self._event())
        self.listen(self.events[-1])

    def take_if_better(self, levels: Levels) -> None:
        cost = self.cost(levels)
        if cost is not None and (self.best is None or cost < self.best[0]):
            self.take(levels)

    def tell_from_time_to_time(self) -> None:
        if self.limits.seconds - self._told >= SECONDS_BETWEEN_EVENTS:
            self._told = self.limits.seconds
            self.listen(self._event())

    def descend(self, *, even_if_dearer: bool) -> None:
        """From the best node down a step at a time, each time the one that costs least, while one may be published.

        So there is a release of some use when time is up. even_if_dearer: goes on where that costs more.
        """
        while self.best is not None:
            found = []
            for node in self.lattice.below(self.best[1]):
                if self.limits.is_over:
                    break
                if (cost := self.cost(node)) is not None:
                    found.append((cost, node))
            if not found or (min(found)[0] >= self.best[0] and not even_if_dearer):
                return
            self.take(min(found)[1])

    def start_at_the_top(self) -> None:
        """For promises and schemes with which generalizing further never suppresses more."""
        top = self.lattice.coarsest
        if self.cost(top) is None:
            raise NoReleaseError(self._why_none())
        self.take(top)

    def _event(self) -> SearchEvent:
        return SearchEvent(
            self.limits.seconds, None if self.best is None else self.best[0], self.bound, len(self.costs)
        )

    def _why_none(self) -> str:
        if too_few := why_too_few(self.lattice.problem):
            return too_few
        if self.lattice.problem.scheme == "none":
            return why_none(self.lattice.problem)
        release = self.lattice.release(self.lattice.coarsest)
        return (
            f"No release keeps the promise: even with every column as coarse as it may be, {release.records} of "
            f"{release.rows} records would have to be deleted; relax the promise or raise search.max_suppressed."
        )


def at(levels: Levels, place: int, level: int) -> Levels:
    """The same levels but for one."""
    return (*levels[:place], level, *levels[place + 1 :])


def _promise_of_single_values(demand: Demand) -> Promise | None:
    """Without limits on several values together, which are counted in other columns: what is left asks for less."""
    if not isinstance(demand, ConeDemand | PartitionLimits):
        return None
    limits, cones = (demand.limits, demand.cones) if isinstance(demand, ConeDemand) else (demand, ())
    single = replace(limits, sums=())
    columns = LimitColumns.of(single, every_value=True)
    return compiled_promise(ConeDemand(cones, single) if cones else single, columns)


def _ancestors(taxonomy: Taxonomy, level: int) -> Int32s:
    """node -> the node above it at this level, or itself where it is not below it"""
    above = np.arange(len(taxonomy.labels), dtype=np.int32)
    for node in range(1, len(above)):  # parents come before their children
        if taxonomy.depth[node] > level:
            above[node] = above[taxonomy.parents[node]]
    return above


def _coarsest_level(cuts: list[Cut], is_forbidden: Bools) -> int:
    """The highest level at which nothing is too coarse to be published."""
    return next(level for level, cut in enumerate(cuts) if not is_forbidden[list(cut.nodes)].any())


def _sums(total: int, largest: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """All tuples of whole numbers with this sum, each up to the largest at its place, in lexical order."""
    if not largest:
        if total == 0:
            yield ()
        return
    rest = sum(largest[1:])
    for first in range(max(0, total - rest), min(largest[0], total) + 1):
        for others in _sums(total - first, largest[1:]):
            yield (first, *others)
