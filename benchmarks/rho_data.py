"""What rho-uncertainty is measured on: the public data sets as they are, cut short, in part, and a synthetic one.

The synthetic data of Jia et al. 2014 are not published. Known are 493,193 records, 5,000 items, at most 50 items in a
record, 828,435 occurrences of sensitive and 1,242,917 of other items (Table 2), that every item is equally likely, and
that the number of records falls almost exponentially with their length (Figure 1). Ours have as many records and items,
and lengths by the geometric distribution cut off at 50 with the mean that these numbers give, 4.2. They follow from a
seed. No item is more popular than another, so two items that are together once are hardly ever together again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Protocol

import numpy as np

from benchmarks.sets_data import DataSet
from discreet.encode.transactions import EncodedTransactions, encode_transactions
from discreet.read.source import SourceFile
from discreet.read.text import decompressed
from discreet.read.transactions import RawTransactions, read_transactions
from discreet.taxonomy.even import Even
from discreet.values.sets import Sets

SENSITIVE = Fraction(2, 5)
"""the share of the item types that is drawn as sensitive"""
FAN_OUT = 5
QUICK_RECORDS = 400
"""so few that a rule need only be in two of them: with more, those of long records alone would be too many to mine"""


class Source(Protocol):
    @property
    def name(self) -> str: ...
    def is_in(self, data: Path) -> bool: ...
    def raw(self, data: Path, quick: bool) -> RawTransactions: ...


def encoded(where: Source, data: Path, seed: int, quick: bool) -> EncodedTransactions:
    """With the sensitive item types, and the even taxonomy of the others, drawn by the seed."""
    raw = where.raw(data, quick)
    if quick:
        raw = replace(raw, sets=raw.sets.take(np.arange(len(raw.sets))[:QUICK_RECORDS]))
    drawn = np.random.default_rng(seed).permutation(len(raw.items))[: round(SENSITIVE * len(raw.items))]
    return encode_transactions(raw, Even(FAN_OUT, seed), [raw.items[item] for item in drawn], "error").transactions


def there(sources: Iterable[Source], data: Path, quick: bool) -> list[Source]:
    """Those whose files are there; for a quick look one of them."""
    found = [source for source in sources if source.is_in(data)]
    return found[:1] if quick else found


@dataclass(frozen=True)
class CutShort:
    """Of every record only the first items, in the order of the file: "cutoff" in the paper, where it is 5."""

    whole: DataSet
    longest: int

    @property
    def name(self) -> str:
        return f"{self.whole} cut to {self.longest}"

    def is_in(self, data: Path) -> bool:
        return self.whole.is_in(data)

    def raw(self, data: Path, quick: bool) -> RawTransactions:
        with decompressed(SourceFile.at(data / self.whole.file)) as stream:
            lines = stream.read().decode().splitlines()
        return read_transactions([line.split()[: self.longest] for line in lines])


@dataclass(frozen=True)
class PartOf:
    """So many fifths of the records, at random; more of them include fewer."""

    whole: DataSet
    fifths: int

    @property
    def name(self) -> str:
        return f"{self.fifths}/5 of {self.whole}"

    def is_in(self, data: Path) -> bool:
        return self.whole.is_in(data)

    def raw(self, data: Path, quick: bool) -> RawTransactions:
        raw = self.whole.raw(data, quick)
        drawn = np.random.default_rng(0).permutation(len(raw.sets))[: len(raw.sets) * self.fifths // 5]
        return replace(raw, sets=raw.sets.take(drawn))


@dataclass(frozen=True)
class Synthetic:
    """As the module says."""

    records: int = 493_193
    items: int = 5_000
    longest: int = 50
    mean: float = (828_435 + 1_242_917) / 493_193
    seed: int = 0

    @property
    def name(self) -> str:
        return "synthetic"

    def is_in(self, data: Path) -> bool:
        return True

    def raw(self, data: Path, quick: bool) -> RawTransactions:
        records, items = (QUICK_RECORDS, 100) if quick else (self.records, self.items)
        random = np.random.default_rng(self.seed)
        shares = self.shares_of_lengths()
        lengths = random.choice(np.arange(1, self.longest + 1), records, p=shares)
        sets = Sets.from_pairs(np.zeros(0, np.int64), np.zeros(0, np.int64), records)
        while (lacking := lengths - sets.sizes).any():
            rows = np.concatenate((sets.rows, np.repeat(np.arange(records), lacking)))
            sets = Sets.from_pairs(
                rows, np.concatenate((sets.items, random.integers(0, items, lacking.sum()))), records
            )
        digits = len(str(items - 1))
        labels = tuple(f"{item:0{digits}}" for item in range(items))
        return RawTransactions("dat", None, labels, sets, 0, self.name)

    def shares_of_lengths(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """Length, from 1 -> the share of the records that have it: each the same multiple of the one before."""
        lengths = np.arange(1, self.longest + 1)
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            weights = middle**lengths
            low, high = (middle, high) if weights @ lengths < self.mean * weights.sum() else (low, middle)
        shares: np.ndarray[tuple[int], np.dtype[np.float64]] = weights / weights.sum()
        return shares
