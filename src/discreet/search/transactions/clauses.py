"""The cheapest cut that violates no clause: the second phase of OG, over the nodes that occur in clauses.

Each node has a penalty: how much more it costs to lock it than to specialize everything below it. Penalties only grow
upwards, and locking a node that is in no clause is never better than locking the nodes of clauses right below it. So
the decisions are about the clauses' nodes alone: all others above them are specialized from the start (the pushed-down
initial cut and the taxonomy reduction of Liu 2010, 4.4.1.2).

First branch and bound on the cut enumeration tree, as for tables, with the bound of kernels/clause_bound. If it does
not finish within a budget, many clauses balance each other; then the same question goes as a mixed-integer
programme to HiGHS, which proves in a fraction of a second what enumeration would never finish.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.kernels.clause_bound import IMPOSSIBLE, LOCKED, SPECIALIZED, UNDECIDED, clause_bound
from discreet.search.branch_and_bound import Value, ValueCut, branch_and_bound
from discreet.search.incumbents import Incumbents
from discreet.search.limits import Limits
from discreet.values.arrays import Int32s, Int64s

MOST_NODES = 5_000
"""Nodes of the cut enumeration tree before the question goes to the mixed-integer programme."""
FIRST_SECONDS = 2.0
"""For the programme, after which the limits are checked; it cannot be interrupted, so it starts again for twice as
long."""


@dataclass(frozen=True, eq=False)
class ClauseProblem:
    """Nodes in pre-order with penalties, and clauses over them: in each, some node at or above a member is locked."""

    above: Int32s
    ends: Int32s
    penalties: Int64s
    clauses: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, ends: Int32s, penalties: Int64s, clauses: Sequence[Sequence[int]]) -> tuple[ClauseProblem, Int64s]:
        """From all nodes to those that occur in clauses; also returns which these are."""
        used = np.unique(np.array([node for clause in clauses for node in clause], np.int64))
        number = {int(node): index for index, node in enumerate(used)}
        above = np.full(len(used), -1, np.int32)
        path: list[int] = []
        for index, node in enumerate(used):
            while path and ends[used[path[-1]]] <= node:
                path.pop()
            above[index] = path[-1] if path else -1
            path.append(index)
        renumbered = sorted({tuple(number[node] for node in clause) for clause in clauses}, key=lambda c: (len(c), c))
        own_ends = np.searchsorted(used, ends[used]).astype(np.int32)
        return cls(above, own_ends, penalties[used], tuple(renumbered)), used

    @cached_property
    def offsets(self) -> Int64s:
        return np.concatenate(([0], np.cumsum([len(clause) for clause in self.clauses]))).astype(np.int64)

    @cached_property
    def members(self) -> Int32s:
        return np.array([node for clause in self.clauses for node in clause], np.int32)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        below: list[list[int]] = [[] for _ in self.above]
        for node, parent in enumerate(self.above):
            if parent >= 0:
                below[parent].append(node)
        return tuple(map(tuple, below))

    def satisfied(self, locked: Sequence[int]) -> npt.NDArray[np.bool_]:
        """Clause -> does a locked node satisfy it?"""
        under = np.zeros(len(self.above), bool)
        for node in locked:
            under[node : self.ends[node]] = True
        return np.logical_or.reduceat(under[self.members], self.offsets[:-1])

    def cost(self, locked: Sequence[int]) -> int:
        return int(self.penalties[list(locked)].sum())


@dataclass(frozen=True)
class Answer:
    """Nodes to lock, none above another."""

    locked: tuple[int, ...]
    cost: int
    bound: int
    """No way to satisfy all clauses costs less."""
    examined: int
    by_programme: bool


def cheapest_locks(problem: ClauseProblem, limits: Limits, *, most_nodes: int = MOST_NODES) -> Answer:
    """The cheapest way to satisfy all clauses, or the best found when time is up, with what no way can go below."""
    space = ClauseSpace(problem)
    start = greedy_locks(problem)
    incumbents: Incumbents[ValueCut] = Incumbents(most=1, identity=lambda cut: cut)
    incumbents.offer(problem.cost(start), start)
    outcome = branch_and_bound(space, incumbents, limits, most_nodes=most_nodes)
    cost, locked = incumbents.ranked[0][0], incumbents.ranked[0][2]
    found = Answer(locked, cost, min(cost, outcome.bound or 0), outcome.examined, False)
    if outcome.finished or limits.is_over:
        return found
    return _programme(problem, found, limits)


def greedy_locks(problem: ClauseProblem) -> tuple[int, ...]:
    """Nodes whose penalty the dual ascent uses up, each dropped again if the others suffice without it."""
    state = np.zeros(len(problem.above), np.int8)
    left = np.empty(len(problem.above), np.int64)
    clause_bound(problem.offsets, problem.members, problem.above, problem.penalties, state, left)
    locked: list[int] = []
    for node in np.flatnonzero(left <= 0).tolist():
        if not locked or node >= problem.ends[locked[-1]]:
            locked.append(node)
    # The most expensive first: a high node may stand for several lower ones that are used up as well.
    for node in sorted(locked, key=lambda node: -problem.penalties[node]):
        lower = [below for below in np.flatnonzero(left <= 0).tolist() if node < below < problem.ends[node]]
        others = [other for other in locked if other != node]
        tops = [below for below in lower if not any(up < below < problem.ends[up] for up in lower)]
        for replacement in ([], tops):
            trial = sorted(others + replacement)
            if problem.satisfied(trial).all() and problem.cost(trial) <= problem.cost(locked):
                locked = trial
                break
    return tuple(locked)


class ClauseSpace:
    """The cuts of the clauses' nodes, for branch and bound; a cut is given by the nodes that are locked."""

    unit = 1

    def __init__(self, problem: ClauseProblem) -> None:
        self.problem = problem
        self.state = np.full(len(problem.above), UNDECIDED, np.int8)
        self.left = np.empty(len(problem.above), np.int64)
        self.decisions: list[tuple[Value, int]] = []
        self.paid = 0

    def bound(self) -> int:
        problem = self.problem
        return self.paid + int(
            clause_bound(problem.offsets, problem.members, problem.above, problem.penalties, self.state, self.left)
        )

    def root(self) -> tuple[tuple[Value, ...], ValueCut, int]:
        return tuple(int(node) for node in np.flatnonzero(self.problem.above < 0)), (), self.bound()

    def children(self, value: Value) -> tuple[Value, ...]:
        return self.problem.children[value]

    def is_open(self, value: Value) -> bool:
        return True

    def rank(self, value: Value) -> tuple[int, ...]:
        return (-int(self.problem.penalties[value]), value)

    def specialize(self, value: Value, cutoff: int | None) -> int:
        self.decisions.append((value, SPECIALIZED))
        self.state[value] = SPECIALIZED
        return self.bound()

    def lock(self, value: Value, cutoff: int | None) -> int:
        self.decisions.append((value, LOCKED))
        self.state[value : self.problem.ends[value]] = LOCKED
        self.paid += int(self.problem.penalties[value])
        return self.bound()

    def rewind(self, decisions: int) -> None:
        while len(self.decisions) > decisions:
            value, decided = self.decisions.pop()
            self.state[value : self.problem.ends[value]] = UNDECIDED
            if decided == LOCKED:
                self.paid -= int(self.problem.penalties[value])

    def solutions(self, fixed: ValueCut) -> Iterator[tuple[int, ValueCut]]:
        if self.bound() < IMPOSSIBLE:
            yield self.paid, tuple(sorted(fixed))


