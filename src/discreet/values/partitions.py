"""The partitions of a table, records that look alike, as counts: before and after suppression."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.values.arrays import Int32s, Int64s


@dataclass(frozen=True)
class Partitions:
    """Groups of records with equal published quasi-identifiers."""

    nodes: Int32s
    """partition x attribute -> node of its taxonomy"""
    histogram: Int64s
    """partition x sensitive value x class -> number of records"""


@dataclass(frozen=True)
class PublishedPartitions:
    """What anybody can count in a release."""

    shown: Int64s
    """partition x sensitive value -> records that show it"""
    sizes: Int64s
    """partition -> records, those with a suppressed value included"""


@dataclass(frozen=True)
class Suppressed:
    """Partitions after suppression: partition x sensitive value x class."""

    nodes: Int32s
    original: Int64s
    kept: Int64s
    """records that stay"""
    visible: Int64s
    """those of them that show their sensitive value; partition x sensitive value"""
    lawful: bool
    """False: scheme none and some partition violates"""

    @property
    def sizes(self) -> Int64s:
        """Records in each partition after suppression, starred ones included."""
        return np.asarray(self.kept.sum(axis=(1, 2)))

    @property
    def published(self) -> PublishedPartitions:
        """Those of which anything is left."""
        left = self.sizes > 0
        return PublishedPartitions(self.visible[left], self.sizes[left])

    @property
    def rows(self) -> int:
        """Records before suppression."""
        return int(self.original.sum())

    @property
    def records(self) -> int:
        """Deleted records."""
        return int(self.original.sum() - self.kept.sum())

    @property
    def values(self) -> int:
        """Sensitive values replaced by a star."""
        return int(self.kept.sum() - self.visible.sum())

    @property
    def betrayed(self) -> int:
        """Stars whose value can be inferred: the partition shows every sensitive value of the table but one."""
        stars = self.sizes - self.visible.sum(axis=1)
        told = (self.visible > 0).sum(axis=1) == self.visible.shape[1] - 1
        return int(stars[told].sum())
