"""k-member: groups filled record by record and then improved, each published with labels of its own.

Papers: Byun, Kamra, Bertino and Li 2007 (k-member clustering); Kirkpatrick, Gelatt and Vecchi 1983 (annealing). Local
recoding. From a seed a group grows by the record that adds least to the loss, until it keeps the promise. What differs
from the paper: whatever keeps the promise among records that are all alike stays there at no cost (its *home*); seeds
are taken where the table is densest, or at random where sensitive values matter; and what was found is improved:

- A record moves to the group nearby where it costs least, if its own can do without it. A group is dissolved if others
  nearby take all of its records for less.
- Annealing: the same moves and exchanges of two records, at random, with a chance for those that cost a little. A short
  one always; a long one for as long as `time_limit` allows. Without a time limit nothing depends on the clock.

Promises: every group keeps the promise. The result never costs more than that of mondrian, which it falls back to when
there is no time for anything else. With a time limit and the loss lm half of the time goes into a bound: no release of
this kind with groups of at least k records costs less (least_loss.py); for columns that are published at nodes only.

Needs: a promise that is closed under addition, so that groups that look alike can be published as one; the suppression
`none`. Records are moved by the loss metric of what is published, nodes or the width of ranges, with the weights of the
columns; the result is priced by whatever loss is asked for.

What it tells somebody who knows the method. For k-anonymity groups are made of the quasi-identifiers alone, and which
of the records that are alike go to which group is drawn at random: the method adds nothing to what is published. For
promises about sensitive values the records of one combination stay together, unless `split` allows otherwise. With
`split` the excess of a value is sent away from its combination, which tells it: k = 4, no value above 1/4, and x has s
five times and a, b, c. Four stay, s, a, b and c. Whoever knows that eight people have x sees four rows there; where the
wider groups show s but none of a, b and c, those who left have the value that was too many: s. The promise then holds
for whoever takes the rows of a group for exchangeable, the certificate says that records were split (`split`), and the
attack `expulsion` counts what it tells.

Costs: blocks of 500 combinations are worked on one after the other, each in the square of its size for neighbours, so
the time grows with the number of combinations and not of rows. With up to 20,000 of them all are annealed together once
more, as records that the end of a block kept apart may belong together; with more, in blocks of 20,000 and only where a
time limit leaves room for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.kernels import boxes, lawful
from discreet.kernels.annealing import anneal
from discreet.kernels.k_member import (
    dissolve_groups,
    fill_homes,
    find_neighbours,
    gather,
    gather_the_rest,
    merge_groups,
    relocate,
    settle,
    settle_anywhere,
)
from discreet.kernels.lawful import Promise
from discreet.kernels.places import COST, NONE, Places, no_places
from discreet.models.cones import ConeDemand
from discreet.models.limit_columns import LimitColumns
from discreet.recode.table.recoded import ByRegions
from discreet.recode.table.suppression import suppress
from discreet.search.branch_and_bound import SECONDS_BETWEEN_EVENTS
from discreet.search.events import Listener, SearchEvent, ignore
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.table.least_loss import least_loss
from discreet.search.table.mondrian import Cutting
from discreet.search.table.points import PointTable
from discreet.search.table.problem import TableProblem, exact_cost
from discreet.values.arrays import Int32s, Int64s
from discreet.values.partitions import Partitions

BLOCK, LARGE_BLOCK = 500, 20_000
"""So many combinations are looked at together: at first, and for annealing."""
NEIGHBOURS = 48
FIRST_TRIES, MORE_TRIES = 20, 30
"""tries of a short annealing for each item: when groups are new, and of all together"""
TRIES_AT_ONCE = 20_000
"""about so many are made between two looks at the clock"""
COLD, WARM, FROZEN = 0.08, 0.4, 0.03
"""Temperatures, as shares of the loss of one value: where a short annealing begins, a long one, and where both end."""
SHARE_OF_BOUND = 0.5
"""so much of the time that is allowed goes into the bound at most"""


def k_member(
    problem: TableProblem,
    limits: Limits | None = None,
    random: np.random.Generator | None = None,
    listen: Listener = ignore,
    *,
    split: bool = False,
) -> SearchResult:
    """Groups that keep the promise, the better the more time there is."""
    limits, random = limits or Limits(), random or np.random.default_rng()
    table = PointTable.of(problem)
    table.check_cells()
    events: list[SearchEvent] = []
    bound: Fraction | None = None
    if problem.loss_name == "lm" and limits.time_limit is not None:
        bound = least_loss(table, Limits(SHARE_OF_BOUND * limits.time_limit, interrupt=limits.interrupt))

    def tell(cost: Fraction) -> None:
        events.append(SearchEvent(limits.seconds, cost, bound, 0))
        listen(events[-1])

    cutting = Cutting(table, strict=True, tried=1)
    for _ in cutting.steps():
        if limits.is_over:
            break
    best = cutting.recoded()
    cost = exact_cost(problem, best)
    tell(cost)
    grouping = Grouping(table, Items.of(table, split), cutting.orders[0], random)
    for _ in grouping.steps(limits):
        if limits.seconds - events[-1].seconds >= SECONDS_BETWEEN_EVENTS:
            tell(min(cost, grouping.cost) if grouping.is_complete else cost)
    if grouping.is_complete:
        found = grouping.recoded()
        if (price := exact_cost(problem, found)) < cost:
            best, cost = found, price
    details = {"groups": len(best.nodes), "split": grouping.splits, "finished": grouping.is_finished}
    return SearchResult.ended(best, cost, limits, events, details, bound=bound)


@dataclass(frozen=True, eq=False)
class Items:
    """What is moved as one: a record, or all records of a point."""

    points: boxes.Points
    """what one copy of each is; those of a point of the table stand one after the other"""
    copies: Int64s
    homes: Int64s
    """item -> copies that are lawful with others of their point, and stay there"""
    point_of: Int32s
    """item -> point of the table"""
    first_item: Int64s
    item_of: Int64s
    """combination of the table -> item"""

    @classmethod
    def of(cls, table: PointTable, split: bool) -> Items:
        """Where only sizes are promised, records are moved one by one; else only with `split`."""
        points, number = table.points, len(table.points.sizes)
        own = np.arange(number, dtype=np.int32), np.arange(number + 1, dtype=np.int64), table.point_of
        if is_about_sizes(table):
            no_entries = np.zeros(number + 1, np.int64), np.empty(0, np.int32), np.empty(0, np.int64)
            records = boxes.Points(points.leaves, np.ones(number, np.int64), *no_entries)
            homes = np.where(points.sizes >= table.promise.smallest, points.sizes, 0)
            return cls(records, points.sizes, homes, *own)
        encoded, demand = table.problem.table, table.problem.demand
        values = len(encoded.sensitive_values)
        cell_of = table.point_of * values + encoded.sensitive
        histograms = np.bincount(cell_of, weights=encoded.counts, minlength=number * values).astype(np.int64)
        histograms = histograms.reshape(number, values)
        if not split:
            return cls(points, np.ones(number, np.int64), demand.holds(histograms).astype(np.int64), *own)
        cells, item_of = np.unique(cell_of, return_inverse=True)
        point_of, value = (cells // values).astype(np.int32), cells % values
        return cls(
            _records(table, point_of, value),
            histograms[point_of, value],
            _lawful_parts(table, histograms)[point_of, value],
            point_of,
            np.searchsorted(point_of, np.arange(number + 1)).astype(np.int64),
            item_of,
        )


def is_about_sizes(table: PointTable) -> bool:
    """Whether the promise asks nothing of sensitive values."""
    shares = table.promise.shares
    return table.promise.family == lawful.LIMITS and bool((shares[:, 0] >= shares[:, 1]).all())


def _records(table: PointTable, point_of: Int32s, value: Int64s) -> boxes.Points:
    """Single records with their sensitive values."""
    demand = table.problem.demand
    columns = LimitColumns.of(table.problem.limits, every_value=isinstance(demand, ConeDemand))
    begins = np.searchsorted(columns.value, np.arange(int(value.max()) + 2))
    times = np.diff(begins)[value]
    first = np.append(0, np.cumsum(times)).astype(np.int64)
    entries = np.repeat(begins[value] - first[:-1], times) + np.arange(first[-1])
    leaves = np.ascontiguousarray(table.points.leaves[point_of])
    return boxes.Points(
        leaves, np.ones(len(value), np.int64), first, columns.column[entries], np.ones(len(entries), np.int64)
    )


def _lawful_parts(table: PointTable, histograms: Int64s) -> Int64s:
    """Of each point as many records as can be lawful together, or all or none where that is not worked out."""
    demand = table.problem.demand
    if table.problem.limits.sums or (isinstance(demand, ConeDemand) and not demand.says_what_to_delete):
        return np.where(demand.holds(histograms)[:, None], histograms, 0)
    alike = Partitions(np.zeros((len(histograms), 1), np.int32), histograms[:, :, None])
    return np.asarray(suppress(alike, demand, "vio-rec").kept.sum(axis=2))


class Grouping:
    """The groups of a table, as they are filled and improved; order: its points, near ones near each other."""

    def __init__(self, table: PointTable, items: Items, order: Int32s, random: np.random.Generator) -> None:
        self.table = table
        self.items = items
        self.order = order
        self.random = random
        self.state = random.integers(1 << 63, size=1, dtype=np.uint64)
        number = len(items.copies)
        room = int(2 * number + np.minimum(items.copies, 64).sum()) + 1_000
        self.places = no_places(items.points, room, number + 1_000, len(table.promise.shares) - 1)
        self.left = items.copies - items.homes
        self.neighbours = np.full((len(order), NEIGHBOURS + 1), NONE, np.int32)
        self.is_finished = False
        self._best: tuple[int, tuple[Int32s, Int32s, Int64s]] | None = None

    @property
    def is_complete(self) -> bool:
        """Whether every record was in a lawful group at some time."""
        return self._best is not None

    @property
    def splits(self) -> bool:
        """Whether records that are alike may be in different groups."""
        return bool(self.items.copies.max() > 1) or len(self.items.copies) > len(self.table.points.sizes)

    @property
    def cost(self) -> Fraction:
        """By the loss metric, of the best that was found."""
        assert self._best is not None
        return Fraction(self._best[0], self.table.unit)

    def steps(self, limits: Limits) -> Iterator[None]:
        """Fills all groups, then improves them, until time is up or, without a limit, nothing more is worth it."""
        self._fill_homes()
        for block in self._blocks(BLOCK):
            yield
            if limits.is_over:
                return
            self._fill(block)
            yield from self._anneal_shortly(block, FIRST_TRIES, limits)
        self._fill_with_the_rest()
        self._keep_if_better()
        if len(self.order) <= LARGE_BLOCK:
            for block in self._blocks(LARGE_BLOCK):
                yield
                if limits.is_over:
                    return
                find_neighbours(block, *self._where, self.neighbours)
                yield from self._anneal_shortly(block, MORE_TRIES, limits)
                self._move_where_it_saves(block)
                self._keep_if_better()
        if limits.time_limit is not None:
            yield from self._anneal_within(limits)
        self.is_finished = not limits.interrupt.is_set()

    def _anneal_shortly(self, block: Int32s, tries_each: int, limits: Limits) -> Iterator[None]:
        moved = self._moved(block)
        self._merge_alike(moved)
        tries = tries_each * len(moved)
        for done in range(0, tries, TRIES_AT_ONCE):
            if limits.is_over:
                return
            self._anneal(moved, COLD, done / tries, min(TRIES_AT_ONCE, tries - done))
            yield

    def _anneal_within(self, limits: Limits) -> Iterator[None]:
        """Annealing until time is up, each large block for its share of the time that is left."""
        assert limits.time_limit is not None
        blocks = list(self._blocks(LARGE_BLOCK))
        for number, block in enumerate(blocks):
            begin = limits.seconds
            seconds = (limits.time_limit - begin) / (len(blocks) - number)
            find_neighbours(block, *self._where, self.neighbours)
            moved = self._moved(block)
            if not len(moved):  # all are at home, and there is nothing to draw from
                continue
            self._merge_alike(moved)
            while not limits.is_over and (done := (limits.seconds - begin) / seconds) < 1:
                yield
                self._anneal(moved, WARM, done, TRIES_AT_ONCE)
                self._keep_if_better()
            if limits.is_over and number < len(blocks) - 1:
                return
            self._move_where_it_saves(block)
            self._keep_if_better()

    @property
    def _where(self) -> tuple[Int32s, boxes.Charges]:
        return self.table.points.leaves, self.table.charges

    @property
    def _groups(self) -> tuple[Places, boxes.Points, boxes.Charges, Promise]:
        return self.places, self.items.points, self.table.charges, self.table.promise

    @property
    def _nearby(self) -> tuple[Int32s, Int64s, Int32s]:
        return self.neighbours, self.items.first_item, self.items.point_of

    def _blocks(self, size: int) -> Iterator[Int32s]:
        """The points of each cell in stretches of the order."""
        cells = self.table.cell_of[self.order]
        for cell in np.split(self.order, np.flatnonzero(np.diff(cells)) + 1):
            yield from np.split(cell, np.arange(size, len(cell), size))

    def _moved(self, block: Int32s) -> Int32s:
        """The items of some points that are not all at home."""
        first, stop = self.items.first_item[block], self.items.first_item[block + 1]
        begins = np.cumsum(stop - first) - (stop - first)
        items = (np.repeat(first - begins, stop - first) + np.arange((stop - first).sum())).astype(np.int32)
        return items[self.items.copies[items] > self.items.homes[items]]

    def _fill_homes(self) -> None:
        fill_homes(*self._groups[:-1], self.items.point_of, self.items.homes)

    def _fill(self, block: Int32s) -> None:
        distances = find_neighbours(block, *self._where, self.neighbours)
        waiting = self._moved(block)
        if is_about_sizes(self.table):
            rank = min(self.table.promise.smallest, NEIGHBOURS) - 1
            place = np.empty(len(self.order), np.int64)
            place[block] = np.arange(len(block))
            densest = distances[place[self.items.point_of[waiting]], rank]
            waiting = waiting[np.argsort(densest, kind="stable")]
        else:
            waiting = self.random.permutation(waiting)
        gather(*self._groups, *self._nearby, waiting, self.left)
        settle(*self._groups, *self._nearby, waiting[self.left[waiting] > 0], self.left)

    def _fill_with_the_rest(self) -> None:
        cell_of = self.table.cell_of[self.items.point_of]
        settle_anywhere(*self._groups, cell_of, np.flatnonzero(self.left).astype(np.int32), self.left)
        while self.left.any():
            rest = np.flatnonzero(self.left).astype(np.int32)
            gather_the_rest(*self._groups, cell_of, rest[cell_of[rest] == cell_of[rest[0]]], self.left)

    def _merge_alike(self, moved: Int32s) -> None:
        """Groups of these items that are published alike are one: nobody pays more, and there is more to spare."""
        is_moved = np.zeros(len(self.items.copies), bool)
        is_moved[moved] = True
        there = np.unique(self.places.group[(self.places.copies > 0) & is_moved[self.places.item]]).astype(np.int64)
        looks = self.table.looks(self.places.lows[there].T, self.places.highs[there].T)
        _, first, group_of = np.unique(looks, return_index=True, return_inverse=True)
        again = np.flatnonzero(first[group_of] != np.arange(len(there)))
        merge_groups(*self._groups[:-1], there[again], there[first[group_of[again]]])

    def _move_where_it_saves(self, block: Int32s) -> None:
        moved = self._moved(block)
        self._merge_alike(moved)
        relocate(*self._groups, *self._nearby, moved)
        dissolve_groups(*self._groups, *self._nearby, moved)

    def _anneal(self, moved: Int32s, begin: float, done: float, tries: int) -> None:
        """So many tries at the temperature that there is when so much is done."""
        temperature = self.table.unit * begin * (FROZEN / begin) ** done
        anneal(*self._groups, *self._nearby, moved, temperature, tries, self.state)

    def _keep_if_better(self) -> None:
        cost = int(self.places.counters[COST])
        if self._best is None or cost < self._best[0]:
            there = np.flatnonzero(self.places.copies)
            self._best = cost, (self.places.item[there], self.places.group[there], self.places.copies[there])

    def recoded(self) -> ByRegions:
        """The best that was found. Which of an item's records go where is drawn at random."""
        assert self._best is not None
        item, group, copies = self._best[1]
        return self.table.drawn(self.items.item_of, item, group.astype(np.int64), copies, self.random)
