"""SSE, the sum of squared errors: how far records are from the mean of their group.

Paper: Domingo-Ferrer and Mateo-Sanz 2002. Columns are standardized, so that each counts alike whatever its unit. SST is
the sum of squared distances of all records from the mean of all, SSE that of the records from the means of their
groups; the loss is SSE / SST, 0 where the records of every group are alike and 1 where all are one group. It needs to
know which records were averaged, which no release shows: the methods that average records price their groups
themselves, by `within_groups`. It says nothing about the rows that are drawn from a group afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar, NoReturn

import numpy as np

from discreet.models.schemes import RECORD_SCHEMES
from discreet.taxonomy import Taxonomy
from discreet.values.arrays import Floats, Int64s
from discreet.values.partitions import Suppressed

DIGITS = 12
"""of the loss: it comes from floating point"""


class SumOfSquares:
    """The share of the squared distances between records that lies within groups, and is averaged away."""

    name: ClassVar[str] = "sse"
    paper: ClassVar[str] = "Domingo-Ferrer and Mateo-Sanz 2002"
    schemes: ClassVar[tuple[str, ...]] = RECORD_SCHEMES
    weighs_columns: ClassVar[bool] = False
    needs_class: ClassVar[bool] = False
    code: ClassVar[int | None] = None
    of_averages: ClassVar[bool] = True
    everything: ClassVar[str] = "one group of all records"

    def generalization(self, taxonomy: Taxonomy, node: int) -> Fraction:
        self._refuse()

    def penalty(self, scheme: str, weights: Sequence[Fraction]) -> Fraction:
        self._refuse()

    def unit(self, taxonomies: Sequence[Taxonomy], weights: Sequence[Fraction]) -> int:
        self._refuse()

    def cost(self, taxonomies: Sequence[Taxonomy], release: Suppressed, weights: Sequence[Fraction]) -> Fraction:
        self._refuse()

    def worst(self, rows: int, weights: Sequence[Fraction]) -> Fraction:
        return Fraction(1)

    def _refuse(self) -> NoReturn:
        raise TypeError("Squared errors are of the records in a group, which only the method knows.")


def share_within(within: float, total: float) -> Fraction:
    """SSE / SST; 0 where all records are alike."""
    return Fraction(round(min(1.0, within / total) * 10**DIGITS), 10**DIGITS) if total > 0 else Fraction(0)


def within_groups(points: Floats, groups: Int64s, amounts: Int64s) -> float:
    """SSE: so many records at each point (row) of standardized columns, each with the number of its group."""
    sizes = np.bincount(groups, weights=amounts)
    total = 0.0
    for column in points.T:
        means = np.bincount(groups, weights=amounts * column) / np.maximum(sizes, 1)
        total += float(amounts @ (column - means[groups]) ** 2)
    return total
