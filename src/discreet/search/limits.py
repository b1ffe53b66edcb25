"""When a search may stop before it has proved its optimum."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(frozen=True)
class Limits:
    """time_limit: seconds from now, None for no limit. alpha: good enough at (1 + alpha) times the optimum."""

    time_limit: float | None = None
    alpha: Fraction = Fraction(0)
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    @property
    def is_over(self) -> bool:
        return self.time_limit is not None and self.seconds >= self.time_limit
