"""Several promises at once: what they demand of a partition together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.models.cones import ConeDemand
from discreet.models.partition_limits import Demand, PartitionLimits
from discreet.values.arrays import Bools, Int64s


@dataclass(frozen=True)
class AllOf:
    """Several demands at once, at least one of which is neither limits nor cones."""

    demands: tuple[Demand, ...]

    @property
    def shares(self) -> tuple[Fraction, ...]:
        return tuple(min(shares) for shares in zip(*(demand.shares for demand in self.demands), strict=True))

    @property
    def smallest(self) -> int:
        return max(demand.smallest for demand in self.demands)

    @property
    def says_nothing(self) -> bool:
        return all(demand.says_nothing for demand in self.demands)

    def holds(self, histograms: Int64s) -> Bools:
        return np.asarray(np.logical_and.reduce([demand.holds(histograms) for demand in self.demands]))


def together(demands: Sequence[Demand]) -> Demand:
    """Several promises at once. Of limits: the smallest share of each value and the largest minimum size."""
    known = [demand for demand in demands if isinstance(demand, PartitionLimits | ConeDemand)]
    if len(known) < len(demands):
        return AllOf(tuple(demands))
    each = [demand.limits if isinstance(demand, ConeDemand) else demand for demand in known]
    limits = PartitionLimits(
        tuple(min(shares) for shares in zip(*(limit.shares for limit in each), strict=True)),
        max(limit.smallest for limit in each),
        tuple(limit for some in each for limit in some.sums),
    )
    cones = tuple(cone for demand in known if isinstance(demand, ConeDemand) for cone in demand.cones)
    return ConeDemand(cones, limits) if cones else limits
