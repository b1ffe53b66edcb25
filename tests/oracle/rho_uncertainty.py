"""rho-uncertainty by counting every itemset of every record: the slow twin of the verifier and of the methods.

Written from the definition alone (Cao, Karras, Raïssi and Tan 2010): for every non-empty itemset q that some record
holds and every sensitive item e not in q, at most rho of the records that hold q hold e too. It prunes nothing and
counts in whole numbers and fractions. Nothing of discreet is imported.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TypeAlias

import numpy as np

Record: TypeAlias = frozenset[str]
Itemset: TypeAlias = frozenset[str]

RHOS = tuple(Fraction(rho) for rho in ("1/2", "3/10", "7/10", "1", "1/3", "2/3", "9/10", "1/7"))

TABLE_1: Sequence[Record] = tuple(
    frozenset(items.split())
    for items in (
        "bread beer condom",
        "coffee fruits",
        "beer condom",
        "coffee fruits",
        "flour condom",
        "bread coffee",
        "fruits condom",
    )
)
"""Jia et al. 2014, Table 1 (a); sensitive: condom"""


@dataclass(frozen=True)
class UnsafeRule:
    """q -> e, with sup(q) and sup(q + e)."""

    known: Itemset
    sensitive: str
    support: int
    holders: int


def support(records: Sequence[Record], itemset: Itemset) -> int:
    return sum(itemset <= record for record in records)


def itemsets(records: Sequence[Record]) -> set[Itemset]:
    """Every non-empty itemset that some record holds."""
    return {
        frozenset(itemset)
        for record in set(records)
        for size in range(1, len(record) + 1)
        for itemset in combinations(sorted(record), size)
    }


def unsafe_rules(records: Sequence[Record], sensitive: Collection[str], rho: Fraction) -> list[UnsafeRule]:
    found = []
    for known in sorted(itemsets(records), key=sorted):
        size = support(records, known)
        for item in sorted(set(sensitive) - known):
            holders = support(records, known | {item})
            if Fraction(holders) > rho * size:
                found.append(UnsafeRule(known, item, size, holders))
    return found


def is_safe(records: Sequence[Record], sensitive: Collection[str], rho: Fraction) -> bool:
    return not unsafe_rules(records, sensitive, rho)


def put_back(original: Sequence[Record], released: Sequence[Record]) -> Iterator[list[Record]]:
    """The release with one of the occurrences that it leaves out; record i is released as released[i]."""
    for place, (before, after) in enumerate(zip(original, released, strict=True)):
        if not after <= before:
            raise ValueError(f"record {place} is released with items it does not have: {sorted(after - before)}")
        for item in sorted(before - after):
            yield [*released[:place], after | {item}, *released[place + 1 :]]


def is_maximal(
    original: Sequence[Record], released: Sequence[Record], sensitive: Collection[str], rho: Fraction
) -> bool:
    """Is the release safe, and no more so with any single occurrence put back?"""
    return is_safe(released, sensitive, rho) and not any(
        is_safe(more, sensitive, rho) for more in put_back(original, released)
    )


def random_maximal(
    random: np.random.Generator, original: Sequence[Record], sensitive: Collection[str], rho: Fraction
) -> list[Record]:
    """Without sensitive items, then with one occurrence after the other put back at random while it stays safe."""
    released = [record - set(sensitive) for record in original]
    while safe := [more for more in put_back(original, released) if is_safe(more, sensitive, rho)]:
        released = safe[int(random.integers(len(safe)))]
    return released


def random_records(
    random: np.random.Generator, *, max_items: int = 7, max_records: int = 12
) -> tuple[list[Record], list[str]]:
    """A small database and its sensitive items: at times none, and at times records that are empty, single or repeated.

    Many records are an earlier one less an item: without these hardly any rule would be safe.
    """
    items = [f"i{number}" for number in range(int(random.integers(2, max_items + 1)))]
    sensitive = [item for item in items if random.random() < 0.4]
    density = random.choice([0.2, 0.4, 0.6])
    records: list[Record] = []
    for _ in range(max(map(int, random.integers(1, max_records + 1, 2)))):
        if records and random.random() < 0.6:
            record = records[int(random.integers(len(records)))]
            without = random.choice(sorted(record)) if record else ""
            records.append(record - {str(without)} if random.random() < 0.7 else record)
        else:
            records.append(frozenset(item for item in items if random.random() < density))
    return records, sensitive
