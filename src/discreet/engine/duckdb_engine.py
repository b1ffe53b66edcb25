"""Counting and recoding rows with DuckDB, in this process, within a fixed amount of memory.

The only code that touches rows. What goes in and out is small: the distinct values of a column, the distinct
combinations of a table, a table of labels per column, a table of decisions per partition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from discreet.read import TableShape, load_table, open_workspace, quoted
from discreet.recode.formulas import APOSTROPHE, FORMULA, NUMBER, escaped
from discreet.taxonomy import MISSING

MEMORY_LIMIT = "2GB"
STAR = "*"
ORIGINAL = "original"


@dataclass(frozen=True)
class Labels:
    """For each value of a quasi-identifier the node it is published at, and that node's label."""

    values: Sequence[str]
    nodes: npt.NDArray[np.int32]
    labels: Sequence[str]


@dataclass(frozen=True)
class Decisions:
    """What happens to records of some partitions: a row for each (nodes, sensitive value, class) concerned.

    Records that no row concerns are published as they are.
    """

    nodes: npt.NDArray[np.int32]
    codes: Mapping[str, npt.NDArray[np.int32]]
    """sensitive and class column, where there are such -> the code of the value that the row is about"""
    keep: npt.NDArray[np.int64] | None
    """how many of the records stay, drawn at random; None: all stay and their values in `starred` become `*`"""
    starred: str | None = None


