"""Reads a table, once and whole, into DuckDB.

Every source becomes one stream of Arrow batches, and DuckDB takes the stream into a table. Arrow does the
reading because its readers take a path literally, decompress on the way, keep to a bounded memory, and
refuse a row with too many or too few fields. (DuckDB's own CSV reader drops an empty extra field and, reading
in one thread, everything behind a quote that is never closed.)

What a text file says is kept as it is written: `007` stays `007`, `NA` is a value like any other, and only an
empty field is missing. Files that know types (Parquet, Arrow, JSON lines) keep them.

Reading is fast and its errors are terse, so there are two ways through a text file. The fast way is always
taken: Arrow parses, and `_Watched` looks at the bytes as they pass for the three things Arrow lets through
(NUL bytes, text behind a closing quote, a quote that is never closed). Only when one of them objects is the
file read again, slowly and strictly, by `_records`, which knows the number of the row.
"""

import csv
import io
import json
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, cast

import duckdb
import numpy as np
import pyarrow as pa
from pyarrow import csv as arrow_csv
from pyarrow import parquet

from discreet.errors import InputError

DELIMITERS = {".csv": ",;\t|", ".tsv": "\t"}
JSON_LINES = (".jsonl", ".ndjson")
ARROW = (".arrow", ".feather")
PARQUET = (".parquet",)
TEXT = (*DELIMITERS, *JSON_LINES)
COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}

# A character is at most four bytes of UTF-8, so a row within the first limit never exceeds the second, which
# is what Arrow can parse: a row may straddle one border between blocks.
LONGEST_ROW = 2 * 2**20
BLOCK_BYTES = 4 * LONGEST_ROW

# Raw control characters are forbidden inside JSON, so this one splits no valid line.
NEVER_IN_JSON = "\x01"

UNREADABLE = (duckdb.InvalidInputException, duckdb.NotImplementedException, pa.ArrowException, OSError)


