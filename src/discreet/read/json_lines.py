"""JSON lines: one object per line, whose keys are the columns."""

import json
from pathlib import Path

from discreet.engine import BadObjectError, Engine, NestedColumnError, RepeatedKeyError
from discreet.errors import InputError
from discreet.read.storing import fault_of_names, refuse_nested, refuse_no_rows
from discreet.read.text import WHOLE_LINES, RowError, load_text

_LINES = "discreet_lines"


def load_json_lines(engine: Engine, path: Path, table: str) -> None:
    """Takes the lines in as they are, then lets the engine find the columns in all of them and fill them.

    Every value is text, like those of other text files: numbers and truth values as JSON writes them.
    """

    def check_names(names: list[str]) -> None:
        if fault := fault_of_names(names):
            raise InputError(f"{path}: {fault}")

    try:
        load_text(engine, path, WHOLE_LINES, _LINES)
        if not engine.store_objects(_LINES, table, check_names):
            refuse_no_rows(str(path))
    except BadObjectError as error:
        if half := _half_a_pair(error.line):
            raise RowError(
                path, error.row, f"\\u{ord(half):04x} is half a surrogate pair and not a character; remove it."
            ) from None
        raise RowError(
            path,
            error.row,
            f"{error.line[:40]!r} is not a JSON object; write each record as one {{...}} on its own line.",
        ) from None
    except RepeatedKeyError as error:
        raise RowError(path, error.row, f"the key {error.key!r} appears twice; keep one of them.") from None
    except NestedColumnError as error:
        refuse_nested(str(path), error.column, error.type_name)
    finally:
        engine.drop(_LINES)


def _half_a_pair(line: str) -> str | None:
    """The first half of a surrogate pair without the other, which JSON can write but no text can hold."""
    try:
        json.dumps(json.loads(line), ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        return str(error.object[error.start])
    except (ValueError, RecursionError):
        pass
    return None
