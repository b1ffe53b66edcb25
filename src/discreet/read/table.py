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
from discreet.read.database import Database, load_database
from discreet.read.excel import load_excel
from discreet.read.formats import (
    ARROW,
    DELIMITERS,
    EXCEL,
    JSON,
    JSON_LINES,
    PARQUET,
    ZIP,
    ipc_batches,
)
from discreet.read.in_memory import batches_of
from discreet.read.json_lines import load_json, load_json_lines
from discreet.read.source import SourceFile, files_of
from discreet.read.storing import UNREADABLE, check_columns, first_line, refuse_broken, refuse_no_rows, store_typed
from discreet.read.text import COMPRESSIONS, load_delimited
from discreet.read.unpacking import STANDARD_INPUT, standard_input, unzipped

TEXT = (*DELIMITERS, *JSON_LINES, *JSON)
OTHERS = (*PARQUET, *ARROW, *EXCEL, *ZIP)
_MORE = "discreet_more_rows"


def load_table(
    engine: Engine,
    source: Path | Database | object,
    table: str = ORIGINAL,
    *,
    fewest_rows: int = 2,
    delimiters: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> TableShape:
    """Loads `source` into the table `table`, replacing one of that name, and says what it looks like.

    `source` is a path (.csv .tsv .jsonl .ndjson .json, also compressed as .gz or .zst; .parquet .arrow .feather .xlsx,
    or a .zip with one of them), a pattern of paths whose files have the same columns, `-` for standard input, a
    table of a database, or a table in memory: pandas, Polars (also a lazy frame), pyarrow, a DuckDB relation, a list of
    dicts, a dict of columns. A named pandas index is a column like the others; an unnamed one only numbers the rows
    and is left out.

    In a delimited file, blank lines are skipped; in one with a single column a blank line is a missing value.
    The delimiter is one that the header contains and that fits every row of the file, out of `delimiters` where
    they are given. `encoding`: of text files, UTF-8 by default. `sheet`: of an Excel file, the first by default.

    Raises `InputError` when the source cannot be read, has no column names or bad ones, nested columns, no rows or
    fewer than `fewest_rows`; then no table of that name is left behind.
    """
    try:
        if isinstance(source, Database):
            name = source.name
            load_database(engine, source, table)
        elif isinstance(source, str | Path):
            name = str(source)
            _load_path(engine, Path(source), table, delimiters, encoding, sheet)
        else:
            name = f"the {type(source).__name__}"
            _load_memory(engine, source, name, table)
        return _shape(engine, name, table, fewest_rows)
    except InputError:
        engine.drop(table)
        raise


def has_column_order(source: Path | object) -> bool:
    """Whether the columns of a source have an order of their own; in JSON every record may have another.

    What is in a .zip file or comes through standard input may be JSON.
    """
    if not isinstance(source, str | Path):
        return True
    path = Path(source)
    return path != STANDARD_INPUT and _endings(path)[0] not in (*JSON_LINES, *JSON, *ZIP)


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


def _load_path(
    engine: Engine, path: Path, table: str, delimiters: str | None, encoding: str | None, sheet: str | None
) -> None:
    """One file, several of them, or standard input."""
    if path == STANDARD_INPUT:
        with standard_input(encoding) as file:
            _load_file(engine, file, table, delimiters, sheet)
        return
    files = files_of(path)
    if not files:
        raise InputError(f"{path}: no file has a name of this pattern; check the path.")
    for place, found in enumerate(files):
        _load_file(engine, SourceFile.at(found, encoding), _MORE if place else table, delimiters, sheet)
        if place:
            _check_alike(engine.shape(table), files[0], engine.shape(_MORE), found)
            engine.append(_MORE, table)
            engine.drop(_MORE)


def _check_alike(first: TableShape, first_path: Path, other: TableShape, other_path: Path) -> None:
    """Refuses a file that does not have the columns of the first, with their types."""
    for here, there, lacking, having in (
        (first, other, other_path, first_path),
        (other, first, first_path, other_path),
    ):
        absent = [name for name in here.columns if name not in there.columns]
        if absent:
            raise InputError(
                f"{lacking} has no column {absent[0]!r}, and {having} has one; files that are published together have "
                "the same columns."
            )
    types = dict(zip(first.columns, first.types, strict=True))
    for name, kind in zip(other.columns, other.types, strict=True):
        if kind != types[name]:
            raise InputError(
                f"{other_path}: column {name!r} is {kind}, and in {first_path} it is {types[name]}; write both alike."
            )


def _load_file(engine: Engine, file: SourceFile, table: str, delimiters: str | None, sheet: str | None) -> None:
    """Checks that the file exists, and picks the reader by the ending of its name."""
    path = file.path
    if path.is_dir():
        raise InputError(f"{file} is a folder; name a file in it.")
    if not path.exists():
        raise InputError(f"{file}: no such file; check the path.")
    ending, compression = _endings(path)
    if compression and ending in OTHERS:
        raise InputError(
            f"{file}: {ending} files are compressed inside and are not read through {compression}; decompress it."
        )
    if ending in ZIP:
        with unzipped(file) as inner:
            if _endings(inner.path)[0] in ZIP:
                raise InputError(f"{file} holds another ZIP file; unpack it yourself.")
            return _load_file(engine, inner, table, delimiters, sheet)
    if not file.is_utf_8 and ending not in TEXT:
        raise InputError(
            f"{file}: only text has an encoding, and {ending} files say how theirs is; leave out encoding."
        )
    if sheet is not None and ending not in EXCEL:
        raise InputError(f"{file}: only an Excel file has sheets; leave out sheet.")
    if ending in DELIMITERS:
        load_delimited(engine, file, delimiters or DELIMITERS[ending], table)
    elif ending in JSON_LINES:
        load_json_lines(engine, file, table)
    elif ending in JSON:
        load_json(engine, file, table)
    elif ending in PARQUET:
        _load_parquet(engine, file, table)
    elif ending in ARROW:
        _load_arrow(engine, file, table)
    elif ending in EXCEL:
        load_excel(engine, file, sheet, table)
    else:
        raise InputError(
            f"{file}: the ending '{path.suffix}' is unknown; known endings are {' '.join(TEXT)} (also followed by "
            f"{' or '.join(COMPRESSIONS)}) and {' '.join(OTHERS)}; rename or convert the file."
        )


def _load_memory(engine: Engine, source: object, name: str, table: str) -> None:
    try:
        store_typed(engine, batches_of(source, name), name, table)
    except (*UNREADABLE, TypeError, ValueError) as error:
        raise InputError(f"{name} cannot be read ({first_line(error)}); convert its columns to plain types.") from error


def _load_parquet(engine: Engine, file: SourceFile, table: str) -> None:
    try:
        with parquet.ParquetFile(file.path) as opened:
            schema = opened.schema_arrow
            stored = map(opened.schema.column, range(len(schema)))
            if all(_is_plain(kind, column) for kind, column in zip(schema.types, stored, strict=True)):
                check_columns(schema, str(file))
                engine.store_parquet(file.path, table)
                return
            batches = pa.RecordBatchReader.from_batches(schema, opened.iter_batches())
            store_typed(engine, batches, str(file), table)
    except UNREADABLE as error:
        refuse_broken(file, "Parquet", error)


_PLAIN = (
    *(pa.types.is_string, pa.types.is_large_string, pa.types.is_integer, pa.types.is_boolean, pa.types.is_date32),
    *(pa.types.is_float32, pa.types.is_float64),
)


def _is_plain(kind: pa.DataType, stored: Any) -> bool:
    """Whether the engine's own reader, which takes half as long, reads a column as Arrow does; not JSON, for one."""
    return stored.logical_type.type in ("NONE", "STRING", "INT", "DATE") and any(is_kind(kind) for is_kind in _PLAIN)


def _load_arrow(engine: Engine, file: SourceFile, table: str) -> None:
    try:
        with pa.OSFile(str(file.path)) as opened:
            store_typed(engine, ipc_batches(opened), str(file), table)
    except UNREADABLE as error:
        refuse_broken(file, "Arrow", error)
