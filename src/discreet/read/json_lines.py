"""JSON lines: one object a line, its keys the columns."""

import json
from pathlib import Path

import duckdb

from discreet.errors import InputError
from discreet.read.storing import fault_of_names, first_line, quoted, refuse_nested, refuse_no_rows, value_of
from discreet.read.text import WHOLE_LINES, RowError, load_text


def load_json_lines(connection: duckdb.DuckDBPyConnection, path: Path, table: str) -> None:
    """Takes the lines in as they are, then lets DuckDB find the columns in all of them and fill them.

    A column that mixes numbers, truth values and strings is read as text. Strings that look like dates stay
    strings.
    """
    staged = quoted("discreet_lines")
    # A blank line becomes NULL, on which every JSON function is silent, in whatever order DuckDB filters.
    lines = f"(SELECT rowid + 1 AS row, nullif(trim(line, ' ' || chr(9)), '') AS line FROM {staged})"
    try:
        load_text(connection, path, WHOLE_LINES, "discreet_lines")
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
        if half := _half_a_pair(line):
            raise RowError(path, row, f"\\u{ord(half):04x} is half a surrogate pair and no character; remove it.")
        raise RowError(
            path,
            row,
            f"{line[:40]!r} is not a JSON object; write each record as one {{...}} on its own line.",
        )


def _half_a_pair(line: str) -> str | None:
    """The first half of a surrogate pair without the other, which JSON can write and no text can hold."""
    try:
        json.dumps(json.loads(line), ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        return str(error.object[error.start])
    except (ValueError, RecursionError):
        pass
    return None


def _store_objects(connection: duckdb.DuckDBPyConnection, path: Path, lines: str, table: str) -> None:
    found = value_of(connection.execute(f"SELECT json_group_structure(line::JSON) FROM {lines}"))
    structure = json.loads(found)
    if structure == "NULL":
        refuse_no_rows(str(path))
    if structure == "JSON":  # every object is empty
        structure = {}
    if fault := fault_of_names(list(structure)):
        raise InputError(f"{path}: {fault}")
    records = f"(SELECT from_json(line, ?) AS record FROM {lines} WHERE line IS NOT NULL)"
    columns = []
    for name, kind in structure.items():
        field = f"record.{quoted(name)}"
        if not isinstance(kind, str):
            refuse_nested(str(path), name, json.dumps(kind))
        if kind == "JSON":
            nested = f"SELECT count(*) FROM {records} WHERE json_type({field}) IN ('ARRAY', 'OBJECT')"
            if value_of(connection.execute(nested, [found])):
                refuse_nested(str(path), name, "in some rows")
        columns.append(f"{_plain(field, kind)} AS {quoted(name)}")
    try:
        connection.execute(
            f"CREATE OR REPLACE TABLE {quoted(table)} AS SELECT {', '.join(columns)} FROM {records}", [found]
        )
    except duckdb.ConversionException as error:
        raise InputError(
            f"{path}: a number is too large ({first_line(error)}); write such numbers as strings."
        ) from error


def _plain(field: str, kind: str) -> str:
    """SQL that gives a JSON field a usual type, where DuckDB proposes unsigned and huge integers."""
    if kind == "JSON":
        return f"{field} ->> '$'"
    usual = {"NULL": "VARCHAR", "UBIGINT": "BIGINT", "HUGEINT": "BIGINT"}
    return f"{field}::{usual.get(kind, kind)}"
