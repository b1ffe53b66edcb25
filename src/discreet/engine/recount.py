"""A second opinion on a published table: its rows, groups and people, counted by Arrow.

It shares no reader with the first one (`published`, by DuckDB), and no more than the names of the columns and how a
file is written. Texts are numbered as they are met, a row's numbers become one, and the different ones are counted. The
file comes in batches, of which nothing is kept but the texts, the groups and who is in which.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet

from discreet.engine.errors import complaint
from discreet.errors import InputError

Codes = npt.NDArray[np.int64]

_ROWS_AT_ONCE = 1 << 18
_BYTES_AT_ONCE = 1 << 22
"""Of a CSV file; where a row is longer, several times as many."""
_MOST_KEPT = 1 << 20
"""Groups that are kept before those found twice are taken out, or as many as were left the last time."""
_FEW = 1 << 22
"""Combinations, for which a list of all is shorter work than sorting rows."""


@dataclass(frozen=True)
class Recount:
    """Rows, how many of them are different in the key columns, and what else is seen on the way."""

    rows: int
    groups: int
    bytes: int
    """of all texts; in a Parquet file any number of rows may refer to a long one"""
    mixed: str | None
    """a column with both NULL and empty text"""
    people: int | None = None
    """different pseudonyms, where a column has them"""
    members: int | None = None
    """of all groups: whoever is in several counts in each"""


def recounted(
    path: Path,
    columns: Sequence[str],
    keys: Sequence[str],
    person: str | None,
    texts: Sequence[str],
    longest_row: int,
) -> Recount:
    """The rows of a CSV or Parquet file, counted.

    keys: columns of text. person: one with pseudonyms. texts: others, which are not counted.
    """
    counted = [*keys] if person is None else [*keys, person]
    wanted = [*counted, *texts]
    places = [columns.index(column) for column in wanted]
    try:
        if path.suffix == ".parquet":
            return _count(_parquet(path, places), wanted, len(keys), len(counted))
        few = places[: len(counted)]
        try:
            return _count(_csv(path, len(columns), few, _BYTES_AT_ONCE), counted, len(keys), len(counted))
        except pa.ArrowInvalid:
            return _count(_csv(path, len(columns), few, 2 * longest_row), counted, len(keys), len(counted))
    except MemoryError:  # Arrow's is one of its exceptions, too
        raise
    except (OSError, ValueError, pa.ArrowException) as error:
        raise InputError(f"{path.name}: cannot be read a second time, by Arrow ({complaint(error)}).") from error


def _count(batches: Iterator[list[Any]], columns: Sequence[str], keys: int, numbered: int) -> Recount:
    """batches: columns as Arrow dictionaries, the keys first, then the pseudonyms if they are numbered too."""
    numbers: list[dict[str, int]] = [{} for _ in range(numbered)]
    groups = [np.empty((numbered, 0), np.int64)]
    missing: dict[str, set[bool]] = {column: set() for column in columns}
    rows = size = kept = 0
    most_kept = _MOST_KEPT
    for batch in batches:
        rows += len(batch[0])
        size += sum(map(_size, batch))
        for column, texts in zip(columns, batch, strict=True):
            missing[column] |= _missing(texts)
        found = _different([_numbered(*column) for column in zip(batch, numbers, strict=False)])
        groups.append(found)
        kept += found.shape[1]
        if kept > most_kept:
            groups = [_different([*np.concatenate(groups, axis=1)])]
            kept, most_kept = 0, max(_MOST_KEPT, groups[0].shape[1])
    mixed = next((column for column, spellings in missing.items() if len(spellings) > 1), None)
    different = _different([*np.concatenate(groups, axis=1)])
    if keys == numbered:
        return Recount(rows, different.shape[1], size, mixed)
    return Recount(rows, _different([*different[:keys]]).shape[1], size, mixed, len(numbers[keys]), different.shape[1])


def _csv(path: Path, width: int, places: Sequence[int], at_once: int) -> Iterator[list[Any]]:
    names = [f"c{place}" for place in range(width)]
    wanted = [names[place] for place in places]
    with csv.open_csv(
        path,
        csv.ReadOptions(column_names=names, skip_rows_after_names=1, block_size=at_once),
        csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
        csv.ConvertOptions(
            include_columns=wanted, column_types={name: pa.dictionary(pa.int32(), pa.string()) for name in wanted}
        ),
    ) as batches:
        for batch in batches:
            yield batch.columns


def _parquet(path: Path, places: Sequence[int]) -> Iterator[list[Any]]:
    names = parquet.read_metadata(path).schema.names
    wanted = [names[place] for place in places]
    with parquet.ParquetFile(path, read_dictionary=wanted) as file:
        for batch in file.iter_batches(_ROWS_AT_ONCE, columns=wanted):
            # A name with a dot in it may have selected other columns too.
            yield [pc.dictionary_encode(batch.column(name)) for name in wanted]


def _size(texts: Any) -> int:
    return pc.sum(pc.binary_length(texts.dictionary).take(texts.indices)).as_py() or 0


def _missing(texts: Any) -> set[bool]:
    """How missing values are spelled: True as NULL, False as empty text."""
    spellings = {True} if texts.null_count else set()
    empty = np.flatnonzero(np.from_dlpack(pc.binary_length(texts.dictionary)) == 0)
    if len(empty) and (np.from_dlpack(texts.indices.drop_null()) == empty[0]).any():
        spellings.add(False)
    return spellings


def _numbered(texts: Any, known: dict[str, int]) -> Codes:
    """For each row the number of its text; one for missing ones, and for empty ones."""
    numbers = [known.setdefault(text or "", len(known)) for text in texts.dictionary.to_pylist()]
    places = texts.indices
    if texts.null_count:
        numbers.append(known.setdefault("", len(known)))
        places = places.fill_null(len(numbers) - 1)
    codes: Codes = np.array(numbers, np.int64)[np.from_dlpack(places)]
    return codes


def _different(columns: Sequence[Codes]) -> Codes:
    """Column x row: the different rows of columns of small numbers."""
    widths = [int(column.max(initial=0)) + 1 for column in columns]
    together, size = columns[0], widths[0]
    for column, width in zip(columns[1:], widths[1:], strict=True):
        if size * width >= 1 << 62:
            _, together = np.unique(together, return_inverse=True)
            size = len(together)
        together = together * width + column
        size *= width
    if size == math.prod(widths) <= _FEW:
        is_there = np.zeros(size, bool)
        is_there[together] = True
        return np.stack(np.unravel_index(np.flatnonzero(is_there), widths))
    _, first = np.unique(together, return_index=True)
    return np.stack([column[first] for column in columns])
