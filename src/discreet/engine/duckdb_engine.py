"""Counting and recoding rows with DuckDB, in this process, within a fixed amount of memory.

The only code that touches rows, writes SQL or knows DuckDB's errors.
"""

from __future__ import annotations

import glob
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from discreet.engine import arrow_columns
from discreet.engine.cleaning import READING, Step, chained, steps, without_markers
from discreet.engine.duckdb_errors import first_line, translated
from discreet.engine.errors import (
    BadObjectError,
    EngineError,
    NestedColumnError,
    NoArrayError,
    RepeatedKeyError,
    UnreadableError,
)
from discreet.engine.protocol import ORIGINAL, STAR, Assignments, Decisions, Labels, TableShape
from discreet.engine.sql_text import literal, quoted
from discreet.errors import InputError
from discreet.taxonomy import MISSING
from discreet.values.cleaning import Cleaned, Cleaning
from discreet.values.formulas import APOSTROPHE, FORMULA, NUMBER, escaped

MEMORY_LIMIT = "2GB"
_FLOATS = ("FLOAT", "DOUBLE")
_ATTACHED = "discreet_attached"
_USUAL_SCHEMAS = ("main", "public")


class DuckDBEngine:
    """Tables in a private database that spills to `folder`; it opens when it is first used."""

    def __init__(self, folder: Path, memory_limit: str = MEMORY_LIMIT) -> None:
        self._folder = folder
        self._memory_limit = memory_limit

    @cached_property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        """It never fetches or loads an extension, prints no progress, and keeps rows in the order they came."""
        connection = duckdb.connect(
            ":memory:",
            config={
                "temp_directory": str(self._folder),
                "memory_limit": self._memory_limit,
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
                "preserve_insertion_order": True,
            },
        )
        connection.execute("SET enable_progress_bar = false")
        # A time with a zone has one text, wherever it is published and wherever it is read.
        connection.execute("SET TimeZone = 'UTC'")
        # Joins stay as written, the rows streaming past small tables. DuckDB cannot know the size of a positional
        # join, takes the rows for the smaller side and would hold all of them in memory.
        # Nor does it look at statistics of all rows: it would write a column of a Parquet file as OPTIONAL only where
        # some record lacks a value, even one that is deleted.
        connection.execute("SET disabled_optimizers = 'join_order,build_side_probe_side,statistics_propagation'")
        return connection

    def close(self) -> None:
        if "_connection" in self.__dict__:
            self._connection.close()

    def _run(self, sql: str, parameters: Sequence[object] | None = None) -> duckdb.DuckDBPyConnection:
        with translated():
            return self._connection.execute(sql, parameters)

    def _fetch(self, sql: str, parameters: Sequence[object] | None = None) -> list[Any]:
        with translated():
            return self._connection.execute(sql, parameters).fetchall()

    def store(self, batches: Any, table: str = ORIGINAL) -> None:
        view = "discreet_source"
        try:
            with translated():
                self._connection.register(view, batches)
                self._connection.execute(
                    f"CREATE OR REPLACE TABLE {quoted(table)} AS SELECT {self._columns_of(view)} FROM {view}"
                )
        except (duckdb.InvalidInputException, duckdb.NotImplementedException) as error:
            raise UnreadableError(first_line(error)) from error
        finally:
            self._connection.unregister(view)

    def store_parquet(self, path: Path, table: str = ORIGINAL) -> None:
        # A path is taken for a pattern: unescaped, `a[1].parquet` would quietly be `a1.parquet`.
        source = f"read_parquet({literal(glob.escape(str(path)))}, hive_partitioning = false)"
        try:
            with translated():
                self._connection.execute(
                    f"CREATE OR REPLACE TABLE {quoted(table)} AS SELECT {self._columns_of(f'SELECT * FROM {source}')} "
                    f"FROM {source}"
                )
        except duckdb.Error as error:
            raise UnreadableError(first_line(error)) from error

    def _columns_of(self, view: str) -> str:
        """All columns of a view, its floats made equal where they are."""
        found = [(quoted(name), kind) for name, kind, *_ in self._fetch(f"DESCRIBE {view}") if kind in _FLOATS]
        floats = ", ".join(f"{_one_of_equals(name, kind)} AS {name}" for name, kind in found)
        return f"* REPLACE ({floats})" if floats else "*"

    def append(self, more: str, table: str) -> None:
        self._run(f"INSERT INTO {quoted(table)} BY NAME SELECT * FROM {quoted(more)}")

    @contextmanager
    def attached(self, location: str, kind: str) -> Iterator[Mapping[str, tuple[str, str]]]:
        try:
            with translated():
                if kind != "duckdb":
                    self._connection.load_extension(kind)
                self._connection.execute(f"ATTACH {literal(location)} AS {_ATTACHED} (TYPE {kind}, READ_ONLY)")
        except (duckdb.Error, EngineError) as error:
            raise UnreadableError(first_line(error)) from error
        try:
            yield {
                name if schema in _USUAL_SCHEMAS else f"{schema}.{name}": (schema, name)
                for schema, name in self._fetch(
                    "SELECT table_schema, table_name FROM information_schema.tables "
                    f"WHERE table_catalog = '{_ATTACHED}' AND table_schema NOT IN ('information_schema', 'pg_catalog') "
                    "ORDER BY ALL"
                )
            }
        finally:
            self._run(f"DETACH {_ATTACHED}")

    def store_attached(self, place: tuple[str, str], table: str) -> None:
        source = f"{_ATTACHED}.{'.'.join(map(quoted, place))}"
        self._run(f"CREATE OR REPLACE TABLE {quoted(table)} AS SELECT {self._columns_of(source)} FROM {source}")

    def split_array(self, table: str) -> None:
        # Not by the optimizer's leave: a text that is no JSON must not reach the function that would complain.
        found = self._fetch(f"SELECT CASE WHEN json_valid(line) THEN json_type(line) END FROM {quoted(table)}")
        if found != [("ARRAY",)]:
            raise NoArrayError("the text is not a JSON array")
        self._run(
            f"CREATE OR REPLACE TABLE {quoted(table)} AS "
            f"SELECT CAST(unnest(from_json(line, '[\"JSON\"]')) AS VARCHAR) AS line FROM {quoted(table)}"
        )

    def store_objects(self, lines: str, table: str, check_names: Callable[[list[str]], None]) -> bool:
        # A blank line becomes NULL, about which no JSON function complains, in whatever order DuckDB filters.
        rows = f"(SELECT rowid + 1 AS row, nullif(trim(line, ' ' || chr(9)), '') AS line FROM {quoted(lines)})"
        bad = self._fetch(
            f"SELECT row, line FROM {rows} "
            "WHERE CASE WHEN json_valid(line) THEN json_type(line) <> 'OBJECT' ELSE line IS NOT NULL END "
            "ORDER BY row LIMIT 1"
        )
        if bad:
            raise BadObjectError(*bad[0])
        shapes = f"{lines} by their keys"
        self._run(
            f"CREATE OR REPLACE TEMP TABLE {quoted(shapes)} AS SELECT json_keys(line) AS keys, min(row) AS row, "
            "min(CASE WHEN list_has_any(json_type(line, '$.*'), ['ARRAY', 'OBJECT']) THEN row END) AS nested "
            f"FROM {rows} WHERE line IS NOT NULL GROUP BY ALL"
        )
        try:
            columns = self._columns_of_objects(rows, quoted(shapes))
        finally:
            self.drop(shapes)
        if columns is None:
            return False
        check_names(columns)
        # As text, like any text file: types that fit all values would let one record change how others are published.
        self._run(
            f"CREATE OR REPLACE TABLE {quoted(table)} AS SELECT unnest(from_json(line, ?)) FROM {rows} "
            "WHERE line IS NOT NULL",
            [json.dumps(dict.fromkeys(columns, "VARCHAR"))],
        )
        return True

    def _columns_of_objects(self, rows: str, shapes: str) -> list[str] | None:
        """The keys of all objects, by their first appearance; None where there are no objects.

        shapes: the different lists of keys, the first row that has each, and the first with a nested value.
        """
        repeating = self._fetch(
            f"SELECT row, keys FROM {shapes} WHERE len(keys) > len(list_distinct(keys)) ORDER BY row LIMIT 1"
        )
        for row, keys in repeating:
            raise RepeatedKeyError(row, next(key for place, key in enumerate(keys) if key in keys[:place]))
        objects, nested = self._fetch(f"SELECT count(*), min(nested) FROM {shapes}")[0]
        if nested is not None:
            found = f"SELECT unnest(json_keys(line)), unnest(json_type(line, '$.*')) FROM {rows} WHERE row = {nested}"
            words = {"ARRAY": "a list", "OBJECT": "an object"}
            name, kind = next((name, kind) for name, kind in self._fetch(found) if kind in words)
            raise NestedColumnError(name, f"{words[kind]} in row {nested}")
        names = self._fetch(
            "SELECT name FROM (SELECT unnest(keys) AS name, generate_subscripts(keys, 1) AS place, row "
            f"FROM {shapes}) GROUP BY name ORDER BY min((row, place))"
        )
        return [name for (name,) in names] if objects else None

    def clean(self, cleanings: Mapping[str, Cleaning], table: str = ORIGINAL) -> tuple[Cleaned, ...]:
        shape = self.shape(table)
        cleaned, replaced = [], {}
        for column, kind in zip(shape.columns, shape.types, strict=True):
            name, cleaning = quoted(column), cleanings.get(column, Cleaning())
            if kind != "VARCHAR":  # numbers and dates have neither blanks nor letters to mend
                cleaning = replace(cleaning, trim=False, case=None)
            if not cleaning:
                continue
            if kind != "VARCHAR" and cleaning.only_removes:
                first, todo = name, {"missing": without_markers(cleaning.missing)}
            else:
                first, todo = f"CAST({name} AS VARCHAR)", steps(cleaning)
            cleaned.append(self._count_changes(column, first, todo, table))
            replaced[name] = [first, *(clean(name) for clean in todo.values())]
        if replaced:
            self._run(f"CREATE OR REPLACE TABLE {quoted(table)} AS SELECT * FROM {chained(quoted(table), replaced)}")
        return tuple(cleaned)

    def _count_changes(self, column: str, first: str, todo: Mapping[str, Step], table: str) -> Cleaned:
        """How many cells each step changes, and what cannot be read, from the different values of a column."""
        query = f"(SELECT {first} AS cell_0, count(*) AS cells FROM {quoted(table)} GROUP BY 1)"
        for place, clean in enumerate(todo.values()):
            query = f"(SELECT *, {clean(f'cell_{place}')} AS cell_{place + 1} FROM {query})"
        texts = [f"nullif(CAST(cell_{place} AS VARCHAR), '')" for place in range(len(todo) + 1)]
        changed = ", ".join(
            f"coalesce(sum(cells) FILTER ({before} IS DISTINCT FROM {after}), 0)" for before, after in pairwise(texts)
        )
        counts = map(int, self._fetch(f"SELECT {changed} FROM {query}")[0])
        unreadable = [
            row
            for step, (before, after) in zip(todo, pairwise(texts), strict=True)
            if step in READING
            for row in self._fetch(
                f"SELECT {before}, cells FROM {query} WHERE {before} IS NOT NULL AND {after} IS NULL ORDER BY 2 DESC, 1"
            )
        ]
        return Cleaned(
            column,
            dict(zip(todo, counts, strict=True)),
            tuple(text for text, _ in unreadable),
            sum(int(cells) for _, cells in unreadable),
        )

    def drop(self, table: str) -> None:
        self._run(f"DROP TABLE IF EXISTS {quoted(table)}")

    def shape(self, table: str = ORIGINAL) -> TableShape:
        columns = self._fetch(f"DESCRIBE {quoted(table)}")
        return TableShape(
            columns=tuple(column for column, *_ in columns),
            types=tuple(kind for _, kind, *_ in columns),
            rows=int(self._fetch(f"SELECT count(*) FROM {quoted(table)}")[0][0]),
        )

    def columns(self, table: str = ORIGINAL) -> tuple[str, ...]:
        return tuple(column for column, *_ in self._fetch(f"DESCRIBE {quoted(table)}"))

    def rows(
        self, table: str, columns: Sequence[str], most: int, where: Mapping[str, str] | None = None
    ) -> list[tuple[str, ...]]:
        conditions = " AND ".join(f"{_text(column, table)} = ?" for column in where or ()) or "true"
        selected = ", ".join(_text(column, table) for column in columns)
        return self._fetch(
            f"SELECT {selected} FROM {quoted(table)} WHERE {conditions} ORDER BY rowid LIMIT {most}",
            list((where or {}).values()),
        )

    def distinct(self, column: str, table: str = ORIGINAL) -> tuple[tuple[str, ...], npt.NDArray[np.int64]]:
        """The values of a column as text, missing ones as MISSING, and how many rows have each."""
        rows = self._fetch(f"SELECT {_text(column, table)}, count(*) FROM {quoted(table)} GROUP BY 1 ORDER BY 1")
        return tuple(row[0] for row in rows), np.array([row[1] for row in rows], np.int64)

    def coded(self, column: str, longest: int) -> tuple[Any, npt.NDArray[np.int32]]:
        """The different values of a column as an Arrow array of text, and for each row the number of its value.

        Missing values, and empty text, have the number after the last. A text of more than `longest` characters is
        cut to its beginning, followed by its SHA-256, so that different texts stay different.
        """
        text = _text(column)
        short = f"left({text}, {longest}) || ' ' || sha256({text})"
        with translated():
            found = self._connection.sql(
                f"SELECT nullif(CASE WHEN length({text}) > {longest} THEN {short} ELSE {text} END, '') AS value "
                f"FROM {quoted(ORIGINAL)}"
            ).to_arrow_table()
        encoded = found.column("value").cast(pa.large_string()).combine_chunks().dictionary_encode()
        missing = len(encoded.dictionary)
        return encoded.dictionary, np.asarray(encoded.indices.fill_null(missing), np.int32)

    def count(
        self, codes: Mapping[str, Mapping[str, int]], table: str = ORIGINAL
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """The distinct combinations of coded columns: column x combination, and how many rows have each."""
        selected, joins = self._coded_columns(codes, table)
        with translated():
            found = self._connection.execute(
                f"SELECT {selected}, count(*) AS n FROM {quoted(table)} {joins} GROUP BY ALL ORDER BY ALL"
            ).fetchnumpy()
        columns = [np.asarray(found[f"c{index}"], np.int32) for index in range(len(codes))]
        return np.stack(columns), np.asarray(found["n"], np.int64)

    def owned(
        self, owner: str, codes: Mapping[str, Mapping[str, int]], table: str = ORIGINAL
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """The distinct combinations of coded columns that rows of one owner have, sorted by a number for the owner."""
        nobodys = self._fetch(f"SELECT count(*) FROM {quoted(table)} WHERE {_text(owner, table)} = {literal(MISSING)}")
        if number := int(nobodys[0][0]):
            raise InputError(f"{owner}: {number:,} of the rows have none; fill in whose they are, or leave them out.")
        selected, joins = self._coded_columns(codes, table)
        with translated():
            found = self._connection.execute(
                "SELECT *, dense_rank() OVER (ORDER BY who) - 1 AS owner FROM "
                f"(SELECT DISTINCT {_text(owner, table)} AS who, {selected} FROM {quoted(table)} {joins}) ORDER BY ALL"
            ).fetchnumpy()
        columns = [np.asarray(found[f"c{index}"], np.int32) for index in range(len(codes))]
        return np.asarray(found["owner"], np.int64), np.stack(columns)

    def write_release(
        self,
        path: Path,
        columns: Sequence[str],
        labels: Mapping[str, Labels],
        codes: Mapping[str, Mapping[str, int]],
        decisions: Decisions,
        random: np.random.Generator,
        *,
        escape_formulas: bool = False,
        pseudonyms: str | None = None,
    ) -> None:
        """Writes the recoded rows to a CSV or Parquet file, in random order.

        columns: the published ones. codes: column -> the code of each of its values, as the decisions use them.
        escape_formulas: see values.formulas. pseudonyms: a column of which numbers are published, drawn at random; they
        count up to how many different ones are published, so that no gap tells of others.
        """
        joins = []
        for index, (column, label) in enumerate(labels.items()):
            names = [name or None for name in label.labels]
            self._store(f"label_{index}", {"value": label.values, "node": label.nodes, "label": names})
            self._number_texts(f"label_{index}", "label")
            joins.append(f"JOIN label_{index} ON label_{index}.value = {_text(column)}")
        decided = {f"n{index}": decisions.nodes[:, index] for index in range(len(labels))}
        keys = [f"label_{index}.node = decision.n{index}" for index in range(len(labels))]
        for column, decision in decisions.codes.items():
            name = f"code_of_{len(keys)}"
            self._store_codes(name, codes[column])
            joins.append(f"JOIN {name} ON {name}.value = {_text(column)}")
            keys.append(f"{name}.code = decision.{name}")
            decided[name] = decision
        number = np.arange(len(decisions.nodes), dtype=np.int64)
        self._store(
            "decision", {**decided, "number": number, "keep": number if decisions.keep is None else decisions.keep}
        )
        self._shuffle(random)
        if pseudonyms is not None:
            owners = self.distinct(pseudonyms)[0]
            self._store("pseudonym", {"value": list(owners), "lot": random.permutation(len(owners))})
            joins.append(f"JOIN pseudonym ON pseudonym.value = {_text(pseudonyms)}")
        rows = f"{ORIGINAL} POSITIONAL JOIN shuffled {' '.join(joins)}"
        if decisions.keep is None:
            rows += f" LEFT JOIN decision ON {' AND '.join(keys)}"
        else:
            # Ranked separately, so that the window sees only the records of decided partitions.
            self._run(
                f"CREATE OR REPLACE TEMP TABLE deleted AS SELECT shuffled.place FROM {rows} "
                f"JOIN decision ON {' AND '.join(keys)} "
                "QUALIFY row_number() OVER (PARTITION BY decision.number ORDER BY shuffled.lot) > decision.keep"
            )
            rows += " ANTI JOIN deleted ON deleted.place = shuffled.place"
        sources = {}
        for column in columns:
            sources[column] = f"{ORIGINAL}.{quoted(column)}"
            if column in labels:
                sources[column] = f"label_{list(labels).index(column)}.label"
            elif column == pseudonyms:
                sources[column] = "CAST(dense_rank() OVER (ORDER BY pseudonym.lot) AS VARCHAR)"
            elif column in decisions.starred:
                shown = f"nullif({_text(column)}, '')"
                sources[column] = f"CASE WHEN decision.number IS NULL THEN {shown} ELSE '{STAR}' END"
        self._copy(path, sources, f"{rows} ORDER BY shuffled.place", escape_formulas)

    def write_assigned(
        self,
        path: Path,
        columns: Sequence[str],
        codes: Mapping[str, Mapping[str, int]],
        assignments: Assignments,
        random: np.random.Generator,
        *,
        escape_formulas: bool = False,
    ) -> None:
        """Writes the rows of the original as they are assigned, in random order."""
        self._shuffle(random)
        coded, joins = self._coded_columns(codes, ORIGINAL)
        keys = [f"c{index}" for index in range(len(codes))]
        # Records of one combination are taken by lot: so many by the first entry, so many by the next. Nothing of the
        # original is selected beside our own columns: one of its columns may be called like any of them.
        self._run(
            f"CREATE OR REPLACE TEMP TABLE ranked AS SELECT *, row_number() OVER (PARTITION BY {', '.join(keys)} "
            f"ORDER BY lot) - 1 AS rank FROM (SELECT shuffled.place, shuffled.lot, {coded} "
            f"FROM {ORIGINAL} POSITIONAL JOIN shuffled {joins})"
        )
        entries = {key: assignments.codes[column] for key, column in zip(keys, codes, strict=True)}
        numbers = np.arange(len(assignments.counts))
        self._store("assignment", {**entries, "number": numbers, "taken": assignments.counts})
        self._store(
            "label",
            {"number": numbers} | {f"l{index}": labels for index, labels in enumerate(assignments.labels.values())},
        )
        self._run(
            "CREATE OR REPLACE TEMP TABLE span AS SELECT *, sum(taken) OVER "
            f"(PARTITION BY {', '.join(keys)} ORDER BY number) AS stop FROM assignment"
        )
        agree = " AND ".join(f"span.{key} = ranked.{key}" for key in keys)
        place = {column: index for index, column in enumerate(assignments.labels)}
        sources = {
            column: f"label.l{place[column]}" if column in place else f"{ORIGINAL}.{quoted(column)}"
            for column in columns
        }
        rows = (
            f"{ORIGINAL} POSITIONAL JOIN shuffled JOIN ranked ON ranked.place = shuffled.place "
            f"JOIN span ON {agree} AND ranked.rank >= span.stop - span.taken AND ranked.rank < span.stop "
            "JOIN label ON label.number = span.number ORDER BY shuffled.place"
        )
        self._copy(path, sources, rows, escape_formulas)

    def write_table(
        self, path: Path, columns: Mapping[str, Sequence[str | None]], *, escape_formulas: bool = False
    ) -> None:
        """Writes rows that are given."""
        self._store("given", {f"c{index}": values for index, values in enumerate(columns.values())})
        sources = {column: f"given.c{index}" for index, column in enumerate(columns)}
        self._copy(path, sources, "given", escape_formulas)

    def _shuffle(self, random: np.random.Generator) -> None:
        """A random order of the original's rows, and another by which records are drawn.

        Two draws: if those that stay came first in the published order, their places would reveal how many went.
        """
        rows = np.arange(self.shape().rows, dtype=np.int32)
        self._store("shuffled", {"place": random.permutation(rows), "lot": random.permutation(rows)})

    def _number_texts(self, table: str, column: str) -> None:
        """Makes the texts of a column of our own an enumeration: rows that are sorted then carry a small number."""
        kind = f"{column}_of_{table}"
        self._run(f"DROP TYPE IF EXISTS {kind}")
        self._run(f"CREATE TYPE {kind} AS ENUM (SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL)")
        self._run(
            f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT * REPLACE ({column}::{kind} AS {column}) FROM {table}"
        )

    def _copy(self, path: Path, sources: Mapping[str, str], rows: str, escape_formulas: bool) -> None:
        """Writes published columns to a file. escape_formulas: see values.formulas.

        What is written is made from the rows when they are in order, because sorting texts takes memory.

        A file has one spelling of missing, since some readers tell NULL from empty text, and in CSV files an empty cell
        from `""`: NULL and the empty cell. Only where there is a single column in a CSV file it is `""`, and all cells
        are quoted, because many readers skip a line that is blank.
        """
        is_csv = path.suffix == ".csv"
        options = "FORMAT csv, HEADER, DELIMITER ','" if is_csv else "FORMAT parquet, COMPRESSION zstd"
        if is_csv and len(sources) == 1:
            options += ", FORCE_QUOTE *"
        in_order = (
            f"SELECT {', '.join(f'{source} AS c{place}' for place, source in enumerate(sources.values()))} FROM {rows}"
        )
        kinds = [kind for _, kind, *_ in self._fetch(f"DESCRIBE {in_order}")]
        selected = []
        for place, (column, kind) in enumerate(zip(sources, kinds, strict=True)):
            shown, name = f"c{place}", column
            if is_csv and len(sources) == 1:
                shown = f"coalesce(CAST({shown} AS VARCHAR), '')"
            elif kind.startswith("ENUM("):
                shown = f"CAST({shown} AS VARCHAR)"
            elif kind in ("VARCHAR", "BLOB"):
                shown = f"nullif({shown}, '')"
            if escape_formulas:
                shown, name = _without_formula(shown), escaped(column)
            selected.append(f"{shown} AS {quoted(name)}")
        self._run(f"COPY (SELECT {', '.join(selected)} FROM ({in_order})) TO {literal(str(path))} ({options})")

    def unescape(self, table: str) -> None:
        """Takes back what escape_formulas did to the cells and column names of a loaded table."""
        columns = [name for name, *_ in self._fetch(f"DESCRIBE {quoted(table)}")]
        selected = ", ".join(
            f"CASE WHEN starts_with({quoted(column)}, {literal(APOSTROPHE)}) THEN {quoted(column)}[2:] "
            f"ELSE {quoted(column)} END AS {quoted(column.removeprefix(APOSTROPHE))}"
            for column in columns
        )
        self._run(f"CREATE OR REPLACE TABLE {quoted(table)} AS SELECT {selected} FROM {quoted(table)}")

    def unique_rows(self, columns: Sequence[str]) -> int:
        """How many rows of the original are the only ones with their values in these columns."""
        keys = ", ".join(_text(column) for column in columns)
        counted = f"SELECT count(*) AS n FROM {ORIGINAL} GROUP BY {keys}"
        return int(self._fetch(f"SELECT count(*) FROM ({counted}) WHERE n = 1")[0][0])

    def _coded_columns(self, codes: Mapping[str, Mapping[str, int]], table: str) -> tuple[str, str]:
        """SQL for the codes of columns, as c0, c1 and so on, and for the joins that find them."""
        for index, mapping in enumerate(codes.values()):
            self._store_codes(f"code_{index}", mapping)
        numbered = list(enumerate(codes))
        return (
            ", ".join(f"code_{index}.code AS c{index}" for index, _ in numbered),
            " ".join(f"JOIN code_{index} ON code_{index}.value = {_text(column, table)}" for index, column in numbered),
        )

    def _store_codes(self, name: str, codes: Mapping[str, int]) -> None:
        self._store(name, {"value": list(codes), "code": np.fromiter(codes.values(), np.int32, len(codes))})

    def _store(self, name: str, columns: Mapping[str, Sequence[str | None] | npt.NDArray[np.integer[Any]]]) -> None:
        """Puts a small table of our own into the database: columns of numbers, and others of text."""
        view = f"new_{name}"
        arrays = {
            column: arrow_columns.numbers(values) if isinstance(values, np.ndarray) else arrow_columns.texts(values)
            for column, values in columns.items()
        }
        self._connection.register(view, pa.table(arrays))
        self._run(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT * FROM {view}")
        self._connection.unregister(view)


def _text(column: str, table: str = ORIGINAL) -> str:
    """A column's value as text; missing ones, and empty text, as MISSING."""
    return f"coalesce(CAST({quoted(table)}.{quoted(column)} AS VARCHAR), {literal(MISSING)})"


def _one_of_equals(number: str, kind: str) -> str:
    """SQL for a float: -0.0 as 0.0, one NaN for all, or values that are equal to readers would count as several."""
    return f"CASE WHEN isnan({number}) THEN 'nan'::{kind} ELSE {number} + 0::{kind} END"


def _without_formula(source: str) -> str:
    text = f"CAST({source} AS VARCHAR)"
    runs = f"regexp_matches({text}, {literal(FORMULA)}) AND NOT regexp_matches({text}, {literal(NUMBER)})"
    return f"CASE WHEN {runs} THEN {literal(APOSTROPHE)} || {text} ELSE {text} END"
