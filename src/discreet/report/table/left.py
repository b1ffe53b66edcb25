"""What is left of each column, in words: a loss in per cent does not tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.values.words import counted, percent


def left_in_words(left: Mapping[str, Any]) -> str:
    """`every value as it was`; `3 coarser values in place of 40`; `12 of 40 values, 31% of the records with theirs`."""
    if left["nothing"]:
        return "nothing, all records show the same"
    values = f"{left['published']:,} of {counted(left['original'], 'value')}"
    if left["unchanged"] == 1:
        return "every value as it was" if left["published"] == left["original"] else f"{values}, each as it was"
    if not left["unchanged"]:
        return f"{counted(left['published'], 'coarser value')} in place of {left['original']:,}"
    own = f"{percent(left['unchanged'])} of the records with their own value"
    if left["published"] > left["original"]:  # local recoding shows a value here and what lies above it there
        return f"{counted(left['published'], 'different value')} in place of {left['original']:,}, {own}"
    return f"{values}, {own}"
