"""The five suppression schemes, applied to the partitions of a table by their definition (Liu 2010, 3.1.3).

none     nothing is suppressed; a violating partition makes the cut unlawful.
vio-sa   every occurrence of a violating sensitive value in a partition becomes `*`.
all-sa   all sensitive values of a violating partition become `*`.
vio-rec  of each violating value the fewest records are deleted; as a deletion can make another value violate,
         this is repeated to the least fixed point (Lemma 3.3).
all-rec  all records of a violating partition are deleted.

Guarded stars: when all sensitive values of the table but one show in a partition, its stars betray the missing
one; with guard_stars such a partition is treated by all-sa.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.encode import Partitions
from discreet.models import PartitionLimits

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]

LARGEST_PRODUCT = 1 << 62
"""Counts times the terms of a share stay below this, so 64-bit arithmetic is exact."""


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
    def records(self) -> int:
        """Deleted records."""
        return int(self.original.sum() - self.kept.sum())

    @property
    def values(self) -> int:
        """Sensitive values replaced by a star."""
        return int(self.kept.sum() - self.visible.sum())

    @property
    def betrayed(self) -> int:
        """Stars whose value can be told: every sensitive value of the table but one shows in the partition."""
        stars = self.sizes - self.visible.sum(axis=1)
        told = (self.visible > 0).sum(axis=1) == self.visible.shape[1] - 1
        return int(stars[told].sum())


def suppress(
    partitions: Partitions,
    limits: PartitionLimits,
    scheme: str,
    *,
    guard_stars: bool = False,
    prefer_classes: bool = False,
) -> Suppressed:
    """Applies a scheme. prefer_classes: vio-rec deletes so that the majority class of the rest is largest."""
    by_class = partitions.histogram
    histogram = by_class.sum(axis=2)
    violating = _violating(histogram, limits)
    unlawful = violating.any(axis=1) | (histogram.sum(axis=1) < limits.smallest)
    kept, visible = by_class, histogram
    if scheme == "vio-sa":
        visible = np.where(violating, 0, histogram)
        if guard_stars:
            told = unlawful & ((visible > 0).sum(axis=1) == histogram.shape[1] - 1)
            visible = np.where(told[:, None], 0, visible)
    elif scheme == "all-sa":
        visible = np.where(unlawful[:, None], 0, histogram)
    elif scheme == "vio-rec":
        visible = greatest_remainder(histogram, limits)
        kept = _choose_records(by_class, visible, prefer_classes)
    elif scheme == "all-rec":
        visible = np.where(unlawful[:, None], 0, histogram)
        kept = np.where(unlawful[:, None, None], 0, by_class)
    return Suppressed(partitions.nodes, by_class, kept, visible, lawful=not (scheme == "none" and bool(unlawful.any())))


def shares_as_integers(limits: PartitionLimits) -> tuple[Int64s, Int64s]:
    """Numerators and denominators of the largest shares."""
    return (
        np.array([share.numerator for share in limits.shares], np.int64),
        np.array([share.denominator for share in limits.shares], np.int64),
    )


def _violating(histogram: Int64s, limits: PartitionLimits) -> npt.NDArray[np.bool_]:
    numerators, denominators = shares_as_integers(limits)
    return np.asarray(histogram * denominators > numerators * histogram.sum(axis=1, keepdims=True))


def greatest_remainder(histogram: Int64s, limits: PartitionLimits) -> Int64s:
    """What is left of each partition (row) when the fewest records of violating values are deleted."""
    numerators, denominators = shares_as_integers(limits)
    rest = histogram.copy()
    while True:
        before = rest.copy()
        for value in range(rest.shape[1]):
            total = rest.sum(axis=1)
            excess = rest[:, value] * denominators[value] - numerators[value] * total
            step = max(1, int(denominators[value] - numerators[value]))
            rest[:, value] -= np.maximum(0, -(-excess // step))
        if (rest == before).all():
            break
    rest[rest.sum(axis=1) < limits.smallest] = 0
    return rest


def _choose_records(by_class: Int64s, keep: Int64s, prefer_classes: bool) -> Int64s:
    """How many records of each class stay when keep[partition, value] of a value do.

    With prefer_classes the class that can be largest keeps all it can; the others, and all classes otherwise,
    keep what is left in the order of their number. Records of one class are drawn at random when rows are
    recoded.
    """
    partitions, _, classes = by_class.shape
    order = np.broadcast_to(np.arange(classes), (partitions, classes))
    if prefer_classes:
        largest = np.minimum(by_class, keep[:, :, None]).sum(axis=1).argmax(axis=1)
        order = np.argsort(order != largest[:, None], axis=1, kind="stable")
    kept = np.zeros_like(by_class)
    room = keep.copy()
    rows = np.arange(partitions)[:, None]
    columns = np.arange(by_class.shape[1])[None, :]
    for place in range(classes):
        label = order[:, place][:, None]
        stays = np.minimum(by_class[rows, columns, label], room)
        kept[rows, columns, label] = stays
        room -= stays
    return kept
