"""The five suppression schemes, applied to the partitions of a table by their definition (Liu 2010, 3.1.3).

none     nothing is suppressed; a violating partition makes the cut unlawful.
vio-sa   every occurrence of a violating sensitive value in a partition becomes `*`.
all-sa   all sensitive values of a violating partition become `*`.
vio-rec  the fewest records are deleted: with limits, of each violating value; as a deletion can make another value
         violate, this is repeated to the least fixed point (Lemma 3.3). With cones, see kernels/lawful.
all-rec  all records of a violating partition are deleted.

Guarded stars: when all sensitive values of the table but one show in a partition, its stars reveal the missing
one; with guard_stars such a partition is treated as under all-sa.
"""

from __future__ import annotations

import numpy as np

from discreet.models.cones import ConeDemand
from discreet.models.partition_limits import Demand, PartitionLimits
from discreet.values.arrays import Int64s
from discreet.values.partitions import Partitions, Suppressed


def suppress(
    partitions: Partitions,
    demand: Demand,
    scheme: str,
    *,
    guard_stars: bool = False,
    prefer_classes: bool = False,
) -> Suppressed:
    """Applies a scheme. prefer_classes: vio-rec deletes so that the majority class of the rest is largest."""
    by_class = partitions.histogram
    histogram = by_class.sum(axis=2)
    unlawful = ~demand.holds(histogram)
    kept, visible = by_class, histogram
    if scheme == "vio-sa":
        visible = np.where(_limits(demand).exceeded(histogram), 0, histogram)
        if guard_stars:
            told = unlawful & ((visible > 0).sum(axis=1) == histogram.shape[1] - 1)
            visible = np.where(told[:, None], 0, visible)
    elif scheme == "all-sa":
        visible = np.where(unlawful[:, None], 0, histogram)
    elif scheme == "vio-rec":
        if isinstance(demand, ConeDemand):
            visible = demand.remainders(histogram)
        else:
            visible = greatest_remainder(histogram, _limits(demand))
        kept = _choose_records(by_class, visible, prefer_classes)
    elif scheme == "all-rec":
        visible = np.where(unlawful[:, None], 0, histogram)
        kept = np.where(unlawful[:, None, None], 0, by_class)
    return Suppressed(partitions.nodes, by_class, kept, visible, lawful=not (scheme == "none" and bool(unlawful.any())))


def _limits(demand: Demand) -> PartitionLimits:
    """The demand, if it is one on single values: only then is it known which of them break it."""
    if not isinstance(demand, PartitionLimits):
        raise TypeError("Only limits on single values say which of them to suppress.")
    return demand


def greatest_remainder(histogram: Int64s, limits: PartitionLimits) -> Int64s:
    """What is left of each partition (row) when the fewest records of violating values are deleted."""
    numerators = [share.numerator for share in limits.shares]
    denominators = [share.denominator for share in limits.shares]
    rest = histogram.copy()
    while True:
        before = rest.copy()
        for value in range(rest.shape[1]):
            total = rest.sum(axis=1)
            excess = rest[:, value] * denominators[value] - numerators[value] * total
            step = max(1, denominators[value] - numerators[value])
            rest[:, value] -= np.maximum(0, -(-excess // step))
        if (rest == before).all():
            break
    rest[rest.sum(axis=1) < limits.smallest] = 0
    return rest


def _choose_records(by_class: Int64s, keep: Int64s, prefer_classes: bool) -> Int64s:
    """How many records of each class stay when keep[partition, value] of a value do.

    With prefer_classes the class that can be largest keeps all it can; the others, and all classes otherwise,
    keep what is left in the order of their numbers. Records of one class are drawn at random when rows are
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
