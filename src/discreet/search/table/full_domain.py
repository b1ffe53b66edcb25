"""full-domain: the least loss when all values of a column are published at one level, proved.

The recoding of Samarati 2001 and of LeFevre, DeWitt and Ramakrishnan 2005, searched for the least loss and not for the
least height: a node of the lattice (lattice.py) gives each column a level of its taxonomy.

Promises: status `optimal` means that no node gives a release of lower loss under the chosen suppression scheme and
within the limit on what is suppressed; otherwise `bound` is what none can go below. Other cuts may cost less
(l-plus-optimize).

Needs: a promise whose lawful histograms add up to lawful ones. Any loss will do; bounds are known for lm, dm and cm.

How it searches: branch and bound over *boxes*, all nodes between a finest and a coarsest one. A box is split at the
middle level of one column; the box of least bound comes first. The coarsest node of every box is tested, so each node
is tested once at most, and only boxes that are open are in memory. A descent from the top finds a good release first.

Why the bounds hold. Let d be the fewest records that the coarsest node of a box has to suppress, by greatest lawful
remainders. Every node of the box lies below it and splits its groups further, and so suppresses d or more
(Lattice.least_suppressed). If d is more than the limit, or more than 0 where nothing may be suppressed, the box is
dropped. This needs no monotony of the scheme: all-rec may delete more on the way up (x: a, b; y: ten times a; entropy
2: 10 records go at the leaves, 12 at the root), but never fewer than d below.

lm. A node charges each record that stays at least what the finest node of the box does, level by level, whatever the
groups are. A deleted record costs 2 |QI|, more than any generalization; a suppressed value costs |QI| on top. So the
loss is at least that of the finest levels and, for each of d records, what its deletion costs more than the dearest of
these values.

dm. What stays of a group pays at least the size of its parts in the finest node, a deleted record pays for the whole
table. Where whole groups go, d records leave the largest of these parts. With vio-rec each part keeps what is cheapest
for it, r records of s with r^2 + |T| (s - r) least, that is up to half of |T|; and d records are deleted.

cm. At most the majorities of the parts in the finest node are right, and d records are wrong.

Costs: at worst, a count of the groups of every node, from finer groups.
"""

from __future__ import annotations

from fractions import Fraction
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from discreet.errors import NoReleaseError
from discreet.kernels.codes import CLASSIFICATION, DISCERNIBILITY, LOSS_METRIC
from discreet.models.schemes import VALUE_SCHEMES
from discreet.search.events import Listener, ignore
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.table.lattice import Lattice, LatticeSearch, Levels, at
from discreet.search.table.problem import TableProblem, none_within, why_none
from discreet.values.arrays import Int64s


def full_domain(
    problem: TableProblem,
    limits: Limits | None = None,
    random: np.random.Generator | None = None,
    listen: Listener = ignore,
) -> SearchResult:
    """Finds the node of least loss. Nothing in it is random."""
    lattice = Lattice(problem, 0 if problem.scheme == "none" else problem.most_suppressed)
    search = _FullDomain(lattice, limits or Limits(), listen)
    search.run()
    if search.best is None:
        finished = search.bound is None
        raise NoReleaseError(why_none(problem) if problem.scheme == "none" else none_within(problem, finished))
    cost, levels = search.best
    details = {
        "levels": lattice.in_words(levels),
        "height": lattice.height(levels),
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
        bound=cost if search.bound is None else search.bound,
    )


class _Box(NamedTuple):
    bound: Fraction
    finest: Levels
    coarsest: Levels
    least_suppressed: int
    """by the coarsest node and all below it"""


