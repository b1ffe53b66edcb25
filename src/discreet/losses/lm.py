"""LM, the loss metric: how ambiguous generalization has made the values.

Paper: Iyengar 2002; Liu 2010, 3.5.1. A value published as v costs (leaves(v) - 1) / (leaves(root) - 1), leaves
counted in the taxonomy as given. A suppressed sensitive value costs |QI| on top, a deleted record 2 |QI|
instead. With weights each value costs so much times its column's weight, and the sum of the weights stands in for |QI|.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import ClassVar

import numpy as np

from discreet.kernels.codes import LOSS_METRIC
from discreet.models.schemes import RECORD_SCHEMES, VALUE_SCHEMES
from discreet.taxonomy import Taxonomy
from discreet.values.partitions import Suppressed


class LossMetric:
    """How ambiguous generalization has made the values, attribute by attribute."""

    name: ClassVar[str] = "lm"
    paper: ClassVar[str] = "Iyengar 2002; Liu 2010, 3.5.1"
    schemes: ClassVar[tuple[str, ...]] = RECORD_SCHEMES + VALUE_SCHEMES
    weighs_columns: ClassVar[bool] = True
    needs_class: ClassVar[bool] = False
    code: ClassVar[int | None] = LOSS_METRIC
    of_averages: ClassVar[bool] = False
    everything: ClassVar[str] = "a release of nothing but *"

    def generalization(self, taxonomy: Taxonomy, node: int) -> Fraction:
        leaves = taxonomy.leaf_count(0)
        return Fraction(taxonomy.leaf_count(node) - 1, leaves - 1) if leaves > 1 else Fraction(0)

    def penalty(self, scheme: str, weights: Sequence[Fraction]) -> Fraction:
        return sum(weights, Fraction(0)) * (1 if scheme in VALUE_SCHEMES else 2)

    def unit(self, taxonomies: Sequence[Taxonomy], weights: Sequence[Fraction]) -> int:
        charged = zip(taxonomies, weights, strict=True)
        return lcm(*(Fraction(weight, max(1, taxonomy.leaf_count(0) - 1)).denominator for taxonomy, weight in charged))

    def cost(self, taxonomies: Sequence[Taxonomy], release: Suppressed, weights: Sequence[Fraction]) -> Fraction:
        generalized = Fraction(0)
        for taxonomy, nodes, weight in zip(taxonomies, release.nodes.T, weights, strict=True):
            records = np.bincount(nodes, weights=release.sizes, minlength=len(taxonomy.labels))
            for node in np.flatnonzero(records).tolist():
                generalized += weight * int(records[node]) * self.generalization(taxonomy, node)
        starred = self.penalty("vio-sa", weights) * release.values
        return generalized + starred + self.penalty("vio-rec", weights) * release.records

    def worst(self, rows: int, weights: Sequence[Fraction]) -> Fraction:
        return rows * sum(weights, Fraction(0))
