"""Cleaning in SQL: for each step the expression that cleans a cell. Missing cells are NULL or empty text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from discreet.engine.sql_text import literal
from discreet.values.cleaning import Cleaning

Step = Callable[[str], str]
"""SQL for a text -> SQL for the text when it is cleaned"""

READING = ("date", "decimal")
"""The steps after which a cell has to be of a form; what cannot be read becomes NULL."""
_UNSEEN = r"[\x{00AD}\x{200B}\x{2060}\x{FEFF}]"
_BLANKS = r"[\s\p{Z}]+"
_WORDS = r"[\p{L}\p{M}''\x{2019}]+|[^\p{L}\p{M}''\x{2019}]+"
_TIME = r"(?:[T\s]+\d{1,2}:\d{2}.*)?"
_DATE_PARTS = {"d": r"(\d{1,2})", "m": r"(\d{1,2})", "Y": r"(\d{3}[1-9]|\d\d[1-9]\d|\d[1-9]\d\d|[1-9]\d{3})"}
_PLAIN_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,2})?"
_DECIMAL_SIGNS = {"comma": (",", "."), "point": (".", ",")}
_THOUSANDS = r" ''\x{2019}\x{00A0}\x{202F}"
"""besides the point or the comma"""


def steps(cleaning: Cleaning) -> dict[str, Step]:
    """What has to be done, by the name of the step, in its order."""
    found: dict[str, Step] = {}
    if cleaning.trim:
        found["trim"] = _trimmed
    if cleaning.case:
        found["case"] = _cased(cleaning.case)
    before = tuple(found.values())

    def prepared(text: str) -> str:
        """A text of the policy as it would be in a cell after the steps so far."""
        expression = literal(text)
        for step in before:
            expression = step(expression)
        return expression

    if cleaning.missing:
        markers = ", ".join(f"lower({prepared(marker)})" for marker in cleaning.missing)
        found["missing"] = lambda cell: f"CASE WHEN lower({cell}) IN ({markers}) THEN NULL ELSE {cell} END"
    if cleaning.map:
        cases = " ".join(f"WHEN {prepared(key)} THEN {literal(value)}" for key, value in cleaning.map.items())
        found["map"] = lambda cell: f"nullif(CASE coalesce({cell}, '') {cases} ELSE coalesce({cell}, '') END, '')"
    if cleaning.date:
        found["date"] = lambda cell: f"coalesce({', '.join(_date(cell, text) for text in cleaning.date)})"
    if cleaning.decimal:
        found["decimal"] = _number(*_DECIMAL_SIGNS[cleaning.decimal])
    return found


def without_markers(markers: tuple[str, ...]) -> Step:
    """For a cell of any type: NULL where its text is one of the markers."""
    listed = ", ".join(f"lower({literal(marker)})" for marker in markers)
    return lambda cell: f"CASE WHEN lower(CAST({cell} AS VARCHAR)) IN ({listed}) THEN NULL ELSE {cell} END"


def _trimmed(cell: str) -> str:
    return f"trim(regexp_replace(regexp_replace({cell}, '{_UNSEEN}', '', 'g'), '{_BLANKS}', ' ', 'g'))"


def _cased(case: str) -> Step:
    if case != "title":
        return lambda cell: f"{case}({cell})"
    return lambda cell: (
        f"coalesce(list_aggregate(list_transform(regexp_extract_all(lower({cell}), '{_WORDS}'), "
        "lambda word: upper(word[1]) || word[2:]), 'string_agg', ''), '')"
    )


def _date(cell: str, text: str) -> str:
    """The ISO date of a cell of this format; a time behind it is dropped."""
    sign = re.escape(text[1]) + r"\s*" if len(text) > len(_DATE_PARTS) else ""
    parts = [part for part in text if part in _DATE_PARTS]
    fixed = {"d": r"(\d{2})", "m": r"(\d{2})", "Y": _DATE_PARTS["Y"]}
    pattern = literal(sign.join((_DATE_PARTS if sign else fixed)[part] for part in parts))
    year, month, day = (parts.index(part) + 1 for part in "Ymd")
    whole = f"regexp_replace(trim({cell}), '^' || {pattern} || '{_TIME}$', '\\{year}-\\{month}-\\{day}')"
    return (
        f"CASE WHEN regexp_full_match(trim({cell}), {pattern} || '{_TIME}') "
        f"THEN CAST(TRY_CAST({whole} AS DATE) AS VARCHAR) END"
    )


def _number(decimal_sign: str, grouping_sign: str) -> Step:
    groups = f"[{grouping_sign}{_THOUSANDS}]"
    pattern = rf"[+-]?(?:\d{{1,3}}(?:{groups}\d{{3}})+|\d+)(?:[{decimal_sign}]\d+)?"

    def number(cell: str) -> str:
        plain = f"replace(regexp_replace(trim({cell}), '{groups}', '', 'g'), '{decimal_sign}', '.')"
        return (
            f"CASE WHEN regexp_full_match(trim({cell}), '{pattern}') THEN {plain} "
            f"WHEN regexp_full_match(trim({cell}), '{_PLAIN_NUMBER}') THEN trim({cell}) END"
        )

    return number


def chained(source: str, columns: Mapping[str, list[str]]) -> str:
    """A query in which every column has gone through its expressions, each of which calls the column by its name."""
    query, depth = source, 0
    while replaced := {name: done[depth] for name, done in columns.items() if depth < len(done)}:
        named = ", ".join(f"{expression} AS {name}" for name, expression in replaced.items())
        query, depth = f"(SELECT * REPLACE ({named}) FROM {query})", depth + 1
    return query
