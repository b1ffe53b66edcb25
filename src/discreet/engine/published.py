"""A published table as its readers find it: opened so that its cells arrive exactly as they are, and counted.

This is what the verifier counts with. It shares nothing with what wrote the file.

Columns are known by their place (`c0`, `c1`, ...) and never by name inside SQL: names may be hostile, and
SQL takes `Age` and `age` for the same name. All guessing by the reader is switched off.

A promise about a file holds only if every reader finds the same rows in it. DuckDB is fast, and has been
seen to leave out rows silently (all of them, after a header with a line break in a name while lines
end in CR LF). So in CSV files rows and cells are counted a second time, by nothing but quotes, commas and line ends;
in all files Arrow counts rows, groups and people a second time (`recount`); and what readers tell apart though it looks
the same here, or the other way round, is refused:

- in CSV files, quotes next to text, lone carriage returns, blank lines, which some readers skip and others take for a
  row, and two spellings of missing. `""` is none, except in a file of one column, where an empty cell would be a blank
  line;
- in Parquet files, groups and pseudonyms of anything but text, NULL beside empty text, and types of which DuckDB keeps
  a part only.
"""

import codecs
import csv
import glob
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from pyarrow import parquet

from discreet.engine.duckdb_errors import translated
from discreet.engine.errors import EngineError, EngineFullError, complaint
from discreet.engine.escaping import unescaped, unescaped_sql
from discreet.engine.recount import Recount, recounted
from discreet.errors import InputError
from discreet.private_folders import temporary_folder
from discreet.values.long_cells import long_cells

_MEGABYTE = 1 << 20
LONGEST_ROW = 16 * _MEGABYTE
"""In bytes. DuckDB alone would stop at two megabytes, which a row of two long cells exceeds."""
MOST_COLUMNS = 10_000
_RETURN = re.compile(rb"\r")
_STRAY_QUOTE = re.compile(rb'[^,\n"]"|"[^,\n"]')
_BLANK_LINE = re.compile(rb"(?:\A|\n)[ \t]*(?=\n)")

