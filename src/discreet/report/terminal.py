"""What a terminal shows: sentences as wide as it is, named lines, numbers, some colour; nothing that moves a cursor.

What is written into a file or a pipe has 80 columns and no colour, so that it does not depend on who looks.
"""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Literal, TextIO

from discreet.values.words import printable

WIDTH = 80
"""Of what is not shown in a terminal."""
NARROWEST = 40
LONGEST_LINE = 120
"""Of running text: a longer line is hard to follow, however wide the terminal is."""
MARGIN = 12
LONGEST_WORD = 56
LONGEST_PATH = 1000
LONGEST_NAME = 60
MOST_NAMES = 30


Tone = Literal["good", "bad", "beware", "name"]
TONES: dict[Tone, str] = {"good": "32", "bad": "31", "beware": "33", "name": "1"}
"""What a text is -> its colour, as a terminal is told; a name is bold."""


def columns() -> int:
    """How wide the terminal is."""
    if not _is_terminal(sys.stdout):
        return WIDTH
    return max(NARROWEST, shutil.get_terminal_size((WIDTH, 24)).columns)


def widened(least: int, longest: int) -> int:
    """The width of a column of names: what the longest one needs, as far as a wide terminal has room for it."""
    return max(least, min(longest + 1, least + columns() - WIDTH))


def toned(text: str, tone: Tone | None, stream: TextIO | None = None) -> str:
    """The text in colour where a person sees it. stream: where it is printed, by default the standard output."""
    stream = sys.stdout if stream is None else stream
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    if not text or tone is None or plain or not _is_terminal(stream) or not _takes_colour():
        return text
    return f"\x1b[{TONES[tone]}m{text}\x1b[0m"


def heading(text: str) -> str:
    return toned(text, "name")


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def _takes_colour() -> bool:
    """Old consoles of Windows would show the codes themselves."""
    return os.name != "nt" or "WT_SESSION" in os.environ


def wrapped(text: str, first: str = "", following: str = "") -> str:
    return textwrap.fill(
        " ".join(map(_cut, printable(text).split(" "))),
        min(columns(), LONGEST_LINE),
        initial_indent=first,
        subsequent_indent=following,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _cut(word: str) -> str:
    """A word that fits a line; what looks like a path is worth a longer one, so that it can be copied."""
    most = LONGEST_PATH if "/" in word or "\\" in word else LONGEST_WORD
    return word if len(word) <= most else f"{word[: LONGEST_WORD - 1]}…"


def field(name: str, text: str | Path, *, wrap: bool = True, tone: Tone | None = None) -> str:
    """A named line; a path stays in one piece."""
    label = f"{name:<{MARGIN}}"
    shown = wrapped(text, label, " " * MARGIN) if wrap and isinstance(text, str) else f"{label}{printable(str(text))}"
    return f"{toned(shown[: len(name)], 'name')}{toned(shown[len(name) :], tone)}"


def amount(number: float | str, digits: int = 15) -> str:
    """A number in full up to so many digits before the point; one that is text already stays."""
    if isinstance(number, str):
        return number
    if abs(number) >= 10**digits:
        return f"{Decimal(number):.4e}"  # a count can be larger than any float
    if 0 < abs(number) < 0.1:
        return f"{number:.3g}"  # as a share of all, where two digits after the point say little
    return f"{number:,.0f}" if isinstance(number, int) or abs(number) >= 10**6 else f"{number:,.2f}"


def name_of(column: str) -> str:
    text = printable(column[: LONGEST_NAME + 1])
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"


def names_of(columns: Sequence[str]) -> str:
    more = f" and {len(columns) - MOST_NAMES} more" if len(columns) > MOST_NAMES else ""
    return ", ".join(map(name_of, columns[:MOST_NAMES])) + more


def cell(text: str, width: int) -> str:
    """Exactly so many columns of the terminal; wide characters take two."""
    from rich.cells import cell_len, set_cell_size

    text = printable(text[: 4 * width])
    if cell_len(text) > width:
        text = set_cell_size(text, width - 1).rstrip() + "…"
    return set_cell_size(text, width)


def wrapped_hard(text: str, indent: str = "  ") -> str:
    """Lines that are no wider than the terminal, whatever the text holds."""
    from rich.cells import cell_len, chop_cells

    lines: list[str] = [""]
    room = min(columns(), LONGEST_LINE) - len(indent) - 2
    for word in printable(text).split(" "):
        for piece in chop_cells(word, room) if cell_len(word) > room else [word]:
            longer = f"{lines[-1]} {piece}" if lines[-1] else piece
            if cell_len(longer) <= room:
                lines[-1] = longer
            else:
                lines.append(piece)
    return "\n".join(f"{indent if number == 0 else indent + '  '}{line}" for number, line in enumerate(lines))


def share_of(part: int, whole: int) -> str:
    """A share in per cent that is 0 or 100 only when it is."""
    return percent(part / whole)


def percent(share: float) -> str:
    if share in (0, 1):
        return f"{share:.0%}"
    percent = 100 * share
    if percent < 0.1:
        return "<0.1%"
    return ">99.9%" if percent > 99.9 else f"{percent:.1f}%"


def cut_off(number: float, places: int) -> str:
    """A number cut off and not rounded, so that 1 is only shown for 1."""
    return f"{int(number * 10**places) / 10**places:.{places}f}"


def short_count(number: int) -> str:
    return f"{number:,}" if number < 10**7 else f"{number / 10**6:,.0f}M"
