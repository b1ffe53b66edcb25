"""Reads a table, once and whole, into an engine.

Every source becomes one stream of Arrow batches, and the engine takes the stream into a table. Arrow does the
reading because its readers take a path literally, decompress on the way, stay within bounded memory, and
refuse a row with too many or too few fields. (DuckDB's own CSV reader drops an empty extra field and, reading
in one thread, everything after a quote that is never closed.)

Text is read by `text` and `json_lines`, exactly as written; files that have types (Parquet, Arrow) keep them.
"""

from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from discreet.engine import ORIGINAL, Engine, TableShape
from discreet.errors import InputError
from discreet.read.formats import ARROW, DELIMITERS, JSON_LINES, PARQUET, ipc_batches, without_row_numbers
from discreet.read.json_lines import load_json_lines
from discreet.read.storing import UNREADABLE, check_columns, first_line, refuse_broken, refuse_no_rows, store_typed
from discreet.read.text import COMPRESSIONS, load_delimited

TEXT = (*DELIMITERS, *JSON_LINES)


def load_table(
    engine: Engine,
    source: Path | object,
    table: str = ORIGINAL,
    *,
    fewest_rows: int = 2,
    delimiters: str | None = None,
) -> TableShape:
    """Loads `source` into the table `table`, replacing one of that name, and says what it looks like.

    `source` is a path (.csv .tsv .jsonl .ndjson, also compressed as .gz or .zst; .parquet .arrow .feather) or
    a table in memory with an Arrow interface: pandas, Polars, pyarrow, a DuckDB relation. A named pandas index is a
    column like the others; an unnamed one only numbers the rows and is left out.

    In a delimited file, blank lines are skipped; in one with a single column a blank line is a missing value.
    The delimiter is one that the header contains and that fits every row of the file, out of `delimiters` where
    they are given.

    Raises `InputError` when the source cannot be read, has no column names or bad ones, nested columns, no rows or
    fewer than `fewest_rows`; then no table of that name is left behind.
    """
    try:
        if isinstance(source, str | Path):
            name = str(source)
            _load_file(engine, Path(source), table, delimiters)
        else:
            name = f"the {type(source).__name__}"
            _load_memory(engine, source, name, table)
        return _shape(engine, name, table, fewest_rows)
    except InputError:
        engine.drop(table)
        raise


def has_column_order(source: Path | object) -> bool:
    """Whether the columns of a source have an order of their own; in JSON lines every record may have another."""
    return not (isinstance(source, str | Path) and _endings(Path(source))[0] in JSON_LINES)


def _endings(path: Path) -> tuple[str, str]:
    """What a file's name says about its format and its compression."""
    ending = path.suffix.lower()
    return (Path(path.stem).suffix.lower(), ending) if ending in COMPRESSIONS else (ending, "")


def _shape(engine: Engine, name: str, table: str, fewest_rows: int) -> TableShape:
    shape = engine.shape(table)
    if shape.rows == 0:
        refuse_no_rows(name)
    if shape.rows < fewest_rows:
        raise InputError(
            f"{name} has one row, and a table of one record cannot be anonymized because there is no other "
            "record to hide it among; give a table of at least two."
        )
    return shape


def _load_file(engine: Engine, path: Path, table: str, delimiters: str | None) -> None:
    """Checks that the file exists, and picks the reader by the ending of its name."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file in it.")
    if not path.exists():
        raise InputError(f"{path}: no such file; check the path.")
    ending, compression = _endings(path)
    if compression and ending in (*PARQUET, *ARROW):
        raise InputError(
            f"{path}: {ending} files are compressed inside and are not read through {compression}; decompress it."
        )
    if ending in DELIMITERS:
        load_delimited(engine, path, delimiters or DELIMITERS[ending], table)
    elif ending in JSON_LINES:
        load_json_lines(engine, path, table)
    elif ending in PARQUET:
        _load_parquet(engine, path, table)
    elif ending in ARROW:
        _load_arrow(engine, path, table)
    else:
        raise InputError(
            f"{path}: the ending '{path.suffix}' is unknown; known endings are {' '.join(TEXT)} (also followed by "
            f"{' or '.join(COMPRESSIONS)}) and {' '.join((*PARQUET, *ARROW))}; rename or convert the file."
        )


def _load_memory(engine: Engine, source: object, name: str, table: str) -> None:
    if not hasattr(source, "__arrow_c_stream__"):
        raise InputError(f"{name} has no Arrow interface; pass a path, or a pandas, Polars, pyarrow or DuckDB table.")
    try:
        batches = without_row_numbers(pa.RecordBatchReader.from_stream(source))
        store_typed(engine, batches, name, table)
    except (*UNREADABLE, TypeError, ValueError) as error:
        raise InputError(f"{name} cannot be read ({first_line(error)}); convert its columns to plain types.") from error


def _load_parquet(engine: Engine, path: Path, table: str) -> None:
    try:
        with parquet.ParquetFile(path) as file:
            schema = file.schema_arrow
            stored = map(file.schema.column, range(len(schema)))
            if all(_is_plain(kind, column) for kind, column in zip(schema.types, stored, strict=True)):
                check_columns(schema, str(path))
                engine.store_parquet(path, table)
                return
            batches = pa.RecordBatchReader.from_batches(schema, file.iter_batches())
            store_typed(engine, batches, str(path), table)
    except UNREADABLE as error:
        refuse_broken(path, "Parquet", error)


_PLAIN = (
    *(pa.types.is_string, pa.types.is_large_string, pa.types.is_integer, pa.types.is_boolean, pa.types.is_date32),
    *(pa.types.is_float32, pa.types.is_float64),
)


def _is_plain(kind: pa.DataType, stored: Any) -> bool:
    """Whether the engine's own reader, which takes half as long, reads a column as Arrow does; not JSON, for one."""
    return stored.logical_type.type in ("NONE", "STRING", "INT", "DATE") and any(is_kind(kind) for is_kind in _PLAIN)


def _load_arrow(engine: Engine, path: Path, table: str) -> None:
    try:
        with pa.OSFile(str(path)) as file:
            store_typed(engine, ipc_batches(file), str(path), table)
    except UNREADABLE as error:
        refuse_broken(path, "Arrow", error)
