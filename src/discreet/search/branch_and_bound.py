"""Depth-first branch and bound over the cut enumeration tree (Liu 2010, 3.2, Algorithm 3.1).

A node of the tree is a set of cuts: those that agree with the decisions taken so far. Each value of the
current cut is *open* (it may still be specialized below) or fixed. The next open value v in order splits the
set in two: the cuts in which v is specialized, searched first, and those in which v is locked, which is the
thesis's backtracking with its tightened bound (3.4.2). Every cut is reached once: for each value on it, the
decision to lock it, and for each value above it, the decision to specialize it.

What the cuts are cuts of, what they cost and how costs are bounded is the business of the `Space`; this module
knows none of it. A node is abandoned when its bound reaches the cutoff: (1 + alpha) * bound >= the worst cost still
wanted. The proven bound of the whole search is the least bound among the nodes still to visit and those abandoned
only because of alpha.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from discreet.kernels.cut_programme import UNREACHABLE
from discreet.search.events import Listener, SearchEvent, ignore
from discreet.search.incumbents import Incumbents
from discreet.search.limits import Limits

Value = int
ValueCut = tuple[Value, ...]

IMPOSSIBLE = UNREACHABLE
"""A bound that says: none of these cuts is allowed. Every cost is less."""

SECONDS_BETWEEN_EVENTS = 0.1


class Space(Protocol):
    """Cuts of one or several taxonomies under a stack of decisions, with bounds in whole numbers."""

    @property
    def unit(self) -> int:
        """Costs are counted in 1 / unit."""
        ...

    def root(self) -> tuple[tuple[Value, ...], ValueCut, int]:
        """The open and the fixed values of the most general cut, and the bound before any decision."""
        ...

    def children(self, value: Value) -> tuple[Value, ...]: ...

    def is_open(self, value: Value) -> bool:
        """Can the value be specialized?"""
        ...

    def rank(self, value: Value) -> tuple[int, ...]:
        """Open values are decided in ascending rank."""
        ...

    def specialize(self, value: Value, cutoff: int | None) -> int:
        """Takes the decision and returns the bound of what is left, IMPOSSIBLE if that is nothing; at or above the
        cutoff it may stop early."""
        ...

    def lock(self, value: Value, cutoff: int | None) -> int: ...

    def rewind(self, decisions: int) -> None:
        """Keeps only this many decisions, the first ones."""
        ...

    def solutions(self, fixed: ValueCut) -> Iterable[tuple[int, ValueCut]]:
        """With no value open: the remaining cuts with their costs, cheapest first; worked out as they are asked for."""
        ...


@dataclass(frozen=True)
class Outcome:
    """How a search ended."""

    bound: int | None
    """No cut that is not among the incumbents costs less; None when no cut is possible at all."""
    examined: int
    finished: bool
    """False if the time limit or an interrupt cut it short."""


@dataclass(slots=True)
class _Pending:
    """The second half of a split, still to be searched: `value` locked."""

    decisions: int
    value: Value
    open_values: tuple[Value, ...]
    fixed: ValueCut
    bound: int


def branch_and_bound(
    space: Space,
    incumbents: Incumbents[ValueCut],
    limits: Limits,
    listen: Listener = ignore,
    *,
    tighten: bool = True,
    most_nodes: int | None = None,
) -> Outcome:
    """Searches the whole space; the incumbents it is given are its warm start and hold its result.

    tighten=False leaves the bound as it was when a value is locked: to measure what 3.4.2 gains. most_nodes: after this
    many it ends unfinished, as when time is up.
    """
    search = _Search(space, incumbents, limits, listen, tighten, most_nodes)
    finished = search.run()
    return Outcome(search.proven_bound(), search.examined, finished)


class _Search:
    def __init__(
        self,
        space: Space,
        incumbents: Incumbents[ValueCut],
        limits: Limits,
        listen: Listener,
        tighten: bool,
        most_nodes: int | None,
    ) -> None:
        self.space = space
        self.incumbents = incumbents
        self.limits = limits
        self.listen = listen
        self.tighten = tighten
        self.most_nodes = most_nodes
        self.examined = 0
        self.pending: list[_Pending] = []
        self.current_bound: int | None = None
        self.left_by_alpha: int | None = None
        self.last_event = float("-inf")

    def cutoff(self) -> int | None:
        """The least bound at which a node is not worth a visit: ceil(worst wanted / (1 + alpha))."""
        worst = self.incumbents.cutoff
        if worst is None or not self.limits.alpha:
            return worst
        return -int(-Fraction(worst) / (1 + self.limits.alpha) // 1)

    def proven_bound(self) -> int | None:
        # A node's bound is never below that of the node it was split from, so the oldest is the least.
        bounds = [self.pending[0].bound] if self.pending else []
        bounds += [bound for bound in (self.current_bound, self.left_by_alpha) if bound is not None]
        if self.incumbents.ranked:
            bounds.append(self.incumbents.ranked[-1][0])
        return min(bounds, default=None)

    def tell(self, always: bool = False) -> None:
        now = self.limits.seconds
        if always or now - self.last_event >= SECONDS_BETWEEN_EVENTS:
            self.last_event = now
            best, bound, unit = self.incumbents.best, self.proven_bound(), self.space.unit
            self.listen(
                SearchEvent(
                    seconds=now,
                    incumbent=None if best is None else Fraction(best[0], unit),
                    bound=None if bound is None else Fraction(bound, unit),
                    examined=self.examined,
                )
            )

    def is_worth_a_visit(self, bound: int) -> bool:
        if bound >= IMPOSSIBLE:
            return False
        cutoff = self.cutoff()
        if cutoff is None or bound < cutoff:
            return True
        worst = self.incumbents.cutoff
        if worst is not None and bound < worst:
            self.left_by_alpha = bound if self.left_by_alpha is None else min(bound, self.left_by_alpha)
        return False

    def take_solutions(self, fixed: ValueCut) -> bool:
        """Offers the solutions of a node with nothing open, cheapest first; False if time ran out before the end."""
        for cost, cut in self.space.solutions(fixed):
            cutoff = self.incumbents.cutoff
            if cutoff is not None and cost >= cutoff:
                return True
            if self.incumbents.offer(cost, cut):
                self.tell(always=True)
            if self.limits.is_over:
                return False
        return True

    def run(self) -> bool:
        space = self.space
        open_values, fixed, bound = space.root()
        open_values = tuple(sorted(open_values, key=space.rank))
        decisions = 0
        self.examined = 1
        while True:
            self.current_bound = bound
            self.tell()
            if self.limits.is_over or (self.most_nodes is not None and self.examined >= self.most_nodes):
                return False
            if self.is_worth_a_visit(bound):
                if open_values:
                    value, rest = open_values[0], open_values[1:]
                    self.pending.append(_Pending(decisions, value, rest, fixed, bound))
                    children = space.children(value)
                    opened = tuple(child for child in children if space.is_open(child))
                    open_values = tuple(sorted(rest + opened, key=space.rank)) if opened else rest
                    fixed += tuple(child for child in children if not space.is_open(child))
                    bound = max(bound, space.specialize(value, self.cutoff()))
                    decisions += 1
                    self.examined += 1
                    continue
                if not self.take_solutions(fixed):
                    return False
            self.current_bound = None
            if not self.pending:
                self.tell(always=True)
                return True
            back = self.pending.pop()
            self.current_bound = back.bound
            space.rewind(back.decisions)
            tightened = space.lock(back.value, self.cutoff() if self.tighten else None)
            bound = max(back.bound, tightened) if self.tighten else back.bound
            decisions = back.decisions + 1
            open_values, fixed = back.open_values, (*back.fixed, back.value)