@dataclass(frozen=True)
class TableShape:
    """What a loaded table looks like: its columns in the order of the file, their DuckDB types, its rows."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: int


def open_workspace(temp_directory: Path, memory_limit: str = "2GB") -> duckdb.DuckDBPyConnection:
    """Opens an empty in-memory database that moves to `temp_directory` what exceeds `memory_limit`.

    It never fetches or loads an extension, prints no progress, and keeps rows in the order they came.
    """
    connection = duckdb.connect(
        ":memory:",
        config={
            "temp_directory": str(temp_directory),
            "memory_limit": memory_limit,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "preserve_insertion_order": True,
        },
    )
    connection.execute("SET enable_progress_bar = false")
    return connection


def quoted(name: str) -> str:
    """Writes any name as an SQL identifier: `say "hi", Bob` becomes `"say ""hi"", Bob"`."""
    return '"' + name.replace('"', '""') + '"'


def load_table(connection: duckdb.DuckDBPyConnection, source: Path | object, table: str = "original") -> TableShape:
    """Loads `source` into the DuckDB table `table`, replacing one of that name, and says what it looks like.

    `source` is a path (.csv .tsv .jsonl .ndjson, also compressed as .gz or .zst; .parquet .arrow .feather) or
    a table in memory that speaks Arrow: pandas, Polars, pyarrow, a DuckDB relation. A named pandas index is a
    column like the others; an unnamed one only numbers the rows and is left out.

    In a delimited file, blank lines are skipped; in one with a single column a blank line is a missing value.
    The delimiter is one that the header contains and that fits every row of the file.

    Raises `InputError` when the source cannot be read, has no or bad column names, nested columns, or fewer
    than two rows; then no table of that name is left behind.
    """
    try:
        if isinstance(source, str | Path):
            name = str(source)
            _load_file(connection, Path(source), table)
        else:
            name = f"the {type(source).__name__}"
            _load_memory(connection, source, name, table)
        return _shape(connection, name, table)
    except InputError:
        connection.execute(f"DROP TABLE IF EXISTS {quoted(table)}")
        raise


def _shape(connection: duckdb.DuckDBPyConnection, name: str, table: str) -> TableShape:
    rows = _value(connection.execute(f"SELECT count(*) FROM {quoted(table)}"))
    if rows == 0:
        _refuse_no_rows(name)
    if rows == 1:
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


def _refuse_no_rows(name: str) -> NoReturn:
    raise InputError(f"{name} has no rows; give a table of at least two.")


def _load_file(connection: duckdb.DuckDBPyConnection, path: Path, table: str) -> None:
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
        _load_delimited(connection, path, DELIMITERS[ending], table)
    elif ending in JSON_LINES:
        _load_json_lines(connection, path, table)
    elif ending in PARQUET:
        _load_parquet(connection, path, table)
    elif ending in ARROW:
        _load_arrow(connection, path, table)
    else:
        raise InputError(
            f"{path}: the ending '{path.suffix}' is unknown, known are {' '.join(TEXT)} (also followed by "
            f"{' or '.join(COMPRESSIONS)}) and {' '.join((*PARQUET, *ARROW))}; rename or convert the file."
        )


# --- Any stream of Arrow batches ----------------------------------------------------------------------------


def _store(connection: duckdb.DuckDBPyConnection, batches: Any, table: str) -> None:
    view = "discreet_source"
    connection.register(view, batches)
    try:
        connection.execute(f"CREATE OR REPLACE TABLE {quoted(table)} AS SELECT * FROM {view}")
    finally:
        connection.unregister(view)


def _store_typed(connection: duckdb.DuckDBPyConnection, batches: Any, name: str, table: str) -> None:
    """Stores batches that bring their own names and types, once these can be used."""
    if fault := _fault_of_names(batches.schema.names):
        raise InputError(f"{name}: {fault}")
    for field in batches.schema:
        if pa.types.is_nested(field.type):
            _refuse_nested(name, field.name, field.type)
    _store(connection, batches, table)


def _fault_of_names(names: Sequence[str]) -> str | None:
    """What makes these names unusable as columns; DuckDB does not tell `Age` from `age`."""
    if not names:
        return "it has no columns; give a table that has some."
    seen: dict[str, str] = {}
    for position, name in enumerate(names, start=1):
        if not name.strip():
            return f"column {position} has no name; give every column one."
        other = seen.get(name.lower())
        if other == name:
            return f"two columns are named {name!r}; rename one of them."
        if other:
            return f"the columns {other!r} and {name!r} differ only in upper and lower case; rename one of them."
        seen[name.lower()] = name
    return None


def _refuse_nested(name: str, column: str, kind: object) -> NoReturn:
    raise InputError(
        f"{name}: column {column!r} is nested ({kind}), and a table needs one plain value in each field; "
        "flatten the column into several, or leave it out."
    )


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0].rstrip(".")


def _load_memory(connection: duckdb.DuckDBPyConnection, source: object, name: str, table: str) -> None:
    if not hasattr(source, "__arrow_c_stream__"):
        raise InputError(f"{name} does not speak Arrow; pass a path, or a table of pandas, Polars, pyarrow or DuckDB.")
    # A relation may belong to this very connection, which cannot run it and store it at the same time.
    relation = isinstance(source, duckdb.DuckDBPyRelation)
    target = connection.cursor() if relation else connection
    try:
        batches = _without_row_numbers(pa.RecordBatchReader.from_stream(source))
        _store_typed(target, batches, name, table)
    except (*UNREADABLE, TypeError, ValueError) as error:
        raise InputError(
            f"{name} cannot be read ({_first_line(error)}); convert its columns to plain types."
        ) from error
    finally:
        if relation:
            target.close()


def _without_row_numbers(batches: Any) -> Any:
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
            _store_typed(connection, batches, str(path), table)
    except UNREADABLE as error:
        _refuse_broken(path, "Parquet", error)


def _load_arrow(connection: duckdb.DuckDBPyConnection, path: Path, table: str) -> None:
    try:
        with pa.OSFile(str(path)) as file:
            _store_typed(connection, _ipc_batches(file), str(path), table)
    except UNREADABLE as error:
        _refuse_broken(path, "Arrow", error)


def _ipc_batches(file: Any) -> Any:
    """Batches of an Arrow file in either form, the one with an index at its end or the plain stream."""
    magic = file.read(6)
    file.seek(0)
    if magic != b"ARROW1":
        return pa.ipc.open_stream(file)
    reader = pa.ipc.open_file(file)
    batches = (reader.get_batch(position) for position in range(reader.num_record_batches))
    return pa.RecordBatchReader.from_batches(reader.schema, batches)


def _refuse_broken(path: Path, kind: str, error: BaseException) -> NoReturn:
    raise InputError(f"{path} cannot be read as {kind} ({_first_line(error)}); write the file again.") from error


# --- Text: the fast way -------------------------------------------------------------------------------------


class _RowError(InputError):
    """A sentence about one row of a text file; rows are counted in lines, the first is 1."""

    def __init__(self, path: Path, row: int, fault: str) -> None:
        super().__init__(f"{path}, row {row}: {fault}")
        self.row = row
        self.fault = fault


@contextmanager
def _decompressed(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a text file behind its compression and its byte order mark."""
    codec = COMPRESSIONS.get(path.suffix.lower())
    try:
        raw = pa.CompressedInputStream(pa.OSFile(str(path)), codec) if codec else io.FileIO(path)
        with io.BufferedReader(raw) as stream:
            if stream.peek(3).startswith((b"\xff\xfe", b"\xfe\xff")):
                raise InputError(
                    f"{path} is encoded as UTF-16; convert it, for example with `iconv -f utf-16 -t utf-8`."
                )
            if stream.peek(3).startswith(b"\xef\xbb\xbf"):
                stream.read(3)
            if not stream.peek(1):
                raise InputError(f"{path} is empty; give a file with at least two records.")
            yield cast(BinaryIO, stream)
    except OSError as error:
        raise InputError(
            f"{path} cannot be read ({_first_line(error)}); check its permissions or write it again."
        ) from error


