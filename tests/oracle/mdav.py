"""MDAV by its definition, on a few records and in fractions; nothing of discreet is imported.

Records are rows of numbers. A distance is that of standardized columns, squared, so it is a fraction.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

Record: TypeAlias = tuple[Fraction, ...]
NEARLY = Fraction(1, 10**9)
"""Two distances are as good as equal: floats need not tell them apart."""


def mean(records: Sequence[Record]) -> Record:
    return tuple(sum(column, Fraction(0)) / len(records) for column in zip(*records, strict=True))


def scaled(records: Sequence[Record]) -> list[Fraction]:
    """For each column what a squared difference is worth: one over its variance."""
    center = mean(records)
    variances = [
        sum(((record[column] - middle) ** 2 for record in records), Fraction(0)) / len(records)
        for column, middle in enumerate(center)
    ]
    return [1 / variance if variance else Fraction(0) for variance in variances]


def apart(one: Record, other: Record, worth: Sequence[Fraction]) -> Fraction:
    return sum(((x - y) ** 2 * weight for x, y, weight in zip(one, other, worth, strict=True)), Fraction(0))


def share_within(records: Sequence[Record], groups: Sequence[Sequence[int]]) -> Fraction:
    """SSE / SST."""
    worth = scaled(records)
    center = mean(records)
    total = sum((apart(record, center, worth) for record in records), Fraction(0))
    within = Fraction(0)
    for group in groups:
        center = mean([records[place] for place in group])
        within += sum((apart(records[place], center, worth) for place in group), Fraction(0))
    return within / total if total else Fraction(0)


def is_run_of_mdav(records: Sequence[Record], groups: Sequence[Sequence[int]], k: int) -> bool:
    """Whether groups, in the order in which they were made, are what the paper's algorithm makes, however ties fall."""
    worth = scaled(records)
    left = set(range(len(records)))
    rest = [set(group) for group in groups]
    while len(left) >= 3 * k:
        if len(rest) < 2:
            return False
        one, other = rest[:2]
        center = mean([records[place] for place in sorted(left)])
        if not any(
            _are_nearest(records, one, first, left, worth) and _are_nearest(records, other, second, left - one, worth)
            for first in _farthest(records, center, left, worth)
            for second in _farthest(records, records[first], left, worth)
        ):
            return False
        if len(one) != k or len(other) != k:
            return False
        left -= one | other
        rest = rest[2:]
    if len(left) >= 2 * k:
        center = mean([records[place] for place in sorted(left)])
        one = rest[0]
        seeds = _farthest(records, center, left, worth)
        if len(one) != k or not any(_are_nearest(records, one, seed, left, worth) for seed in seeds):
            return False
        left -= one
        rest = rest[1:]
    return rest == [left]


def _farthest(records: Sequence[Record], center: Record, left: set[int], worth: Sequence[Fraction]) -> Iterator[int]:
    most = max(apart(records[place], center, worth) for place in left)
    return (place for place in sorted(left) if apart(records[place], center, worth) >= most - NEARLY)


def _are_nearest(
    records: Sequence[Record], group: set[int], seed: int, left: set[int], worth: Sequence[Fraction]
) -> bool:
    """Whether nobody else who is left is nearer to the seed than somebody in the group."""
    within = max(apart(records[place], records[seed], worth) for place in group)
    outside = [apart(records[place], records[seed], worth) for place in left - group]
    return group <= left and (not outside or within <= min(outside) + NEARLY)
