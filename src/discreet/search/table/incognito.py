"""incognito: all minimal ways to give each column one level, and of these the one of least loss.

Paper: LeFevre, DeWitt and Ramakrishnan 2005. Full-domain recoding: a node of the lattice gives each column a level of
its taxonomy (lattice.py). A node is minimal when it keeps the promise, with as few records deleted as the policy says,
and no node below it does.

Promises: every minimal node is found, and none that is not minimal is called so. The one of least loss is released, the
first of several. Where nothing is deleted and generalizing never lowers the loss, as with lm, no node of the lattice
loses less; otherwise one above the minimal ones may (full-domain finds it).

Needs: a promise and a scheme with which one step up never deletes more, as samarati does: `none`, `vio-rec`, or
`all-rec` where whatever contains a lawful group is lawful (k-anonymity, distinct l-diversity).

How it searches, as printed. Sets of columns are taken in growing size. For each, the candidates are joined from the
nodes that are left of two sets with one column less, and those are pruned of which some column less is not left
(a priori). Candidates are visited from the most detailed up; what lies above one that keeps the promise keeps it too
and is marked, not tested. Groups are counted from finer groups (roll-up).

Why the subset phase is valid: leaving a column out merges groups as its root does. So a node of some columns stands
above every node of more columns with the same levels, and where it breaks the promise, they do. For the same reason a
node with a column at its root has been tested already, in a smaller set.

Costs: at most a test of every node, and of every node of fewer columns where a root may not be published. It saves
those that a smaller set rules out and those that lie above a minimal node.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from discreet.search.events import Listener, ignore
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.table.lattice import Lattice, LatticeSearch, Levels, at
from discreet.search.table.problem import TableProblem


def incognito(
    problem: TableProblem,
    limits: Limits | None = None,
    random: np.random.Generator | None = None,
    listen: Listener = ignore,
) -> SearchResult:
    """Finds all minimal nodes. Nothing in it is random."""
    lattice = Lattice(problem, problem.most_suppressed or 0)
    search = _Incognito(lattice, limits or Limits(), listen)
    search.run()
    assert search.best is not None
    cost, levels = search.best
    tested = sum(map(lattice.contains, search.costs))
    details = {
        "levels": lattice.in_words(levels),
        "height": lattice.height(levels),
        "all_found": search.minimal is not None,
        "minimal": [
            {"levels": lattice.in_words(node), "loss": float(search.costs[node] or 0)} for node in search.minimal or ()
        ],
        "nodes_tested": tested,
        "nodes_total": lattice.total,
    }
    return SearchResult.ended(
        lattice.recoded(levels),
        cost,
        search.limits,
        search.events,
        details,
        total=lattice.total,
        examined=tested,
    )


class _Incognito(LatticeSearch):
    minimal: list[Levels] | None = None
    """None while they are not all known"""

    def run(self) -> None:
        """Takes the cheapest minimal node, or what a descent has found when time is up."""
        self.start_at_the_top()
        self.descend(even_if_dearer=True)
        left: dict[Levels, set[Levels]] = {}
        for size in range(1, len(self.lattice.deepest) + 1):
            finer: dict[Levels, set[Levels]] = {}
            for columns in combinations(range(len(self.lattice.deepest)), size):
                keeping = self._keeping(columns, set(self._candidates(columns, left)))
                if keeping is None:
                    return
                finer[columns] = keeping
            left = finer
        (nodes,) = left.values()
        self.minimal = [node for node in sorted(nodes, reverse=True) if nodes.isdisjoint(self.lattice.below(node))]
        for node in self.minimal:
            self.take_if_better(node)

    def _candidates(self, columns: Levels, left: dict[Levels, set[Levels]]) -> Iterator[Levels]:
        """The nodes of some columns of which every column less is left."""
        if len(columns) == 1:
            (column,) = columns
            yield from ((level,) for level in range(self.lattice.coarsest[column], self.lattice.deepest[column] + 1))
            return
        others: dict[Levels, list[int]] = {}
        for *shared, last in left[(*columns[:-2], columns[-1])]:
            others.setdefault(tuple(shared), []).append(last)
        for first in left[columns[:-1]]:
            for last in others.get(first[:-1], ()):
                node = (*first, last)
                if all(_without(node, place) in left[_without(columns, place)] for place in range(len(columns) - 2)):
                    yield node

    def _keeping(self, columns: Levels, candidates: set[Levels]) -> set[Levels] | None:
        """Those of the candidates that keep the promise; None when time is up."""
        keeping: set[Levels] = set()
        marked: set[Levels] = set()
        for node in sorted(candidates, key=lambda node: (-sum(node), node)):
            if self.limits.is_over:
                return None
            self.tell_from_time_to_time()
            if node in marked or self.cost(self._without_the_others(columns, node)) is not None:
                keeping.add(node)
                marked.update(at(node, place, level - 1) for place, level in enumerate(node))
        return keeping

    def _without_the_others(self, columns: Sequence[int], node: Levels) -> Levels:
        """The node of all columns, with those that are not looked at as good as left out: at their roots."""
        levels = [0] * len(self.lattice.deepest)
        for column, level in zip(columns, node, strict=True):
            levels[column] = level
        return tuple(levels)


def _without(numbers: Levels, place: int) -> Levels:
    return (*numbers[:place], *numbers[place + 1 :])
