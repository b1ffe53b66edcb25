"""Groups of records of which nothing is kept but their size, mean and covariances, and rows drawn from these.

Numbers are standardized here: from a center, in units of a spread, so that no column counts more for its unit.

A group that is split while its records are no longer known is taken for a uniform distribution along its longest
eigenvector v, of the variance lambda and so of the range R = sqrt(12 lambda). Its halves have means at R/4 to either
side and a quarter of the variance along v; everything else stays. Together they are what they were: along v the
variance within, lambda / 4, and between, (R/4)^2 = 3 lambda / 4, add up to lambda, and the two means to the mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from discreet.kernels.microaggregation import fill_groups
from discreet.values.arrays import Floats, Int64s

MOST_POINTS = 20_000
"""Groups are looked for among so many at a time: the time grows with their square."""
ROWS_AT_ONCE = 100_000

MOST_DECIMALS = 12
LARGEST = 1e15
"""Floats tell whole numbers apart up to here; squares of far larger ones are no numbers any more."""


@dataclass(frozen=True, eq=False)
class Standard:
    """What the columns are measured from and in."""

    centers: Floats
    spreads: Floats

    @classmethod
    def of(cls, numbers: Floats, counts: Int64s) -> Standard:
        """So that the numbers, row i of them counts[i] times, have the mean 0 and the variance 1."""
        centers = np.average(numbers, axis=0, weights=counts)
        spreads = np.sqrt(np.average((numbers - centers) ** 2, axis=0, weights=counts))
        return cls(centers, np.where(spreads > 0, spreads, 1.0))

    def points(self, numbers: Floats) -> Floats:
        return np.ascontiguousarray((numbers - self.centers) / self.spreads)

    def numbers(self, points: Floats) -> Floats:
        return np.asarray(points * self.spreads + self.centers)


@dataclass(frozen=True, eq=False)
class CondensedGroups:
    """What is kept of groups of points."""

    sizes: Int64s
    means: Floats
    """group x column"""
    moments: Floats
    """group x column x column: sums of products of distances from the mean"""
    labels: Floats
    """group x label -> records with it, in parts where groups were split"""

    @classmethod
    def of(cls, points: Floats, labels: Int64s, kinds: int, groups: Int64s, amounts: Int64s) -> CondensedGroups:
        """So many records at each point (row) in groups numbered from 0, each with one of so many labels."""
        number = int(groups.max(initial=-1)) + 1
        sizes = np.bincount(groups, weights=amounts, minlength=number)
        sums = [np.bincount(groups, weights=amounts * column, minlength=number) for column in points.T]
        means = np.stack(sums, axis=1) / sizes[:, None]
        apart = points - means[groups]
        moments = np.empty((number, points.shape[1], points.shape[1]))
        for column in range(points.shape[1]):
            for other in range(column + 1):
                products = amounts * apart[:, column] * apart[:, other]
                moments[:, column, other] = np.bincount(groups, weights=products, minlength=number)
                moments[:, other, column] = moments[:, column, other]
        held = np.bincount(groups * kinds + labels, weights=amounts, minlength=number * kinds).reshape(number, kinds)
        return cls(sizes.astype(np.int64), means, moments, held.astype(np.float64))

    @classmethod
    def together(cls, several: Sequence[CondensedGroups]) -> CondensedGroups:
        return cls(
            np.concatenate([each.sizes for each in several]),
            np.concatenate([each.means for each in several]),
            np.concatenate([each.moments for each in several]),
            np.concatenate([each.labels for each in several]),
        )

    @property
    def within(self) -> float:
        """The sum of squared distances from the means."""
        return float(np.trace(self.moments, axis1=1, axis2=2).sum())

    def drawn(self, copies: int, random: np.random.Generator) -> tuple[Floats, Int64s]:
        """So many rows for each record, with labels drawn by the shares they have in the group.

        Along each eigenvector independently, uniform, with its eigenvalue as the variance: the half range is
        sqrt(3 lambda).
        """
        variances, axes = np.linalg.eigh(self.moments / self.sizes[:, None, None])
        reach = np.sqrt(3 * np.maximum(variances, 0.0))
        group_of = np.repeat(np.arange(len(self.sizes)), self.sizes * copies)
        rows = np.empty((len(group_of), self.means.shape[1]))
        for start in range(0, len(rows), ROWS_AT_ONCE):
            some = group_of[start : start + ROWS_AT_ONCE]
            along = random.uniform(-1.0, 1.0, (len(some), rows.shape[1])) * reach[some]
            rows[start : start + len(some)] = self.means[some] + np.einsum("rij,rj->ri", axes[some], along)
        bounds = np.cumsum(self.labels, axis=1) / self.labels.sum(axis=1, keepdims=True)
        lots = random.uniform(size=len(rows))
        labels = (lots[:, None] >= bounds[group_of]).sum(axis=1).clip(max=self.labels.shape[1] - 1)
        return rows, labels.astype(np.int64)


def condensed(points: Floats, labels: Int64s, kinds: int, counts: Int64s, k: int) -> CondensedGroups:
    """Groups of k to 2k - 1 records that lie near one another; counts: records of each point, at least k together."""
    sources, groups, amounts = [], [], []
    number = 0
    for block in _blocks(points, np.arange(len(points)), max(MOST_POINTS, 2 * k)):
        places, found, taken = fill_groups(np.ascontiguousarray(points[block]), counts[block], k)
        sources.append(block[places])
        groups.append(found + number)
        amounts.append(taken)
        number += int(found.max()) + 1
    source = np.concatenate(sources)
    return CondensedGroups.of(
        points[source], labels[source], kinds, np.concatenate(groups), np.concatenate(amounts).astype(np.int64)
    )


def _blocks(points: Floats, chosen: Int64s, most: int) -> list[Int64s]:
    """The points in halves, along the column in which they reach farthest, until none has more than so many."""
    if len(chosen) <= most:
        return [chosen]
    here = points[chosen]
    order = np.argsort(here[:, np.argmax(np.ptp(here, axis=0))], kind="stable")
    middle = len(order) // 2
    return [*_blocks(points, chosen[order[:middle]], most), *_blocks(points, chosen[order[middle:]], most)]


def halves(mean: Floats, moments: Floats, size: int) -> tuple[Floats, Floats, Floats]:
    """The means of the halves of a group of an even size, and the moments that both have."""
    variances, axes = np.linalg.eigh(moments / size)
    longest, axis = max(float(variances[-1]), 0.0), axes[:, -1]
    step = sqrt(12 * longest) / 4 * axis
    return mean - step, mean + step, (moments - size * 3 / 4 * longest * np.outer(axis, axis)) / 2
