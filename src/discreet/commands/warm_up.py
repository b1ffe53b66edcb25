"""Compiled loops, loaded or compiled before the clock of a search starts."""

from __future__ import annotations

from discreet.kinds import kind_of
from discreet.policy import Policy

_WARM: set[tuple[str, str]] = set()
"""kind and method: those that are ready in this process"""


def warm_up(policy: Policy) -> None:
    """Gets the policy's method ready, so that compiling does not count in its time limit."""
    asked = (policy.of_kind or "", policy.search.method)
    if asked not in _WARM:
        kind_of(policy).warm_up(policy)
        _WARM.add(asked)
