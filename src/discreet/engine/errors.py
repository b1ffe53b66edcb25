"""What can go wrong in an engine, in terms that do not depend on which engine it is."""

from __future__ import annotations

from discreet.errors import DiscreetError

LONGEST_COMPLAINT = 300


def complaint(error: BaseException | str) -> str:
    """What a library says, in one line, for a sentence of ours."""
    return " ".join(str(error).split())[:LONGEST_COMPLAINT]


class EngineError(DiscreetError):
    """An engine could not read or write its files."""

    def __init__(self, message: str, errno: int | None = None) -> None:
        super().__init__(message)
        self.errno = errno


class EngineFullError(EngineError):
    """There is not enough memory or temporary disk space."""


class UnreadableError(EngineError):
    """A stream of rows could not be taken in."""


class BadObjectError(EngineError):
    """A line is not a JSON object."""

    def __init__(self, row: int, line: str) -> None:
        super().__init__(f"line {row} is not a JSON object")
        self.row = row
        self.line = line


class NoArrayError(EngineError):
    """A text is not a JSON array."""


class RepeatedKeyError(EngineError):
    """A JSON object has a key twice."""

    def __init__(self, row: int, key: str) -> None:
        super().__init__(f"line {row} has {key} twice")
        self.row = row
        self.key = key


class NestedColumnError(EngineError):
    """A column holds lists or objects."""

    def __init__(self, column: str, type_name: str) -> None:
        super().__init__(f"{column} is nested")
        self.column = column
        self.type_name = type_name