class DuckDBEngine:
    """One table in a private database that spills to `folder`."""

    def __init__(self, folder: Path, memory_limit: str = MEMORY_LIMIT) -> None:
        self.connection = open_workspace(folder, memory_limit)
        # Joins stay as written, the rows streaming past small tables. DuckDB cannot know the size of a positional
        # join, takes the rows for the smaller side and would hold all of them in memory.
        self.connection.execute("SET disabled_optimizers = 'join_order,build_side_probe_side'")

    def close(self) -> None:
        self.connection.close()

    def load(
        self, source: Path | object, table: str = ORIGINAL, *, fewest_rows: int = 2, delimiters: str | None = None
    ) -> TableShape:
        """Loads a file or a table in memory; the original, or under another name one to compare with it."""
        return load_table(self.connection, source, table, fewest_rows=fewest_rows, delimiters=delimiters)

    def distinct(self, column: str, table: str = ORIGINAL) -> tuple[tuple[str, ...], npt.NDArray[np.int64]]:
        """The values of a column as text, missing ones as MISSING, and how many rows have each."""
        rows = self.connection.execute(
            f"SELECT {_text(column, table)}, count(*) FROM {quoted(table)} GROUP BY 1 ORDER BY 1"
        ).fetchall()
        return tuple(row[0] for row in rows), np.array([row[1] for row in rows], np.int64)

    def coded(self, column: str, longest: int) -> tuple[Any, npt.NDArray[np.int32]]:
        """The different values of a column as an Arrow array of text, and for each row the number of its value.

        Missing values, and empty text, have the number after the last. Of a text of more than `longest` characters
        the beginning stays, followed by its SHA-256, so that different texts stay different.
        """
        text = _text(column)
        short = f"left({text}, {longest}) || ' ' || sha256({text})"
        found = self.connection.sql(
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
        for index, mapping in enumerate(codes.values()):
            self._store_codes(f"code_{index}", mapping)
        selected = ", ".join(f"code_{index}.code AS c{index}" for index in range(len(codes)))
        joins = " ".join(
            f"JOIN code_{index} ON code_{index}.value = {_text(column, table)}" for index, column in enumerate(codes)
        )
        found = self.connection.execute(
            f"SELECT {selected}, count(*) AS n FROM {quoted(table)} {joins} GROUP BY ALL ORDER BY ALL"
        ).fetchnumpy()
        columns = [np.asarray(found[f"c{index}"], np.int32) for index in range(len(codes))]
        return np.stack(columns), np.asarray(found["n"], np.int64)

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
    ) -> None:
        """Writes the recoded rows to a CSV or Parquet file, in random order.

        columns: the published ones. codes: column -> the code of each of its values; the decisions speak in these.
        escape_formulas: see recode.formulas.
        """
        joins = []
        for index, (column, label) in enumerate(labels.items()):
            names = [name or None for name in label.labels]
            self._store(
                f"label_{index}",
                {"value": list(label.values), "node": pa.array(label.nodes, pa.int32()), "label": names},
            )
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
        # Two draws: were those who stay the first in the published order, their places would tell how many went.
        rows_in_all = self._rows()
        self._store(
            "shuffled",
            {
                "place": random.permutation(np.arange(rows_in_all, dtype=np.int32)),
                "lot": random.permutation(np.arange(rows_in_all, dtype=np.int32)),
            },
        )
        rows = f"{ORIGINAL} POSITIONAL JOIN shuffled {' '.join(joins)}"
        if decisions.keep is None:
            rows += f" LEFT JOIN decision ON {' AND '.join(keys)}"
        else:
            # Ranked apart, so that the window sees the records of decided partitions only.
            self.connection.execute(
                f"CREATE OR REPLACE TEMP TABLE deleted AS SELECT shuffled.place FROM {rows} "
                f"JOIN decision ON {' AND '.join(keys)} "
                "QUALIFY row_number() OVER (PARTITION BY decision.number ORDER BY shuffled.lot) > decision.keep"
            )
            rows += " ANTI JOIN deleted ON deleted.place = shuffled.place"
        selected = []
        for column in columns:
            source = f"{ORIGINAL}.{quoted(column)}"
            if column in labels:
                source = f"label_{list(labels).index(column)}.label"
            elif column == decisions.starred:
                source = f"CASE WHEN decision.number IS NULL THEN nullif({_text(column)}, '') ELSE '{STAR}' END"
            if escape_formulas:
                source, column = _without_formula(source), escaped(column)
            selected.append(f"{source} AS {quoted(column)}")
        options = "FORMAT csv, HEADER, DELIMITER ','" if path.suffix == ".csv" else "FORMAT parquet, COMPRESSION zstd"
        self.connection.execute(
            f"COPY (SELECT {', '.join(selected)} FROM {rows} ORDER BY shuffled.place) "
            f"TO {_literal(str(path))} ({options})"
        )

    def unescape(self, table: str) -> None:
        """Takes back what escape_formulas did to the cells and column names of a loaded table."""
        columns = [name for name, *_ in self.connection.execute(f"DESCRIBE {quoted(table)}").fetchall()]
        selected = ", ".join(
            f"CASE WHEN starts_with({quoted(column)}, {_literal(APOSTROPHE)}) THEN {quoted(column)}[2:] "
            f"ELSE {quoted(column)} END AS {quoted(column.removeprefix(APOSTROPHE))}"
            for column in columns
        )
        self.connection.execute(f"CREATE OR REPLACE TABLE {quoted(table)} AS SELECT {selected} FROM {quoted(table)}")

    def unique_rows(self, columns: Sequence[str]) -> int:
        """How many rows of the original are the only one with their values in these columns."""
        keys = ", ".join(_text(column) for column in columns)
        counted = f"SELECT count(*) AS n FROM {ORIGINAL} GROUP BY {keys}"
        return int(self.connection.execute(f"SELECT count(*) FROM ({counted}) WHERE n = 1").fetchall()[0][0])

    def _rows(self) -> int:
        return int(self.connection.execute(f"SELECT count(*) FROM {ORIGINAL}").fetchall()[0][0])

    def _store_codes(self, name: str, codes: Mapping[str, int]) -> None:
        self._store(name, {"value": list(codes), "code": pa.array(codes.values(), pa.int32())})

    def _store(self, name: str, columns: Mapping[str, Any]) -> None:
        """A small table of ours in the database."""
        view = f"new_{name}"
        self.connection.register(view, pa.table(dict(columns)))
        self.connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT * FROM {view}")
        self.connection.unregister(view)


def _text(column: str, table: str = ORIGINAL) -> str:
    """A column's value as text; missing ones, and empty text, as MISSING."""
    return f"coalesce(CAST({quoted(table)}.{quoted(column)} AS VARCHAR), {_literal(MISSING)})"


def _without_formula(source: str) -> str:
    text = f"CAST({source} AS VARCHAR)"
    runs = f"regexp_matches({text}, {_literal(FORMULA)}) AND NOT regexp_matches({text}, {_literal(NUMBER)})"
    return f"CASE WHEN {runs} THEN {_literal(APOSTROPHE)} || {text} ELSE {text} END"


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
