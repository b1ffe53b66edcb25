"""samarati: the least height at which a table keeps its promise, all values of a column at one level.

Paper: Samarati 2001 (AG-TS). Full-domain recoding: a node of the lattice gives each column a level of its taxonomy, and
its height is the number of steps up from the most detailed levels, over all columns together. Levels are counted from
the root: at level d a value is published as its ancestor d steps below the root, or as itself where it is higher up, so
a level is a cut of any taxonomy, even one whose leaves lie at different depths.

Promises: no node below the height that is found keeps the promise with as few records deleted. Among the nodes of that
height the one of least loss is taken, the first of several. Nothing is proved about the loss of other recodings.

Needs: a promise that is monotone, as partitions are merged on the way up, and the schemes `none`, `vio-rec` or, where
only sizes are promised, `all-rec`.

Why a binary search over heights is valid: one step up merges partitions. What is lawful without suppression stays so.
With vio-rec the records that stay in two partitions are lawful together, so at least as many of the merged partition
stay, and what is deleted never grows. all-rec deletes the same as vio-rec where only the size of a partition counts. So
if a node keeps the promise, every node above it does, and so does some node of every greater height. Deleting whole
groups that break a promise about values is not monotone: {a, b} and {a, a} under "at most half" lose 2 records, their
union 4.

Costs: in the worst case all nodes of log2(heights) heights, each one a count of the distinct combinations.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import prod
from typing import TypeAlias

import numpy as np

from discreet.errors import NoReleaseError
from discreet.recode.table.recoded import ByCuts
from discreet.search.branch_and_bound import SECONDS_BETWEEN_EVENTS
from discreet.search.events import Listener, SearchEvent, ignore
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.table.problem import TableProblem, release_of, why_none
from discreet.taxonomy import Cut
from discreet.values.arrays import Bools

Levels: TypeAlias = tuple[int, ...]
"""For each attribute, how many steps below the root it is published."""


def samarati(
    problem: TableProblem,
    limits: Limits | None = None,
    random: np.random.Generator | None = None,
    listen: Listener = ignore,
) -> SearchResult:
    """Finds a release of the least height. Nothing in it is random."""
    search = _Samarati(problem, limits or Limits(), listen)
    height, levels, cost = search.run()
    names = problem.table.attributes
    details = {
        "height": height,
        "proved_least": search.is_least,
        "greatest_height": sum(search.most_steps),
        "levels": ", ".join(
            f"{name} {level} of {deepest}" for name, level, deepest in zip(names, levels, search.deepest, strict=True)
        ),
        "nodes_tested": len(search.costs),
        "nodes_total": search.total,
    }
    return SearchResult.ended(
        search.recoded(levels),
        cost,
        search.limits,
        search.events,
        details,
        total=search.total,
        examined=len(search.costs),
    )


class _Samarati:
    def __init__(self, problem: TableProblem, limits: Limits, listen: Listener) -> None:
        self.problem = problem
        self.limits = limits
        self.listen = listen
        self.most_suppressed = problem.most_suppressed or 0
        taxonomies = problem.table.taxonomies
        self.deepest = tuple(int(taxonomy.depth.max()) for taxonomy in taxonomies)
        self.cuts = [
            [Cut.at_depth(taxonomy, depth) for depth in range(deepest + 1)]
            for taxonomy, deepest in zip(taxonomies, self.deepest, strict=True)
        ]
        self.coarsest = tuple(
            _coarsest_level(cuts, problem.table.is_forbidden(attribute)) for attribute, cuts in enumerate(self.cuts)
        )
        self.total = prod(deepest - coarsest + 1 for deepest, coarsest in zip(self.deepest, self.coarsest, strict=True))
        self.costs: dict[Levels, Fraction | None] = {}
        """node -> its loss; None where it breaks the promise or deletes too much"""
        self.events: list[SearchEvent] = []
        self.best: Fraction | None = None
        self.is_least = False
        self.told = float("-inf")

    @property
    def most_steps(self) -> Levels:
        """How far each attribute can go up."""
        return tuple(deepest - coarsest for deepest, coarsest in zip(self.deepest, self.coarsest, strict=True))

    def recoded(self, levels: Levels) -> ByCuts:
        return ByCuts(tuple(cuts[level] for cuts, level in zip(self.cuts, levels, strict=True)))

    def cost(self, levels: Levels) -> Fraction | None:
        if levels not in self.costs:
            release = release_of(self.problem, self.recoded(levels))
            keeps = release.lawful and release.records <= self.most_suppressed
            loss, taxonomies = self.problem.loss, self.problem.table.taxonomies
            self.costs[levels] = loss.cost(taxonomies, release, self.problem.weights) if keeps else None
        return self.costs[levels]

    def at_height(self, height: int) -> Iterator[Levels]:
        """All nodes of a height, in lexical order of how far each attribute goes up."""
        for steps in _sums(height, self.most_steps):
            yield tuple(deepest - step for deepest, step in zip(self.deepest, steps, strict=True))

    def tell(self, cost: Fraction) -> None:
        """A better release was found."""
        self.best = cost
        self.events.append(self._event())
        self.listen(self.events[-1])

    def tell_from_time_to_time(self) -> None:
        if self.limits.seconds - self.told >= SECONDS_BETWEEN_EVENTS:
            self.told = self.limits.seconds
            self.listen(self._event())

    def _event(self) -> SearchEvent:
        return SearchEvent(self.limits.seconds, self.best, None, len(self.costs))

    def run(self) -> tuple[int, Levels, Fraction]:
        """The least height, or the least known when time is up, with its cheapest known node."""
        lowest, height = 0, sum(self.most_steps)
        levels = self.coarsest
        cost = self.cost(levels)
        if cost is None:
            raise NoReleaseError(self._why_none())
        self.tell(cost)
        levels, cost = self._descended(levels, cost)
        height = sum(self.deepest) - sum(levels)
        while lowest < height:
            middle = (lowest + height) // 2
            found = next((node for node in self._in_time(middle) if self.cost(node) is not None), None)
            if found is not None:
                levels, cost, height = found, self._kept(found), middle
                self.tell(cost)
            elif self.limits.is_over:
                return height, levels, cost
            else:
                lowest = middle + 1
        self.is_least = True
        for node in self._in_time(height):
            other = self.cost(node)
            if other is not None and other < cost:
                levels, cost = node, other
                self.tell(cost)
        return height, levels, cost

    def _descended(self, levels: Levels, cost: Fraction) -> tuple[Levels, Fraction]:
        """Goes down a step at a time, each time the one that costs least, as long as one keeps the promise.

        So there is a release of some use when time is up, and its height bounds the least.
        """
        while True:
            below = [
                (*levels[:place], level + 1, *levels[place + 1 :])
                for place, (level, deepest) in enumerate(zip(levels, self.deepest, strict=True))
                if level < deepest
            ]
            found = []
            for node in below:
                if self.limits.is_over:
                    break
                if (other := self.cost(node)) is not None:
                    found.append((other, node))
            if not found:
                return levels, cost
            cost, levels = min(found)
            self.tell(cost)

    def _kept(self, levels: Levels) -> Fraction:
        cost = self.costs[levels]
        assert cost is not None
        return cost

    def _in_time(self, height: int) -> Iterator[Levels]:
        for levels in self.at_height(height):
            if self.limits.is_over:
                return
            self.tell_from_time_to_time()
            yield levels

    def _why_none(self) -> str:
        if self.problem.scheme == "none":
            return why_none(self.problem)
        release = release_of(self.problem, self.recoded(self.coarsest))
        return (
            f"No release keeps the promise: even with every column as coarse as it may be, {release.records} of "
            f"{release.rows} records would have to be deleted; relax the promise or raise search.max_suppressed."
        )


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
