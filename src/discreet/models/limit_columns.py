"""Limits on shares in the terms of the kernels: what is counted in a partition, and how large each count may be."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from discreet.models.partition_limits import PartitionLimits
from discreet.values.arrays import Int32s, Int64s


@dataclass(frozen=True)
class LimitColumns:
    """What the kernels count in a partition: a column for each sensitive value, or for those with a limit together.

    See kernels/lawful.
    """

    shares: Int64s
    blocks: Int64s
    value: Int32s
    """entry -> sensitive value"""
    column: Int32s
    """entry -> column in which its records count; sorted by value"""

    @classmethod
    def of(cls, limits: PartitionLimits, *, every_value: bool) -> LimitColumns:
        """every_value: each sensitive value has a column, even if none has a limit of its own."""
        shares: list[Fraction] = []
        blocks: list[list[tuple[tuple[int, ...], Fraction]]] = []
        if every_value or not limits.sums or min(limits.shares) < 1:
            blocks.append([((value,), share) for value, share in enumerate(limits.shares)])
        first_of_sums = len(blocks)
        taken: list[set[int]] = []
        for limit in limits.sums:
            place = next((place for place, used in enumerate(taken) if used.isdisjoint(limit.values)), len(taken))
            if place == len(taken):
                taken.append(set())
                blocks.append([])
            taken[place].update(limit.values)
            blocks[first_of_sums + place].append((limit.values, limit.share))
        entries: list[tuple[int, int]] = []
        bounds = [0]
        for block in blocks:
            for values, share in block:
                entries += [(value, len(shares)) for value in values]
                shares.append(share)
            bounds.append(len(shares))
        shares.append(min(shares))
        value, column = np.array(sorted(entries), np.int32).reshape(-1, 2).T
        return cls(
            shares=np.array([(share.numerator, share.denominator) for share in shares], np.int64),
            blocks=np.array(list(pairwise(bounds)), np.int64),
            value=value.copy(),
            column=column.copy(),
        )
