"""Released transactions as their reader counts them: the distinct published ones, placed in the original's taxonomy.

They are read from the published files, not taken from what recoding meant to write: what is measured and attacked is
what everyone will see.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from discreet.encode.transactions import EncodedTransactions
from discreet.errors import InputError
from discreet.read.transactions import (
    GROUP_SENSITIVE_COLUMNS,
    GROUPED_COLUMNS,
    PublishedShape,
    read_columns,
    read_transactions,
)
from discreet.values.arrays import Int64s
from discreet.values.sets import Sets, distinct
from discreet.values.words import briefly

_MOST_DIGITS = 18


@dataclass(frozen=True, eq=False)
class ReleasedTransactions:
    """The distinct transactions of a release with their counts; nodes and codes are those of the encoded original."""

    nodes: Sets
    """distinct published transaction -> nodes of the taxonomy"""
    sensitive: Sets
    """distinct published transaction -> codes of its sensitive items; all empty where they are published apart"""
    counts: Int64s
    groups: Int64s | None = None
    """where sensitive items are published apart: the group of each distinct transaction (then distinct within it)"""
    group_sensitive: Int64s | None = None
    """group x sensitive item -> how many transactions of the group have it"""

    @property
    def transactions(self) -> int:
        return int(self.counts.sum())


def read_released(
    path: Path,
    shape: PublishedShape,
    separator: str | None,
    transactions: EncodedTransactions,
    sensitive_path: Path | None = None,
) -> ReleasedTransactions:
    """Counts the transactions of a published data file by the taxonomy and the codes of the original.

    separator: of a basket. sensitive_path: the sensitive items of a grouped release.
    """
    labels = transactions.taxonomy.labels
    if shape == "grouped":
        if sensitive_path is None:
            raise ValueError("a grouped release has its sensitive items in a second file")
        return _read_grouped(path, sensitive_path, labels, transactions.sensitive_items)
    raw = read_transactions(path, separator if shape == "basket" else None)
    known = {text: number for number, text in enumerate((*labels, *transactions.sensitive_items))}
    numbers = _numbers(path, raw.items, known)
    nodes = raw.sets.mapped(np.where(numbers < len(labels), numbers, -1))
    sensitive = raw.sets.mapped(np.maximum(numbers - len(labels), -1))
    first, like = distinct(nodes, sensitive)
    return ReleasedTransactions(nodes.take(first), sensitive.take(first), np.bincount(like).astype(np.int64))


def _read_grouped(
    path: Path, sensitive_path: Path, labels: Sequence[str], sensitive_items: Sequence[str]
) -> ReleasedTransactions:
    (group_texts, transaction_texts, item_texts), _ = read_columns(path, GROUPED_COLUMNS)
    groups_found, group_of_row = _coded(group_texts)
    transactions_found, transaction_of_row = _coded(transaction_texts)
    group_of = np.empty(len(transactions_found), np.int64)
    group_of[transaction_of_row] = group_of_row
    if (group_of[transaction_of_row] != group_of_row).any():
        raise InputError(f"{path.name}: a transaction is in two groups; has the release been changed?")

    items, item_of_row = _coded(item_texts)
    known = {text: node for node, text in enumerate(labels)}
    node_of = _numbers(path, items, {**known, "": -1})[item_of_row]
    nodes = Sets.from_pairs(transaction_of_row, node_of, len(group_of))
    group_sets = Sets(np.arange(len(group_of) + 1, dtype=np.int64), group_of.astype(np.int32))
    first, like = distinct(group_sets, nodes)
    return ReleasedTransactions(
        nodes.take(first),
        Sets(np.zeros(len(first) + 1, np.int64), np.zeros(0, np.int32)),
        np.bincount(like).astype(np.int64),
        group_of[first],
        _read_group_sensitive(sensitive_path, groups_found, sensitive_items),
    )


def _read_group_sensitive(path: Path, groups: Sequence[str], sensitive_items: Sequence[str]) -> Int64s:
    (group_texts, item_texts, count_texts), lines = read_columns(path, GROUP_SENSITIVE_COLUMNS)
    found, group_of_row = _coded(group_texts)
    items, item_of_row = _coded(item_texts)
    group_of_row = _numbers(path, found, {text: group for group, text in enumerate(groups)})[group_of_row]
    code_of_row = _numbers(path, items, {text: code for code, text in enumerate(sensitive_items)})[item_of_row]
    table = np.zeros((len(groups), len(sensitive_items)), np.int64)
    for group, code, count, line in zip(group_of_row, code_of_row, count_texts.to_pylist(), lines, strict=True):
        if not (count.isascii() and count.isdigit() and len(count) <= _MOST_DIGITS) or table[group, code]:
            raise InputError(
                f"{path.name}, row {line}: each group and item has one count, a whole number, but this one is "
                f"{briefly(count)}{' again' if table[group, code] else ''}; has the release been changed?"
            )
        table[group, code] = int(count)
    return table


def _coded(texts: Any) -> tuple[list[str], Int64s]:
    encoded = texts.dictionary_encode()
    return encoded.dictionary.to_pylist(), np.asarray(encoded.indices, np.int64)


def _numbers(path: Path, texts: Sequence[str], known: Mapping[str, int]) -> Int64s:
    """The number of each text; an error for one that the original does not have."""
    for text in texts:
        if text not in known:
            raise InputError(
                f"{path.name}: it holds {briefly(text)}, which the original's policy does not know; has the release or "
                "the original been changed since?"
            )
    return np.array([known[text] for text in texts], np.int64)
