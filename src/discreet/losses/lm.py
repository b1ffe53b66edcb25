"""LM, the loss metric: how ambiguous generalization made the values.

Paper: Iyengar 2002; Liu 2010, 3.5.1. A value published as v costs (leaves(v) - 1) / (leaves(root) - 1), leaves
counted in the taxonomy as given. A suppressed sensitive value costs |QI| on top, a deleted record 2 |QI|
instead.
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from discreet.encode import EncodedTable
from discreet.losses.table_loss import generalization_cost
from discreet.recode.schemes import RECORD_SCHEMES, VALUE_SCHEMES
from discreet.recode.suppression import Suppressed
from discreet.taxonomy import Taxonomy


class LossMetric:
    """How ambiguous generalization made the values, attribute by attribute."""

    name: ClassVar[str] = "lm"
    paper: ClassVar[str] = "Iyengar 2002; Liu 2010, 3.5.1"
    schemes: ClassVar[tuple[str, ...]] = RECORD_SCHEMES + VALUE_SCHEMES
    needs_class: ClassVar[bool] = False

    def generalization(self, taxonomy: Taxonomy, node: int) -> Fraction:
        leaves = taxonomy.leaf_count(0)
        return Fraction(taxonomy.leaf_count(node) - 1, leaves - 1) if leaves > 1 else Fraction(0)

    def penalty(self, scheme: str, attributes: int) -> int:
        return attributes if scheme in VALUE_SCHEMES else 2 * attributes

    def cost(self, table: EncodedTable, release: Suppressed) -> Fraction:
        kept = release.sizes
        generalized = sum(
            (
                int(size) * generalization_cost(self, table.taxonomies, [int(node) for node in nodes])
                for nodes, size in zip(release.nodes, kept, strict=True)
                if size
            ),
            Fraction(0),
        )
        attributes = len(table.attributes)
        starred = self.penalty("vio-sa", attributes) * release.values
        return generalized + starred + self.penalty("vio-rec", attributes) * release.records

    def worst(self, rows: int, attributes: int) -> int:
        return rows * attributes
