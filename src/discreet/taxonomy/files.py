"""Taxonomy files: UTF-8 CSV with ``;`` or ``,``, in one of two layouts.

* One row for each leaf, ``leaf;parent;grandparent;...;root``. This is ARX's layout: rows may differ in
  length, a label repeated on the next level is one node, and empty fields at the end of a row do not count.
  A value may have the label of a group of values; levels keep the two apart in ARX, and a published value
  must mean one thing, so the group is renamed (``Single (level 1)``).
* Two columns under the header ``child,parent``. The root has an empty parent, or no row of its own.

A row that is there twice counts once. What was changed is told in notes.

Labels are taken as they are, blanks included; a label with a separator, a quote or a line break in it is
put in double quotes. Blank lines are skipped.

The missing value (:data:`~discreet.taxonomy.tree.MISSING`) has an empty label. Its row, in both layouts, is
the one with an empty first field, right below the root: ``;*``.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path

from discreet.errors import InputError
from discreet.taxonomy.tree import MISSING, ROOT, Taxonomy
from discreet.values.long_cells import long_cells
from discreet.values.words import SHOWN_VALUES, briefly, counted

_HEADER = re.compile(r'\s*"?\s*child\s*"?\s*([;,])\s*"?\s*parent\s*"?\s*', re.IGNORECASE)
_QUOTED_FIELD = re.compile(r'(?:^|(?<=[;,\r]))"[^"]*(?:""[^"]*)*"', re.MULTILINE)
_NEUTRAL = str.maketrans(";,\r\n", "____")


def read_taxonomy(path: str | Path, name: str) -> Taxonomy:
    """The taxonomy in a file of either layout, validated."""
    return read_with_notes(path, name)[0]


def read_with_notes(path: str | Path, name: str) -> tuple[Taxonomy, tuple[str, ...]]:
    """The taxonomy in a file of either layout, validated; and what was changed, as sentences."""
    path = Path(path)
    text = _read_text(path)
    lines = [line for line in re.split(r"[\r\n]+", _QUOTED_FIELD.sub(_neutral, text)) if not _is_blank(line)]
    header = _HEADER.fullmatch(lines[0]) if lines else None
    with long_cells():
        rows = list(_read_rows(path, text, header[1] if header else _sniff_delimiter(lines)))
    notes: list[str] = []
    if header:
        rows = rows[1:]
        _refuse_wide_rows(path, rows)
    rows = _each_once(path, rows, notes)
    if not header:
        rows = _with_levels_apart(path, rows, notes)
        rows = [(line, [label for label, _ in groupby(row)]) for line, row in rows]
    if not rows:
        raise InputError(f"{path}: the file is empty: it has no row with a value; write one for each value.")

    values, missing = _set_missing_apart(path, rows)
    values = values or [[missing[0][1]]]
    try:
        if header:
            taxonomy = Taxonomy.from_edges(name, ((row[0], row[1] if len(row) > 1 else None) for row in values))
        else:
            taxonomy = Taxonomy.from_paths(name, values)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return _with_missing_row(path, taxonomy, missing) if missing else taxonomy, tuple(notes)


def write_taxonomy(taxonomy: Taxonomy, path: str | Path, cell: Callable[[str], str] = str) -> None:
    """Write one row ``leaf;parent;...;root`` for each leaf; :func:`read_taxonomy` reads the same taxonomy back.

    ``cell`` returns the text to write for a label.

    One taxonomy has no row of its own: the missing value alone (a column without any value, collapsed). It is
    written below a root ``*``.
    """
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=";", lineterminator="\r\n")
        for leaf in taxonomy.leaf_nodes.tolist():
            row = tuple(map(cell, taxonomy.path(leaf)))
            if row == (MISSING,):
                row = (MISSING, ROOT)
            elif len(row) == 1 or _HEADER.fullmatch(";".join(row)):
                # Alone it could be a blank line, and `child;parent` a header; a repeated label is one node.
                row = (row[0], *row)
            writer.writerow(row)


def _read_text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such taxonomy file; check the path.") from None
    except OSError as error:
        raise InputError(f"{path}: the taxonomy file cannot be read: {error.strerror}.") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # error.start is a position in what the codec saw, which is the file without its byte order mark.
        line = _line_at(error.object, error.start)
        raise InputError(f"{path}: line {line} is not UTF-8; save the file as UTF-8.") from None
    if (position := data.find(b"\0")) >= 0:
        raise InputError(f"{path}: line {_line_at(data, position)} has a NUL byte; save the file as plain UTF-8 text.")
    return text


def _line_at(data: bytes, position: int) -> int:
    return data.count(b"\n", 0, position) + 1


def _is_blank(line: str) -> bool:
    return not line.strip() or not line.strip(";") or not line.strip(",")


def _neutral(field: re.Match[str]) -> str:
    return field[0].translate(_NEUTRAL)


def _sniff_delimiter(lines: list[str]) -> str:
    """The separator of a file of paths, given its lines, with nothing special left inside quotes.

    All rows of a tree end in the same label, its root. The separator is the one that splits every row and
    makes this true, ``;`` before ``,``; where neither does, the one that splits more rows, so that the error
    that follows describes the file as its author sees it.
    """
    for delimiter in ";,":
        ends = {line.rstrip(delimiter).rpartition(delimiter)[1:] for line in lines}
        if len(ends) == 1 and ends.pop()[0]:
            return delimiter
    return max(";,", key=lambda delimiter: sum(delimiter in line for line in lines))


def _read_rows(path: Path, text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, with their line and without empty fields at the end."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            while row and row[-1] == MISSING:
                row.pop()
            if row and not (len(row) == 1 and row[0].isspace()):
                yield reader.line_num, row
    except csv.Error as error:
        raise InputError(f"{path}: line {reader.line_num} is not valid CSV: {error}; check its quotes.") from None


def _refuse_wide_rows(path: Path, rows: list[tuple[int, list[str]]]) -> None:
    for line, row in rows:
        if len(row) > 2:
            raise InputError(f"{path}: line {line}: a row below 'child,parent' has {len(row)} fields, not two.")


def _each_once(path: Path, rows: list[tuple[int, list[str]]], notes: list[str]) -> list[tuple[int, list[str]]]:
    """The rows without those that are equal to one before them."""
    first: dict[tuple[str, ...], tuple[int, list[str]]] = {}
    for line, row in rows:
        first.setdefault(tuple(row), (line, row))
    if again := len(rows) - len(first):
        notes.append(f"{path}: {counted(again, 'row')} repeated another one and counted once.")
    return list(first.values())


def _with_levels_apart(path: Path, rows: list[tuple[int, list[str]]], notes: list[str]) -> list[tuple[int, list[str]]]:
    """The rows with another label for every group of values that has the label of a value.

    The root keeps its label: it stands for anything in every release.
    """
    values = {row[0] for _, row in rows}
    level_of: dict[str, int] = {}
    for _, row in rows:
        for level, label in enumerate(row[:-1]):
            if label in values and label != row[0]:
                level_of[label] = min(level, level_of.get(label, level))
    taken = {label for _, row in rows for label in row}
    renamed: dict[str, str] = {}
    for label, level in level_of.items():
        renamed[label] = f"{label} (level {level})"
        while renamed[label] in taken:
            renamed[label] += "'"
    if renamed:
        said = [f"{briefly(label)} is published as {briefly(group)}" for label, group in renamed.items()]
        more = f"; and {len(said) - SHOWN_VALUES} more" if len(said) > SHOWN_VALUES else ""
        notes.append(
            f"{path}: {counted(len(said), 'label')} stood for a value and for a group of values, so the group got "
            f"another one: {'; '.join(said[:SHOWN_VALUES])}{more}."
        )
    return [(line, [row[0], *(renamed.get(label, label) for label in row[1:])]) for line, row in rows]


def _set_missing_apart(path: Path, rows: list[tuple[int, list[str]]]) -> tuple[list[list[str]], list[tuple[int, str]]]:
    """The rows of named values, and for each row of the missing value its line and parent."""
    values: list[list[str]] = []
    missing: list[tuple[int, str]] = []
    for line, row in rows:
        if row[0] == MISSING and len(row) == 2:
            missing.append((line, row[1]))
        elif MISSING in row:
            raise InputError(
                f"{path}: line {line}: a value has an empty label; give it a name (only the missing value "
                "has none, in a row of an empty field and the root)."
            )
        else:
            values.append(row)
    return values, missing


def _with_missing_row(path: Path, taxonomy: Taxonomy, missing: list[tuple[int, str]]) -> Taxonomy:
    if len(missing) > 1:
        raise InputError(f"{path}: line {missing[1][0]}: the missing value (empty first field) appears twice.")
    [(line, parent)] = missing
    completed = taxonomy.with_missing()
    if completed.labels[0] != parent:
        raise InputError(
            f"{path}: line {line}: the missing value (empty first field) lies under {parent!r}; "
            f"put it right below the root {completed.labels[0]!r}."
        )
    return completed