TEXT = "VARCHAR"
_TEXTS = (TEXT, "BLOB")
_FLOATS = ("FLOAT", "DOUBLE")
_EXACT = (
    *("VARCHAR", "BLOB", "UUID", "BOOLEAN", "DATE", "TIME", "TIMESTAMP", "INTERVAL", '"NULL"', *_FLOATS),
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
    *("TIME_NS", "TIME WITH TIME ZONE", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS"),
)
"""What DuckDB may call the type of a Parquet column of which it keeps everything."""


@dataclass(frozen=True)
class _Source:
    """A published file: its column names as they are, and the SQL that reads it as c0, c1, ...

    `cells` is how many the SQL has to find, where that could be counted without it.
    """

    path: Path
    columns: tuple[str, ...]
    source: str
    rows: int
    bytes: int
    """unpacked"""
    types: tuple[str, ...]
    """as DuckDB calls them, or what is wrong with the type of a column"""
    cells: int | None = None
    escaped: bool = False

    @property
    def name(self) -> str:
        return self.path.name

    def cell(self, column: str) -> str:
        """SQL for a column's cells as text; NULL and the empty text are one, the missing value ''.

        Floats that are equal to readers are one value: -0.0 is 0.0, and all NaNs, of which there are many, are one.
        """
        place = self.columns.index(column)
        cell = f"coalesce(CAST(c{place} AS VARCHAR), '')"
        if self.types[place] in _FLOATS:
            cell = f"CASE WHEN isnan(c{place}) THEN 'nan' WHEN c{place} = 0 THEN '0.0' ELSE {cell} END"
        return unescaped_sql(cell) if self.escaped else cell

    def make_sure_of(self, rows: int) -> None:
        """Refuse a file in which the SQL found a different number of rows or cells than there are."""
        if self.rows != rows or self.cells not in (None, rows * len(self.columns)):
            shape = self.rows if self.cells is None else (self.rows, self.cells)
            raise InputError(
                f"{self.name}: {rows} rows of {len(self.columns)} cells can be read, but the file has (rows, cells) = "
                f"{shape}; write it with one kind of line end, no line breaks in the column names, "
                "and a cell for every column."
            )

    def make_sure_of_types(self, columns: "CountedColumns") -> None:
        """Refuse columns of which a reader may see more, or something else, than is counted here."""
        for column in columns.keys:
            if (kind := self.kind(column)) != TEXT:
                raise InputError(
                    f"{self.name}: the quasi-identifier {column!r} is of the type {kind}, but a published one is text."
                )
        if columns.person is not None and (kind := self.kind(columns.person)) != TEXT:
            raise InputError(
                f"{self.name}: the pseudonyms in {columns.person!r} are of the type {kind}, but published ones are "
                "text."
            )
        for column in columns.values:
            if not _is_exact(kind := self.kind(column)):
                raise InputError(
                    f"{self.name}: the column {column!r} is of the type {kind}, whose values cannot all be told apart "
                    "here; write it as text."
                )

    def kind(self, column: str) -> str:
        """The type of a column."""
        return self.types[self.columns.index(column)]


def _is_exact(kind: str) -> bool:
    return kind in _EXACT or kind.startswith("DECIMAL(")


@dataclass(frozen=True)
class CountedColumns:
    """Which columns of a table are counted."""

    keys: tuple[str, ...]
    """rows that are equal in them are a group"""
    values: tuple[str, ...] = ()
    """counted within the groups, each by itself"""
    person: str | None = None
    """tells by a pseudonym whose row it is; where there is one, people are counted and not rows"""

    @property
    def all(self) -> tuple[str, ...]:
        return (*self.keys, *self.values, *([] if self.person is None else [self.person]))


@dataclass(frozen=True)
class Shares:
    """The largest shares of a group that values may have."""

    of: Mapping[str, Fraction]
    """of a value; or of a label, for all values below it together"""
    otherwise: Fraction | None = None
    """of every other value by itself"""
    below: Sequence[tuple[str, str]] = ()
    """values with a label above them that has a share"""


class PublishedTable:
    """A published table in a database of its own, which loads no extensions and removes the folder it spills to."""

    def __init__(self, database: duckdb.DuckDBPyConnection, source: _Source) -> None:
        self._database = database
        self._source = source
        self.name = source.name
        self.columns = source.columns
        self.rows = source.rows
        self.bytes = source.bytes

    def cells(self) -> list[Any]:
        """All cells as text, an Arrow array for each column."""
        source = self._source
        with _reading(self.name):
            cells = ", ".join(f"{source.cell(column)} AS c{place}" for place, column in enumerate(source.columns))
            found: Any = self._database.sql(f"SELECT {cells} FROM {source.source}").to_arrow_table()
        source.make_sure_of(found.num_rows)
        return [found.column(place) for place in range(len(source.columns))]

    def recount(self, columns: CountedColumns) -> Recount:
        """What a second reader finds, at little cost however much it is; people have to fit in memory."""
        source = self._source
        source.make_sure_of_types(columns)
        texts = [column for column in columns.values if source.kind(column) in _TEXTS]
        second = recounted(source.path, source.columns, columns.keys, columns.person, texts, LONGEST_ROW)
        if second.mixed is not None:
            raise InputError(
                f"{self.name}: the column {second.mixed!r} has both NULL and empty text, which readers tell apart; "
                "write NULL for what is missing."
            )
        return second

    def groups(self, columns: CountedColumns, second: Recount) -> "PublishedGroups":
        """The rows by what they have in the key columns and, within such a group, by the values of others.

        second: what the second reader found, with which this has to agree.
        """
        with _reading(self.name):
            groups = PublishedGroups(self._database, self._source, columns)
        self._source.make_sure_of(groups.rows)
        if (groups.rows, groups.groups) != (second.rows, second.groups):
            raise InputError(
                f"{self.name}: DuckDB finds {groups.rows} rows in {groups.groups} groups, and Arrow {second.rows} in "
                f"{second.groups}; a promise cannot hold for what not all readers read alike."
            )
        if groups.people is not None and (groups.people, groups.members) != (second.people, second.members):
            raise InputError(
                f"{self.name}: DuckDB finds {groups.people} people and {groups.members} members of groups, and Arrow "
                f"{second.people} and {second.members}; a promise cannot hold for what not all readers read alike."
            )
        return groups


class PublishedGroups:
    """Groups of rows that look alike: how large they are, and how often each value is in them.

    The size of a group is the number of its rows or, where a column tells whose they are, of its people; so is what is
    said of values within groups. Grouping is done by DuckDB, which spills to disk, so memory does not grow with the
    rows.
    """

    def __init__(self, database: duckdb.DuckDBPyConnection, source: _Source, columns: CountedColumns) -> None:
        self._database = database
        self._columns = columns
        self._names = ", ".join(f"q{place}" for place in range(len(columns.keys)))
        self._members = "sum(rows)" if columns.person is None else "count(DISTINCT person)"
        """SQL for how many rows or people the grouped rows of `cells` are"""
        cells = [f"{source.cell(column)} AS q{place}" for place, column in enumerate(columns.keys)]
        cells += [f"{source.cell(column)} AS v{place}" for place, column in enumerate(columns.values)]
        cells += [] if columns.person is None else [f"{source.cell(columns.person)} AS person"]
        self._run(
            f"CREATE TEMP TABLE cells AS SELECT {', '.join(cells)}, count(*) AS rows FROM {source.source} GROUP BY ALL"
        )
        self._run(
            f"CREATE TEMP TABLE partitions AS SELECT {self._names}, {self._members} AS size, sum(rows) AS rows "
            f"FROM cells GROUP BY {self._names}"
        )
        ((rows, members, groups),) = self._run("SELECT sum(rows), sum(size), count(*) FROM partitions").fetchall()
        self.rows = int(rows or 0)
        self.groups = int(groups)
        self.people: int | None = None
        self.members = int(members or 0)
        """of all groups: whoever is in several counts in each"""
        if columns.person is not None:
            ((self.people,),) = self._run("SELECT count(DISTINCT person) FROM cells").fetchall()

    def _run(self, sql: str, parameters: Sequence[object] | None = None) -> duckdb.DuckDBPyConnection:
        with translated():
            return self._database.execute(sql, parameters)

    def values(self, column: str) -> Iterator[tuple[str, int]]:
        """The different values of a column and how many rows have each."""
        if column in self._columns.keys:
            counted = f"q{self._columns.keys.index(column)}, sum(rows) FROM partitions"
        else:
            counted = f"{self._value(column)}, sum(rows) FROM cells"
        found = self._run(f"SELECT {counted} GROUP BY 1")
        while batch := found.fetchmany(10_000):
            yield from ((value, int(number)) for value, number in batch)

    def smaller_than(self, size: int, most: int) -> tuple[int, list[tuple[int, tuple[str, ...]]]]:
        """How many groups are smaller, and some of them: size and keys."""
        small = f"FROM partitions WHERE size < {size}"
        ((number,),) = self._run(f"SELECT count(*) {small}").fetchall()
        found = self._run(f"SELECT size, {self._names} {small} ORDER BY size, {self._names} LIMIT {most}")
        return number, [(int(size), tuple(keys)) for size, *keys in found.fetchall()]

    def without_person(self, unless: str) -> int:
        """How many rows have no pseudonym. unless: what is none, as is a missing one."""
        ((rows,),) = self._run(f"SELECT sum(rows) FROM cells WHERE person IN ('', '{unless}')").fetchall()
        return int(rows or 0)

    def in_several(self, unless: str, most: int) -> tuple[int, list[tuple[str, int]]]:
        """How many people are in more than one group, and some of them: pseudonym and number of groups."""
        self._run(
            "CREATE OR REPLACE TEMP TABLE several AS SELECT person, count(*) AS number "
            f"FROM (SELECT DISTINCT person, {self._names} FROM cells WHERE person NOT IN ('', '{unless}')) "
            "GROUP BY person HAVING number > 1"
        )
        ((number,),) = self._run("SELECT count(*) FROM several").fetchall()
        found = self._run(f"SELECT person, number FROM several ORDER BY person LIMIT {most}")
        return number, found.fetchall()

    def above_share(
        self, column: str, shares: Shares, unless: str, most: int
    ) -> tuple[int, list[tuple[str, int, int, Fraction, tuple[str, ...]]]]:
        """How often a value has more than its share of a group, and some cases: value, number, size, share, keys.

        A value or label without a share is not checked. unless: what is no value.
        """
        self._store(shares)
        p, q = ("NULL", "NULL") if shares.otherwise is None else shares.otherwise.as_integer_ratio()
        shown = self._value(column)
        names = (
            f"SELECT DISTINCT {shown} AS shown, {shown} AS value FROM cells UNION ALL SELECT value, label FROM below"
        )
        self._run(
            "CREATE OR REPLACE TEMP TABLE broken AS "
            f"WITH names AS ({names}), "
            f"counts AS (SELECT {self._names}, value, {self._members} AS number FROM cells "
            f"JOIN names ON {shown} = shown WHERE shown <> '{unless}' GROUP BY {self._names}, value) "
            f"SELECT {self._names}, value, number, size, coalesce(p, {p}) AS most, coalesce(q, {q}) AS among "
            f"FROM counts JOIN partitions USING ({self._names}) LEFT JOIN bounds USING (value) "
            "WHERE number::HUGEINT * among > most * size::HUGEINT"
        )
        ((number,),) = self._run("SELECT count(*) FROM broken").fetchall()
        found = self._run(
            f"SELECT value, number, size, most, among, {self._names} FROM broken "
            f"ORDER BY {self._names}, value LIMIT {most}"
        )
        cases = [
            (value, int(times), int(size), Fraction(p, q), tuple(keys))
            for value, times, size, p, q, *keys in found.fetchall()
        ]
        return number, cases

    def values_without(self, column: str, shares: Shares, unless: str, most: int) -> tuple[int, list[tuple[str, int]]]:
        """How many different values have no share, nor a label above that has one; and some of them with their rows."""
        self._store(shares)
        unbounded = (
            f"FROM (SELECT {self._value(column)} AS value, rows FROM cells WHERE value <> '{unless}') "
            "ANTI JOIN bounds USING (value) ANTI JOIN below USING (value)"
        )
        ((number,),) = self._run(f"SELECT count(DISTINCT value) {unbounded}").fetchall()
        found = self._run(f"SELECT value, sum(rows) {unbounded} GROUP BY value ORDER BY value LIMIT {most}")
        return number, [(value, int(rows)) for value, rows in found.fetchall()]

    def histograms(self, column: str) -> Iterator[tuple[tuple[str, ...], dict[str, int]]]:
        """Every group: its keys, and how many of its rows or people have each value."""
        rows = self._run(
            f"SELECT {self._names}, {self._value(column)} AS value, {self._members} FROM cells "
            f"GROUP BY {self._names}, value ORDER BY {self._names}, value"
        )
        keys: tuple[str, ...] | None = None
        histogram: dict[str, int] = {}
        while batch := rows.fetchmany(10_000):
            for *found, value, number in batch:
                if keys is not None and tuple(found) != keys:
                    yield keys, histogram
                    histogram = {}
                keys = tuple(found)
                histogram[value] = int(number)
        if keys is not None:
            yield keys, histogram

    def _value(self, column: str) -> str:
        return f"v{self._columns.values.index(column)}"

    def _store(self, shares: Shares) -> None:
        self._run(
            "CREATE OR REPLACE TEMP TABLE bounds AS SELECT unnest(?::VARCHAR[]) AS value, "
            "unnest(?::BIGINT[]) AS p, unnest(?::BIGINT[]) AS q",
            [
                list(shares.of),
                [share.numerator for share in shares.of.values()],
                [share.denominator for share in shares.of.values()],
            ],
        )
        self._run(
            "CREATE OR REPLACE TEMP TABLE below AS SELECT unnest(?::VARCHAR[]) AS value, unnest(?::VARCHAR[]) AS label",
            [[value for value, _ in shares.below], [label for _, label in shares.below]],
        )


@contextmanager
def published_table(path: Path, *, escaped: bool = False) -> Iterator[PublishedTable]:
    """Opens a published CSV or Parquet file. escaped: what a spreadsheet would run has an apostrophe in front."""
    with _database() as database:
        yield PublishedTable(database, _open(database, path, escaped))


def count_lists(path: Path) -> tuple[int, int, int]:
    """Of a Parquet file with one column of lists: the lists, their items, and how many different items there are."""
    with _database() as database, _reading(path.name):
        source = f"read_parquet('{_pattern(path)}', hive_partitioning = false) AS published(items)"
        ((lists, items),) = database.execute(f"SELECT count(*), coalesce(sum(len(items)), 0) FROM {source}").fetchall()
        ((different,),) = database.execute(
            f"SELECT count(DISTINCT item) FROM (SELECT unnest(items) AS item FROM {source})"
        ).fetchall()
    return int(lists), int(items), int(different)


@contextmanager
def _database() -> Iterator[duckdb.DuckDBPyConnection]:
    with (
        temporary_folder("verify-") as spill,
        duckdb.connect(
            ":memory:",
            config={
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
                "memory_limit": "2GB",
                "preserve_insertion_order": False,
                "temp_directory": str(spill),
            },
        ) as database,
    ):
        database.execute("SET enable_progress_bar = false")
        database.execute("SET TimeZone = 'UTC'")  # a time with a zone has one text, wherever it is read
        yield database


def _pattern(path: Path) -> str:
    """DuckDB takes a path for a pattern: unescaped, `a[1]/data.csv` would quietly read `a1/data.csv`."""
    return glob.escape(str(path)).replace("'", "''")


@contextmanager
def _reading(name: str) -> Iterator[None]:
    """Turn DuckDB's complaint about a file into our sentence, without its hints on how to be less strict."""
    try:
        with translated():
            yield
    except EngineFullError:
        raise
    except (duckdb.Error, EngineError) as error:
        # The row that it quotes may be long, and says less than its line number.
        said = [line for line in str(error).partition("Possible")[0].splitlines() if "Original Line:" not in line]
        raise InputError(f"{name}: cannot be read ({complaint(' '.join(said))}).") from error


def _open(database: duckdb.DuckDBPyConnection, path: Path, escaped: bool) -> _Source:
    """Read the column names of a CSV or Parquet file and prepare to read its rows."""
    if path.suffix not in (".csv", ".parquet"):
        raise InputError(f"{path.name}: a published table ends in .csv or .parquet.")
    if path.suffix == ".csv":
        columns = _csv_header(path)
        (rows, cells), line_end = _csv_shape(path, len(columns))
        named = columns
        if escaped:
            named = tuple(unescaped(column, f"{path.name}, header") for column in columns)
        types = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(columns)))
        source = (
            f"read_csv('{_pattern(path)}', columns = {{{types}}}, all_varchar = true, auto_detect = false, "
            "header = true, delim = ',', quote = '\"', escape = '\"', strict_mode = true, "
            f"compression = 'none', hive_partitioning = false, max_line_size = {LONGEST_ROW}, "
            f"buffer_size = {2 * LONGEST_ROW}{line_end})"
        )
        return _Source(path, named, source, rows, path.stat().st_size, (TEXT,) * len(columns), cells, escaped)
    if escaped:
        raise InputError(f"{path.name}: the certificate says escaped_formulas, which only CSV files have.")
    return _open_parquet(database, path)


