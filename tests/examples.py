"""How many random examples the tests try: thousands in `make test`; in `make sweep` ten times as many, and new ones."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

TIMES = int(os.environ.get("DISCREET_SWEEP", "1"))
"""`make sweep` sets it; then the examples are not those of every other run."""


def examples(number: int) -> settings:
    """Settings of a property test that tries so many examples, or so many times as many."""
    return settings(
        max_examples=number * TIMES,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        derandomize=TIMES == 1,
    )