def _programme(problem: ClauseProblem, found: Answer, limits: Limits) -> Answer:
    """The same by a mixed-integer programme: s(v) = 1 where v is specialized, s(v) <= s(node above v).

    A cut costs the penalties of the topmost nodes, minus, for each specialized node, what its specialization saves.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    count = len(problem.above)
    saved = problem.penalties.copy()
    has_above = np.flatnonzero(problem.above >= 0)
    np.subtract.at(saved, problem.above[has_above], problem.penalties[has_above])
    lengths = np.diff(problem.offsets)
    clause_rows = np.repeat(np.arange(len(lengths)), lengths)
    order_rows = len(lengths) + np.arange(len(has_above))
    rows = np.concatenate((clause_rows, order_rows, order_rows))
    columns = np.concatenate((problem.members, has_above, problem.above[has_above]))
    values = np.concatenate((np.ones(len(clause_rows) + len(has_above)), -np.ones(len(has_above))))
    matrix = coo_array((values, (rows, columns)), shape=(len(lengths) + len(has_above), count)).tocsr()
    most = np.concatenate((lengths - 1, np.zeros(len(has_above))))
    top_cost = int(problem.penalties[problem.above < 0].sum())
    unit = max(1, int(np.gcd.reduce(saved)))
    seconds = FIRST_SECONDS
    while True:
        if limits.time_limit is not None:
            seconds = min(seconds, max(0.01, limits.time_limit - limits.seconds))
        solved = milp(
            -(saved // unit).astype(float),
            integrality=np.ones(count),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(matrix, ub=most),
            options={"time_limit": seconds, "mip_rel_gap": float(limits.alpha / (1 + limits.alpha))},
        )
        if solved.x is not None:
            specialized = solved.x > 0.5
            locked = _tops(problem, ~specialized)
            cost = problem.cost(locked)
            if problem.satisfied(locked).all() and cost < found.cost:
                found = replace(found, locked=locked, cost=cost, by_programme=True)
        if solved.mip_dual_bound is not None and np.isfinite(solved.mip_dual_bound):
            # All costs are multiples of the unit, and the programme's own error is far below one.
            proven = top_cost + unit * int(np.ceil(solved.mip_dual_bound - 1e-3))
            found = replace(found, bound=max(found.bound, min(found.cost, proven)), by_programme=True)
        nodes = int(getattr(solved, "mip_node_count", 0) or 0)
        found = replace(found, examined=found.examined + nodes)
        if found.bound * (1 + limits.alpha) >= found.cost or limits.is_over:
            return found
        seconds *= 2


def _tops(problem: ClauseProblem, locked: npt.NDArray[np.bool_]) -> tuple[int, ...]:
    """The topmost of these nodes."""
    tops: list[int] = []
    for node in np.flatnonzero(locked):
        if not tops or node >= problem.ends[tops[-1]]:
            tops.append(int(node))
    return tuple(tops)
