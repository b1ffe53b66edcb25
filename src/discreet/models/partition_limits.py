"""What a promise about a table demands of one partition, in whole numbers.

Every promise on tables that discreet knows comes down to two demands on each group of records that
look alike: no sensitive value takes more than its share of the group, and the group is not too small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class SensitiveColumn:
    """The sensitive values of a table and how often each occurs; no values when there is no such column."""

    values: tuple[str, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True)
class PartitionLimits:
    """The largest share of each sensitive value (parallel to SensitiveColumn.values), the smallest size."""

    shares: tuple[Fraction, ...]
    smallest: int = 1

    def hold(self, histogram: Sequence[int]) -> bool:
        """Does a partition with these counts of sensitive values, and no suppressed one, keep the limits?"""
        size = sum(histogram)
        return size >= self.smallest and all(
            count * share.denominator <= share.numerator * size
            for count, share in zip(histogram, self.shares, strict=True)
        )


def strictest(limits: Sequence[PartitionLimits]) -> PartitionLimits:
    """Several promises at once: the smallest share of each value and the largest minimum size."""
    return PartitionLimits(
        shares=tuple(min(shares) for shares in zip(*(limit.shares for limit in limits), strict=True)),
        smallest=max(limit.smallest for limit in limits),
    )
