"""Transactions as a cut publishes them: merged, their items numbered for the search for threats."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.encode.transactions import EncodedTransactions
from discreet.kernels.absent_items import FINISHED
from discreet.kernels.itemset_data import CUT, Database, Nodes, Number, Power
from discreet.kernels.rare_itemsets import MOST_CELLS, find_rare_itemsets, ways_to_choose
from discreet.kernels.row_sets import generalize_rows, group_rows, rows_of_items, rows_with_above
from discreet.kernels.threat_clauses import Clauses
from discreet.kernels.threats import find_threats, settle_short_rows
from discreet.models.itemset_limits import ItemsetLimits
from discreet.taxonomy import Taxonomy
from discreet.values.arrays import Int32s, Int64s
from discreet.values.sets import Sets

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Rows:
    """Transactions with counts; items are nodes of the taxonomy."""

    sets: Sets
    sensitive: Sets
    counts: Int64s

    @classmethod
    def of(cls, transactions: EncodedTransactions, limits: ItemsetLimits) -> Rows:
        """The original's, sensitive items left out where nothing is promised about them."""
        sensitive = transactions.sensitive
        if not limits.limits_confidence:
            sensitive = Sets(np.zeros(len(transactions.counts) + 1, np.int64), np.zeros(0, np.int32))
        return cls(transactions.nodes, sensitive, transactions.counts)

    def generalized(self, node_of: Int32s) -> Rows:
        """Every node replaced by node_of[node], which never decreases; equal transactions merged."""
        return self.merged(Sets(*generalize_rows(self.sets.offsets, self.sets.items, node_of)))[0]

    def merged(self, sets: Sets) -> tuple[Rows, Int64s]:
        """With these sets instead, equal transactions merged; also says which each became."""
        nothing_yet = np.zeros(len(sets), np.int64)
        _, sensitive = group_rows(self.sensitive.offsets, self.sensitive.items, nothing_yet)
        first, group = group_rows(sets.offsets, sets.items, sensitive)
        counts = np.bincount(group, weights=self.counts, minlength=len(first)).astype(np.int64)
        return Rows(sets.take(first), self.sensitive.take(first), counts), group


def power_of(limits: ItemsetLimits, cut_sets: Sets, leaves: Int64s) -> Power:
    """The promise for the kernels; nobody can know more items of a set than it has.

    leaves: item -> how many leaves it is worth. Nothing that is worth too many can be known to be absent.
    """
    occurs = np.bincount(cut_sets.items, minlength=len(leaves)) > 0
    share = limits.share
    return Power(
        limits.smallest,
        share.numerator,
        share.denominator,
        min(limits.present, max(int(cut_sets.sizes.max(initial=0)), 1)),
        min(limits.absent, int(leaves[occurs & (leaves <= limits.absent)].sum())),
    )


def database(sets: Sets, cut_sets: Sets, all_sets: Sets, sensitive: Sets, counts: Int64s, removable: Bools) -> Database:
    """sets: what is enumerated. removable: item -> can it be known absent at all?"""
    kept = removable[cut_sets.items]
    places = np.concatenate(([0], np.cumsum(kept)))
    parts = (sets, cut_sets, all_sets, sensitive, Sets(places[cut_sets.offsets], cut_sets.items[kept]))
    begins: dict[int, int] = {}  # what is given twice is stored once
    items: list[Int32s] = []
    for part in parts:
        if id(part) not in begins:
            begins[id(part)] = sum(map(len, items))
            items.append(part.items)
    offsets = np.stack([part.offsets + begins[id(part)] for part in parts])
    posting_offsets, postings = rows_of_items(all_sets.offsets, all_sets.items, len(removable))
    return Database(offsets, np.concatenate(items), counts, posting_offsets, postings)


