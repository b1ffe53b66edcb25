"""Transactions as a cut publishes them: merged, their items numbered for the search for threats."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.encode.transactions import EncodedTransactions, Int32s, Int64s, Sets, distinct
from discreet.kernels.absent_items import FINISHED
from discreet.kernels.itemset_data import Database, Nodes, Power, prefixes_of
from discreet.kernels.threat_clauses import Clauses
from discreet.kernels.threats import find_threats, settle_short_rows
from discreet.models import ItemsetLimits
from discreet.taxonomy import Taxonomy

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
        leaves = transactions.taxonomy.leaf_nodes
        return cls(Sets(transactions.sets.offsets, leaves[transactions.sets.items]), sensitive, transactions.counts)

    def generalized(self, node_of: Int32s) -> Rows:
        """Every node replaced by node_of[node], equal transactions merged."""
        sets = self.sets.mapped(node_of)
        first, group = distinct(sets, self.sensitive)
        counts = np.bincount(group, weights=self.counts, minlength=len(first)).astype(np.int64)
        return Rows(sets.take(first), self.sensitive.take(first), counts)


def power_of(limits: ItemsetLimits, longest: int, leaves: int) -> Power:
    """The promise for the kernels; nobody can know more items of a set than it has, nor more absent than there are."""
    share = limits.share
    return Power(
        limits.smallest,
        share.numerator,
        share.denominator,
        min(limits.present, max(longest, 1)),
        min(limits.absent, leaves),
    )


def with_above(sets: Sets, parents: Int32s) -> Sets:
    """Each set with all nodes above its own; parents[node] < node, -1 for a root."""
    rows, items = sets.rows, sets.items
    all_rows, all_items = [rows], [items]
    while len(items):
        items = parents[items]
        rows, items = rows[items >= 0], items[items >= 0]
        all_rows.append(rows)
        all_items.append(items)
    return Sets.from_pairs(np.concatenate(all_rows), np.concatenate(all_items), len(sets))


def postings_of(sets: Sets, item_count: int) -> tuple[Int64s, Int32s]:
    """Item -> the rows that have it."""
    order = np.argsort(sets.items, kind="stable")
    offsets = np.concatenate(([0], np.cumsum(np.bincount(sets.items, minlength=item_count)))).astype(np.int64)
    return offsets, sets.rows[order].astype(np.int32)


def database(sets: Sets, cut_sets: Sets, all_sets: Sets, sensitive: Sets, counts: Int64s, removable: Bools) -> Database:
    """sets: what is enumerated. removable: item -> can it be known absent at all?"""
    posting_offsets, postings = postings_of(all_sets, len(removable))
    kept = removable[cut_sets.items]
    sizes = np.bincount(cut_sets.rows[kept], minlength=len(sets))
    return Database(
        sets.offsets,
        sets.items,
        cut_sets.offsets,
        cut_sets.items,
        all_sets.offsets,
        all_sets.items,
        counts,
        sensitive.offsets,
        sensitive.items,
        posting_offsets,
        postings,
        np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        cut_sets.items[kept],
    )


@dataclass(frozen=True, eq=False)
class CutView:
    """The transactions at a cut, with the nodes of the cut and those above it as items in pre-order."""

    data: Database
    nodes: Nodes
    power: Power
    sensitive_count: int

    def find_threats(
        self, clauses: Clauses, count: int, first_item: int, stop: Int64s, examined: Int64s, *, one_is_enough: bool
    ) -> tuple[int, int]:
        """Looks for threats: how it ended and how many clauses there are then (kernels/threats)."""
        data, nodes, power = self.data, self.nodes, self.power
        settled = np.zeros(len(data.weights), bool)
        ended, clauses_now = settle_short_rows(
            data, nodes, clauses, count, power, one_is_enough, self.sensitive_count, stop, examined, settled
        )
        if ended == FINISHED:
            has_sensitive = np.diff(data.sensitive_offsets) > 0
            is_alone = has_sensitive | (~settled & (power.absent > 0))
            trie = prefixes_of(data, is_alone, settled, len(nodes.ends))
            ended, clauses_now = find_threats(
                data, trie, nodes, clauses, clauses_now, power, first_item, one_is_enough, self.sensitive_count, stop,
                examined, settled,
            )  # fmt: skip
        return int(ended), int(clauses_now)


def view(rows: Rows, taxonomy: Taxonomy, numbers: Int32s, limits: ItemsetLimits) -> CutView:
    """rows: generalized to the cut. numbers: node -> its number among those that can be specialized, -1 for others."""
    present = np.zeros(len(taxonomy.labels), bool)
    present[rows.sets.items] = True
    everything = with_above(rows.sets, taxonomy.parents)
    active = np.zeros(len(taxonomy.labels), bool)
    active[everything.items] = True
    items = np.flatnonzero(active)
    number = np.full(len(active), -1, np.int32)
    number[items] = np.arange(len(items), dtype=np.int32)
    on_cut = Sets(rows.sets.offsets, number[rows.sets.items])
    all_sets = Sets(everything.offsets, number[everything.items])
    leaves = (taxonomy.stop_leaf - taxonomy.first_leaf)[items].astype(np.int64)
    parents = taxonomy.parents[items]
    above = np.where(parents >= 0, number[parents], -1).astype(np.int32)
    nodes = Nodes(
        ends=np.searchsorted(items, taxonomy.end[items]).astype(np.int32),
        above=above,
        leaves=leaves,
        specialized=np.where(parents >= 0, numbers[parents], -1).astype(np.int32),
    )
    power = power_of(limits, int(on_cut.sizes.max(initial=0)), taxonomy.leaf_count(0))
    removable = present[items] & (leaves <= power.absent)
    # Where nothing is promised about sensitive items, a threat above the cut implies one on it: some child of a present
    # item is present, and the children of an absent one are absent.
    enumerated = all_sets if limits.limits_confidence else on_cut
    data = database(enumerated, on_cut, all_sets, rows.sensitive, rows.counts, removable)
    return CutView(data, nodes, power, int(rows.sensitive.items.max(initial=-1)) + 1)


def no_clauses(width: int = 1) -> Clauses:
    """For a search that only wants to know whether there is a threat."""
    nothing = np.zeros(0, np.int32)
    return Clauses(nothing, nothing, np.zeros((0, 0), bool), np.zeros((0, width), np.int32), nothing, nothing, nothing)
