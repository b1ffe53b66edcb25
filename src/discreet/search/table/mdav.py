"""mdav: groups of k to 2k - 1 records that are near one another, published at their means.

Papers: Domingo-Ferrer and Mateo-Sanz 2002 (maximum distance to the average vector); Domingo-Ferrer and Torra 2005,
whose version (MDAV-generic) this is. Microaggregation: the record farthest from the mean of those left and the k - 1
nearest to it are a group, then the record farthest from that one and the k - 1 nearest to it, as long as 3k are left.
Of fewer than 3k a group is made once more around the one farthest from their mean, and what is left, k to 2k - 1, is
the last. Columns are standardized, so that each counts alike whatever its unit.

Promises: every group has at least k records, and all rows of a group are alike; so the release can be verified like any
other of local recoding. Groups whose means come out alike are one for whoever sees the release. So are groups of copies
of one record: many copies fill several groups of k, which are published as the one group that they are.

Where a column may not be coarser than some labels (`at_least`), no group has records from below two of them, and each
part of the table has groups of its own.

Needs: numbers in all quasi-identifiers, none of them missing; a promise about sizes alone, for groups are made of the
quasi-identifiers and nothing else; the suppression `none`. The loss is sse, the share of the squared distances between
records that lies within groups. Nothing is proved about it: the least sse is hard to find (Oganian and Domingo-Ferrer
2001).

What it tells somebody who knows the method: nothing beyond what is published, as for k-anonymity with mondrian. But a
mean is exact. Whoever knows all records of a group but one can work that one out, up to rounding.

Costs: (distinct combinations)^2 * columns / k steps. If time is up, the records that are left are one group.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from discreet.errors import InputError
from discreet.kernels.microaggregation import ENTRIES, GROUPS, LEFT, RECORDS, make_groups
from discreet.losses.sse import share_within, within_groups
from discreet.recode.table.recoded import ByRegions
from discreet.search.branch_and_bound import SECONDS_BETWEEN_EVENTS
from discreet.search.events import Listener, SearchEvent, ignore
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.table.points import PointTable
from discreet.search.table.problem import TableProblem
from discreet.taxonomy import MISSING
from discreet.values.arrays import Floats, Int64s

LOOKS_AT_ONCE = 3_000_000
"""at points, about so many between two looks at the clock"""


def mdav(
    problem: TableProblem,
    limits: Limits | None = None,
    random: np.random.Generator | None = None,
    listen: Listener = ignore,
) -> SearchResult:
    """Makes groups until all records are in one, or time is up. Random is only which of equal records go where."""
    limits, random = limits or Limits(), random or np.random.default_rng()
    _check_complete(problem)
    table = PointTable.of(problem)
    table.check_cells()
    points = standardized(table)
    aggregating = Aggregating(table, points)
    events: list[SearchEvent] = []

    def tell() -> None:
        events.append(SearchEvent(limits.seconds, aggregating.cost, None, 0))
        listen(events[-1])

    tell()
    for _ in aggregating.steps():
        if limits.is_over:
            break
        if limits.seconds - events[-1].seconds >= SECONDS_BETWEEN_EVENTS:
            tell()
    recoded = aggregating.recoded(random)
    details = {"groups": len(np.unique(aggregating.entries[:, 1])), "finished": aggregating.is_finished}
    return SearchResult.ended(recoded, aggregating.cost, limits, events, details)


def _check_complete(problem: TableProblem) -> None:
    table = problem.table
    for name, taxonomy, leaves in zip(table.attributes, table.taxonomies, table.leaves, strict=True):
        if taxonomy.labels[-1] == MISSING and (leaves == len(taxonomy.leaf_nodes) - 1).any():
            raise InputError(
                f"{name}: a value is missing, and mdav needs a number in every record; fill it or leave such records "
                f"out, drop the column with attributes.{name}.role: identifier, or use the method mondrian."
            )


def standardized(table: PointTable) -> Floats:
    """Points as rows of numbers with the mean 0 and the variance 1 in each column, over all records."""
    numbers = [
        np.array([float(number) for number in scale.numbers])[places]
        for scale, places in zip(table.scales, table.points.leaves.T, strict=True)
        if scale is not None and scale.numbers is not None
    ]
    points = np.stack(numbers, axis=1)
    apart = points - np.average(points, axis=0, weights=table.points.sizes)
    spread = np.sqrt(np.average(apart**2, axis=0, weights=table.points.sizes))
    return np.ascontiguousarray(apart / np.where(spread > 0, spread, 1.0))


class Aggregating:
    """The groups of a table as they are made, one cell after the other; what is left of a cell is one group."""

    def __init__(self, table: PointTable, points: Floats) -> None:
        self.table = table
        self.points = points
        self.k = table.problem.demand.smallest
        self.total = float(table.points.sizes @ (points**2).sum(axis=1))
        self.rest = table.points.sizes.copy()
        self.state = np.zeros(4, np.int64)
        self.written = np.empty((len(points) + int(self.rest.sum()) // self.k * 2 + 2, 3), np.int64)
        self.cells = int(table.cell_of.max()) + 1
        self.cell = 0

    @property
    def is_finished(self) -> bool:
        return self.cell == self.cells

    def steps(self) -> Iterator[None]:
        """Makes some groups, again and again, until all records are in one."""
        for cell in range(self.cells):
            alive = np.flatnonzero(self.table.cell_of == cell)
            self.state[LEFT], self.state[RECORDS] = len(alive), self.rest[alive].sum()
            total = (self.points[alive] * self.rest[alive, None]).sum(axis=0)
            while self.state[RECORDS] >= 2 * self.k:
                yield
                most = max(2, LOOKS_AT_ONCE // len(alive))
                make_groups(
                    self.points, self.k, most, self.rest, alive, total, self.state, self.written, both_ends=True
                )
            self._close(alive[: self.state[LEFT]])
            self.cell = cell + 1

    def _close(self, left: Int64s) -> None:
        """The points that are left of a cell are a group."""
        entries = slice(self.state[ENTRIES], self.state[ENTRIES] + len(left))
        self.written[entries] = np.stack((left, np.full(len(left), self.state[GROUPS]), self.rest[left]), axis=1)
        self.rest[left] = 0
        self.state[ENTRIES] += len(left)
        self.state[GROUPS] += 1

    @property
    def entries(self) -> Int64s:
        """entry -> point, group, records; what is not yet in a group is one, for each cell"""
        left = np.flatnonzero(self.rest)
        groups = self.state[GROUPS] + self.table.cell_of[left]
        return np.vstack((self.written[: self.state[ENTRIES]], np.stack((left, groups, self.rest[left]), axis=1)))

    @property
    def cost(self) -> Fraction:
        entries = self.entries
        return share_within(within_groups(self.points[entries[:, 0]], entries[:, 1], entries[:, 2]), self.total)

    def recoded(self, random: np.random.Generator) -> ByRegions:
        point, group, records = self.entries.T
        return self.table.drawn(self.table.point_of, point.astype(np.int32), group, records, random)
