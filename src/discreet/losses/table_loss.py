"""What every loss on tables has to say of itself."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar, Protocol

from discreet.encode import EncodedTable
from discreet.recode.suppression import Suppressed
from discreet.taxonomy import Taxonomy


class TableLoss(Protocol):
    """An information loss: a sum over the partitions of a release.

    The search works with whole numbers, in units of 1 / unit; what the bounds need (Liu 2010, 3.3) stands in
    kernels/partition_price, next to the code that uses it.
    """

    name: ClassVar[str]
    paper: ClassVar[str]
    schemes: ClassVar[tuple[str, ...]]
    needs_class: ClassVar[bool]

    def generalization(self, taxonomy: Taxonomy, node: int) -> Fraction:
        """What one record pays for being published at this node, apart from its partition."""
        ...

    def penalty(self, scheme: str, attributes: int) -> int:
        """What one suppressed value or record pays, apart from its partition."""
        ...

    def cost(self, table: EncodedTable, release: Suppressed) -> Fraction:
        """The loss of a release, by definition."""
        ...

    def worst(self, rows: int, attributes: int) -> int:
        """The loss of generalizing every value to the root; a normalized loss is measured against it."""
        ...


def generalization_cost(loss: TableLoss, taxonomies: Sequence[Taxonomy], nodes: Sequence[int]) -> Fraction:
    """What one record of a partition published at these nodes pays for generalization."""
    return sum(
        (loss.generalization(taxonomy, node) for taxonomy, node in zip(taxonomies, nodes, strict=True)),
        Fraction(0),
    )
