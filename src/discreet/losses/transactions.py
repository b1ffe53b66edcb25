"""Losses on transactions: charged for each occurrence of an item, by the node it is published as.

A well-behaved loss (Liu 2010, 4.2.3) charges items and not transactions, charges nothing for a leaf, and never charges
less for a more general node. Then the loss of a cut is a sum over its nodes.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import ClassVar, Protocol

import numpy as np

from discreet.losses.lm import LossMetric
from discreet.losses.ncp import NormalizedCertaintyPenalty
from discreet.taxonomy import Taxonomy
from discreet.values.arrays import Int64s


class ItemLoss(Protocol):
    """What publishing an item as a node costs; an item that is left out costs 1, as much as the root or more."""

    name: ClassVar[str]
    paper: ClassVar[str]

    def generalization(self, taxonomy: Taxonomy, node: int) -> Fraction:
        """For one occurrence: from 0, for a leaf, to 1."""
        ...


def prices(loss: ItemLoss, taxonomy: Taxonomy) -> tuple[Int64s, int]:
    """Node -> what one occurrence costs in whole numbers of 1 / unit, and the unit."""
    inner = np.flatnonzero(taxonomy.end > np.arange(1, len(taxonomy.labels) + 1))
    exact = [loss.generalization(taxonomy, node) for node in inner.tolist()]
    unit = lcm(*(price.denominator for price in exact))
    charged = np.zeros(len(taxonomy.labels), np.int64)
    charged[inner] = [int(price * unit) for price in exact]
    return charged, unit


TRANSACTION_LOSSES: dict[str, ItemLoss] = {loss.name: loss for loss in (LossMetric(), NormalizedCertaintyPenalty())}
"""Losses by name; the first is the default."""
