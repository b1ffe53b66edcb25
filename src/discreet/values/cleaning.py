"""What is done to the cells of a column before anything else, and what that changed. Each cell is cleaned by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Case = Literal["lower", "upper", "title"]
Decimals = Literal["comma", "point"]
OnUnreadable = Literal["error", "suppress"]


@dataclass(frozen=True)
class Cleaning:
    """The steps for a column, in the order in which they are taken."""

    trim: bool = False
    """blanks at both ends, runs of blanks, characters that nobody sees"""
    case: Case | None = None
    missing: tuple[str, ...] = ()
    """what means that there is no value"""
    map: Mapping[str, str] = field(default_factory=dict)
    """a value, and what it is to be; empty text for no value"""
    date: tuple[str, ...] = ()
    """the formats of dates, the first that fits"""
    decimal: Decimals | None = None
    on_unreadable: OnUnreadable = "error"
    """what to do with values that are no date of these formats, or no number"""

    @property
    def only_removes(self) -> bool:
        """Whether all it does is to take values for missing: then a column keeps its type."""
        return not (self.trim or self.case or self.map or self.date or self.decimal)

    def __bool__(self) -> bool:
        return bool(self.missing) or not self.only_removes


@dataclass(frozen=True)
class Cleaned:
    """What cleaning changed in a column."""

    column: str
    cells: Mapping[str, int]
    """step -> how many cells it changed"""
    unreadable: tuple[str, ...] = ()
    """values that are no date of the formats, or no number: the first of them"""
    unreadable_cells: int = 0

    @property
    def changed(self) -> int:
        """Cells that some step changed; one that two of them changed counts twice."""
        return sum(self.cells.values())
