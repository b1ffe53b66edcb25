"""A limit on how much may be suppressed, on top of any loss.

The cuts are searched as without the limit, by two spaces that take the same decisions: one counts costs, the other
counts what is suppressed and nothing else (lm with a price of 1 for that and none for generalization, so all bounds of
kernels/partition_price hold). Where even the least that can be suppressed is more than the limit, no cut is left.

Surcharge (lm). Let every suppressed value or record cost s more. A cut within the limit then costs at most s * limit
more than it does, so the bound of the dearer problem less s * limit bounds what cuts within the limit cost: often much
closer than the bound without the limit, which knows nothing of it. Any s >= 0 is right; the one that a descent needs to
come down to the limit is a good one.

The programmed attribute. With the others' cuts given, its cheapest cut within the limit is no longer the cheapest node
by node, but the best of all pairs (cost, suppressed) of which none is better in both: again leaves to root, each node
with the pairs of its subtree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from discreet.search.branch_and_bound import IMPOSSIBLE, Value, ValueCut
from discreet.search.cut_enumeration import OccurringTree
from discreet.search.table.space import PreparedTable, TableSpace
from discreet.values.arrays import Bools, Int64s

Pairs: TypeAlias = tuple[Int64s, Int64s, list[tuple[int, ...]]]
"""Costs and what is suppressed, by rising cost, with the cut that has them."""


@dataclass
class CappedSpace:
    """The Space of a prepared table of which no more than `most` records may be deleted or lose a value."""

    costs: TableSpace
    suppressed: TableSpace
    most: int
    surcharge: int

    @classmethod
    def of(cls, prepared: PreparedTable, programmed: int, most: int, surcharge: int) -> CappedSpace:
        return cls(
            TableSpace(prepared.with_surcharge(surcharge), programmed),
            TableSpace(prepared.of_suppression(), programmed),
            most,
            surcharge,
        )

    @property
    def unit(self) -> int:
        return self.costs.unit

    def root(self) -> tuple[tuple[Value, ...], ValueCut, int]:
        opened, fixed, bound = self.costs.root()
        least = self.suppressed.root()[2]
        return opened, fixed, IMPOSSIBLE if least > self.most else self._without_surcharge(bound)

    def children(self, value: Value) -> tuple[Value, ...]:
        return self.costs.children(value)

    def is_open(self, value: Value) -> bool:
        return self.costs.is_open(value)

    def rank(self, value: Value) -> tuple[int, ...]:
        return self.costs.rank(value)

    def specialize(self, value: Value, cutoff: int | None) -> int:
        return self._decide(value, cutoff, lock=False)

    def lock(self, value: Value, cutoff: int | None) -> int:
        return self._decide(value, cutoff, lock=True)

    def rewind(self, decisions: int) -> None:
        self.costs.rewind(decisions)
        self.suppressed.rewind(decisions)

    def solutions(self, fixed: ValueCut) -> Iterator[tuple[int, ValueCut]]:
        """The cheapest one within the limit; where all attributes are branched on, there is only one."""
        forest, programmed = self.costs.prepared.forest, self.costs.programmed
        suppressed = self.suppressed.totals[0]
        prices, blocked = self.costs.totals[0] - self.surcharge * suppressed, self.costs.totals[1] > 0
        if programmed == len(forest.trees):
            if not blocked[0] and suppressed[0] <= self.most:
                yield int(prices[0]), fixed
            return
        found = cheapest_within(forest.trees[programmed], prices, blocked, suppressed, self.most)
        if found is not None:
            cost, _, nodes = found
            yield cost, fixed + tuple(forest.value(programmed, node) for node in nodes)

    def _decide(self, value: Value, cutoff: int | None, *, lock: bool) -> int:
        decide = TableSpace.lock if lock else TableSpace.specialize
        # Whoever gives no cutoff may go on from here, whatever the bound: then nothing stops early.
        if decide(self.suppressed, value, None if cutoff is None else self.most + 1) > self.most:
            return IMPOSSIBLE
        allowance = self.surcharge * self.most
        return self._without_surcharge(decide(self.costs, value, None if cutoff is None else cutoff + allowance))

    def _without_surcharge(self, bound: int) -> int:
        return bound if bound >= IMPOSSIBLE else bound - self.surcharge * self.most


def cheapest_within(
    tree: OccurringTree, prices: Int64s, blocked: Bools, suppressed: Int64s, most: int
) -> tuple[int, int, tuple[int, ...]] | None:
    """The cheapest cut of a tree that suppresses at most so much: its cost, what it suppresses, its nodes."""
    best: list[Pairs] = [_NOTHING] * len(tree.nodes)
    for node in range(len(tree.nodes) - 1, -1, -1):
        children = tree.children(node)
        found = best[children[0]] if children else _NOTHING
        for child in children[1:]:
            found = _combined(found, best[child], most)
        if not blocked[node] and suppressed[node] <= most:
            costs, used = np.append(found[0], prices[node]), np.append(found[1], suppressed[node])
            places, cuts = _undominated(costs, used), [*found[2], (node,)]
            found = (costs[places], used[places], [cuts[place] for place in places.tolist()])
        best[node] = found
        for child in children:
            best[child] = _NOTHING
    costs, used, cuts = best[0]
    return (int(costs[0]), int(used[0]), cuts[0]) if len(costs) else None


_NOTHING: Pairs = (np.zeros(0, np.int64), np.zeros(0, np.int64), [])


def _combined(left: Pairs, right: Pairs, most: int) -> Pairs:
    """One of each, those within the limit of which none is better in both."""
    costs = (left[0][:, None] + right[0]).ravel()
    used = (left[1][:, None] + right[1]).ravel()
    within = np.flatnonzero(used <= most)
    places = within[_undominated(costs[within], used[within])]
    cuts = [left[2][place // len(right[0])] + right[2][place % len(right[0])] for place in places.tolist()]
    return costs[places], used[places], cuts


def _undominated(costs: Int64s, used: Int64s) -> Int64s:
    """Where no other is at most as dear and suppresses at most as much; by rising cost."""
    if not len(costs):
        return np.zeros(0, np.int64)
    order = np.lexsort((used, costs))
    least_before = np.minimum.accumulate(used[order])
    new = np.append(True, least_before[1:] < least_before[:-1])
    return np.asarray(order[new])
