"""mondrian: a table cut in two again and again, each part published with labels of its own.

Paper: LeFevre, DeWitt and Ramakrishnan 2006 (Mondrian multidimensional k-anonymity). Local recoding: a group is cut
along one column, between two values in the order of its taxonomy, as long as both sides keep the promise. What is left
is published at the lowest nodes above all values of a group, or at labels made for it (`labels`). Three things differ
from the paper. Every place of a cut is tried, in every column, and not the median alone: of 1 1 1 1 2 2 2 2 2 the
median is 2, and k = 2 allows the cut 1|2 that a cut at the median misses. The cut that is made leaves the least loss,
and need not be in the widest column. And any promise of the house may be kept, not k alone.

Promises: every group keeps the promise, and with `strict` no group can be cut any more: wherever one could be, a side
would break the promise. The paper's textbook version, "until each region contains no more than k records", cannot be
had: three points and k = 2 stay one group of three. Nothing is proved about the loss.

Strict: records that agree in a column are on the same side of each cut along it, so groups are disjoint boxes of
leaves; the nodes above them, which are published, may overlap. With `strict: false` those that agree may be divided, in
the order of the other columns; boxes may then overlap too, and groups are smaller. In both, records that agree in all
columns stay together: dividing them narrows nothing.

With `look_ahead` the ten cuts that leave least loss are each tried, and the one is made that leaves least after the
next cut of both sides.

Needs: a promise that is closed under addition, so that groups that look alike can be published as one; the suppression
`none`. Cuts are chosen by the loss metric (lm), at the nodes and by width together, or by width alone in columns that
are not published at nodes, with the weights of the columns; the result is priced by whatever loss is asked for.

What it tells somebody who knows the method. For k-anonymity groups depend on the quasi-identifiers alone: the method
adds nothing to what is published. For promises about sensitive values a cut that was not made tells that one side
would have broken the promise, though not which, and not by which value. All records of a combination stay in one
group, so nobody is moved away from those like them because of their sensitive value.

Costs: (columns)^2 steps for each distinct combination and each cut above it; with look_ahead about twenty times that.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from discreet.kernels.mondrian import CUTS, HEAD, TAIL, cut_groups
from discreet.recode.table.recoded import ByRegions
from discreet.search.branch_and_bound import SECONDS_BETWEEN_EVENTS
from discreet.search.events import Listener, SearchEvent, ignore
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.table.points import PointTable
from discreet.search.table.problem import TableProblem, exact_cost
from discreet.values.arrays import Int32s, Int64s

TRIED = 10
"""so many of the best cuts are tried with look_ahead"""
POINTS_AT_ONCE = 100_000
"""about so many are looked at between two looks at the clock"""


def mondrian(
    problem: TableProblem,
    limits: Limits | None = None,
    random: np.random.Generator | None = None,
    listen: Listener = ignore,
    *,
    strict: bool = True,
    look_ahead: bool = False,
) -> SearchResult:
    """Cuts until nothing can be cut, or time is up. Nothing in it is random."""
    limits = limits or Limits()
    table = PointTable.of(problem)
    table.check_cells()
    events: list[SearchEvent] = []
    cutting = Cutting(table, strict, TRIED if look_ahead else 1)

    def tell(recoded: ByRegions) -> None:
        events.append(SearchEvent(limits.seconds, exact_cost(problem, recoded), None, cutting.cuts))
        listen(events[-1])

    tell(cutting.recoded())
    for _ in cutting.steps():
        if limits.is_over:
            break
        if limits.seconds - events[-1].seconds >= SECONDS_BETWEEN_EVENTS:
            tell(cutting.recoded())
    recoded = cutting.recoded()
    cost = exact_cost(problem, recoded)
    details = {"groups": len(recoded.nodes), "cuts": cutting.cuts, "finished": cutting.is_finished}
    return SearchResult.ended(recoded, cost, limits, events, details)


class Cutting:
    """Groups of points, as they are cut; tried: how many cuts of each are looked at twice."""

    def __init__(self, table: PointTable, strict: bool, tried: int) -> None:
        self.table = table
        self.strict = strict
        self.tried = tried
        self.orders = _orders(table)
        cells = np.bincount(table.cell_of)
        self.groups = np.zeros((2 * len(table.points.sizes) + 2, 2), np.int64)
        self.groups[: len(cells), 1] = np.cumsum(cells)
        self.groups[: len(cells), 0] = np.cumsum(cells) - cells
        self.is_whole = np.zeros(len(self.groups), bool)
        self.state = np.array([0, len(cells), 0], np.int64)

    @property
    def cuts(self) -> int:
        return int(self.state[CUTS])

    @property
    def is_finished(self) -> bool:
        return bool(self.state[HEAD] == self.state[TAIL])

    def steps(self) -> Iterator[None]:
        """Cuts for a while, again and again, until nothing can be cut."""
        while not self.is_finished:
            yield
            cut_groups(
                self.orders,
                self.groups,
                self.is_whole,
                self.state,
                self.table.points,
                self.table.charges,
                self.table.promise,
                self.strict,
                self.tried,
                POINTS_AT_ONCE,
            )

    @property
    def group_of(self) -> Int64s:
        """Point -> its group as it is now, those that nobody has looked at yet included."""
        head, tail = self.state[HEAD], self.state[TAIL]
        there = np.append(np.flatnonzero(self.is_whole[:head]), np.arange(head, tail))
        group_of = np.empty(len(self.table.points.sizes), np.int64)
        for group, (start, stop) in enumerate(self.groups[there].tolist()):
            group_of[self.orders[0, start:stop]] = group
        return group_of

    def recoded(self) -> ByRegions:
        return self.table.recoded(self.group_of)


def _orders(table: PointTable) -> Int32s:
    """For each attribute the points in the order of its leaves, cell by cell; equal ones in that of the next ones."""
    leaves = table.points.leaves.T
    orders = [
        np.lexsort((*np.roll(leaves, -attribute, axis=0)[::-1], table.cell_of)) for attribute in range(len(leaves))
    ]
    return np.array(orders, np.int32)
