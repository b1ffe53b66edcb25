"""Recoded transactions into the files that are published: in random order, with nothing that reveals the original's.

The items of a transaction, published nodes as well as sensitive items, are in the order of their text, so their order
reveals nothing either. A transaction without items is an empty line (dat, basket), an empty list (parquet) or a row
with an empty item (long, grouped).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from discreet.encode.transactions import EncodedTransactions
from discreet.errors import InputError
from discreet.read.storing import BYTE_ORDER_MARK
from discreet.read.transactions import (
    BLANKS,
    GROUP_SENSITIVE_COLUMNS,
    GROUPED_COLUMNS,
    LONG_COLUMNS,
    PublishedShape,
    Shape,
)
from discreet.recode.transactions.recoded import Recoded
from discreet.values.arrays import Int64s
from discreet.values.sets import Sets
from discreet.values.words import briefly

_AT_ONCE = 100_000


def unwritable_labels(shape: PublishedShape, labels: Iterable[str]) -> list[str]:
    """The labels that are not allowed in a file of this shape, or that not all readers would read the same way.

    None may be empty or have a NUL byte. In `dat` there are no quotes, so a label must be free of whitespace of any
    kind: readers differ in what they split at. In `basket` blanks around an item do not belong to it, and a byte order
    mark at the beginning of the file would be dropped.
    """
    return [label for label in labels if not label or "\0" in label or _is_misread(shape, label)]


def _is_misread(shape: PublishedShape, label: str) -> bool:
    if shape == "dat":
        return label.split() != [label] or label.startswith(BYTE_ORDER_MARK)
    return shape == "basket" and (label.strip(BLANKS) != label or label.startswith(BYTE_ORDER_MARK))


def check_writable(shape: PublishedShape, labels: Iterable[str]) -> None:
    """Raises the sentence about the first label that is not allowed in a file of this shape."""
    for label in unwritable_labels(shape, labels):
        if not label or "\0" in label:
            raise InputError(f"The label {briefly(label)} is empty or has a NUL byte; give it another name.")
        why = "has whitespace in it, which separates items" if shape == "dat" else "begins or ends with a blank"
        if label.startswith(BYTE_ORDER_MARK):
            why = "begins with a byte order mark"
        raise InputError(
            f"The label {briefly(label)} {why}, so it cannot be published in the shape {shape!r}; rename it or set "
            "output.format: long."
        )


def write_transactions(
    path: Path,
    shape: Shape,
    separator: str | None,
    transactions: EncodedTransactions,
    recoded: Recoded,
    random: np.random.Generator,
) -> None:
    """Writes every published transaction, sensitive items included.

    separator: what is between the items of a basket. In the long shape transactions are numbered from 1 in the
    order of the file, which is random.
    """
    published, texts = _with_sensitive(transactions, recoded)
    rows = random.permutation(np.repeat(np.arange(len(recoded.counts)), recoded.counts))
    sets = published.take(rows)
    check_writable(shape, (texts[place] for place in np.unique(sets.items)))
    if shape == "parquet":
        _write_lists(path, sets, texts)
    elif shape == "long":
        _write_rows(path, LONG_COLUMNS, [np.arange(1, len(sets) + 1)], sets, texts)
    elif shape == "basket":
        if separator is None:
            raise ValueError("a basket needs a separator")
        _write_lines(path, sets, [_cell(text, separator) for text in texts], separator)
    else:
        _write_lines(path, sets, texts, " ")


def write_grouped(
    path: Path,
    sensitive_path: Path,
    transactions: EncodedTransactions,
    recoded: Recoded,
    random: np.random.Generator,
) -> None:
    """Writes the transactions by group without their sensitive items, and separately how often each group has each.

    Groups have new random numbers from 1; transactions are numbered from 1 in the order of the file, which is random
    within a group.
    """
    if recoded.groups is None:
        raise ValueError("these transactions have no groups")
    number_of_group = random.permutation(int(recoded.groups.max(initial=-1)) + 1) + 1
    groups = number_of_group[recoded.groups]
    rows = random.permutation(np.repeat(np.arange(len(recoded.counts)), recoded.counts))
    rows = rows[np.argsort(groups[rows], kind="stable")]
    texts, rank_of = _ranked(transactions.taxonomy.labels)
    sets = recoded.nodes.mapped(rank_of).take(rows)
    check_writable("grouped", (*(texts[place] for place in np.unique(sets.items)), *transactions.sensitive_items))
    _write_rows(path, GROUPED_COLUMNS, [groups[rows], np.arange(1, len(sets) + 1)], sets, texts)
    _write_group_sensitive(sensitive_path, transactions, recoded, groups)


def _write_group_sensitive(path: Path, transactions: EncodedTransactions, recoded: Recoded, groups: Int64s) -> None:
    """A row for each group and each sensitive item in it. groups: row of recoded -> the published group."""
    items, width = transactions.sensitive_items, len(transactions.sensitive_items) or 1
    sensitive = recoded.sensitive(transactions)
    pairs, pair = np.unique(groups[sensitive.rows] * width + sensitive.items, return_inverse=True)
    counts = np.bincount(pair, weights=recoded.counts[sensitive.rows]).astype(np.int64)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(f"{','.join(GROUP_SENSITIVE_COLUMNS)}\n")
        for code, count in zip(pairs.tolist(), counts.tolist(), strict=True):
            file.write(f"{code // width},{_cell(items[code % width], ',')},{count}\n")


def _ranked(texts: Sequence[str]) -> tuple[list[str], Int64s]:
    """The texts in order, and the place of each in that order."""
    order = sorted(range(len(texts)), key=texts.__getitem__)
    rank_of = np.empty(len(texts), np.int64)
    rank_of[order] = np.arange(len(texts))
    return [texts[number] for number in order], rank_of


def _with_sensitive(transactions: EncodedTransactions, recoded: Recoded) -> tuple[Sets, list[str]]:
    """Row -> its published nodes and sensitive items, as places in the sorted texts of both."""
    labels = transactions.taxonomy.labels
    texts, rank_of = _ranked((*labels, *transactions.sensitive_items))
    sensitive = recoded.sensitive(transactions)
    rows = np.concatenate((recoded.nodes.rows, sensitive.rows))
    ranks = rank_of[np.concatenate((recoded.nodes.items, sensitive.items + len(labels)))]
    codes = np.sort(rows * len(texts) + ranks)
    return Sets(recoded.nodes.offsets + sensitive.offsets, (codes % len(texts)).astype(np.int32)), texts


def _cell(text: str, separator: str) -> str:
    """The text as a field of RFC 4180; what a reader might take for the border of a field goes in quotes."""
    return '"' + text.replace('"', '""') + '"' if any(sign in text for sign in (separator, '"', "\r", "\n")) else text


def _parts(sets: Sets) -> Iterator[tuple[int, Sets]]:
    """The sets in parts of bounded size, each with the number of its first."""
    for start in range(0, len(sets), _AT_ONCE):
        offsets = sets.offsets[start : start + _AT_ONCE + 1]
        yield start, Sets(offsets - offsets[0], sets.items[offsets[0] : offsets[-1]])


def _lists(sets: Sets, texts: Any) -> Any:
    return pa.LargeListArray.from_arrays(pa.array(sets.offsets), texts.take(pa.array(sets.items)))


def _large(text: str) -> Any:
    return pa.scalar(text, pa.large_string())


def _write_lines(path: Path, sets: Sets, cells: Sequence[str], separator: str) -> None:
    """A line for each set."""
    texts = pa.array(cells, pa.large_string())
    with path.open("wb") as file:
        for _, part in _parts(sets):
            lines = pc.binary_join(_lists(part, texts), _large(separator))
            _write_texts(file, pc.binary_join_element_wise(lines, _large("\n"), _large("")))


def _write_rows(
    path: Path, columns: Sequence[str], numbers: Sequence[npt.NDArray[np.integer]], sets: Sets, texts: Sequence[str]
) -> None:
    """A CSV row for each item: the numbers of its set, then the item; one with an empty item for an empty set."""
    cells = pa.array(["\n", *(f"{_cell(text, ',')}\n" for text in texts)], pa.large_string())
    with path.open("wb") as file:
        file.write(f"{','.join(columns)}\n".encode())
        for start, part in _parts(sets):
            empty = np.flatnonzero(part.sizes == 0)
            items = np.insert(part.items + 1, part.offsets[empty], 0)
            rows = np.insert(part.rows, part.offsets[empty], empty) + start
            fields = [pa.array(column[rows]).cast(pa.large_string()) for column in numbers]
            _write_texts(file, pc.binary_join_element_wise(*fields, cells.take(pa.array(items)), _large(",")))


def _write_texts(file: BinaryIO, texts: Any) -> None:
    """Writes all texts, which Arrow keeps back to back."""
    _, offsets, content = texts.buffers()
    end = np.frombuffer(offsets, np.int64)[len(texts)]
    file.write(memoryview(content)[:end])


def _write_lists(path: Path, sets: Sets, labels: Sequence[str]) -> None:
    kind = pa.list_(pa.string())
    texts = pa.array(labels, pa.large_string())
    # Not with Arrow's own description of the columns: a release has no metadata.
    with parquet.ParquetWriter(path, pa.schema([("items", kind)]), compression="zstd", store_schema=False) as writer:
        for _, part in _parts(sets):
            writer.write_table(pa.table({"items": _lists(part, texts).cast(kind)}))
