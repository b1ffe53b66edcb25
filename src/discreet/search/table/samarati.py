"""samarati: the least height at which a table keeps its promise, all values of a column at one level.

Paper: Samarati 2001 (AG-TS). Full-domain recoding: a node of the lattice gives each column a level of its taxonomy, and
its height is the number of steps up from the most detailed levels, over all columns together (lattice.py).

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

Costs: in the worst case all nodes of log2(heights) heights, each counted from finer groups.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from discreet.search.events import Listener, ignore
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.table.lattice import Lattice, LatticeSearch, Levels
from discreet.search.table.problem import TableProblem


def samarati(
    problem: TableProblem,
    limits: Limits | None = None,
    random: np.random.Generator | None = None,
    listen: Listener = ignore,
) -> SearchResult:
    """Finds a release of the least height. Nothing in it is random."""
    lattice = Lattice(problem, problem.most_suppressed or 0)
    search = _Samarati(lattice, limits or Limits(), listen)
    search.run()
    assert search.best is not None
    cost, levels = search.best
    details = {
        "height": lattice.height(levels),
        "proved_least": search.is_least,
        "greatest_height": sum(lattice.most_steps),
        "levels": lattice.in_words(levels),
        "nodes_tested": len(search.costs),
        "nodes_total": lattice.total,
    }
    return SearchResult.ended(
        lattice.recoded(levels),
        cost,
        search.limits,
        search.events,
        details,
        total=lattice.total,
        examined=len(search.costs),
    )


class _Samarati(LatticeSearch):
    is_least = False

    def run(self) -> None:
        """Takes the cheapest node of the least height, or the lowest known when time is up."""
        self.start_at_the_top()
        self.descend(even_if_dearer=True)
        lowest, height = 0, self._height()
        while lowest < height:
            middle = (lowest + height) // 2
            found = next((node for node in self._in_time(middle) if self.cost(node) is not None), None)
            if found is not None:
                self.take(found)
                height = middle
            elif self.limits.is_over:
                return
            else:
                lowest = middle + 1
        self.is_least = True
        for node in self._in_time(height):
            self.take_if_better(node)

    def _height(self) -> int:
        assert self.best is not None
        return self.lattice.height(self.best[1])

    def _in_time(self, height: int) -> Iterator[Levels]:
        for levels in self.lattice.at_height(height):
            if self.limits.is_over:
                return
            self.tell_from_time_to_time()
            yield levels
