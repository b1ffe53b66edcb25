"""CM, the classification metric: how many records a classifier by partition would get wrong.

Paper: Iyengar 2002; Liu 2010, 3.5.3. A kept record costs 1 when it is not of the majority class of its
partition after suppression; a deleted one costs 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

from discreet.kernels.codes import CLASSIFICATION
from discreet.models.schemes import RECORD_SCHEMES
from discreet.taxonomy import Taxonomy
from discreet.values.partitions import Suppressed


class Classification:
    """How many records are deleted or not of the majority class of their partition."""

    name: ClassVar[str] = "cm"
    paper: ClassVar[str] = "Iyengar 2002; Liu 2010, 3.5.3"
    schemes: ClassVar[tuple[str, ...]] = RECORD_SCHEMES
    weighs_columns: ClassVar[bool] = False
    needs_class: ClassVar[bool] = True
    code: ClassVar[int | None] = CLASSIFICATION
    of_averages: ClassVar[bool] = False
    everything: ClassVar[str] = "a release of nothing but *"

    def generalization(self, taxonomy: Taxonomy, node: int) -> Fraction:
        return Fraction(0)

    def penalty(self, scheme: str, weights: Sequence[Fraction]) -> Fraction:
        return Fraction(0)

    def unit(self, taxonomies: Sequence[Taxonomy], weights: Sequence[Fraction]) -> int:
        return 1

    def cost(self, taxonomies: Sequence[Taxonomy], release: Suppressed, weights: Sequence[Fraction]) -> Fraction:
        majorities = release.kept.sum(axis=1).max(axis=1)
        return Fraction(release.rows - int(majorities.sum()))

    def worst(self, rows: int, weights: Sequence[Fraction]) -> Fraction:
        return Fraction(rows)
