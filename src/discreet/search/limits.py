"""When a search may stop before it has proved its optimum."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(frozen=True)
class Limits:
    """time_limit: seconds from now, None for no limit. alpha: good enough at (1 + alpha) times the optimum.

    interrupt: once set, by Ctrl-C or another thread, the search ends with the best it has.
    """

    time_limit: float | None = None
    alpha: Fraction = Fraction(0)
    interrupt: threading.Event = field(default_factory=threading.Event)
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    @property
    def is_over(self) -> bool:
        return self.interrupt.is_set() or (self.time_limit is not None and self.seconds >= self.time_limit)
