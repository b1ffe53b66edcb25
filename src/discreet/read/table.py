"""Reads a table, once and whole, into DuckDB.

Every source becomes one stream of Arrow batches, and DuckDB takes the stream into a table. Arrow does the
reading because its readers take a path literally, decompress on the way, keep to a bounded memory, and
refuse a row with too many or too few fields. (DuckDB's own CSV reader drops an empty extra field and, reading
in one thread, everything behind a quote that is never closed.)

Text is read by `text` and `json_lines`, exactly as written; files that know types (Parquet, Arrow) keep them.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from pyarrow import parquet

from discreet.errors import InputError
from discreet.read.json_lines import load_json_lines
from discreet.read.storing import UNREADABLE, first_line, quoted, refuse_broken, refuse_no_rows, store_typed, value_of
from discreet.read.text import COMPRESSIONS, load_delimited

DELIMITERS = {".csv": ",;\t|", ".tsv": "\t"}
JSON_LINES = (".jsonl", ".ndjson")
ARROW = (".arrow", ".feather")
PARQUET = (".parquet",)
TEXT = (*DELIMITERS, *JSON_LINES)


@dataclass(frozen=True)
class TableShape:
    """What a loaded table looks like: its columns in the order of the file, their DuckDB types, its rows."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: int


def load_table(
    connection: duckdb.DuckDBPyConnection,
    source: Path | object,
    table: str = "original",
    *,
    fewest_rows: int = 2,
    delimiters: str | None = None,
) -> TableShape:
    """Loads `source` into the DuckDB table `table`, replacing one of that name, and says what it looks like.

    `source` is a path (.csv .tsv .jsonl .ndjson, also compressed as .gz or .zst; .parquet .arrow .feather) or
    a table in memory that speaks Arrow: pandas, Polars, pyarrow, a DuckDB relation. A named pandas index is a
    column like the others; an unnamed one only numbers the rows and is left out.

    In a delimited file, blank lines are skipped; in one with a single column a blank line is a missing value.
    The delimiter is one that the header contains and that fits every row of the file, out of `delimiters` where
    they are given.

    Raises `InputError` when the source cannot be read, has no or bad column names, nested columns, no rows or fewer
    than `fewest_rows`; then no table of that name is left behind.
    """
    try:
        if isinstance(source, str | Path):
            name = str(source)
            _load_file(connection, Path(source), table, delimiters)
        else:
            name = f"the {type(source).__name__}"
            _load_memory(connection, source, name, table)
        return _shape(connection, name, table, fewest_rows)
    except InputError:
        connection.execute(f"DROP TABLE IF EXISTS {quoted(table)}")
        raise


def _shape(connection: duckdb.DuckDBPyConnection, name: str, table: str, fewest_rows: int) -> TableShape:
    rows = value_of(connection.execute(f"SELECT count(*) FROM {quoted(table)}"))
    if rows == 0:
        refuse_no_rows(name)
    if rows < fewest_rows:
        raise InputError(
            f"{name} has one row, and a table of one record cannot be anonymized because there is no other "
            "record to hide it among; give a table of at least two."
        )
    columns = connection.execute(f"DESCRIBE {quoted(table)}").fetchall()
    return TableShape(
        columns=tuple(column for column, *_ in columns),
        types=tuple(kind for _, kind, *_ in columns),
        rows=rows,
    )


def _load_file(connection: duckdb.DuckDBPyConnection, path: Path, table: str, delimiters: str | None) -> None:
    """Checks that the file is there, and picks the reader by the ending of its name."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file in it.")
    if not path.exists():
        raise InputError(f"{path}: no such file; check the path.")
    ending, compression = path.suffix.lower(), ""
    if ending in COMPRESSIONS:
        ending, compression = Path(path.stem).suffix.lower(), ending
    if compression and ending in (*PARQUET, *ARROW):
        raise InputError(
            f"{path}: {ending} files compress inside and are not read through {compression}; decompress it."
        )
    if ending in DELIMITERS:
        load_delimited(connection, path, delimiters or DELIMITERS[ending], table)
    elif ending in JSON_LINES:
        load_json_lines(connection, path, table)
    elif ending in PARQUET:
        _load_parquet(connection, path, table)
    elif ending in ARROW:
        _load_arrow(connection, path, table)
    else:
        raise InputError(
            f"{path}: the ending '{path.suffix}' is unknown, known are {' '.join(TEXT)} (also followed by "
            f"{' or '.join(COMPRESSIONS)}) and {' '.join((*PARQUET, *ARROW))}; rename or convert the file."
        )


def _load_memory(connection: duckdb.DuckDBPyConnection, source: object, name: str, table: str) -> None:
    if not hasattr(source, "__arrow_c_stream__"):
        raise InputError(f"{name} does not speak Arrow; pass a path, or a table of pandas, Polars, pyarrow or DuckDB.")
    # A relation may belong to this very connection, which cannot run it and store it at the same time.
    relation = isinstance(source, duckdb.DuckDBPyRelation)
    target = connection.cursor() if relation else connection
    try:
        batches = without_row_numbers(pa.RecordBatchReader.from_stream(source))
        store_typed(target, batches, name, table)
    except (*UNREADABLE, TypeError, ValueError) as error:
        raise InputError(f"{name} cannot be read ({first_line(error)}); convert its columns to plain types.") from error
    finally:
        if relation:
            target.close()


def without_row_numbers(batches: Any) -> Any:
    """Leaves out the unnamed index that pandas hands over as a column."""
    kept = [name for name in batches.schema.names if not name.startswith("__index_level_")]
    if len(kept) == len(batches.schema.names):
        return batches
    schema = pa.schema([batches.schema.field(name) for name in kept])
    return pa.RecordBatchReader.from_batches(schema, (batch.select(kept) for batch in batches))


def _load_parquet(connection: duckdb.DuckDBPyConnection, path: Path, table: str) -> None:
    try:
        with parquet.ParquetFile(path) as file:
            batches = pa.RecordBatchReader.from_batches(file.schema_arrow, file.iter_batches())
            store_typed(connection, batches, str(path), table)
    except UNREADABLE as error:
        refuse_broken(path, "Parquet", error)


def _load_arrow(connection: duckdb.DuckDBPyConnection, path: Path, table: str) -> None:
    try:
        with pa.OSFile(str(path)) as file:
            store_typed(connection, ipc_batches(file), str(path), table)
    except UNREADABLE as error:
        refuse_broken(path, "Arrow", error)


def ipc_batches(file: Any) -> Any:
    """Batches of an Arrow file in either form, the one with an index at its end or the plain stream."""
    magic = file.read(6)
    file.seek(0)
    if magic != b"ARROW1":
        return pa.ipc.open_stream(file)
    reader = pa.ipc.open_file(file)
    batches = (reader.get_batch(position) for position in range(reader.num_record_batches))
    return pa.RecordBatchReader.from_batches(reader.schema, batches)
