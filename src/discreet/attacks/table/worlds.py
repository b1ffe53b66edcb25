"""The originals that a published group could come from: which of its people may have which sensitive value.

A world assigns a sensitive value to each person of the group so that its suppression scheme publishes the group as
it was published. People with equal quasi-identifiers cannot be told apart, so a world is a table of counts,
combination of leaves x value, that stands for as many arrangements as there are ways to hand its values out:
the product over the combinations of a! / (w1! w2! ...).
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import comb, factorial

import numpy as np

from discreet.models.partition_limits import PartitionLimits
from discreet.recode.table.suppression import suppress
from discreet.values.arrays import Int64s
from discreet.values.partitions import Partitions


def histograms(
    visible: Int64s, size: int, people: int, limits: PartitionLimits, scheme: str, guard_stars: bool, most: int
) -> Int64s | None:
    """All counts of sensitive values from which the scheme makes the visible counts in a group of this size.

    people: of the group before suppression. None when more than `most` would have to be looked at.
    """
    unseen = people - int(visible.sum())
    if unseen == 0:
        return visible[None, :]
    if comb(unseen + len(visible) - 1, unseen) > most:
        # With vio-sa most values are ruled out beforehand: a hidden one does not show, and violates.
        if scheme != "vio-sa" or (guard_stars and not visible.any()):
            return None
        least = np.array([share.numerator * people // share.denominator + 1 for share in limits.shares])
        allowed = np.flatnonzero((visible == 0) & (least <= unseen))
    else:
        allowed = np.arange(len(visible))
    if not len(allowed) or comb(unseen + len(allowed) - 1, unseen) > most:
        return None
    picked = np.array(list(combinations_with_replacement(allowed.tolist(), unseen)), np.int64)
    found = np.repeat(visible[None, :], len(picked), axis=0)
    for place in range(unseen):
        found[np.arange(len(picked)), picked[:, place]] += 1
    published = suppress(
        Partitions(np.zeros((len(found), 0), np.int32), found[:, :, None]), limits, scheme, guard_stars=guard_stars
    )
    same = (published.visible == visible).all(axis=1) & (published.sizes == size)
    return np.asarray(found[same])


def arrangements(members: Int64s, totals: Int64s, most: int) -> tuple[Int64s, Int64s] | None:
    """All worlds with these numbers of people in each combination and one of these counts of values, with weights.

    None when there are more than `most`. The people of a combination get their values one after another, in the
    order of the values, so each table of counts comes up once.
    """
    width = totals.shape[1]
    left = totals.copy()
    worlds = np.zeros((len(left), len(members), width), np.int8)
    for combination, people in enumerate(members.tolist()):
        lowest = np.zeros(len(left), np.int64)
        for _ in range(people):
            world, value = np.nonzero((left > 0) & (np.arange(width) >= lowest[:, None]))
            if len(world) > most:
                return None
            left, worlds, lowest = left[world], worlds[world], value
            rows = np.arange(len(world))
            left[rows, value] -= 1
            worlds[rows, combination, value] += 1
    factorials = np.array([factorial(number) for number in range(int(members.max()) + 1)], np.int64)
    weights = factorials[members].prod() // factorials[worlds].prod(axis=(1, 2))
    return worlds.astype(np.int64), weights
