"""File formats by their endings, and what the readers of all kinds of data do with Arrow."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

DELIMITERS = {".csv": ",;\t|", ".tsv": "\t"}


JSON_LINES = (".jsonl", ".ndjson")


JSON = (".json",)


EXCEL = (".xlsx",)


ZIP = (".zip",)


ARROW = (".arrow", ".feather")


PARQUET = (".parquet",)


def without_row_numbers(batches: Any) -> Any:
    """Leaves out the unnamed index that pandas hands over as a column."""
    kept = [name for name in batches.schema.names if not name.startswith("__index_level_")]
    if len(kept) == len(batches.schema.names):
        return batches
    schema = pa.schema([batches.schema.field(name) for name in kept])
    return pa.RecordBatchReader.from_batches(schema, (batch.select(kept) for batch in batches))


def ipc_batches(file: Any) -> Any:
    """Batches of an Arrow file in either form: with an index at its end, or the plain stream."""
    magic = file.read(6)
    file.seek(0)
    if magic != b"ARROW1":
        return pa.ipc.open_stream(file)
    reader = pa.ipc.open_file(file)
    batches = (reader.get_batch(position) for position in range(reader.num_record_batches))
    return pa.RecordBatchReader.from_batches(reader.schema, batches)
