"""The transactions to measure on: three public data sets, each with the literature's even taxonomy of fan-out 5."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from discreet.encode.released_transactions import ReleasedTransactions
from discreet.encode.transactions import EncodedTransactions, encode_transactions
from discreet.read.transactions import RawTransactions, read_transactions
from discreet.recode.transactions.recoded import Recoded
from discreet.taxonomy.even import Even
from discreet.values.sets import Sets, distinct

FAN_OUT = 5
SEEDS = (1, 2, 3)
QUICK_SEEDS = (1,)
QUICK_TRANSACTIONS = 2_000


@dataclass(frozen=True)
class DataSet:
    name: str
    file: Path
    """within the folder of the data"""

    def __str__(self) -> str:
        return self.name

    def is_in(self, data: Path) -> bool:
        return (data / self.file).is_file()

    def raw(self, data: Path, quick: bool) -> RawTransactions:
        """As the file has them; a sample for a quick look."""
        raw = read_transactions(data / self.file)
        if quick and len(raw.sets) > QUICK_TRANSACTIONS:
            drawn = np.random.default_rng(0).choice(len(raw.sets), QUICK_TRANSACTIONS, replace=False)
            raw = replace(raw, sets=raw.sets.take(np.sort(drawn)))
        return raw

    def encoded(self, data: Path, seed: int, *, sensitive: int = 0, quick: bool = False) -> EncodedTransactions:
        """With a taxonomy drawn by the seed, and as many sensitive items as asked for, drawn by it too."""
        return encoded(self.raw(data, quick), seed, sensitive)


WEB_VIEW_1 = DataSet("BMS-WebView-1", Path("bms_webview1", "BMS-WebView-1.dat.zst"))
WEB_VIEW_2 = DataSet("BMS-WebView-2", Path("bms_webview2", "BMS-WebView-2.dat.zst"))
RETAIL = DataSet("Retail", Path("retail", "retail.dat.zst"))


def encoded(raw: RawTransactions, seed: int, sensitive: int = 0) -> EncodedTransactions:
    """Sensitive items are drawn from those that fewer than half of the transactions have (Liu 2010, 4.5.1.3)."""
    support = np.bincount(raw.sets.items, minlength=len(raw.items))
    rare = np.flatnonzero(2 * support < len(raw.sets))
    drawn = np.random.default_rng(seed).choice(rare, min(sensitive, len(rare) // 2), replace=False)
    return encode_transactions(raw, Even(FAN_OUT, seed), [raw.items[item] for item in drawn], "error").transactions


def released(recoded: Recoded, transactions: EncodedTransactions) -> ReleasedTransactions:
    """What a reader of the release counts."""
    sensitive = recoded.sensitive(transactions)
    first, like = distinct(recoded.nodes, sensitive)
    counts = np.bincount(like, weights=recoded.counts).astype(np.int64)
    return ReleasedTransactions(recoded.nodes.take(first), sensitive.take(first), counts)


def missing(data: Path, wanted: Iterable[DataSet]) -> str:
    """A sentence about the data sets that are not there; nothing where all are."""
    absent = sorted({one.name for one in wanted if not one.is_in(data)})
    if not absent:
        return ""
    return (
        f"Left out, as {data} does not have {'it' if len(absent) == 1 else 'them'}: {', '.join(absent)}. Point to the "
        "data with --data DIR or the environment variable DISCREET_DATA."
    )


def amplify(transactions: EncodedTransactions, size: int, random: np.random.Generator) -> EncodedTransactions:
    """The transactions and perturbed copies of them, up to so many; without sensitive items.

    In a copy one item in ten is replaced by one drawn from all occurrences, so frequent items stay frequent.
    """
    originals = np.repeat(np.arange(len(transactions.counts)), transactions.counts)
    picked = random.permutation(originals)[np.arange(size) % len(originals)]
    sets = transactions.sets.take(picked)
    is_replaced = (random.random(len(sets.items)) < 0.1) & (sets.rows >= len(originals))
    items = np.where(is_replaced, random.choice(sets.items, len(sets.items)), sets.items)
    perturbed = Sets.from_pairs(sets.rows, items, size)
    first, like = distinct(perturbed)
    nothing = Sets(np.zeros(len(first) + 1, np.int64), np.zeros(0, np.int32))
    return EncodedTransactions(
        transactions.taxonomy, perturbed.take(first), nothing, np.bincount(like).astype(np.int64), ()
    )
