"""Counts, shares and values in words, for sentences."""

from __future__ import annotations

from collections.abc import Iterable

SHOWN_VALUES = 10
LONGEST_SHOWN = 60


def printable(text: str) -> str:
    """Text without what moves a terminal's cursor, ends a comment or turns the direction of reading: written out."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def people_in_words(number: int) -> str:
    """`nobody`, `1 person`, `3 people`."""
    if number == 0:
        return "nobody"
    return "1 person" if number == 1 else f"{number:,} people"


def counted(number: int, noun: str) -> str:
    """`1 group`, `3 groups`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def percent(share: float) -> str:
    """Whole percents where they say enough."""
    if 0 < share < 0.0005:
        return "less than 0.1%"
    return f"{share:.0%}" if share in (0, 1) or 0.1 <= share < 0.995 else f"{share:.1%}"


def changes(before: float, after: float) -> str:
    """What became of a share: `goes from 100% to 25%`, `stays at 50%`."""
    first, last = percent(before), percent(after)
    return f"stays at {last}" if first == last else f"goes from {first} to {last}"


def briefly(value: str) -> str:
    """A value as a sentence can quote it: a cell may be a megabyte long."""
    return repr(value) if len(value) <= LONGEST_SHOWN else f"{value[:LONGEST_SHOWN]!r}..."


def listed(words: Iterable[str], last: str = "and") -> str:
    """`a, b and c`."""
    parts = list(words)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}" if len(parts) > 1 else "".join(parts)
