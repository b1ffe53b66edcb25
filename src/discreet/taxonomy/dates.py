"""Taxonomies of dates: 2024-03-05 -> 2024-03 -> 2024-Q1 -> 2024 -> 2020s -> *."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Literal

from discreet.errors import InputError
from discreet.taxonomy.placement import Placement
from discreet.taxonomy.tree import ROOT

Level = Literal["day", "month", "quarter", "year", "decade"]

# Finest first; each period lies within one period of every later level.
_LABELS: dict[Level, Callable[[date], str]] = {
    "day": lambda day: day.isoformat(),
    "month": lambda day: f"{day.year:04}-{day.month:02}",
    "quarter": lambda day: f"{day.year:04}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04}",
    "decade": lambda day: f"{day.year // 10:03}0s",
}
_TIMESTAMP = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ]\d{2}:\d{2}.*)?", re.ASCII)


@dataclass(frozen=True)
class Dates:
    """ISO dates, or timestamps that begin with one, by calendar periods; the first level is the leaf.

    Only the date of a timestamp counts, as written: no time zone is applied. What is not a date of the
    calendar (2023-02-30) has no place.
    """

    levels: tuple[Level, ...] = ("day", "month", "year")

    def __post_init__(self) -> None:
        levels = tuple(self.levels)
        object.__setattr__(self, "levels", levels)
        known = list(_LABELS)
        if not levels or any(level not in known for level in levels):
            raise InputError(f"dates: the levels {list(levels)} must be some of {', '.join(known)}.")
        if any(known.index(finer) >= known.index(coarser) for finer, coarser in pairwise(levels)):
            raise InputError(f"dates: the levels {list(levels)} must go from fine to coarse: {', '.join(known)}.")

    def build(self, name: str, values: Sequence[str]) -> Placement:
        paths: dict[str, list[str]] = {}
        leaves: list[str | None] = []
        for value in values:
            day = _parse(value)
            if day is None:
                leaves.append(None)
                continue
            leaf, *periods = (_LABELS[level](day) for level in self.levels)
            paths[leaf] = [*periods, ROOT]
            leaves.append(leaf)
        return Placement.from_leaves(name, leaves, paths.__getitem__)


def _parse(value: str) -> date | None:
    timestamp = _TIMESTAMP.fullmatch(value.strip())
    if timestamp is None:
        return None
    try:
        return date.fromisoformat(timestamp[1])
    except ValueError:
        return None
