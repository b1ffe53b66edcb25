"""Cleans a loaded table before anything else is done with it, and says what could not be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from discreet.engine import ORIGINAL, Engine
from discreet.errors import InputError
from discreet.values.cleaning import Cleaned, Cleaning
from discreet.values.words import SHOWN_VALUES, briefly, counted, listed


def clean_table(
    engine: Engine, cleanings: Mapping[str, Cleaning], source: str, table: str = ORIGINAL
) -> tuple[Cleaned, ...]:
    """What was changed; source: what a sentence calls the table."""
    cleaned = engine.clean(cleanings, table)
    for found in cleaned:
        cleaning = cleanings[found.column]
        if found.unreadable and cleaning.on_unreadable == "error":
            raise InputError(
                f"{source}: {unreadable_in_words(found, cleaning)} Say what they are with attributes."
                f"{found.column}.clean (another format, map, missing), or set its on_unreadable: suppress, which takes "
                "them for missing."
            )
    return cleaned


def warn_of_unreadable(cleanings: Mapping[str, Cleaning], cleaned: Sequence[Cleaned]) -> list[str]:
    return [
        f"{unreadable_in_words(found, cleanings[found.column])} They are treated as missing."
        for found in cleaned
        if found.unreadable
    ]


def unreadable_in_words(found: Cleaned, cleaning: Cleaning) -> str:
    several = len(found.unreadable) > 1
    shown = ", ".join(map(briefly, found.unreadable[:SHOWN_VALUES]))
    more = f" and {len(found.unreadable) - SHOWN_VALUES} more" if len(found.unreadable) > SHOWN_VALUES else ""
    what = "numbers" if several else "a number"
    if cleaning.date:
        what = f"{'dates' if several else 'a date'} of the format {listed(cleaning.date, 'or')}"
    return (
        f"{found.column}: {counted(len(found.unreadable), 'value')} cannot be read as {what} "
        f"({shown}{more}; {counted(found.unreadable_cells, 'row')})."
    )
