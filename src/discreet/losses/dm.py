"""DM, the discernibility metric: how many records each record cannot be told apart from.

Paper: Bayardo and Agrawal 2005; Liu 2010, 3.5.2. A kept record costs the size of its partition after
suppression, a deleted one the size of the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

from discreet.kernels.codes import DISCERNIBILITY
from discreet.models.schemes import RECORD_SCHEMES
from discreet.taxonomy import Taxonomy
from discreet.values.partitions import Suppressed


class Discernibility:
    """How many records each record cannot be told apart from."""

    name: ClassVar[str] = "dm"
    paper: ClassVar[str] = "Bayardo and Agrawal 2005; Liu 2010, 3.5.2"
    schemes: ClassVar[tuple[str, ...]] = RECORD_SCHEMES
    weighs_columns: ClassVar[bool] = False
    needs_class: ClassVar[bool] = False
    code: ClassVar[int | None] = DISCERNIBILITY
    of_averages: ClassVar[bool] = False
    everything: ClassVar[str] = "a release of nothing but *"

    def generalization(self, taxonomy: Taxonomy, node: int) -> Fraction:
        return Fraction(0)

    def penalty(self, scheme: str, weights: Sequence[Fraction]) -> Fraction:
        return Fraction(0)

    def unit(self, taxonomies: Sequence[Taxonomy], weights: Sequence[Fraction]) -> int:
        return 1

    def cost(self, taxonomies: Sequence[Taxonomy], release: Suppressed, weights: Sequence[Fraction]) -> Fraction:
        return Fraction(int((release.sizes**2).sum()) + release.rows * release.records)

    def worst(self, rows: int, weights: Sequence[Fraction]) -> Fraction:
        return Fraction(rows * rows)
