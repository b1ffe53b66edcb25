"""The cheapest valid cut, by clauses: what OG and mOG have in common.

1. Nodes that no valid cut specializes are locked (locking); below them there is nothing left to decide.
2. At the lowest cut that is left, threats are looked for, and made as general as possible while they stay threats
   (kernels/threats). Each becomes a clause: not all the parents of its items are specialized.
3. The cheapest cut under the clauses known (clauses). None that violates no clause is cheaper, valid or not.
4. Threats are looked for at that cut. If there are none it is valid, and optimal. Otherwise they are new clauses, and
   3 is repeated: each round excludes the previous cut, so it ends.

Whether a cut is valid is decided by counting the transactions as it publishes them, never by the clauses alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from discreet.encode.transactions import EncodedTransactions
from discreet.kernels.absent_items import FINISHED
from discreet.kernels.threat_clauses import Clauses
from discreet.losses.transactions import ItemLoss, prices
from discreet.models.itemset_limits import ItemsetLimits
from discreet.search.limits import Limits
from discreet.search.transactions.clauses import ClauseProblem, cheapest_locks
from discreet.search.transactions.locking import unlocked_nodes
from discreet.search.transactions.stoppable import run_stoppable
from discreet.search.transactions.view import Bools, Rows, view
from discreet.taxonomy import Cut, Taxonomy
from discreet.values.arrays import Int32s, Int64s

ROOM = 1 << 14
"""Clauses that one round may find; if there are more, the next round finds them."""

Tell = Callable[[int, int, int], None]
"""Called with the least cost of a valid cut so far, the proven bound, and how many itemsets and cuts were looked at."""


@dataclass(frozen=True, eq=False)
class Priced:
    """What each node costs as part of a cut, in whole numbers of 1 / unit."""

    costs: Int64s
    unit: int

    @classmethod
    def of(cls, transactions: EncodedTransactions, loss: ItemLoss) -> Priced:
        price, unit = prices(loss, transactions.taxonomy)
        return cls(price * transactions.taxonomy.sums(transactions.leaf_occurrences), unit)


@dataclass(frozen=True, eq=False)
class Optimum:
    """The cheapest valid cut found; specialized: the nodes above it."""

    specialized: Bools
    cost: int
    bound: int
    tests: int
    free: int
    clauses: int
    rounds: int
    itemsets_examined: int
    cuts_examined: int
    by_programme: bool


def cut_of(taxonomy: Taxonomy, specialized: Bools) -> Cut:
    """The cut right below the specialized nodes."""
    parents = taxonomy.parents
    below = np.where(parents < 0, True, specialized[parents]) & ~specialized
    return Cut(taxonomy, tuple(int(node) for node in np.flatnonzero(below)))


def optimal_cut(
    rows: Rows,
    taxonomy: Taxonomy,
    priced: Priced,
    limits: ItemsetLimits,
    may_be_specialized: Bools,
    clock: Limits,
    tell: Tell,
) -> Optimum | None:
    """The cheapest valid cut above the nodes that may not be specialized; None where not even the root is valid."""
    locking = unlocked_nodes(rows, taxonomy, limits, may_be_specialized, clock)
    if locking is None:
        return None
    free = np.flatnonzero(locking.free)
    search = _Rounds(rows, taxonomy, priced, limits, free.astype(np.int32), locking.tests, locking.examined)
    if not locking.finished:  # what was not tested may be free, and its leaves cost nothing
        search.bound = 0
        return search.optimum()
    search.run(clock, tell)
    return search.optimum()


class _Rounds:
    def __init__(
        self,
        rows: Rows,
        taxonomy: Taxonomy,
        priced: Priced,
        limits: ItemsetLimits,
        free: Int32s,
        tests: int,
        examined: int,
    ) -> None:
        self.taxonomy = taxonomy
        self.limits = limits
        self.free = free
        self.tests = tests
        self.costs = priced.costs
        self.number = np.full(len(taxonomy.labels), -1, np.int32)
        self.number[free] = np.arange(len(free), dtype=np.int32)
        self.lowest = self.specialized_without(())
        self.rows = rows.generalized(self.published(self.lowest))
        self.base = self.cost(self.lowest)
        # How much more locking a node costs than the lowest cut below it.
        on_lowest = np.zeros(len(taxonomy.labels), np.int64)
        nodes = list(cut_of(taxonomy, self.lowest).nodes)
        on_lowest[nodes] = self.costs[nodes]
        before = np.concatenate(([0], np.cumsum(on_lowest)))
        self.penalties = self.costs[free] - (before[taxonomy.end[free]] - before[free])
        self.clauses = _no_clauses(taxonomy, free, limits)
        self.clause_count = 0
        self.examined = np.array([examined], np.int64)
        self.cuts_examined = 0
        self.rounds = 0
        self.by_programme = False
        self.bound = self.base if len(free) else int(self.costs[0])
        nothing = np.zeros(len(taxonomy.labels), bool)
        self.best = nothing
        self.best_cost = int(self.costs[0])

    def specialized_without(self, locked: tuple[int, ...]) -> Bools:
        """All free nodes are specialized, except those at and below the locked ones."""
        specialized = np.zeros(len(self.taxonomy.labels), bool)
        specialized[self.free] = True
        for index in locked:
            node = self.free[index]
            specialized[node : self.taxonomy.end[node]] = False
        return specialized

    def published(self, specialized: Bools) -> Int32s:
        """Node at or below the cut -> the node of the cut above it."""
        cut = np.array(cut_of(self.taxonomy, specialized).nodes, np.int32)
        at = np.searchsorted(cut, np.arange(len(self.taxonomy.labels)), side="right") - 1
        return cut[np.maximum(at, 0)]

    def cost(self, specialized: Bools) -> int:
        return int(self.costs[list(cut_of(self.taxonomy, specialized).nodes)].sum())

    def run(self, clock: Limits, tell: Tell) -> None:
        specialized, cost = self.lowest, self.base
        while True:
            self.rounds += 1
            tell(self.best_cost, self.bound, int(self.examined[0]) + self.cuts_examined)
            is_valid = self.find_threats(specialized, clock)
            if is_valid is None:
                return
            if is_valid and cost < self.best_cost:
                self.best, self.best_cost = specialized, cost
            if is_valid or clock.is_over:
                break
            ends = np.searchsorted(self.free, self.taxonomy.end[self.free]).astype(np.int32)
            known = [
                self.clauses.members[clause, : self.clauses.sizes[clause]].tolist()
                for clause in range(self.clause_count)
            ]
            problem, used = ClauseProblem.of(ends, self.penalties, known)
            answer = cheapest_locks(problem, clock)
            self.by_programme |= answer.by_programme
            self.cuts_examined += answer.examined
            self.bound = max(self.bound, self.base + answer.bound)
            specialized = self.specialized_without(tuple(int(used[node]) for node in answer.locked))
            cost = self.base + answer.cost
        tell(self.best_cost, min(self.bound, self.best_cost), int(self.examined[0]) + self.cuts_examined)

    def find_threats(self, specialized: Bools, clock: Limits) -> bool | None:
        """Looks for threats at a cut and notes their clauses; True if there are none, None if time was up first."""
        rows = self.rows if specialized is self.lowest else self.rows.generalized(self.published(specialized))
        at_cut = view(rows, self.taxonomy, self.number, self.limits)
        before = self.clause_count
        self.clauses = _with_room(self.clauses, before)

        def look(stop: Int64s) -> tuple[int, int]:
            return at_cut.find_threats(self.clauses, before, 0, stop, self.examined, one_is_enough=False)

        ended, self.clause_count = run_stoppable(look, clock)
        if self.clause_count > before:
            return False
        return True if ended == FINISHED else None

    def optimum(self) -> Optimum:
        return Optimum(
            specialized=self.best,
            cost=self.best_cost,
            bound=min(self.bound, self.best_cost),
            tests=self.tests,
            free=len(self.free),
            clauses=self.clause_count,
            rounds=self.rounds,
            itemsets_examined=int(self.examined[0]),
            cuts_examined=self.cuts_examined,
            by_programme=self.by_programme,
        )


def _no_clauses(taxonomy: Taxonomy, free: Int32s, limits: ItemsetLimits) -> Clauses:
    """Room for clauses over the free nodes."""
    width = min(limits.present + limits.absent, len(free)) + 1
    ends = np.searchsorted(free, taxonomy.end[free])
    above = np.where(taxonomy.parents[free] < 0, -1, np.searchsorted(free, taxonomy.parents[free]))
    return Clauses(
        tree=np.column_stack((ends, above, np.full(len(free), -1))).astype(np.int32),
        pairs=np.zeros((len(free), len(free)), bool),
        members=np.zeros((ROOM, width), np.int32),
        sizes=np.zeros(ROOM, np.int32),
        links=np.full(ROOM * width, -1, np.int32),
    )


def _with_room(clauses: Clauses, count: int) -> Clauses:
    """The same clauses, with room for as many again if less than half is left."""
    if 2 * count <= len(clauses.sizes):
        return clauses
    return clauses._replace(
        members=np.concatenate((clauses.members, np.zeros_like(clauses.members))),
        sizes=np.concatenate((clauses.sizes, np.zeros_like(clauses.sizes))),
        links=np.concatenate((clauses.links, np.full_like(clauses.links, -1))),
    )
