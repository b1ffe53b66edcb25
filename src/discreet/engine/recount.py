"""A second opinion on a published table: its rows and groups, counted by Arrow.

It shares no reader with the first one (`published`, by DuckDB), and no more than the names of the columns and how a
file is written. Texts are numbered as they are met, a row's numbers become one, and the different ones are counted. The
file comes in batches, of which nothing is kept but the texts and the groups.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet

from discreet.errors import InputError

Codes = npt.NDArray[np.int64]

_AT_ONCE = 1 << 18
"""Rows of a Parquet file."""
_MOST_KEPT = 1 << 22
"""Groups that are kept before those found twice are taken out."""


@dataclass(frozen=True)
class Recount:
    """Rows, how many of them are different in the key columns, and the size of all their texts.

    The size is that of a Parquet file, where any number of rows may refer to one long text.
    """

    rows: int
    groups: int
    bytes: int = 0


def recounted(
    path: Path, columns: Sequence[str], keys: Sequence[str], longest_row: int, text: str | None = None
) -> Recount:
    """The rows of a CSV or Parquet file, counted. keys: columns of text. text: one more, for the size of its texts."""
    places = [columns.index(key) for key in keys]
    measured = [] if text is None else [columns.index(text)]
    numbers: list[dict[str, int]] = [{} for _ in keys]
    groups = np.empty((len(keys), 0), np.int64)
    rows = size = 0
    try:
        if path.suffix == ".csv":
            found = _csv(path, len(columns), places, longest_row)
        else:
            found = _parquet(path, places + measured)
        for batch in found:
            rows += len(batch[0])
            size += sum(map(_size, batch)) if path.suffix != ".csv" else 0
            codes = np.stack([_numbered(column, known) for column, known in zip(batch, numbers, strict=False)])
            groups = np.concatenate((groups, _different(codes)), axis=1)
            if groups.shape[1] > _MOST_KEPT:
                groups = _different(groups)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise InputError(f"{path.name}: cannot be read a second time, by Arrow ({str(error)[:300]}).") from error
    return Recount(rows, _different(groups).shape[1], size)


def _csv(path: Path, width: int, places: Sequence[int], longest_row: int) -> Iterator[list[Any]]:
    names = [f"c{place}" for place in range(width)]
    wanted = [names[place] for place in places]
    with csv.open_csv(
        path,
        csv.ReadOptions(column_names=names, skip_rows_after_names=1, block_size=2 * longest_row),
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
        for batch in file.iter_batches(_AT_ONCE, columns=wanted):
            # A name with a dot in it may have selected other columns too.
            yield [pc.dictionary_encode(batch.column(name)) for name in wanted]


def _size(texts: Any) -> int:
    return pc.sum(pc.binary_length(texts.dictionary).take(texts.indices)).as_py() or 0


def _numbered(texts: Any, known: dict[str, int]) -> Codes:
    """For each row the number of its text; one for missing ones, and for empty ones."""
    numbers = [known.setdefault(text or "", len(known)) for text in texts.dictionary.to_pylist()]
    if texts.null_count:
        numbers.append(known.setdefault("", len(known)))
    places = texts.indices.fill_null(len(numbers) - 1).to_numpy()
    return np.array(numbers, np.int64)[places]


def _different(codes: Codes) -> Codes:
    """The different columns of a matrix of small numbers."""
    together = np.zeros(codes.shape[1], np.int64)
    size = 1
    for row in codes:
        width = int(row.max(initial=0)) + 1
        if size * width >= 1 << 62:
            _, together = np.unique(together, return_inverse=True)
            size = codes.shape[1]
        together = together * width + row
        size *= width
    _, first = np.unique(together, return_index=True)
    return codes[:, first]
