"""What a notebook shows of a value: small tables in HTML, nothing in them that runs or hides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from discreet.values.words import printable

MOST_ROWS = 100
LONGEST_TEXT = 300


def named_lines(lines: Iterable[tuple[str, object]]) -> str:
    """A name and a text in each line; a name that is empty goes on with the one before."""
    rows = (f"<tr><th style='text-align:left'>{_text(name)}</th>{_cell(text)}</tr>" for name, text in lines)
    return f"<table>{''.join(rows)}</table>"


def grid(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table with a line of names; of a long one the beginning, and how many rows there are."""
    head = "".join(f"<th style='text-align:left'>{_text(name)}</th>" for name in heads)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows[:MOST_ROWS])
    more = f"<p>The first {MOST_ROWS} of {len(rows):,} rows.</p>" if len(rows) > MOST_ROWS else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _cell(value: object) -> str:
    return f"<td style='text-align:left'>{_text(value)}</td>"


def _text(value: object) -> str:
    text = "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
    return escape(printable(text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…"))
