"""Losses on tables: what each of them has to say about itself, and which there are."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar, Protocol

from discreet.losses.cm import Classification
from discreet.losses.dm import Discernibility
from discreet.losses.lm import LossMetric
from discreet.losses.sse import SumOfSquares
from discreet.taxonomy import Taxonomy
from discreet.values.partitions import Suppressed


class TableLoss(Protocol):
    """An information loss: a sum over the partitions of a release.

    The search works with whole numbers, in units of 1 / unit; what the bounds need (Liu 2010, 3.3) is in
    kernels/partition_price, next to the code that uses it.
    """

    name: ClassVar[str]
    paper: ClassVar[str]
    schemes: ClassVar[tuple[str, ...]]
    """the suppression schemes that it can price"""
    weighs_columns: ClassVar[bool]
    """whether it charges values column by column, so that one column can weigh more than another"""
    needs_class: ClassVar[bool]
    code: ClassVar[int | None]
    """what the kernels call it; None where they cannot price it, so that it goes only with methods that price
    releases by definition"""
    of_averages: ClassVar[bool]
    """whether it is of records that are averaged, so that only methods that do so can price it, themselves"""
    everything: ClassVar[str]
    """what loses all there is, in words: what a normalized loss is measured against"""

    def generalization(self, taxonomy: Taxonomy, node: int) -> Fraction:
        """What one record pays for being published at this node, apart from its partition, in a column of weight 1."""
        ...

    def penalty(self, scheme: str, weights: Sequence[Fraction]) -> Fraction:
        """What one suppressed value or record pays, apart from its partition. weights: one for each attribute."""
        ...

    def unit(self, taxonomies: Sequence[Taxonomy], weights: Sequence[Fraction]) -> int:
        """A common denominator of all costs in these taxonomies."""
        ...

    def cost(self, taxonomies: Sequence[Taxonomy], release: Suppressed, weights: Sequence[Fraction]) -> Fraction:
        """The loss of a release, by definition."""
        ...

    def worst(self, rows: int, weights: Sequence[Fraction]) -> Fraction:
        """The loss of generalizing every value to the root; a normalized loss is measured against it."""
        ...


TABLE_LOSSES: dict[str, TableLoss] = {
    loss.name: loss for loss in (LossMetric(), Discernibility(), Classification(), SumOfSquares())
}
"""Losses by name; the first that a method minimizes is its default."""


def described(loss: TableLoss) -> list[str]:
    """What goes with a loss, and what it needs, in a few words."""
    needs = ["needs a column with the role class"] if loss.needs_class else []
    needs += ["for methods that average records"] if loss.of_averages else []
    return [f"goes with {', '.join(loss.schemes)}", *needs]
