"""What a search reports while it runs: one record per event."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

SAYS_NOTHING = 0.99
"""Where so much of the loss could still be saved, nobody learns anything from the gap."""


@dataclass(frozen=True)
class SearchEvent:
    """Where the search is: the best cost so far, what no release can go below, and how much has been seen."""

    seconds: float
    incumbent: Fraction | None
    bound: Fraction | None
    examined: int

    @property
    def gap(self) -> float | None:
        """(incumbent - bound) / incumbent; None while there is no incumbent or no bound."""
        if self.incumbent is None or self.bound is None:
            return None
        return float((self.incumbent - self.bound) / self.incumbent) if self.incumbent else 0.0


Listener = Callable[[SearchEvent], None]


def ignore(event: SearchEvent) -> None:
    """The listener for callers who do not want to know."""
