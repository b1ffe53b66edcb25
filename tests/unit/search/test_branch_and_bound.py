"""Branch and bound on a space that has nothing to do with tables: cuts of one tree whose nodes have prices."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.search.branch_and_bound import Value, ValueCut, branch_and_bound
from discreet.search.events import SearchEvent
from discreet.search.incumbents import Incumbents
from discreet.search.limits import Limits
from discreet.taxonomy import Taxonomy, enumerate_cuts
from examples import examples


@dataclass
class PricedTree:
    """The cost of a cut is the sum of its nodes' prices; the bound charges what is fixed and nothing else."""

    taxonomy: Taxonomy
    prices: list[int]
    unit: int = 1
    decisions: list[tuple[Value, bool]] = field(default_factory=list)
    interrupt_after: int | None = None
    limits: Limits = field(default_factory=Limits)

    def root(self) -> tuple[tuple[Value, ...], ValueCut, int]:
        return ((0,), (), 0) if self.is_open(0) else ((), (0,), self.prices[0])

    def children(self, value: Value) -> tuple[Value, ...]:
        return self.taxonomy.children(value)

    def is_open(self, value: Value) -> bool:
        return not self.taxonomy.is_leaf(value)

    def rank(self, value: Value) -> tuple[int, ...]:
        return (value,)

    def specialize(self, value: Value, cutoff: int | None) -> int:
        return self._decide(value, lock=False)

    def lock(self, value: Value, cutoff: int | None) -> int:
        return self._decide(value, lock=True)

    def rewind(self, decisions: int) -> None:
        del self.decisions[decisions:]

    def solutions(self, fixed: ValueCut) -> Iterable[tuple[int, ValueCut]]:
        yield sum(self.prices[value] for value in fixed), tuple(sorted(fixed))

    def _decide(self, value: Value, *, lock: bool) -> int:
        self.decisions.append((value, lock))
        if self.interrupt_after is not None and len(self.decisions) > self.interrupt_after:
            self.limits.interrupt.set()
        locked = [value for value, is_lock in self.decisions if is_lock]
        split = [value for value, is_lock in self.decisions if not is_lock]
        leaves = [child for value in split for child in self.children(value) if not self.is_open(child)]
        return sum(self.prices[node] for node in locked + leaves)


@st.composite
def priced_trees(draw: st.DrawFn) -> PricedTree:
    size = draw(st.integers(1, 9))
    parents = [-1] + [draw(st.integers(0, node - 1)) for node in range(1, size)]
    taxonomy = Taxonomy.from_parents("tree", [f"n{node}" for node in range(size)], parents)
    prices = draw(st.lists(st.integers(0, 20), min_size=size, max_size=size))
    return PricedTree(taxonomy, prices)


def all_costs(space: PricedTree) -> list[int]:
    return sorted(sum(space.prices[node] for node in cut.nodes) for cut in enumerate_cuts(space.taxonomy))


@examples(120)
@given(priced_trees(), st.integers(1, 4), st.booleans())
def test_finds_the_cheapest_cuts(space: PricedTree, most: int, tighten: bool) -> None:
    incumbents: Incumbents[ValueCut] = Incumbents(most=most, identity=lambda cut: cut)
    outcome = branch_and_bound(space, incumbents, Limits(), tighten=tighten)
    assert [cost for cost, _, _ in incumbents.ranked] == all_costs(space)[:most]
    assert outcome.finished
    assert outcome.bound == incumbents.ranked[-1][0]


@examples(40)
@given(priced_trees())
def test_visits_every_cut_once_when_nothing_can_be_pruned(space: PricedTree) -> None:
    incumbents: Incumbents[ValueCut] = Incumbents(most=10**6, identity=lambda cut: cut)
    branch_and_bound(space, incumbents, Limits())
    cuts = [cut for _, _, cut in incumbents.ranked]
    assert sorted(cuts) == sorted(cut.nodes for cut in enumerate_cuts(space.taxonomy))


@examples(40)
@given(priced_trees(), st.integers(0, 6))
def test_an_interrupt_leaves_a_true_bound(space: PricedTree, decisions: int) -> None:
    space.interrupt_after = decisions
    incumbents: Incumbents[ValueCut] = Incumbents()
    incumbents.offer(space.prices[0], (0,))
    outcome = branch_and_bound(space, incumbents, space.limits)
    assert outcome.bound is not None and incumbents.best is not None
    assert outcome.bound <= all_costs(space)[0] <= incumbents.best[0]
    assert outcome.finished != space.limits.interrupt.is_set()


def test_events_carry_time_incumbent_bound_gap_and_count() -> None:
    taxonomy = Taxonomy.from_paths("t", [("a", "x", "*"), ("b", "x", "*"), ("c", "*")])
    space = PricedTree(taxonomy, [9, 5, 1, 1, 2], unit=2)
    events: list[SearchEvent] = []
    branch_and_bound(space, Incumbents(), Limits(), events.append)
    assert events[-1].incumbent == events[-1].bound == Fraction(4, 2)
    assert events[-1].gap == 0.0
    assert events[-1].examined >= 3
    assert all(first.seconds <= second.seconds for first, second in pairwise(events))


@pytest.mark.parametrize("most", [1, 2])
def test_incumbents_keep_the_cheapest_and_no_solution_twice(most: int) -> None:
    incumbents: Incumbents[str] = Incumbents(most=most, identity=str.lower)
    assert incumbents.cutoff is None
    assert incumbents.offer(5, "a")
    assert not incumbents.offer(5, "A")
    assert incumbents.offer(3, "b")
    assert not incumbents.offer(7, "c") if most == 1 else not incumbents.offer(9, "c")
    assert incumbents.best == (3, "b")
    assert incumbents.cutoff == (3 if most == 1 else 5)
