"""Opening a published file in DuckDB so that its cells arrive exactly as they stand.

Columns are known by their place (`c0`, `c1`, ...) and never by name inside SQL: names may be hostile, and
SQL takes `Age` and `age` for one. Every guess of the reader is switched off.

A promise holds of a CSV file only if every reader finds the same rows in it. DuckDB is fast, and has been
seen to leave out rows without a word (all of them, after a header with a line break in a name while lines
end in CR LF). So rows and cells are counted a second time, by nothing but quotes, commas and line ends, and
quotes that readers take differently are refused.
"""

import codecs
import csv
import glob
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from discreet.errors import InputError
from discreet.verify.escaping import unescaped, unescaped_sql
from discreet.verify.taxonomy import long_cells

_MEGABYTE = 1 << 20
LONGEST_ROW = 16 * _MEGABYTE
"""In bytes. DuckDB alone would stop at two megabytes, which a row of two long cells exceeds."""
LONGEST_COMPLAINT = 300
_STRAY_QUOTE = re.compile(rb'[^,\n"]"|"[^,\n"]')


@dataclass(frozen=True)
class PublishedTable:
    """A published file: its column names as they stand, and the SQL that reads it as c0, c1, ...

    `shape` is how many rows and cells the SQL has to find, where that could be counted without it.
    """

    name: str
    columns: tuple[str, ...]
    source: str
    shape: tuple[int, int] | None
    escaped: bool = False

    def cell(self, column: str) -> str:
        """SQL for a column's cells as text; NULL and the empty text are one, the missing value ''."""
        cell = f"coalesce(CAST(c{self.columns.index(column)} AS VARCHAR), '')"
        return unescaped_sql(cell) if self.escaped else cell

    def make_sure_of(self, rows: int) -> None:
        """Refuse a file of which the SQL found another number of rows or cells than stand in it."""
        if self.shape not in (None, (rows, rows * len(self.columns))):
            raise InputError(
                f"{self.name}: {rows} rows of {len(self.columns)} cells can be read, but (rows, cells) are "
                f"{self.shape}; write it with one kind of line end, no line breaks in the column names, "
                "and a cell for every column."
            )


@contextmanager
def workbench() -> Iterator[duckdb.DuckDBPyConnection]:
    """An empty database in memory that loads no extensions and spills to a folder it takes away with it."""
    with (
        TemporaryDirectory(prefix="discreet-verify-") as spill,
        duckdb.connect(
            ":memory:",
            config={
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
                "memory_limit": "2GB",
                "preserve_insertion_order": False,
                "temp_directory": spill,
            },
        ) as database,
    ):
        database.execute("SET enable_progress_bar = false")
        yield database


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Turn DuckDB's complaint about a file into our sentence, without its hints on how to be lax."""
    try:
        yield
    except duckdb.Error as error:
        # The row it quotes may be long, and says less than the number of its line.
        said = [line for line in str(error).partition("Possible")[0].splitlines() if "Original Line:" not in line]
        complaint = " ".join(" ".join(said).split())[:LONGEST_COMPLAINT]
        raise InputError(f"{name}: cannot be read ({complaint}).") from error


def open_table(database: duckdb.DuckDBPyConnection, path: Path, *, escaped: bool = False) -> PublishedTable:
    """Read the column names of a CSV or Parquet file and prepare to read its rows."""
    # DuckDB takes a path for a pattern: unescaped, `a[1]/data.csv` would quietly read `a1/data.csv`.
    pattern = glob.escape(str(path)).replace("'", "''")
    shape = None
    if path.suffix == ".csv":
        columns = _csv_header(path)
        shape, line_end = _csv_shape(path, len(columns))
        types = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(columns)))
        source = (
            f"read_csv('{pattern}', columns = {{{types}}}, all_varchar = true, auto_detect = false, "
            "header = true, delim = ',', quote = '\"', escape = '\"', strict_mode = true, "
            f"compression = 'none', hive_partitioning = false, max_line_size = {LONGEST_ROW}, "
            f"buffer_size = {2 * LONGEST_ROW}{line_end})"
        )
    elif path.suffix == ".parquet":
        with reading(path.name):
            columns = _parquet_names(database, path.name, pattern)
        names = ", ".join(f"c{place}" for place in range(len(columns)))
        source = f"read_parquet('{pattern}', hive_partitioning = false) AS published({names})"
    else:
        raise InputError(f"{path.name}: a published table ends in .csv or .parquet.")
    if escaped and path.suffix != ".csv":
        raise InputError(f"{path.name}: the certificate says escaped_formulas, which only CSV files have.")
    if escaped:
        columns = tuple(unescaped(column, f"{path.name}, header") for column in columns)
    return PublishedTable(path.name, columns, source, shape, escaped)


def _csv_header(path: Path) -> tuple[str, ...]:
    try:
        with long_cells(), path.open(encoding="utf-8-sig", newline="") as file:
            header = next(csv.reader(file, strict=True), [])
    except (OSError, ValueError, csv.Error) as error:
        raise InputError(f"{path.name}: the header cannot be read ({error}).") from error
    if not header:
        raise InputError(f"{path.name}: the first line should name the columns, and is empty.")
    return tuple(header)


def _csv_shape(path: Path, columns: int) -> tuple[tuple[int, int], str]:
    """Count the rows and cells after the header: line ends and commas outside quotes, by megabytes.

    Beside them the option that tells DuckDB what ends a line, which it would guess from a CR within a name.
    """
    records = commas = 0
    quoted = with_return = False
    ended = True
    with path.open("rb") as file:
        file.seek(len(codecs.BOM_UTF8) if file.read(3) == codecs.BOM_UTF8 else 0)
        while chunk := file.read(_MEGABYTE):
            pieces = (chunk + file.readline()).split(b'"')
            bare = b'"'.join(pieces[quoted::2])
            # Each stretch within quotes is now one quote, also where it began or ends in another chunk.
            opened, quoted = quoted, quoted ^ (len(pieces) % 2 == 0)
            bare = b'"' * opened + bare + b'"' * quoted
            with_return |= b"\r" in bare
            bare = bare.replace(b"\r\n", b"\n")
            if columns > 1:  # a blank line is no row, except where a row is a single cell
                bare = bare.lstrip(b"\n")
                while b"\n\n" in bare:
                    bare = bare.replace(b"\n\n", b"\n")
            if b'"' in bare and (stray := _STRAY_QUOTE.search(bare)):
                row = records + bare.count(b"\n", 0, stray.start())
                raise InputError(f"{path.name}, row {row}: a quote stands next to text that is not quoted.")
            records += bare.count(b"\n")
            commas += bare.count(b",")
            ended = bare.endswith(b"\n") or not bare
    if quoted:
        raise InputError(f"{path.name}: the file ends inside quotes.")
    records += not ended
    return (records - 1, records + commas - columns), "" if with_return else ", new_line = '\\n'"


def _parquet_names(database: duckdb.DuckDBPyConnection, name: str, pattern: str) -> tuple[str, ...]:
    nodes = database.execute(f"SELECT name, num_children FROM parquet_schema('{pattern}')").fetchall()
    for column, children in nodes[1:]:
        if children:
            raise InputError(f"{name}: the column {column!r} is nested; a published table is flat.")
    return tuple(column for column, _ in nodes[1:])