class _FullDomain(LatticeSearch):
    def __init__(self, lattice: Lattice, limits: Limits, listen: Listener) -> None:
        super().__init__(lattice, limits, listen)
        self.floors = _Floors(lattice)

    def run(self) -> None:
        """Takes the node of least loss, if there is one; `bound` stays None where it is proved."""
        lattice = self.lattice
        boxes: list[_Box] = []
        self._open(boxes, Fraction(0), lattice.deepest, lattice.coarsest)
        self.descend(even_if_dearer=False)
        while boxes:
            self.bound = boxes[0].bound
            if self.best is not None and self.bound * (1 + self.limits.alpha) >= self.best[0]:
                break
            if self.limits.is_over:
                return
            self.tell_from_time_to_time()
            self._split(boxes, heappop(boxes))
        if self.best is None or not boxes or self.bound is None or self.bound >= self.best[0]:
            self.bound = None

    def _split(self, boxes: list[_Box], box: _Box) -> None:
        column = self.floors.widest(box.finest, box.coarsest)
        if column is None:
            return  # one node, which was tested when it was the coarsest of a box
        middle = (box.coarsest[column] + box.finest[column]) // 2
        upper = at(box.finest, column, middle)
        self._push(boxes, box._replace(bound=max(box.bound, self._bound(upper, box)), finest=upper))
        self._open(boxes, box.bound, box.finest, at(box.coarsest, column, middle + 1))

    def _open(self, boxes: list[_Box], bound: Fraction, finest: Levels, coarsest: Levels) -> None:
        """A box whose coarsest node has not been tested yet."""
        least, most = self.lattice.least_suppressed(coarsest), self.lattice.most_suppressed
        if most is not None and least > most:
            self.costs[coarsest] = None
            return
        self.take_if_better(coarsest)
        if self.lattice.problem.scheme == "none" and self.costs[coarsest] is None:
            return  # a promise that breaks here breaks below
        box = _Box(bound, finest, coarsest, least)
        self._push(boxes, box._replace(bound=max(bound, self._bound(finest, box))))

    def _bound(self, finest: Levels, box: _Box) -> Fraction:
        return self.floors.floor(finest, box.least_suppressed)

    def _push(self, boxes: list[_Box], box: _Box) -> None:
        if box.finest != box.coarsest and (self.best is None or box.bound < self.best[0]):
            heappush(boxes, box)


class _Floors:
    """What a node and all nodes above it cost at least."""

    def __init__(self, lattice: Lattice) -> None:
        self.lattice = lattice
        problem = lattice.problem
        self.loss = problem.loss
        self.rows = problem.table.rows
        self.prices: list[list[Fraction]] = []
        """lm: for each column and level, what all records pay"""
        self.dearest: list[list[Fraction]] = []
        """lm: the most that one of them pays"""
        for attribute, (cuts, weight) in enumerate(zip(lattice.cuts, problem.weights, strict=True)):
            taxonomy, records = problem.table.taxonomies[attribute], problem.table.occurrences(attribute)
            prices, dearest = [], []
            for cut in cuts:
                counts = np.bincount(cut.value_of_leaf(), weights=records, minlength=len(taxonomy.labels))
                charges = [
                    (int(counts[node]), weight * self.loss.generalization(taxonomy, node))
                    for node in np.flatnonzero(counts).tolist()
                ]
                prices.append(sum((count * charge for count, charge in charges), Fraction(0)))
                dearest.append(max(charge for _, charge in charges))
            self.prices.append(prices)
            self.dearest.append(dearest)

    def widest(self, finest: Levels, coarsest: Levels) -> int | None:
        """The column in which a box differs most; None where it is one node."""
        open_columns = [column for column in range(len(finest)) if finest[column] > coarsest[column]]
        return max(
            open_columns,
            key=lambda column: (
                self.prices[column][coarsest[column]] - self.prices[column][finest[column]],
                finest[column] - coarsest[column],
            ),
            default=None,
        )

    def floor(self, finest: Levels, suppressed: int) -> Fraction:
        """The least that a node costs that is not below the finest and suppresses at least so much."""
        if self.loss.code == LOSS_METRIC:
            return self._of_levels(finest, suppressed)
        if self.loss.code == DISCERNIBILITY:
            return Fraction(self._of_sizes(finest, suppressed))
        if self.loss.code == CLASSIFICATION:
            majorities = self.lattice.partitions(finest).histogram.sum(axis=1).max(axis=1)
            return Fraction(max(suppressed, self.rows - int(majorities.sum())))
        return Fraction(0)

    def _of_levels(self, finest: Levels, suppressed: int) -> Fraction:
        problem = self.lattice.problem
        price = sum((prices[level] for prices, level in zip(self.prices, finest, strict=True)), Fraction(0))
        extra = self.loss.penalty(problem.scheme, problem.weights)
        if problem.scheme not in VALUE_SCHEMES:
            extra -= sum((dearest[level] for dearest, level in zip(self.dearest, finest, strict=True)), Fraction(0))
        return price + suppressed * extra

    def _of_sizes(self, finest: Levels, suppressed: int) -> int:
        sizes = self.lattice.partitions(finest).histogram.sum(axis=(1, 2))
        if self.lattice.problem.scheme == "vio-rec":
            kept = np.minimum(sizes, (self.rows + 1) // 2)
            return max(int((kept**2 + self.rows * (sizes - kept)).sum()), self.rows * suppressed)
        return self.rows * suppressed + _without_the_largest(sizes, suppressed)


def _without_the_largest(sizes: Int64s, records: int) -> int:
    """What the parts cost in dm when so many records are taken out of the largest, and the rest pay as before."""
    falling = np.sort(sizes)[::-1]
    taken = np.minimum(falling, np.maximum(0, records - (np.cumsum(falling) - falling)))
    return int((falling * (falling - taken)).sum())
