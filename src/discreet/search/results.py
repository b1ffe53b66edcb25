"""What a search hands over, whatever the kind of data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from discreet.search.events import SearchEvent
from discreet.search.limits import Limits


@dataclass(frozen=True, eq=False)
class Found:
    """One solution: what becomes of the data, in the terms of their kind, and what it costs."""

    recoded: Any
    cost: Fraction


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The best solutions, cheapest first, and what was proved about them."""

    found: tuple[Found, ...]
    status: Literal["optimal", "feasible"]
    bound: Fraction
    """No release costs less (if several solutions are asked for: no other release)."""
    cuts_total: int
    cuts_examined: int
    seconds: float
    interrupted: bool
    events: tuple[SearchEvent, ...]
    rounding: Fraction = Fraction(0)
    """how much lower than the best solution's own cost the bound may be only because costs were rounded"""
    details: Mapping[str, Any] = field(default_factory=dict)
    """what the method reports about its own work, by name; numbers and texts that JSON can hold"""

    @classmethod
    def ended(
        cls,
        recoded: Any,
        cost: Fraction,
        limits: Limits,
        events: Sequence[SearchEvent],
        details: Mapping[str, Any],
        *,
        total: int = 0,
        examined: int = 0,
        bound: Fraction | None = None,
        seconds: float | None = None,
    ) -> SearchResult:
        """What a method hands over if it ends now, or if it took `seconds` where it read the clock earlier.

        bound: what no release of its kind goes below. A method that proves none never calls its release optimal, not
        even one that costs nothing. total: how many cuts there are to choose from, where it chooses among cuts.
        """
        return cls(
            found=(Found(recoded, cost),),
            status="optimal" if bound == cost else "feasible",
            bound=Fraction(0) if bound is None else bound,
            cuts_total=total,
            cuts_examined=examined,
            seconds=limits.seconds if seconds is None else seconds,
            interrupted=limits.interrupt.is_set(),
            events=tuple(events),
            details=details,
        )

    @property
    def best(self) -> Found:
        return self.found[0]

    @property
    def recoded(self) -> Any:
        """What becomes of the data under the best solution."""
        return self.best.recoded

    @property
    def gap(self) -> float:
        """How much cheaper than the worst of `found` a release could be at most, as a share of its cost."""
        worst = self.found[-1].cost
        return float((worst - self.bound) / worst) if worst else 0.0
