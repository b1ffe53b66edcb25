"""The data of a release as an Arrow table, for whoever goes on with them in Python."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv as arrow_csv
from pyarrow import parquet

from discreet.read.transactions import GROUPED_COLUMNS, read_columns, read_transactions
from discreet.values.long_cells import long_cells


def table_of(release: Path, certificate: Mapping[str, Any]) -> Any:
    """The published table: text and nulls from a CSV file, the types of the original from a Parquet file."""
    path = release / certificate["data"]
    if path.suffix == ".parquet":
        return parquet.read_table(path)
    with long_cells(), path.open(encoding="utf-8", newline="") as file:
        names = next(csv.reader(file))
    return arrow_csv.read_csv(
        path,
        read_options=arrow_csv.ReadOptions(column_names=names, skip_rows_after_names=1),
        parse_options=arrow_csv.ParseOptions(newlines_in_values=True),
        convert_options=arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()), null_values=[""], strings_can_be_null=True
        ),
    )


def transactions_of(release: Path, certificate: Mapping[str, Any]) -> Any:
    """A column `items` of lists; where sensitive items are published apart, the columns of the file of the others."""
    path = release / certificate["data"]
    if certificate["shape"] == "grouped":
        return pa.table(dict(zip(GROUPED_COLUMNS, read_columns(path, GROUPED_COLUMNS)[0], strict=True)))
    raw = read_transactions(path, certificate.get("separator"))
    items = pa.array(raw.items, pa.string()).take(pa.array(raw.sets.items))
    return pa.table({"items": pa.LargeListArray.from_arrays(pa.array(raw.sets.offsets.astype(np.int64)), items)})