class _Watched(io.RawIOBase):
    """Hands a file's bytes on to Arrow and looks out for what Arrow would let pass.

    Number the quotes of a file from 0. Where quoting is strict, an even one opens a field (it stands behind a
    delimiter or a line end) or is the second half of a doubled quote (behind a quote); an odd one closes a
    field or is the first half of a doubled quote; and their number is even. Whatever breaks this rule is
    `doubtful`: an error, or a quote in the middle of an unquoted field, which is harmless; `_records` tells.
    """

    def __init__(self, source: BinaryIO, delimiter: str, quotes: bool) -> None:
        self._source = source
        self._quotes = quotes
        self._border = np.zeros(256, dtype=np.bool_)
        self._border[list(b'"\r\n' + delimiter.encode())] = True
        self._tail = b"\n"
        self._inside = False
        self.doubtful = False

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        chunk = self._source.read(size)
        self.doubtful |= b"\0" in chunk
        if self._quotes:
            self._watch_quotes(chunk or b"\n")
            self.doubtful |= not chunk and self._inside
        return chunk

    def _watch_quotes(self, chunk: bytes) -> None:
        """Judges all bytes but the last, whose right neighbour comes with the next chunk."""
        tail, self._tail = self._tail, (self._tail + chunk[-2:])[-2:]
        if b'"' not in tail and b'"' not in chunk:
            return
        window = tail + chunk
        content = np.frombuffer(window, dtype=np.uint8)
        quotes = np.flatnonzero(content[1:-1] == ord('"')) + 1
        opening, closing = quotes[self._inside :: 2], quotes[not self._inside :: 2]
        strict = self._border[content[opening - 1]].all() and self._border[content[closing + 1]].all()
        self.doubtful |= not strict
        self._inside ^= bool(len(quotes) % 2)


@dataclass(frozen=True)
class _Layout:
    """How a text file is cut into fields: delimited columns below a header, or one column of whole lines."""

    names: tuple[str, ...]
    delimiter: str
    whole_lines: bool = False


WHOLE_LINES = _Layout(names=("line",), delimiter=NEVER_IN_JSON, whole_lines=True)


def _load_text(connection: duckdb.DuckDBPyConnection, path: Path, layout: _Layout, table: str) -> None:
    """Stores every field as text, or raises the `InputError` that says why this layout does not fit."""
    with _decompressed(path) as source:
        watched = _Watched(source, layout.delimiter, quotes=not layout.whole_lines)
        try:
            _store(connection, _text_batches(watched, layout), table)
        except UNREADABLE as error:
            _check_rows(path, layout)
            _refuse_broken(path, "text", error)
    if watched.doubtful:
        _check_rows(path, layout)


