"""Losses on transactions: charged for each occurrence of an item, by the node it is published as.

A well-behaved loss (Liu 2010, 4.2.3) charges items and not transactions, charges nothing for a leaf, and never less for
a more general node. Then the loss of a cut is a sum over its nodes.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import ClassVar, Protocol

import numpy as np

from discreet.encode.transactions import EncodedTransactions, Int64s
from discreet.recode.transactions import UNPUBLISHED, Recoded
from discreet.taxonomy import Taxonomy


class ItemLoss(Protocol):
    """What publishing an item as a node costs; an item that is left out costs 1, as much as the root or more."""

    name: ClassVar[str]
    paper: ClassVar[str]

    def generalization(self, taxonomy: Taxonomy, node: int) -> Fraction:
        """Of one occurrence, between 0 for a leaf and 1."""
        ...


def prices(loss: ItemLoss, taxonomy: Taxonomy) -> tuple[Int64s, int]:
    """Node -> what one occurrence costs in whole numbers of 1 / unit, and the unit."""
    inner = np.flatnonzero(taxonomy.end > np.arange(1, len(taxonomy.labels) + 1))
    exact = [loss.generalization(taxonomy, node) for node in inner.tolist()]
    unit = lcm(*(price.denominator for price in exact))
    charged = np.zeros(len(taxonomy.labels), np.int64)
    charged[inner] = [int(price * unit) for price in exact]
    return charged, unit


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