def _open_parquet(database: duckdb.DuckDBPyConnection, path: Path) -> _Source:
    pattern = _pattern(path)
    with _reading(path.name):
        columns = _parquet_names(database, path.name, pattern)
        names = ", ".join(f"c{place}" for place in range(len(columns)))
        source = f"read_parquet('{pattern}', hive_partitioning = false) AS published({names})"
        types = [kind for _, kind, *_ in database.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()]
    try:
        with parquet.ParquetFile(path) as file:
            metadata, schema = file.metadata, file.schema
    except (OSError, ValueError, pa.ArrowException) as error:
        raise InputError(f"{path.name}: cannot be read ({complaint(error)}).") from error
    for place in range(len(columns)):
        described = schema.column(place)
        # Nanoseconds are cut off in the one, all but 16 digits in the other.
        if described.physical_type == "INT96":
            types[place] = "INT96"
        if described.converted_type == "DECIMAL" and not types[place].startswith("DECIMAL"):
            types[place] = f"DECIMAL of {described.precision} digits"
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    unpacked = sum(group.column(place).total_uncompressed_size for group in groups for place in range(len(columns)))
    return _Source(path, columns, source, metadata.num_rows, unpacked, tuple(types))


def _csv_header(path: Path) -> tuple[str, ...]:
    try:
        with long_cells(), path.open(encoding="utf-8-sig", newline="") as file:
            header = next(csv.reader(file, strict=True), [])
    except (OSError, ValueError, csv.Error) as error:
        raise InputError(f"{path.name}: the header cannot be read ({complaint(error)}).") from error
    if not header:
        raise InputError(f"{path.name}: the first line should name the columns, but it is empty.")
    return _few_enough(path.name, header)


