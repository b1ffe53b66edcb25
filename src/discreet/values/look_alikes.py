"""Values that are different to a program and the same to whoever reads them.

A promise about sensitive values counts them as they are written. Where a disease has two spellings, a group in which
everybody has it passes for a diverse one.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from discreet.values.words import SHOWN_VALUES, briefly, listed

INVISIBLE = ("Cc", "Cf")
"""Unicode's categories of control and format characters, such as the zero-width space."""
SHOWN_GROUPS = 3


def look_alikes(values: Iterable[str]) -> list[tuple[str, ...]]:
    """The values, two or more together, that differ in nothing but case, blanks, invisible characters and variants of
    the same character.

    >>> look_alikes(["HIV", "hiv", "flu", "HIV "])
    [('HIV', 'HIV ', 'hiv')]
    """
    alike: dict[str, list[str]] = {}
    for value in values:
        alike.setdefault(as_read(value), []).append(value)
    return [tuple(sorted(group)) for group in alike.values() if len(group) > 1]


def in_words(groups: list[tuple[str, ...]]) -> str:
    """`'HIV' and 'hiv'; 'flu', 'Flu' and 'FLU'`; an empty value is called missing."""
    shown = [
        listed([briefly(value) if value else "missing values" for value in group[:SHOWN_VALUES]])
        for group in groups[:SHOWN_GROUPS]
    ]
    more = len(groups) - SHOWN_GROUPS
    return "; ".join([*shown, *([f"and {more} more such groups"] if more > 0 else [])])


def as_read(value: str) -> str:
    """What is left of a value when only what readers tell apart counts."""
    if not value.isascii():
        # Once more after folding: what folds may not be composed.
        value = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", value).casefold())
    folded = " ".join(value.casefold().split())
    if folded.isprintable():
        return folded
    return "".join(sign for sign in folded if unicodedata.category(sign) not in INVISIBLE).strip()
