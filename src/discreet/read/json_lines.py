"""JSON: objects whose keys are the columns, one per line or all of them in one array."""

import json

import pyarrow as pa

from discreet.engine import BadObjectError, Engine, NestedColumnError, NoArrayError, RepeatedKeyError
from discreet.errors import InputError
from discreet.read.source import SourceFile
from discreet.read.storing import fault_of_names, refuse_nested, refuse_no_rows
from discreet.read.text import WHOLE_LINES, RowError, decompressed, load_text, not_utf_8

_LINES = "discreet_lines"


def load_json_lines(engine: Engine, file: SourceFile, table: str) -> None:
    """Takes the lines in as they are, then lets the engine find the columns in all of them and fill them.

    Every value is text, like those of other text files: numbers and truth values as JSON writes them.
    """
    try:
        load_text(engine, file, WHOLE_LINES, _LINES)
        _store_objects(engine, file, table, "write each record as one {...} on its own line.")
    finally:
        engine.drop(_LINES)


def load_json(engine: Engine, file: SourceFile, table: str) -> None:
    """The same for an array of objects. It is read whole; rows are counted in objects."""
    with decompressed(file) as source:
        content = source.read()
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise RowError(file, line, not_utf_8(content[error.start])) from None
    try:
        engine.store(pa.table({"line": pa.array([text], pa.large_string())}), _LINES)
        engine.split_array(_LINES)
        _store_objects(engine, file, table, "the array must hold nothing but objects, {...}.")
    except NoArrayError:
        raise InputError(
            f"{file} is not an array of objects, [{{...}}, {{...}}]{_why_not_json(text)}; write it as one, or one "
            "object per line in a .jsonl file."
        ) from None
    finally:
        engine.drop(_LINES)


def _why_not_json(text: str) -> str:
    try:
        json.loads(text)
    except RecursionError:
        return ", but nested too deeply"
    except ValueError as error:
        return f" ({error})"
    return ""


def _store_objects(engine: Engine, file: SourceFile, table: str, way_out: str) -> None:
    """Fills the columns of the table from the stored objects."""

    def check_names(names: list[str]) -> None:
        if fault := fault_of_names(names):
            raise InputError(f"{file}: {fault}")

    try:
        if not engine.store_objects(_LINES, table, check_names):
            refuse_no_rows(str(file))
    except BadObjectError as error:
        if half := _half_a_pair(error.line):
            raise RowError(
                file, error.row, f"\\u{ord(half):04x} is half a surrogate pair and not a character; remove it."
            ) from None
        raise RowError(file, error.row, f"{error.line[:40]!r} is not a JSON object; {way_out}") from None
    except RepeatedKeyError as error:
        raise RowError(file, error.row, f"the key {error.key!r} appears twice; keep one of them.") from None
    except NestedColumnError as error:
        refuse_nested(str(file), error.column, error.type_name)


def _half_a_pair(line: str) -> str | None:
    """The first half of a surrogate pair without the other, which JSON can write but no text can hold."""
    try:
        json.dumps(json.loads(line), ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        return str(error.object[error.start])
    except (ValueError, RecursionError):
        pass
    return None
