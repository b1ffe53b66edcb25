"""How witnesses name a partition, and which column a promise is about."""

from collections.abc import Mapping, Sequence

from discreet.errors import InputError
from discreet.verifier.certificate import brief, text
from discreet.verifier.table.claims import Columns
from discreet.verifier.verdict import shown, some


def partition(columns: Columns, values: Sequence[str]) -> str:
    """A partition as a witness names it."""
    cells = zip(columns.quasi_identifiers, values, strict=True)
    return "(" + ", ".join(f"{column!r}: {shown(value)}" for column, value in cells) + ")"


def sensitive_column(entry: Mapping[str, object], columns: Columns, where: str) -> str:
    """The column that a promise is about: the one that it names, or the only one there is."""
    known = some(list(map(repr, columns.sensitive)))
    if not columns.sensitive:
        raise InputError(f"{where}: {entry['model']} is about a sensitive column, and no column is one.")
    if "column" in entry:
        column = text(entry["column"], f"{where}: column")
        if column not in columns.sensitive:
            raise InputError(f"{where}: the column {brief(column)} is not sensitive; sensitive are {known}.")
        return column
    if len(columns.sensitive) > 1:
        raise InputError(
            f"{where}: which of the sensitive columns {known} it is about has to be said, with the key column."
        )
    return next(iter(columns.sensitive))
