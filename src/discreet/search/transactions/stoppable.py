"""Running a compiled loop that can be stopped.

Python handles a signal, and looks at a clock, only between its own steps; a compiled loop is one step. So it runs
in a thread of its own, without Python's lock, while this one watches.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from discreet.search.limits import Limits
from discreet.values.arrays import Int64s

SECONDS_BETWEEN_LOOKS = 0.05

Outcome = TypeVar("Outcome")


def run_stoppable(loop: Callable[[Int64s], Outcome], limits: Limits) -> Outcome:
    """Runs loop(stop); stop[0] is 1 if the limits are over, or becomes so."""
    stop = np.array([limits.is_over], np.int64)
    with ThreadPoolExecutor(1) as executor:
        future = executor.submit(loop, stop)
        try:
            while True:
                try:
                    return future.result(SECONDS_BETWEEN_LOOKS)
                except TimeoutError:
                    if limits.is_over:
                        stop[0] = 1
        finally:  # whatever ends the watch ends the loop
            stop[0] = 1
