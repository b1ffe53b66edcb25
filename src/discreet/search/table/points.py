"""A table as the methods of local recoding see it, and their groups as what becomes of its records.

A *point* is a distinct combination of quasi-identifiers, with all its records. Where a column may not be coarser than
some labels, no group has points from below two of them: so the table falls into *cells*, one for each combination of
the coarsest labels, and every group lies in one. Promises are closed under addition; so if there is any release, every
cell keeps the promise, and a cell that breaks it leaves none.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

import numpy as np

from discreet.errors import NoReleaseError
from discreet.kernels import boxes
from discreet.kernels.lawful import Promise
from discreet.losses.lm import LossMetric
from discreet.models.cones import ConeDemand, compiled_promise
from discreet.models.limit_columns import LimitColumns
from discreet.recode.table.labels import GroupColumn, label_groups
from discreet.recode.table.recoded import ByRegions
from discreet.search.cut_enumeration import OccurringTree
from discreet.search.table.problem import LARGEST_PRODUCT, TableProblem, why_none
from discreet.taxonomy import PublishedValues, Taxonomy
from discreet.taxonomy.published import Scale
from discreet.values.arrays import Bools, Int32s, Int64s, column_codes

MOST_LEAVES_BY_RANGE = 512
"""With no more, each range of leaves has an entry of its own: 2 MB."""


@dataclass(frozen=True, eq=False)
class PointTable:
    """The points of a table, what groups of them have to keep, and what their records pay."""

    problem: TableProblem
    point_of: Int64s
    """combination of the table -> its point"""
    points: boxes.Points
    charges: boxes.Charges
    """by the loss metric, whatever the loss that the result is priced by"""
    unit: int
    """a charge of so much is 1"""
    promise: Promise
    cell_of: Int64s
    """point -> its cell; cells are numbered from 0"""
    borders: tuple[Int32s, ...]
    """for each attribute: power of two x border -> the lowest node above so many borders"""
    scales: tuple[Scale | None, ...]
    """for each attribute that is not published at nodes: its leaves in a row, in which their places are known"""

    @classmethod
    def of(cls, problem: TableProblem) -> PointTable:
        table = problem.table
        problem.check_digits()
        _, first, point_of = np.unique(column_codes(table.leaves), return_index=True, return_inverse=True)
        sizes = np.bincount(point_of, weights=table.counts).astype(np.int64)
        limits = LimitColumns.of(problem.limits, every_value=isinstance(problem.demand, ConeDemand))
        scales = tuple(
            None if table.labelling(attribute) == "nodes" else Scale.of(taxonomy)
            for attribute, taxonomy in enumerate(table.taxonomies)
        )
        places = [_places(scale, leaves) for scale, leaves in zip(scales, table.leaves[:, first], strict=True)]
        points = boxes.Points(np.stack(places, axis=1), sizes, *_entries(problem, point_of, limits))
        borders = tuple(_borders(taxonomy) for taxonomy in table.taxonomies)
        by_width = np.array([scale is not None for scale in scales])
        charges, unit = _charges(problem, borders, by_width)
        highest = np.stack(
            [_highest_nodes(problem, attribute)[leaves] for attribute, leaves in enumerate(table.leaves[:, first])]
        )
        cell_of = np.unique(column_codes(highest), return_inverse=True)[1]
        promise = compiled_promise(problem.demand, limits)
        return cls(problem, point_of, points, charges, unit, promise, cell_of.astype(np.int64), borders, scales)

    def check_cells(self) -> None:
        """Refuses a table of which there is no release, however its records are grouped."""
        table = self.problem.table
        shape = (int(self.cell_of.max()) + 1, len(table.sensitive_values))
        cells = self.cell_of[self.point_of] * shape[1] + table.sensitive
        histograms = np.bincount(cells, weights=table.counts, minlength=shape[0] * shape[1]).astype(np.int64)
        if not self.problem.demand.holds(histograms.reshape(shape)).all():
            raise NoReleaseError(why_none(self.problem))

    def looks(self, lows: Int32s, highs: Int32s) -> Int64s:
        """A number for each box, attribute x box: boxes of one number pay the same, and so does what is in both.

        At nodes it is the lowest node above a box that counts, elsewhere its ends.
        """
        rows = []
        for scale, taxonomy, borders, low, high in zip(
            self.scales, self.problem.table.taxonomies, self.borders, lows, highs, strict=True
        ):
            rows += [_common_ancestors(taxonomy, borders, low, high)] if scale is None else [low, high]
        return column_codes(np.stack(rows))

    def recoded(self, group_of: Int64s) -> ByRegions:
        """All records of a point in one group, and groups that look alike in one region. group_of: by point."""
        table = self.problem.table
        everything = np.arange(len(table.counts), dtype=np.int32)
        return self.assigned(everything, group_of[self.point_of], table.counts)

    def assigned(self, sources: Int32s, groups: Int64s, counts: Int64s) -> ByRegions:
        """So many records of combinations of the table in each group, published at the labels of their group."""
        order = np.argsort(groups, kind="stable")
        starts = np.flatnonzero(np.append(True, np.diff(groups[order]) > 0))
        leaves = self.problem.table.leaves[:, sources[order]]
        columns = [
            self._column(attribute, leaves[attribute], starts, counts[order]) for attribute in range(len(leaves))
        ]
        region = np.unique(column_codes(np.stack([column.codes for column in columns])), return_inverse=True)[1]
        published = [column.of_regions(region) for column in columns]
        regions = np.empty(len(groups), np.int32)
        regions[order] = np.repeat(region, np.diff(np.append(starts, len(groups))))
        # Parts of a combination that look alike are one part.
        _, place, part_of = np.unique(
            column_codes(np.stack((sources, regions))), return_index=True, return_inverse=True
        )
        together = np.bincount(part_of, weights=counts).astype(np.int64)
        nodes = np.stack([codes for codes, _ in published], axis=1)
        return ByRegions(sources[place], regions[place], together, nodes, tuple(values for _, values in published))

    def drawn(
        self, item_of: Int64s, item: Int32s, group: Int64s, copies: Int64s, random: np.random.Generator
    ) -> ByRegions:
        """Entry e: so many copies of an item are in a group. Which of an item's records go where is drawn at random.

        item_of: combination of the table -> its item. An item that is in one group is there with all its records.
        """
        counts = self.problem.table.counts
        several = np.bincount(item, minlength=int(item_of.max()) + 1) > 1
        group_of = np.empty(len(several), np.int64)
        group_of[item] = group
        together = np.flatnonzero(~several[item_of])
        apart = np.flatnonzero(several[item_of])
        apart = apart[np.argsort(item_of[apart], kind="stable")]
        records = np.repeat(apart, counts[apart])
        shuffled = records[np.lexsort((random.random(len(records)), item_of[records]))]
        theirs = np.flatnonzero(several[item])
        theirs = theirs[np.argsort(item[theirs], kind="stable")]
        targets = np.repeat(group[theirs], copies[theirs])
        pairs, times = np.unique(np.stack((shuffled, targets)), axis=1, return_counts=True)
        return self.assigned(
            np.concatenate((together, pairs[0])).astype(np.int32),
            np.concatenate((group_of[item_of[together]], pairs[1])),
            np.concatenate((counts[together], times)).astype(np.int64),
        )

    def _column(self, attribute: int, leaves: Int32s, starts: Int64s, counts: Int64s) -> GroupColumn:
        """What groups are published as in an attribute. leaves, counts: of each entry; starts: where groups begin."""
        scale, taxonomy = self.scales[attribute], self.problem.table.taxonomies[attribute]
        if scale is not None:
            return label_groups(scale, self.problem.table.labelling(attribute), leaves, starts, counts)
        low, high = np.minimum.reduceat(leaves, starts), np.maximum.reduceat(leaves, starts)
        nodes = _common_ancestors(taxonomy, self.borders[attribute], low, high)
        return GroupColumn(PublishedValues(taxonomy), nodes, low, high)


def _farthest_place(scale: Scale) -> int:
    """Where a missing value stands: further away than any other."""
    return 2 * len(scale.place_of)


def _places(scale: Scale | None, leaves: Int32s) -> Int32s:
    """Where leaves stand in their order; the missing value is further away than any other."""
    if scale is None:
        return leaves
    return np.where(scale.place_of < scale.values, scale.place_of, _farthest_place(scale)).astype(np.int32)[leaves]


def _entries(problem: TableProblem, point_of: Int64s, limits: LimitColumns) -> tuple[Int64s, Int32s, Int64s]:
    """The records of each point by column of the histogram: first entry of each point, columns, counts."""
    table = problem.table
    begins = np.searchsorted(limits.value, np.arange(len(table.sensitive_values) + 1))
    times = np.diff(begins)[table.sensitive]
    within = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
    columns = limits.column[np.repeat(begins[:-1][table.sensitive], times) + within]
    width = len(limits.shares) - 1
    cells, entry_of = np.unique(np.repeat(point_of, times) * width + columns, return_inverse=True)
    counts = np.bincount(entry_of, weights=np.repeat(table.counts, times)).astype(np.int64)
    first = np.searchsorted(cells, np.arange(int(point_of.max()) + 2) * width)
    return first.astype(np.int64), (cells % width).astype(np.int32), counts


def _borders(taxonomy: Taxonomy) -> Int32s:
    """Power of two x leaf -> the lowest node above this leaf and the next 1, 2, 4, ... leaves.

    A node that begins with a leaf ends the one before: the parent of the highest of them is above both. Of nodes that
    have a leaf in common the higher one has the smaller number.
    """
    highest = np.unique(taxonomy.first_leaf, return_index=True)[1]
    levels = [np.append(taxonomy.parents[highest[1:]], 0)]
    while 2 << len(levels) - 1 < len(highest):
        ahead = 1 << len(levels) - 1
        below = levels[-1]
        levels.append(np.minimum(below, np.append(below[ahead:], np.zeros(ahead, np.int32))))
    return np.array(levels, np.int32)


def _common_ancestors(taxonomy: Taxonomy, borders: Int32s, low: Int32s, high: Int32s) -> Int32s:
    """The lowest node above the leaves of each range."""
    count = np.maximum(high - low, 1)
    power = np.frexp(count)[1] - 1
    above = np.minimum(borders[power, low], borders[power, np.maximum(high - (1 << power), 0)])
    return np.where(low == high, taxonomy.leaf_nodes[low], above).astype(np.int32)


def _charges(problem: TableProblem, borders: tuple[Int32s, ...], by_width: Bools) -> tuple[boxes.Charges, int]:
    """The charges of the loss metric in whole numbers, and what is 1 in them.

    Where weights have many digits, charges are rounded: they only say which way to go, and the result is priced anew.
    """
    taxonomies, weights = problem.table.taxonomies, problem.weights
    most = LARGEST_PRODUCT // (4 * problem.table.rows * max(1, ceil(sum(weights, Fraction(0)))))
    unit = min(LossMetric().unit(taxonomies, weights), most)
    leaves = [len(taxonomy.leaf_nodes) for taxonomy in taxonomies]
    steps = [floor(weight * unit / max(1, count - 1)) for weight, count in zip(weights, leaves, strict=True)]
    largest = [
        (step * (taxonomy.stop_leaf[above] - taxonomy.first_leaf[above] - 1).astype(np.int64)).ravel()
        for step, taxonomy, above in zip(steps, taxonomies, borders, strict=True)
    ]
    first = np.cumsum([0, *map(len, largest)])[:-1]
    powers = np.frexp(np.arange(max(leaves)))[1] - 1
    by_range = [_by_range(*each) for each in zip(steps, taxonomies, borders, strict=True)]
    sizes = np.array([len(entries) for entries in by_range])
    charges = boxes.Charges(
        np.concatenate(largest),
        first.astype(np.int64),
        np.array(leaves, np.int64),
        powers.astype(np.int64),
        np.array(steps, np.int64),
        np.concatenate(by_range),
        np.where(sizes > 0, np.cumsum(sizes) - sizes, -1),
        by_width,
    )
    return charges, unit


def _by_range(step: int, taxonomy: Taxonomy, borders: Int32s) -> Int64s:
    """Lowest leaf x highest leaf -> charge, where there are few leaves."""
    leaves = len(taxonomy.leaf_nodes)
    if leaves > MOST_LEAVES_BY_RANGE:
        return np.empty(0, np.int64)
    low, high = np.divmod(np.arange(leaves * leaves, dtype=np.int32), leaves)
    above = _common_ancestors(taxonomy, borders, np.minimum(low, high), np.maximum(low, high))
    return step * (taxonomy.stop_leaf[above] - taxonomy.first_leaf[above] - 1).astype(np.int64)


def _highest_nodes(problem: TableProblem, attribute: int) -> Int64s:
    """Leaf -> the highest node above it that may be published."""
    taxonomy = problem.table.taxonomies[attribute]
    everything = np.ones(len(taxonomy.leaf_nodes), bool)
    tree = OccurringTree.of(
        taxonomy, everything, merge_only_children=False, is_forbidden=problem.table.is_forbidden(attribute)
    )
    cut = np.array(tree.coarsest_cut())
    return np.repeat(cut, tree.stop_leaf[cut] - tree.first_leaf[cut])
