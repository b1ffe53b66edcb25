"""Cells that were made harmless for spreadsheets: an apostrophe precedes what would run as a formula.

Taking the apostrophe off must not make two different cells equal, or rows that every reader can tell apart would
be counted as one partition. So a cell has to be exactly what escaping writes: it begins with a sign of a formula, and
is not a number, if and only if one apostrophe was put before it. Everything else is refused, never read leniently.
"""

import re

from discreet.errors import InputError

_FORMULA = r"[=+\-@\t\r']"
_NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
_APOSTROPHE = "'"


def unescaped(text: str, where: str) -> str:
    """The text as it was before escaping."""
    if not _runs(text):
        return text
    if not text.startswith(_APOSTROPHE) or not _runs(text[1:]):
        raise InputError(
            f"{where}: {text[:60]!r} is not as escaping writes it, though the certificate says escaped_formulas."
        )
    return text[1:]


def _runs(text: str) -> bool:
    return bool(re.match(_FORMULA, text)) and not re.fullmatch(_NUMBER, text)


def unescaped_sql(cell: str) -> str:
    """SQL for the cell before escaping, given SQL for the cell; it stops at one that escaping cannot have written."""
    rest = f"{cell}[2:]"
    fault = "error('a cell is not as escaping writes it, though the certificate says escaped_formulas')"
    is_escaped = f"starts_with({cell}, '''') AND {_runs_sql(rest)}"
    return f"CASE WHEN NOT {_runs_sql(cell)} THEN {cell} WHEN {is_escaped} THEN {rest} ELSE {fault} END"


def _runs_sql(cell: str) -> str:
    formula = f"^{_FORMULA}".replace("'", "''")
    return f"(regexp_matches({cell}, '{formula}') AND NOT regexp_full_match({cell}, '{_NUMBER}'))"
