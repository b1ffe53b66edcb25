"""What a promise about a table demands of one partition, the records that look alike: does its histogram keep it?

Most promises come down to limits on each partition: no sensitive value makes up more than its share of it, nor do some
values together, and it is not too small. Those are `PartitionLimits`, which a search can price value by value. Any
other demand is a class with `holds`; its `shares` and `smallest` say what follows from it for single values and for
sizes, so that attacks can compare with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, Protocol, TypeAlias

import numpy as np

from discreet.taxonomy import Taxonomy
from discreet.values.arrays import Bools, Int64s

Order: TypeAlias = Literal["alphabetical", "numbers"] | tuple[str, ...]
"""The order of sensitive values, or all of them in their order."""
SENSITIVE = "{sensitive}"
"""Where a promise in words names the sensitive column; the code that shows the words puts the name there."""
RECORDS = "{records}"
"""The same for what groups consist of: records or, where a column says whose they are, people."""


def about(column: str | None) -> dict[str, object]:
    """What the entry of a promise says about the column it is about, where it names one."""
    return {} if column is None else {"column": column}


@dataclass(frozen=True)
class SensitiveColumn:
    """The sensitive values of a table and how often each occurs; no values if there is no such column."""

    values: tuple[str, ...]
    counts: tuple[int, ...]
    categories: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """label of the column's taxonomy -> the values that lie below it"""
    tree: Taxonomy | None = None
    """the column's taxonomy, where it has one"""
    order: Order = "alphabetical"
    order_is_assumed: bool = False
    """whether nobody said that this is the order"""
    name: str = "COLUMN"
    """what the policy calls it"""


def unlimited(sensitive: SensitiveColumn) -> PartitionLimits:
    """Limits that every partition keeps."""
    return PartitionLimits((Fraction(1),) * len(sensitive.values))


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

    @property
    def says_nothing(self) -> bool:
        """Whether every partition keeps it, or every one that is large enough."""
        ...

    def holds(self, histograms: Int64s) -> Bools:
        """partition x sensitive value -> number of records: does each partition keep it, no value suppressed?"""
        ...


@dataclass(frozen=True)
class SumLimit:
    """The largest share that some sensitive values have together."""

    values: tuple[int, ...]
    share: Fraction
    label: str = ""
    """what the values are called together"""


@dataclass(frozen=True)
class PartitionLimits:
    """The largest share of each sensitive value (parallel to SensitiveColumn.values), the smallest size."""

    shares: tuple[Fraction, ...]
    smallest: int = 1
    sums: tuple[SumLimit, ...] = ()

    @property
    def says_nothing(self) -> bool:
        return all(share >= 1 for share in (*self.shares, *(limit.share for limit in self.sums)))

    def exceeded(self, histograms: Int64s) -> Bools:
        """partition x sensitive value: does the value make up more than its share? Compared in whole numbers."""
        numerators = np.array([share.numerator for share in self.shares], np.int64)
        denominators = np.array([share.denominator for share in self.shares], np.int64)
        return np.asarray(histograms * denominators > numerators * histograms.sum(axis=1, keepdims=True))

    def holds(self, histograms: Int64s) -> Bools:
        sizes = histograms.sum(axis=1)
        kept = ~self.exceeded(histograms).any(axis=1) & (sizes >= self.smallest)
        for limit in self.sums:
            together = histograms[:, list(limit.values)].sum(axis=1)
            kept &= together * limit.share.denominator <= limit.share.numerator * sizes
        return np.asarray(kept)

    def lifted(self, having: Sequence[tuple[int, ...]], values: int) -> PartitionLimits:
        """The same limits where a record's value stands for several: having[v] are the values that include v.

        values: how many there are.
        """
        single = (SumLimit(having[value], share) for value, share in enumerate(self.shares) if share < 1)
        several = (
            SumLimit(tuple(sorted({code for value in limit.values for code in having[value]})), limit.share)
            for limit in self.sums
        )
        return PartitionLimits((Fraction(1),) * values, self.smallest, (*single, *several))

    @property
    def denominators(self) -> list[int]:
        return [share.denominator for share in (*self.shares, *(limit.share for limit in self.sums))]
