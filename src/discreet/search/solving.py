"""From encoded data to how they are to be published: by a search, or by a recoding found earlier.

This is what all kinds of data have in common; a module in each kind's subpackage has the rest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Generic, Self, TypeVar

import numpy as np

from discreet.policy import Policy
from discreet.search.events import Listener
from discreet.search.interrupt import noted_interrupt
from discreet.search.limits import Limits
from discreet.search.results import Found, SearchResult

KindPolicy = TypeVar("KindPolicy", bound=Policy)
KindEncoding = TypeVar("KindEncoding")
KindProblem = TypeVar("KindProblem")


@dataclass(frozen=True, eq=False)
class Solved(Generic[KindPolicy, KindEncoding, KindProblem]):
    """Data, encoded, and how they are to be published."""

    policy: KindPolicy
    encoding: KindEncoding
    """as the search saw them"""
    problem: KindProblem
    found: tuple[Found, ...]
    """the best releases, or the one that a recoding prescribes; the first is published unless one is drawn"""
    search: SearchResult | None
    """None where a recoding was applied and nothing searched"""
    warnings: tuple[str, ...]
    applied: Any = None
    """the recoding that was applied, where nothing was searched"""
    why_empty: str = ""
    """why no release has any records, where that is known"""

    @property
    def chosen(self) -> Found:
        return self.found[0]

    def drawn(self, random: np.random.Generator) -> Self:
        """With one of the best releases, each equally likely, as the one to publish."""
        place = int(random.integers(len(self.found)))
        return replace(self, found=(self.found[place], *self.found[:place], *self.found[place + 1 :]))


def run_method(policy: Policy, problem: object, random: np.random.Generator, listen: Listener) -> SearchResult:
    """Runs the method that a policy asks for, within its limits; Ctrl-C ends it with the best release so far."""
    search = policy.search
    with noted_interrupt() as interrupt:
        limits = Limits(search.time_limit, search.alpha, interrupt)
        result: SearchResult = search.declared().function(problem, limits, random, listen, **search.options())
    return result