def _text_batches(file: io.RawIOBase, layout: _Layout) -> Any:
    return arrow_csv.open_csv(
        file,
        read_options=arrow_csv.ReadOptions(
            block_size=BLOCK_BYTES,
            column_names=layout.names,
            skip_rows_after_names=0 if layout.whole_lines else 1,
        ),
        parse_options=arrow_csv.ParseOptions(
            delimiter=layout.delimiter,
            quote_char=False if layout.whole_lines else '"',
            newlines_in_values=not layout.whole_lines,
            ignore_empty_lines=len(layout.names) > 1,
        ),
        convert_options=arrow_csv.ConvertOptions(
            column_types={name: pa.string() for name in layout.names},
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=True,
        ),
    )


# --- Text: the strict way, which knows the row --------------------------------------------------------------


def _check_rows(path: Path, layout: _Layout) -> None:
    """Reads the whole file and raises the sentence about its first row that does not fit the layout."""
    if layout.whole_lines:
        for row, line in enumerate(_lines(path), start=1):
            if layout.delimiter in line:
                raise _RowError(path, row, "it has the control character 0x01; remove it.")
        return
    expected, row = len(layout.names), 1
    for row, fields in _records(path, layout.delimiter):
        if fields and len(fields) != expected:
            raise _RowError(
                path,
                row,
                f"{len(fields)} field(s) where the header has {expected}; add or remove some, or put a field "
                "that contains the delimiter in double quotes.",
            )
        if sum(map(len, fields)) > LONGEST_ROW:
            _refuse_long(path, row)
    if row == 1:
        _refuse_no_rows(str(path))


def _refuse_long(path: Path, row: int) -> NoReturn:
    raise _RowError(
        path,
        row,
        f"it is longer than {LONGEST_ROW} characters; close a quote that was left open, or shorten the row.",
    )


def _lines(path: Path) -> Iterator[str]:
    """Lines with their ends, each free of NUL bytes and of bytes that are not UTF-8."""
    with _decompressed(path) as source:
        text = io.TextIOWrapper(source, encoding="utf-8", errors="surrogateescape", newline="")
        row = 0
        while line := text.readline(LONGEST_ROW + 1):
            row += 1
            if len(line) > LONGEST_ROW:
                _refuse_long(path, row)
            if "\0" in line:
                raise _RowError(path, row, "it has a NUL byte; remove it, for example with `tr -d '\\000'`.")
            try:
                line.encode()
            except UnicodeEncodeError as error:
                byte = ord(line[error.start]) & 0xFF
                raise _RowError(
                    path,
                    row,
                    f"the byte 0x{byte:02X} is not UTF-8; convert the file, for example with "
                    "`iconv -f latin1 -t utf-8`.",
                ) from error
            yield line


def _records(path: Path, delimiter: str) -> Generator[tuple[int, list[str]], None, None]:
    """Records with the number of the line on which they begin; a blank line is a record of no fields."""
    # The limit belongs to the whole process, so it is put back.
    limit = csv.field_size_limit(LONGEST_ROW)
    try:
        reader = csv.reader(_lines(path), delimiter=delimiter, strict=True)
        row = 1
        while True:
            try:
                fields = next(reader, None)
            except csv.Error as error:
                if str(error).startswith("field larger"):
                    _refuse_long(path, row)
                raise _RowError(
                    path,
                    row,
                    "a quoted field is never closed, or text follows its closing quote; put the whole field "
                    "in double quotes and double each quote inside it.",
                ) from error
            if fields is None:
                return
            yield row, fields
            row = reader.line_num + 1
    finally:
        csv.field_size_limit(limit)


# --- The formats made of text -------------------------------------------------------------------------------


