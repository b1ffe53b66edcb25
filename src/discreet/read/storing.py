"""Arrow batches into an engine, and what every reader says about a source that cannot be used."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time
from itertools import islice
from typing import Any, NoReturn

import pyarrow as pa

from discreet.engine import Engine, UnreadableError
from discreet.errors import InputError

ROWS_AT_ONCE = 50_000
BYTE_ORDER_MARK = "\ufeff"
UNREADABLE = (UnreadableError, pa.ArrowException, OSError)


def store_typed(engine: Engine, batches: Any, name: str, table: str) -> None:
    """Stores batches that bring their own names and types, once these can be used."""
    check_columns(batches.schema, name)
    engine.store(batches, table)


def check_columns(schema: pa.Schema, name: str) -> None:
    """Refuses names and types that a table cannot have."""
    if fault := fault_of_names(schema.names):
        raise InputError(f"{name}: {fault}")
    for field in schema:
        if pa.types.is_nested(field.type):
            refuse_nested(name, field.name, field.type)


def fault_of_names(names: Sequence[str]) -> str | None:
    """What makes these names unusable as columns; DuckDB does not distinguish `Age` from `age`."""
    if not names:
        return "it has no columns; give a table that has some."
    seen: dict[str, str] = {}
    for position, name in enumerate(names, start=1):
        if not name.strip():
            return f"column {position} has no name; give every column one."
        if "\0" in name:  # Arrow hands names over to DuckDB only up to the first NUL
            return f"the name of column {position} has a NUL byte; remove it."
        if name.startswith(BYTE_ORDER_MARK):
            return f"the name of column {position} begins with a byte order mark, which readers drop; remove it."
        other = seen.get(name.lower())
        if other == name:
            return f"two columns are named {name!r}; rename one of them."
        if other:
            return f"the columns {other!r} and {name!r} differ only in upper and lower case; rename one of them."
        seen[name.lower()] = name
    return None


def refuse_nested(name: str, column: str, kind: object) -> NoReturn:
    raise InputError(
        f"{name}: column {column!r} is nested ({kind}), and a table needs one plain value in each field; "
        "split the column into several, or leave it out."
    )


def cell_text(value: object) -> str | None:
    """A cell that has a type, but not its column: as a text file would write it."""
    match value:
        case None | "":
            return None
        case bool():
            return str(value).lower()
        case float() if value.is_integer():
            return str(int(value))
        case datetime() if value.time() == time.min:
            return value.date().isoformat()
        case date() | time():
            return value.isoformat(" ") if isinstance(value, datetime) else value.isoformat()
    return str(value)


def store_texts(engine: Engine, names: Sequence[str], rows: Iterable[Sequence[object]], table: str) -> None:
    """Stores rows of cells as columns of text."""
    schema = pa.schema([(name, pa.string()) for name in names])

    def batches() -> Iterator[Any]:
        for some in batched_rows(rows):
            columns = [pa.array(map(cell_text, column), pa.string()) for column in zip(*some, strict=True)]
            yield pa.record_batch(columns, schema)

    engine.store(pa.RecordBatchReader.from_batches(schema, batches()), table)


def batched_rows(rows: Iterable[Sequence[object]]) -> Iterator[list[Sequence[object]]]:
    source = iter(rows)
    while some := list(islice(source, ROWS_AT_ONCE)):
        yield some


def first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0].rstrip(".")


def refuse_no_rows(name: str) -> NoReturn:
    raise InputError(f"{name} has no rows; give a table of at least two.")


def refuse_broken(file: object, kind: str, error: BaseException) -> NoReturn:
    raise InputError(f"{file} cannot be read as {kind} ({first_line(error)}); write the file again.") from error
