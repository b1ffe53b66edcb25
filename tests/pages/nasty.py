"""Texts that break pages which trust their data, and a way to put them everywhere into a document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

HOSTILE = "<script>alert('x')</script>"
NASTY = [
    "\x00\x01\x1b[31m\x7f\x85",
    "\ud800 half a pair \udfff",
    "\u202eright to left\u2066\ufeff",
    "\ufffe\uffff\U000fffff",
    "]]>&amp;<!--</style></svg></title>",
    '" onload="alert(1)',
    "{{7*7}} datum.value",
    "שלום עולם",
    "नमस्ते\u200dदुनिया",
    "   ",
    "",
    "y" * 1_000_000,
    "\x00" * 1_000_000,
    HOSTILE,
]
WORDS_OF_THE_FORMAT = frozenset({"format", "kind", "status", "role", "unit", "model", "cuts_total", "h"})


def spoilt(part: Any, values: Iterator[str], measures: frozenset[str], key: str = "") -> Any:
    """The document with every text of it replaced, but for those that are words of the format.

    measures: the names of measures that have a picture.
    """
    if isinstance(part, dict):
        free = key in {"attributes", "person"}
        return {
            (f"{next(values)}{place}" if free else name): spoilt(inner, values, measures, name)
            for place, (name, inner) in enumerate(part.items())
        }
    if isinstance(part, list):
        return [spoilt(inner, values, measures, key) for inner in part]
    kept = key in WORDS_OF_THE_FORMAT or (key == "name" and part in measures)
    return next(values) if isinstance(part, str) and not kept else part
