"""A table of a database: DuckDB and SQLite files, and PostgreSQL.

SQLite is read by Python's own module, since DuckDB's extension for it has to be fetched from the network; a column of
SQLite may hold anything, so all of its cells become text. PostgreSQL is read through DuckDB's extension, which has to
be installed once.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from discreet.engine import Engine, EngineError
from discreet.errors import InputError
from discreet.policy.values import NO_PLACE_FOR_A_PASSWORD, has_password, is_address
from discreet.read.storing import fault_of_names, first_line, refuse_nested, store_texts
from discreet.values.words import listed

ENDINGS = (".duckdb", ".sqlite", ".sqlite3", ".db")
"""of files that can be told from other data by their names"""
_SQLITE_MAGIC = b"SQLite format 3\0"
_DUCKDB_MAGIC = b"DUCK"
_NESTED = re.compile(r".*\]|(STRUCT|MAP|UNION)\(.*", re.DOTALL)
_SHOWN_TABLES = 20


@dataclass(frozen=True)
class Database:
    """Where a table is."""

    location: Path | str
    """a file, or the address of a PostgreSQL database"""
    table: str | None = None
    """None: the only one"""

    @property
    def name(self) -> str:
        """As a sentence calls the table."""
        return f"{self.location}, table {self.table}" if self.table else str(self.location)


def is_database(data: object) -> bool:
    """Whether what a command was given is the name of a database."""
    return is_address(data) or (isinstance(data, str | Path) and Path(data).suffix.lower() in ENDINGS)


def load_database(engine: Engine, database: Database, table: str) -> None:
    location = database.location
    if is_address(location):
        if has_password(str(location)):
            raise InputError(f"The address of the database has a password, and {NO_PLACE_FOR_A_PASSWORD}.")
        _load_attached(engine, database, str(location), "postgres", table)
        return
    path = Path(location)
    if not path.is_file():
        raise InputError(f"{path}: no such database; check the path.")
    with path.open("rb") as file:
        beginning = file.read(16)
    if beginning.startswith(_SQLITE_MAGIC):
        _load_sqlite(engine, database, path, table)
    elif beginning[8:12] == _DUCKDB_MAGIC:
        _load_attached(engine, database, str(path), "duckdb", table)
    else:
        raise InputError(f"{path} is neither a DuckDB nor an SQLite database; name it as data.path if it is a file.")


def _load_attached(engine: Engine, database: Database, location: str, kind: str, table: str) -> None:
    try:
        with engine.attached(location, kind) as tables:
            chosen = _chosen(database, tables)
            engine.store_attached(tables[chosen], table)
    except EngineError as error:
        if kind == "postgres":
            raise InputError(
                f"{location} cannot be read through DuckDB's extension for PostgreSQL ({first_line(error)}); where it "
                "is not installed, run `python -c \"import duckdb; duckdb.sql('INSTALL postgres')\"` once, with a "
                "network, or export the table to a file."
            ) from error
        raise InputError(f"{location} cannot be read as a DuckDB database ({first_line(error)}).") from error
    shape = engine.shape(table)
    if fault := fault_of_names(shape.columns):
        raise InputError(f"{database.name}: {fault}")
    for column, found in zip(shape.columns, shape.types, strict=True):
        if _NESTED.fullmatch(found):
            refuse_nested(database.name, column, found)


def _load_sqlite(engine: Engine, database: Database, path: Path, table: str) -> None:
    try:
        # Rows may be fetched by one of the engine's threads, one at a time.
        address = f"{path.resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, check_same_thread=False)) as connection:
            found = connection.execute(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY 1"
            )
            chosen = _chosen(database, [name for (name,) in found])
            source = _quoted(chosen)
            rows = connection.execute(f"SELECT * FROM {source}")
            names = [name for name, *_ in rows.description]
            if fault := fault_of_names(names):
                raise InputError(f"{database.name}: {fault}")
            for name in names:
                column = _quoted(name)
                if connection.execute(f"SELECT 1 FROM {source} WHERE typeof({column}) = 'blob' LIMIT 1").fetchone():
                    raise InputError(f"{database.name}: the column {name!r} has binary values; make a view without it.")
            store_texts(engine, names, rows, table)
    except (sqlite3.Error, EngineError) as error:
        raise InputError(f"{database.name} cannot be read as an SQLite database ({first_line(error)}).") from error


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _chosen(database: Database, tables: Collection[str]) -> str:
    """The table that is named, or the only one."""
    if database.table is None and len(tables) == 1:
        return next(iter(tables))
    if database.table in tables:
        return str(database.table)
    known = listed(list(tables)[:_SHOWN_TABLES], "or") or "none"
    what = "has several tables" if database.table is None else f"has no table {database.table!r}"
    raise InputError(f"{database.location} {what}; set data.table (for inspect, --table) to one of it: {known}.")
