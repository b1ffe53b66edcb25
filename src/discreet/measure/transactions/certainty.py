"""What items lost by being published as something more general, or not at all: one figure for each loss on items.

Papers: Xu et al. 2006 and Terrovitis, Mamoulis and Kalnis 2008 (ncp); Iyengar 2002 and Liu 2010, 3.5.1 (lm). Each item
of each original transaction is charged for the lowest published node above it, and 1 when there is none; the figure is
the average charge. Sensitive items are never generalized and not charged.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from discreet.losses.transactions import ItemLoss, prices
from discreet.measure.measurement import Measurement, Unit, percent
from discreet.measure.transactions.comparison import TransactionComparison
from discreet.recode.transactions.recoded import UNPUBLISHED, Recoded, release_cost
from discreet.taxonomy import Taxonomy
from discreet.values.arrays import Int64s

MOST_BRANCHES = 20
"""Branches of the taxonomy that are listed one by one, those whose items lost most first."""


class ItemLossShare:
    """The average loss of an item."""

    unit: ClassVar[Unit] = "share"
    needs_sensitive: ClassVar[bool] = False

    def __init__(self, loss: ItemLoss, title: str) -> None:
        self.loss = loss
        self.name = loss.name
        self.title = title
        self.paper = loss.paper
        self.definition = (
            f"{title} of the node that an item is published as, 1 for an item that is left out, averaged over all "
            "non-sensitive items of all transactions."
        )

    def measure(self, comparison: TransactionComparison, random: np.random.Generator) -> Measurement:
        original, recoded = comparison.original, comparison.recoding
        if recoded is None:
            return self._not_measured("the release alone does not show what each item was published as")
        if not original.occurrences:
            return self._not_measured("the transactions have no non-sensitive items")
        sensitive_stay = replace(recoded, kept=None)
        share = float(release_cost(self.loss, original, sensitive_stay) / original.occurrences)
        branches, left_out = self._by_branch(comparison, recoded)
        reading = f"An item lost {percent(share)} of its meaning on average"
        if left_out:
            reading += f"; {percent(left_out / original.occurrences)} of all items are left out"
        if share and len(branches) > 1:
            reading += f"; an item under {branches[0]['branch']} lost most, {percent(branches[0]['share'])}"
        return Measurement.of(
            self,
            original=0.0,
            release=share,
            reading=f"{reading}.",
            details={"measured": True, "items": original.occurrences, "left_out": left_out, "branches": branches},
        )

    def _by_branch(self, comparison: TransactionComparison, recoded: Recoded) -> tuple[list[dict[str, Any]], int]:
        """The branches right below the root, those whose items lost most first, and how many items are left out."""
        original = comparison.original
        price, unit = prices(self.loss, original.taxonomy)
        rows, nodes = recoded.published_node(original)
        branch_of = branch_of_leaf(original.taxonomy)[original.sets.take(recoded.sources).items]
        weights = recoded.counts[rows]
        charged = np.where(nodes == UNPUBLISHED, 1.0, price[nodes] / unit) * weights
        items = np.bincount(branch_of, weights=weights, minlength=len(original.taxonomy.labels))
        lost = np.bincount(branch_of, weights=charged, minlength=len(items))
        mean = np.divide(lost, items, out=np.zeros(len(items)), where=items > 0)
        order = np.lexsort((np.arange(len(items)), -mean))
        branches = [
            {
                "branch": original.taxonomy.labels[node],
                "items": int(items[node]),
                "share": float(mean[node]),
            }
            for node in order[items[order] > 0][:MOST_BRANCHES].tolist()
        ]
        return branches, int(weights[nodes == UNPUBLISHED].sum())

    def _not_measured(self, reason: str) -> Measurement:
        return Measurement.of(
            self, original=None, release=None, reading=f"Not measured: {reason}.", details={"measured": False}
        )


def branch_of_leaf(taxonomy: Taxonomy) -> Int64s:
    """leaf number -> the child of the root that it lies under, the root itself where it is the only node"""
    branches = np.array(taxonomy.children(0) or (0,), np.int64)
    return np.repeat(branches, taxonomy.stop_leaf[branches] - taxonomy.first_leaf[branches])
