"""What measures of transactions compare: an original and what was published of it.

The release does not say which published transaction was which original one, so measures compare what can be counted in
both. Only what single items lost needs the recoding, which the steward has.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Protocol

import numpy as np

from discreet.encode.released_transactions import ReleasedTransactions
from discreet.encode.transactions import EncodedTransactions
from discreet.measure.measurement import Described, Measurement
from discreet.recode.transactions.recoded import UNPUBLISHED, Recoded, nodes_published
from discreet.values.arrays import Floats, Int64s


@dataclass(frozen=True, eq=False)
class TransactionComparison:
    """An original, its release as read back, and the recoding between them where it is known."""

    original: EncodedTransactions
    release: ReleasedTransactions
    recoded: Recoded | None = None
    rho: Fraction | None = None
    """the highest confidence that the promise leaves to rules about sensitive items, where it limits them all"""

    @cached_property
    def published(self) -> Int64s:
        """node -> how many published transactions have it"""
        release = self.release
        return release.nodes.supports(release.counts, len(self.original.taxonomy.labels))

    @cached_property
    def published_sensitive(self) -> Int64s:
        """sensitive item -> how many published transactions have it, beside their items or apart"""
        release = self.release
        if release.group_sensitive is not None:
            totals: Int64s = release.group_sensitive.sum(axis=0, dtype=np.int64)
            return totals
        return release.sensitive.supports(release.counts, len(self.original.sensitive_items))

    @cached_property
    def spread(self) -> Floats:
        """leaf -> how often it is published, with each published node spread evenly over the leaves under it"""
        taxonomy = self.original.taxonomy
        nodes = np.flatnonzero(self.published)
        first, sizes = taxonomy.first_leaf[nodes], taxonomy.stop_leaf[nodes] - taxonomy.first_leaf[nodes]
        leaves = np.arange(sizes.sum()) + np.repeat(first - (np.cumsum(sizes) - sizes), sizes)
        each = np.repeat(self.published[nodes] / sizes, sizes)
        return np.bincount(leaves, weights=each, minlength=len(taxonomy.leaf_nodes)).astype(np.float64)

    @cached_property
    def recoding(self) -> Recoded | None:
        """The recoding as given, or read off the release where that is possible.

        It is when published nodes never lie above one another and publishing each item everywhere as the node above it
        gives every node as often as the release has it.
        """
        if self.recoded is not None:
            return self.recoded
        taxonomy = self.original.taxonomy
        node_of_leaf = np.full(len(taxonomy.leaf_nodes), UNPUBLISHED, np.int32)
        for node in np.flatnonzero(self.published).tolist():
            leaves = slice(int(taxonomy.first_leaf[node]), int(taxonomy.stop_leaf[node]))
            if (node_of_leaf[leaves] != UNPUBLISHED).any():
                return None
            node_of_leaf[leaves] = node
        recoded = Recoded.everywhere(self.original, node_of_leaf)
        return recoded if np.array_equal(nodes_published(recoded, taxonomy), self.published) else None


class TransactionMeasure(Described, Protocol):
    """One way to say how useful released transactions still are."""

    def measure(self, comparison: TransactionComparison, random: np.random.Generator) -> Measurement:
        """The measure of a release; one that draws nothing leaves `random` alone."""
        ...
