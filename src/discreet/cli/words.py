"""What the commands print: sentences in 80 columns, named lines, numbers; never a character that moves a cursor."""

from __future__ import annotations

import textwrap
from decimal import Decimal
from pathlib import Path

WIDTH = 80
MARGIN = 12
LONGEST_WORD = 56
LONGEST_PATH = 1000


def printable(text: str) -> str:
    """Data may hold what moves a terminal's cursor; here it is only shown."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def wrapped(text: str, first: str = "", following: str = "") -> str:
    return textwrap.fill(
        " ".join(map(_cut, printable(text).split(" "))),
        WIDTH,
        initial_indent=first,
        subsequent_indent=following,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _cut(word: str) -> str:
    """A word that fits a line; what looks like a path is worth a longer one, so that it can be copied."""
    most = LONGEST_PATH if "/" in word or "\\" in word else LONGEST_WORD
    return word if len(word) <= most else f"{word[: LONGEST_WORD - 1]}…"


def field(name: str, text: str | Path, *, wrap: bool = True) -> None:
    """A named line; a path stays in one piece."""
    label = f"{name:<{MARGIN}}"
    if wrap and isinstance(text, str):
        print(wrapped(text, label, " " * MARGIN))
    else:
        print(f"{label}{printable(str(text))}")


def amount(number: float | str, digits: int = 15) -> str:
    """A number in full up to so many digits before the point; one that is text already stays."""
    if isinstance(number, str):
        return number
    if abs(number) >= 10**digits:
        return f"{Decimal(number):.4e}"  # a count can be larger than any float
    return f"{number:,.0f}" if isinstance(number, int) or abs(number) >= 10**6 else f"{number:,.2f}"


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
