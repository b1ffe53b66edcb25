"""What every stage asks of an engine, and the small tables that go in and out of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from discreet.values.arrays import Int32s, Int64s
from discreet.values.cleaning import Cleaned, Cleaning

ORIGINAL = "original"
"""The name of the table that is published."""
STAR = "*"
"""What stands for a suppressed value."""


@dataclass(frozen=True)
class TableShape:
    """What a loaded table looks like: its columns in the order of the file, their DuckDB types, its rows."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: int


@dataclass(frozen=True)
class Labels:
    """For each value of a quasi-identifier the node it is published at, and that node's label."""

    values: Sequence[str]
    nodes: Int32s
    labels: Sequence[str]


@dataclass(frozen=True)
class Decisions:
    """What happens to records of some partitions: a row for each (nodes, sensitive value, class) concerned.

    Records that no row concerns are published as they are.
    """

    nodes: Int32s
    codes: Mapping[str, Int32s]
    """sensitive and class column, where they matter -> the code of the value that the row is about"""
    keep: Int64s | None
    """how many of the records stay, drawn at random; None: all stay and their values in `starred` become `*`"""
    starred: tuple[str, ...] = ()


@dataclass(frozen=True)
class Assignments:
    """What happens to records by their combination of codes: each entry takes a number of them, drawn at random.

    Records of a combination that no entry takes are not published.
    """

    codes: Mapping[str, Int32s]
    """coded column -> for each entry the code of its value"""
    counts: Int64s
    """entry -> how many records of its combination it takes"""
    labels: Mapping[str, Sequence[str | None]]
    """column that is published differently -> for each entry what is published of it, None for a missing value"""


class Engine(Protocol):
    """Tables of rows, counted and recoded in place.

    Columns are known by their names, values as text; a missing value, and empty text, is MISSING. What goes in and out
    is small beside the rows. What the user can mend is raised
    as in engine.errors, whatever the engine; anything else is a defect.
    """

    def close(self) -> None: ...

    def store(self, batches: Any, table: str = ...) -> None:
        """Takes in a stream of Arrow batches as a table, replacing one of that name."""
        ...

    def store_parquet(self, path: Path, table: str = ...) -> None:
        """Takes in the rows of a Parquet file of plain types as a table, replacing one of that name."""
        ...

    def append(self, more: str, table: str) -> None:
        """Adds the rows of one table to another that has the same columns, in whatever order."""
        ...

    def attached(self, location: str, kind: str) -> AbstractContextManager[Mapping[str, tuple[str, str]]]:
        """A database that is only read: its tables by the names that people use, each with its schema and name."""
        ...

    def store_attached(self, place: tuple[str, str], table: str) -> None:
        """Takes in a table of the attached database."""
        ...

    def split_array(self, table: str) -> None:
        """Replaces a stored table of one line that is a JSON array by a line for each of its elements."""
        ...

    def store_objects(self, lines: str, table: str, check_names: Callable[[list[str]], None]) -> bool:
        """Splits the JSON objects in a stored table of lines into columns; False where there are none.

        check_names: called with the names of the columns before anything is stored. All values are stored as text.
        """
        ...

    def clean(self, cleanings: Mapping[str, Cleaning], table: str = ...) -> tuple[Cleaned, ...]:
        """Cleans the cells of these columns, where the table has them; what cannot be read becomes missing."""
        ...

    def drop(self, table: str) -> None: ...

    def shape(self, table: str = ...) -> TableShape: ...

    def columns(self, table: str = ...) -> tuple[str, ...]:
        """The columns in the order of the source."""
        ...

    def distinct(self, column: str, table: str = ...) -> tuple[tuple[str, ...], Int64s]:
        """The values of a column, sorted, and how many rows have each."""
        ...

    def coded(self, column: str, longest: int) -> tuple[Any, Int32s]:
        """The different values of a column as an Arrow array of text, and for each row the number of its value."""
        ...

    def count(self, codes: Mapping[str, Mapping[str, int]], table: str = ...) -> tuple[Int32s, Int64s]:
        """The distinct combinations of coded columns: column x combination, and how many rows have each."""
        ...

    def owned(self, owner: str, codes: Mapping[str, Mapping[str, int]], table: str = ...) -> tuple[Int64s, Int32s]:
        """The distinct combinations of coded columns that rows of one owner have.

        A number for the owner, ascending, and column x combination. Rows without an owner are an error.
        """
        ...

    def unique_rows(self, columns: Sequence[str]) -> int:
        """How many rows of the original are the only ones with their values in these columns."""
        ...

    def rows(
        self, table: str, columns: Sequence[str], most: int, where: Mapping[str, str] | None = ...
    ) -> list[tuple[str, ...]]:
        """The first rows of a table, as text; where: the values that they have in some columns."""
        ...

    def unescape(self, table: str) -> None:
        """Takes back what escape_formulas did to the cells and column names of a table."""
        ...

    def write_release(
        self,
        path: Path,
        columns: Sequence[str],
        labels: Mapping[str, Labels],
        codes: Mapping[str, Mapping[str, int]],
        decisions: Decisions,
        random: np.random.Generator,
        *,
        escape_formulas: bool = ...,
        pseudonyms: str | None = ...,
    ) -> None:
        """Writes the recoded rows of the original to a CSV or Parquet file, in random order.

        pseudonyms: a column whose values are replaced by numbers drawn at random, the same for equal values.
        """
        ...

    def write_assigned(
        self,
        path: Path,
        columns: Sequence[str],
        codes: Mapping[str, Mapping[str, int]],
        assignments: Assignments,
        random: np.random.Generator,
        *,
        escape_formulas: bool = ...,
    ) -> None:
        """Writes the rows of the original as they are assigned, in random order."""
        ...

    def write_table(
        self, path: Path, columns: Mapping[str, Sequence[str | None]], *, escape_formulas: bool = ...
    ) -> None:
        """Writes rows that are given."""
        ...