def _few_enough(name: str, columns: Sequence[str]) -> tuple[str, ...]:
    if len(columns) > MOST_COLUMNS:
        raise InputError(f"{name}: a table of {len(columns)} columns is not read, only one of up to {MOST_COLUMNS}.")
    return tuple(columns)


def _csv_shape(path: Path, columns: int) -> tuple[tuple[int, int], str]:
    """Count the rows and cells after the header: line ends and commas outside quotes, by megabytes.

    Also returns the option that tells DuckDB what ends a line, which it would otherwise guess from a CR within a name.
    """
    records = commas = 0
    quoted = with_return = False
    with path.open("rb") as file:
        file.seek(len(codecs.BOM_UTF8) if file.read(3) == codecs.BOM_UTF8 else 0)
        while chunk := file.read(_MEGABYTE):
            chunk += file.readline(LONGEST_ROW)
            if not chunk.endswith(b"\n"):
                if file.read(1):
                    raise InputError(f"{path.name}: a line is longer than {LONGEST_ROW} bytes.")
                chunk += b"\n"
            pieces = chunk.split(b'"')
            outside, inside = pieces[quoted::2], pieces[not quoted :: 2]
            bare = b'"'.join(outside)
            # Each stretch within quotes is now one quote, even where it begins or ends in another chunk.
            opened, quoted = quoted, quoted ^ (len(pieces) % 2 == 0)
            if opened or quoted:
                bare = b'"' * opened + bare + b'"' * quoted
            if b"\r" in bare:
                with_return = True
                bare = bare.replace(b"\r\n", b"\n")

            fault, why = None, ""
            if b"\r" in bare:
                fault, why = _RETURN.search(bare), "a lone carriage return, which some readers take for a line's end"
            elif b'"' in bare and (fault := _STRAY_QUOTE.search(bare)):
                why = "a quote is next to text that is not quoted"
            elif (columns == 1 or bare.startswith(b"\n") or b"\n\n" in bare) and (fault := _BLANK_LINE.search(bare)):
                why = "a blank line, which some readers skip and others take for a row"
            if fault:
                row = records + bare.count(b"\n", 0, fault.end())
                raise InputError(f"{path.name}, row {row}: {why}.")
            if columns > 1 and b"" in inside and _has_empty_quotes(outside, inside, opened):
                raise InputError(
                    f'{path.name}: a cell is "", which some readers tell apart from an empty one; write nothing '
                    "between the commas for a missing value."
                )
            signs = np.frombuffer(bare, np.uint8)  # several times as fast as counting in bytes
            records += int(np.count_nonzero(signs == ord("\n")))
            commas += int(np.count_nonzero(signs == ord(",")))
    if quoted:
        raise InputError(f"{path.name}: the file ends inside quotes.")
    return (records - 1, records + commas - columns), "" if with_return else ", new_line = '\\n'"


def _has_empty_quotes(outside: Sequence[bytes], inside: Sequence[bytes], opened: bool) -> bool:
    """Whether a cell is nothing but a pair of quotes; a quote within a cell, written twice, has nothing around it."""
    behind = outside if opened else outside[1:]
    before = [b"", *outside] if opened else outside
    return any(not text and left and right for left, text, right in zip(before, inside, behind, strict=False))


def _parquet_names(database: duckdb.DuckDBPyConnection, name: str, pattern: str) -> tuple[str, ...]:
    nodes = database.execute(f"SELECT name, num_children FROM parquet_schema('{pattern}')").fetchall()
    for column, children in nodes[1:]:
        if children:
            raise InputError(f"{name}: the column {column!r} is nested; a published table is flat.")
    return _few_enough(name, [column for column, _ in nodes[1:]])
