"""Condensation and what is measured of it, from the definitions: plain and slow. Nothing of discreet is imported.

Records are tuples of numbers, every one listed, however alike they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import sqrt
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Record: TypeAlias = tuple[int, ...]
Matrix: TypeAlias = npt.NDArray[np.float64]


def squared_errors(groups: Sequence[Sequence[Record]]) -> Fraction:
    """The squared distances of records from the mean of their group."""
    total = Fraction(0)
    for group in groups:
        for column in zip(*group, strict=True):
            mean = Fraction(sum(column), len(column))
            total += sum((value - mean) ** 2 for value in column)
    return total


def groupings(records: Sequence[Record], k: int) -> Iterator[list[list[Record]]]:
    """Every way to divide records into groups of at least k."""

    def divide(rest: Sequence[Record], groups: list[list[Record]]) -> Iterator[list[list[Record]]]:
        if not rest:
            if all(len(group) >= k for group in groups):
                yield [list(group) for group in groups]
            return
        for group in groups:
            group.append(rest[0])
            yield from divide(rest[1:], groups)
            group.pop()
        yield from divide(rest[1:], [*groups, [rest[0]]])

    yield from divide(records, [])


def least_squared_errors(records: Sequence[Record], k: int) -> Fraction:
    return min(squared_errors(groups) for groups in groupings(records, k))


def distance(one: Sequence[Fraction | int], other: Sequence[Fraction | int]) -> Fraction:
    return sum(((Fraction(a) - b) ** 2 for a, b in zip(one, other, strict=True)), Fraction(0))


def faults_of_filling(groups: Sequence[Sequence[Record]], k: int) -> Iterator[str]:
    """What is wrong with groups that should each be a record farthest from the mean of the rest, and those nearest it.

    Groups come in the order in which they were made.
    """
    rest = [record for group in groups for record in group]
    for group in groups[:-1]:
        if len(group) != k:
            yield f"{len(group)} records in {group}"
        mean = [Fraction(sum(column), len(rest)) for column in zip(*rest, strict=True)]
        farthest = max(distance(record, mean) for record in rest)
        seeds = [record for record in group if distance(record, mean) == farthest]
        left = list(rest)
        for record in group:
            left.remove(record)
        if not any(
            max(distance(record, seed) for record in group) <= min(distance(record, seed) for record in left)
            for seed in seeds
        ):
            yield f"{group} is not a farthest record with those nearest to it"
        rest = left
    if not k <= len(rest) < 2 * k:
        yield f"{len(rest)} records in the last group"


class Group:
    """A group of a stream: the number of its records, their mean, and their covariances."""

    def __init__(self, number: int, mean: Matrix, covariances: Matrix) -> None:
        self.number, self.mean, self.covariances = number, mean, covariances

    def with_one_more(self, record: Matrix) -> Group:
        """The mean and the covariances of the same and one more, by their definitions as averages."""
        number = self.number + 1
        mean = (self.number * self.mean + record) / number
        apart, moved = record - mean, self.mean - mean
        covariances = (self.number * (self.covariances + np.outer(moved, moved)) + np.outer(apart, apart)) / number
        return Group(number, mean, covariances)

    def halves(self) -> list[Group]:
        variances, axes = np.linalg.eigh(self.covariances)
        longest, axis = variances[-1], axes[:, -1]
        reach = sqrt(12 * longest)
        changed = axes @ np.diag([*variances[:-1], longest / 4]) @ axes.T
        return [Group(self.number // 2, self.mean + side * reach / 4 * axis, changed) for side in (-1, 1)]


def streamed(records: Sequence[Sequence[float]], k: int) -> list[Group]:
    """The groups after these records came one by one."""
    groups: list[Group] = []
    for record in map(np.array, records):
        if not groups:
            groups = [Group(1, record, np.zeros((len(record), len(record))))]
        else:
            nearest = min(range(len(groups)), key=lambda place: float(((groups[place].mean - record) ** 2).sum()))
            grown = groups[nearest].with_one_more(record)
            groups[nearest : nearest + 1] = [grown] if grown.number < 2 * k else grown.halves()
    return groups


def shares_reappearing(
    records: Sequence[Record], half: Sequence[bool], rows: Sequence[Record]
) -> tuple[Fraction | None, Fraction | None]:
    """Of the records that are like no other, inside and outside of a half: the share that is among the rows."""
    shares = []
    for side in (True, False):
        unique = [
            record
            for record, inside in zip(records, half, strict=True)
            if records.count(record) == 1 and inside == side
        ]
        there = sum(record in rows for record in unique)
        shares.append(Fraction(there, len(unique)) if unique else None)
    return shares[0], shares[1]


def correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Pearson's; None where one of the two does not vary."""
    mean_one, mean_other = Fraction(sum(one)) / len(one), Fraction(sum(other)) / len(other)
    together = sum((a - mean_one) * (b - mean_other) for a, b in zip(one, other, strict=True))
    spread = sum((a - mean_one) ** 2 for a in one) * sum((b - mean_other) ** 2 for b in other)
    return float(together) / sqrt(spread) if spread else None