def _load_delimited(connection: duckdb.DuckDBPyConnection, path: Path, delimiters: Iterable[str], table: str) -> None:
    """Loads the file with the delimiter that fits all of it.

    The delimiters that the header contains are tried on the whole file, the one that makes most columns
    first; a header without any is that of a single column. When none fits, the sentence is that of the
    reading that went furthest.
    """
    layouts: list[_Layout] = []
    faults: list[tuple[int, str]] = []
    for delimiter in delimiters:
        try:
            layouts.append(_Layout(_header(path, delimiter), delimiter))
        except _RowError as error:
            faults.append((error.row, error.fault))
    several = [layout for layout in layouts if len(layout.names) > 1]
    if faults and not several:
        raise _RowError(path, *faults[0])
    faults = []
    for layout in sorted(several, key=lambda layout: -len(layout.names)) or layouts[:1]:
        try:
            return _load_text(connection, path, layout, table)
        except _RowError as error:
            faults.append((error.row, error.fault))
    raise _RowError(path, *max(faults, key=itemgetter(0)))


def _header(path: Path, delimiter: str) -> tuple[str, ...]:
    with closing(_records(path, delimiter)) as records:
        row, names = next(records)
    if fault := _fault_of_names(names):
        raise _RowError(path, row, fault if names else "it is blank; name the columns in the first row.")
    return tuple(names)


def _load_json_lines(connection: duckdb.DuckDBPyConnection, path: Path, table: str) -> None:
    """Takes the lines in as they are, then lets DuckDB find the columns in all of them and fill them.

    A column that mixes numbers, truth values and strings is read as text. Strings that look like dates stay
    strings.
    """
    staged = quoted("discreet_lines")
    # A blank line becomes NULL, on which every JSON function is silent, in whatever order DuckDB filters.
    lines = f"(SELECT rowid + 1 AS row, nullif(trim(line, ' ' || chr(9)), '') AS line FROM {staged})"
    try:
        _load_text(connection, path, WHOLE_LINES, "discreet_lines")
        _check_objects(connection, path, lines)
        _store_objects(connection, path, lines, table)
    finally:
        connection.execute(f"DROP TABLE IF EXISTS {staged}")


def _check_objects(connection: duckdb.DuckDBPyConnection, path: Path, lines: str) -> None:
    bad = connection.execute(
        f"SELECT row, line FROM {lines} "
        "WHERE CASE WHEN json_valid(line) THEN json_type(line) <> 'OBJECT' ELSE line IS NOT NULL END "
        "ORDER BY row LIMIT 1"
    ).fetchone()
    if bad:
        row, line = bad
        raise _RowError(
            path,
            row,
            f"{line[:40]!r} is not a JSON object; write each record as one {{...}} on its own line.",
        )


def _store_objects(connection: duckdb.DuckDBPyConnection, path: Path, lines: str, table: str) -> None:
    found = _value(connection.execute(f"SELECT json_group_structure(line::JSON) FROM {lines}"))
    structure = json.loads(found)
    if structure == "NULL":
        _refuse_no_rows(str(path))
    if structure == "JSON":  # every object is empty
        structure = {}
    if fault := _fault_of_names(list(structure)):
        raise InputError(f"{path}: {fault}")
    records = f"(SELECT from_json(line, ?) AS record FROM {lines} WHERE line IS NOT NULL)"
    columns = []
    for name, kind in structure.items():
        field = f"record.{quoted(name)}"
        if not isinstance(kind, str):
            _refuse_nested(str(path), name, json.dumps(kind))
        if kind == "JSON":
            nested = f"SELECT count(*) FROM {records} WHERE json_type({field}) IN ('ARRAY', 'OBJECT')"
            if _value(connection.execute(nested, [found])):
                _refuse_nested(str(path), name, "in some rows")
        columns.append(f"{_plain(field, kind)} AS {quoted(name)}")
    try:
        connection.execute(
            f"CREATE OR REPLACE TABLE {quoted(table)} AS SELECT {', '.join(columns)} FROM {records}", [found]
        )
    except duckdb.ConversionException as error:
        raise InputError(
            f"{path}: a number is too large ({_first_line(error)}); write such numbers as strings."
        ) from error


def _plain(field: str, kind: str) -> str:
    """SQL that gives a JSON field a usual type, where DuckDB proposes unsigned and huge integers."""
    if kind == "JSON":
        return f"{field} ->> '$'"
    usual = {"NULL": "VARCHAR", "UBIGINT": "BIGINT", "HUGEINT": "BIGINT"}
    return f"{field}::{usual.get(kind, kind)}"


def _value(result: duckdb.DuckDBPyConnection) -> Any:
    row = result.fetchone()
    return row[0] if row else None
