"""What becomes of transactions: which items each is published with.

One form for every method. A cut replaces items by their ancestors the same way in all transactions, total suppression
leaves items out everywhere, partial suppression leaves out single occurrences, sensitive ones too, local generalization
decides group by group, permutation leaves the items alone and separates the sensitive ones from them by groups.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from discreet.encode.transactions import EncodedTransactions
from discreet.losses.transactions import ItemLoss, prices
from discreet.taxonomy import Cut, Taxonomy
from discreet.values.arrays import Int32s, Int64s
from discreet.values.sets import Sets

UNPUBLISHED = -1
"""The node of an item that is left out."""


@dataclass(frozen=True, eq=False)
class Recoded:
    """Row r: counts[r] transactions of the distinct set sources[r] are published with the taxonomy nodes nodes[r].

    groups: where the sensitive items are published apart, the group of each row, from 0; then each row is one
    transaction or several of one group. kept: where sensitive items are left out, the codes of those that each row
    keeps; None where all stay as they are. cut: where one serves all transactions.
    """

    sources: Int32s
    nodes: Sets
    counts: Int64s
    groups: Int32s | None = None
    kept: Sets | None = None
    cut: Cut | None = None

    def sensitive(self, transactions: EncodedTransactions) -> Sets:
        """Row -> the codes of the sensitive items that it is published with."""
        return transactions.sensitive.take(self.sources) if self.kept is None else self.kept

    def charged(self, transactions: EncodedTransactions) -> int:
        """How many original occurrences could be lost, including the sensitive ones where these can be left out."""
        sensitive = 0 if self.kept is None else int(transactions.sensitive_occurrences.sum())
        return transactions.occurrences + sensitive

    @classmethod
    def everywhere(cls, transactions: EncodedTransactions, node_of_leaf: Int32s) -> Recoded:
        """The same for all transactions: leaf number -> the node it is published as, or UNPUBLISHED."""
        sources = np.arange(len(transactions.counts), dtype=np.int32)
        return cls(sources, transactions.sets.mapped(node_of_leaf), transactions.counts)

    @classmethod
    def by_cut(cls, transactions: EncodedTransactions, cut: Cut) -> Recoded:
        return replace(cls.everywhere(transactions, cut.value_of_leaf()), cut=cut)

    def published_node(self, transactions: EncodedTransactions) -> tuple[Int64s, Int32s]:
        """For each row and each original item of it: the row, and the node above the item, UNPUBLISHED for none.

        Where several published nodes lie above an item, as local generalization can yield, the lowest counts.
        """
        taxonomy = transactions.taxonomy
        sources = transactions.sets.take(self.sources)
        rows, leaves = sources.rows, taxonomy.leaf_nodes[sources.items]
        published = np.full(len(leaves), UNPUBLISHED, np.int32)
        width = np.int64(len(taxonomy.labels))
        has = np.sort(self.nodes.rows * width + self.nodes.items)
        above = leaves.copy()
        while (open_ := (published < 0) & (above >= 0)).any():
            wanted = rows[open_] * width + above[open_]
            place = np.minimum(np.searchsorted(has, wanted), len(has) - 1) if len(has) else np.zeros(0, np.int64)
            found = has[place] == wanted if len(has) else np.zeros(len(wanted), bool)
            index = np.flatnonzero(open_)
            published[index[found]] = above[index[found]]
            above[index] = taxonomy.parents[above[index]]
        return rows, published


def nodes_published(recoded: Recoded, taxonomy: Taxonomy) -> Int64s:
    """Node -> how many published transactions have it."""
    return recoded.nodes.supports(recoded.counts, len(taxonomy.labels))


def release_cost(loss: ItemLoss, transactions: EncodedTransactions, recoded: Recoded) -> Fraction:
    """The loss of a release, by definition: over all original items of all transactions.

    A sensitive item is never generalized; one that is left out costs 1 like any other.
    """
    price, unit = prices(loss, transactions.taxonomy)
    rows, nodes = recoded.published_node(transactions)
    charged = np.where(nodes == UNPUBLISHED, unit, price[nodes]) * recoded.counts[rows]
    missing = int(transactions.sensitive_occurrences.sum())
    missing -= int((recoded.sensitive(transactions).sizes * recoded.counts).sum())
    return Fraction(int(charged.sum()), unit) + missing
