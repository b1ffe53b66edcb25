"""What a promise about a table demands of one partition, the records that look alike: does its histogram keep it?

Most promises come down to two limits on each partition: no sensitive value makes up more than its share of it, and it
is not too small. Those are `PartitionLimits`, which a search can price value by value. Any other demand is a class with
`holds`; its `shares` and `smallest` say what follows from it for single values and for sizes, so that attacks can
compare with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
import numpy.typing as npt

from discreet.values.arrays import Int64s

Bools = npt.NDArray[np.bool_]

SENSITIVE = "{sensitive}"
"""Where a promise in words names the sensitive column; the code that shows the words puts the name there."""


@dataclass(frozen=True)
class SensitiveColumn:
    """The sensitive values of a table and how often each occurs; no values if there is no such column."""

    values: tuple[str, ...]
    counts: tuple[int, ...]


class Demand(Protocol):
    """What a promise demands of every partition."""

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """The largest share of each sensitive value that it allows; 1 where it sets no limit."""
        ...

    @property
    def smallest(self) -> int:
        """The fewest records that it allows; 1 where it sets no limit."""
        ...

    def holds(self, histograms: Int64s) -> Bools:
        """partition x sensitive value -> number of records: does each partition keep it, no value suppressed?"""
        ...


@dataclass(frozen=True)
class PartitionLimits:
    """The largest share of each sensitive value (parallel to SensitiveColumn.values), the smallest size."""

    shares: tuple[Fraction, ...]
    smallest: int = 1

    def exceeded(self, histograms: Int64s) -> Bools:
        """partition x sensitive value: does the value make up more than its share? Compared in whole numbers."""
        numerators = np.array([share.numerator for share in self.shares], np.int64)
        denominators = np.array([share.denominator for share in self.shares], np.int64)
        return np.asarray(histograms * denominators > numerators * histograms.sum(axis=1, keepdims=True))

    def holds(self, histograms: Int64s) -> Bools:
        return np.asarray(~self.exceeded(histograms).any(axis=1) & (histograms.sum(axis=1) >= self.smallest))


@dataclass(frozen=True)
class AllOf:
    """Several demands at once, at least one of which is more than limits."""

    demands: tuple[Demand, ...]

    @property
    def shares(self) -> tuple[Fraction, ...]:
        return tuple(min(shares) for shares in zip(*(demand.shares for demand in self.demands), strict=True))

    @property
    def smallest(self) -> int:
        return max(demand.smallest for demand in self.demands)

    def holds(self, histograms: Int64s) -> Bools:
        return np.asarray(np.logical_and.reduce([demand.holds(histograms) for demand in self.demands]))


def together(demands: Sequence[Demand]) -> Demand:
    """Several promises at once. Of limits: the smallest share of each value and the largest minimum size."""
    both = AllOf(tuple(demands))
    if all(isinstance(demand, PartitionLimits) for demand in demands):
        return PartitionLimits(both.shares, both.smallest)
    return both