@dataclass(frozen=True, eq=False)
class CutView:
    """The transactions at a cut, with the nodes of the cut and those above it as items in pre-order."""

    data: Database
    nodes: Nodes
    power: Power
    sensitive_count: int
    """0 where nothing is promised about sensitive items"""

    @cached_property
    def cut_items(self) -> Bools:
        """Item -> is it one of the cut that occurs?"""
        begin, end = self.data.offsets[CUT, 0], self.data.offsets[CUT, -1]
        return np.bincount(self.data.items[begin:end], minlength=len(self.nodes)) > 0

    def find_threats(
        self, clauses: Clauses, count: Number, first_item: int, stop: Int64s, examined: Int64s, *, one_is_enough: bool
    ) -> tuple[int, int]:
        """Looks for threats: returns how it ended and how many clauses there are then (kernels/threats)."""
        settled = np.zeros(len(self.data.weights), bool)
        ended, count = settle_short_rows(
            self.data, self.nodes, clauses, count, self.power, one_is_enough, self.sensitive_count, stop, examined,
            settled,
        )  # fmt: skip
        if ended == FINISHED:
            if not one_is_enough and self._fits_a_table():
                ended, count = self._count_all(clauses, count, stop, examined, settled)
            else:
                ended, count = self._enumerate(clauses, count, first_item, stop, examined, settled, one_is_enough)
        return int(ended), int(count)

    def _enumerate(
        self,
        clauses: Clauses,
        count: Number,
        first_item: int,
        stop: Int64s,
        examined: Int64s,
        settled: Bools,
        one_is_enough: bool,
    ) -> tuple[Number, Number]:
        """Itemset by itemset, for any promise (kernels/threats)."""
        return find_threats(
            self.data, self.nodes, clauses, count, self.power, first_item, one_is_enough, self.sensitive_count,
            stop, examined, settled,
        )  # fmt: skip

    def _fits_a_table(self) -> bool:
        """Whether there are few enough itemsets to count all, and their counts are all that matters."""
        items = int(self.cut_items.sum())
        cells = math.comb(items, min(self.power.present, items // 2))  # of the size with most itemsets
        return self.sensitive_count == 0 and self.power.absent == 0 and cells <= MOST_CELLS

    def _count_all(
        self, clauses: Clauses, count: Number, stop: Int64s, examined: Int64s, settled: Bools
    ) -> tuple[Number, Number]:
        """Size by size, in a table (kernels/rare_itemsets)."""
        number = (np.cumsum(self.cut_items) - 1).astype(np.int32)
        ways = ways_to_choose(self.power.present, int(self.cut_items.sum()))
        ended: Number = FINISHED
        counts = np.full(1, self.power.k, np.int32)
        for size in range(1, self.power.present + 1):
            if ended == FINISHED:
                ended, count, counts = find_rare_itemsets(
                    self.data, self.nodes, clauses, count, self.power, size, number, ways, counts, stop, examined,
                    settled,
                )  # fmt: skip
        return ended, count


def view(rows: Rows, taxonomy: Taxonomy, numbers: Int32s, limits: ItemsetLimits) -> CutView:
    """rows: generalized to the cut. numbers: node -> its number among those that can be specialized, -1 for others."""
    present = np.zeros(len(taxonomy.labels), bool)
    present[rows.sets.items] = True
    everything = Sets(*rows_with_above(rows.sets.offsets, rows.sets.items, taxonomy.parents))
    active = np.zeros(len(taxonomy.labels), bool)
    active[everything.items] = True
    items = np.flatnonzero(active)
    number = np.full(len(active), -1, np.int32)
    number[items] = np.arange(len(items), dtype=np.int32)
    on_cut = Sets(rows.sets.offsets, number[rows.sets.items])
    all_sets = Sets(everything.offsets, number[everything.items])
    leaves = (taxonomy.stop_leaf - taxonomy.first_leaf)[items].astype(np.int64)
    parents = taxonomy.parents[items]
    above = np.where(parents >= 0, number[parents], -1)
    specialized = np.where(parents >= 0, numbers[parents], -1)
    ends = np.searchsorted(items, taxonomy.end[items])
    nodes = np.column_stack((ends, above, leaves, specialized)).astype(np.int32)
    power = power_of(limits, on_cut, leaves)
    removable = present[items] & (leaves <= power.absent)
    # Where nothing is promised about sensitive items, a threat above the cut implies one on it: some child of a present
    # item is present, and the children of an absent one are absent.
    enumerated = all_sets if limits.limits_confidence else on_cut
    data = database(enumerated, on_cut, all_sets, rows.sensitive, rows.counts, removable)
    return CutView(data, nodes, power, int(rows.sensitive.items.max(initial=-1)) + 1)


def no_clauses(width: int = 1) -> Clauses:
    """For a search that only wants to know whether there is a threat."""
    nothing = np.zeros(0, np.int32)
    return Clauses(np.zeros((0, 3), np.int32), np.zeros((0, 0), bool), np.zeros((0, width), np.int32), nothing, nothing)
