"""What a search hands over."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from discreet.search.events import SearchEvent
from discreet.taxonomy import Cut


@dataclass(frozen=True)
class Found:
    """One solution: a cut of every taxonomy and what it costs."""

    cuts: tuple[Cut, ...]
    cost: Fraction


@dataclass(frozen=True)
class SearchResult:
    """The best solutions, cheapest first, and what was proved about them."""

    found: tuple[Found, ...]
    status: Literal["optimal", "feasible"]
    bound: Fraction
    """No release costs less (with several solutions asked for: none but these)."""
    cuts_total: int
    cuts_examined: int
    seconds: float
    interrupted: bool
    events: tuple[SearchEvent, ...]

    @property
    def best(self) -> Found:
        return self.found[0]

    @property
    def gap(self) -> float:
        """How much cheaper than the worst of `found` a release could be at most, as a share of its cost."""
        worst = self.found[-1].cost
        return float((worst - self.bound) / worst) if worst else 0.0
