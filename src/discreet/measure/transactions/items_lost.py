"""How many occurrences of items the release lacks: sensitive ones and others together.

Paper: Jia et al. 2014, 4 (info loss). Counted from the original and the release alone: of each item the occurrences
that the release does not have. An item under a published node is not lost, it is published as something more general:
what is missing of it is taken to be there. That is exact where items are only left out, where each is published in the
same way everywhere, and where none is left out.

The figure is given beside that of the trivial release, which has no sensitive occurrence and everything else: it breaks
no promise about sensitive items, so a release that loses as much is not worth its search. The least that any release
must lose depends on the promise and on what a method may do; it is the bound of the search, not a measure.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from discreet.measure.measurement import Measurement, Unit, percent
from discreet.measure.transactions.comparison import TransactionComparison
from discreet.values.arrays import Int64s


class ItemsLost:
    """The share of all occurrences that is left out."""

    name: ClassVar[str] = "items-lost"
    title: ClassVar[str] = "Items lost"
    paper: ClassVar[str] = "Jia et al. 2014, 4"
    definition: ClassVar[str] = (
        "How many occurrences of items, sensitive ones and others, the release lacks, divided by all of the original. "
        "An item that is published as something more general is not lost."
    )
    unit: ClassVar[Unit] = "share"
    needs_sensitive: ClassVar[bool] = False

    def measure(self, comparison: TransactionComparison, random: np.random.Generator) -> Measurement:
        original = comparison.original
        sensitive = int(original.sensitive_occurrences.sum())
        whole = original.occurrences + sensitive
        if not whole:
            reading = "Not measured: the transactions have no items."
            return Measurement.of(self, original=None, release=None, reading=reading, details={"measured": False})
        lost_sensitive = _less(original.sensitive_occurrences, comparison.published_sensitive)
        lost_other = _less(original.leaf_occurrences, _published_leaves(comparison))
        lost = lost_sensitive + lost_other
        reading = f"{percent(lost / whole)} of all occurrences of items are left out"
        if lost:
            reading += f", {lost_sensitive:,} sensitive ones and {lost_other:,} others"
        if sensitive:
            reading += f"; leaving out every sensitive one would lose {percent(sensitive / whole)}"
        return Measurement.of(
            self,
            original=0.0,
            release=lost / whole,
            reading=f"{reading}.",
            details={
                "measured": True,
                "occurrences": whole,
                "lost": lost,
                "lost_sensitive": lost_sensitive,
                "lost_other": lost_other,
                "trivial": sensitive,
                "trivial_share": sensitive / whole,
            },
        )


def _less(before: Int64s, after: Int64s) -> int:
    """What all items together lost."""
    return int(np.maximum(0, before - after).sum())


def _published_leaves(comparison: TransactionComparison) -> Int64s:
    """leaf -> how often it is published; under a published node, as often as the original has it"""
    taxonomy, published = comparison.original.taxonomy, comparison.published
    found = published[taxonomy.leaf_nodes]
    for node in np.flatnonzero(published).tolist():
        if not taxonomy.is_leaf(node):
            leaves = slice(int(taxonomy.first_leaf[node]), int(taxonomy.stop_leaf[node]))
            found[leaves] = comparison.original.leaf_occurrences[leaves]
    return found
