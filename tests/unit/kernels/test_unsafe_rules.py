"""The search for unsafe rules against all itemsets."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from discreet.kernels.unsafe_rules import (
    CLOSED,
    HOLDERS,
    MEMBERS,
    OPEN,
    OPEN_WHERE_TOUCHED,
    RULES,
    Part,
    Rules,
    find_unsafe_records,
    find_unsafe_rules,
    room_for_rules,
)
from discreet.values.sets import Sets

Rule = tuple[frozenset[int], int]
RHOS = (Fraction(0), Fraction(1, 10), Fraction(3, 10), Fraction(1, 2), Fraction(7, 10), Fraction(9, 10), Fraction(1))
GO_ON = np.zeros(1, np.int64)
NO_RECORDS = np.zeros(0, bool)


def part_of(records: Sequence[set[int]], items: int, deleted: Sequence[tuple[int, int]] = ()) -> Part:
    """The records after the deletion of items from them, as pairs of a record and an item."""
    sets = Sets.of(records)
    kept = np.array([(r, i) not in set(deleted) for r, i in zip(sets.rows, sets.items, strict=True)], bool)
    by_item = np.argsort(sets.items, kind="stable")
    starts = np.searchsorted(sets.items[by_item], np.arange(items + 1)).astype(np.int64)
    return Part(sets.offsets, sets.items, kept, starts, sets.rows[by_item].astype(np.int32))


def random_records(random: np.random.Generator, records: int, items: int, share: float) -> list[set[int]]:
    return [set(np.flatnonzero(random.random(items) < share).tolist()) for _ in range(records)]


def found(rules: Rules) -> list[Rule]:
    each = range(int(rules.filled[RULES]))
    members = [rules.members[rules.offsets[rule, MEMBERS] : rules.offsets[rule + 1, MEMBERS]] for rule in each]
    assert all(sorted(items.tolist()) == items.tolist() for items in members)
    return [
        (frozenset(items.tolist()) - {int(e)}, int(e))
        for items, e in zip(members, rules.sensitive[: len(each)], strict=True)
    ]


def search(part: Part, rho: Fraction, first_sensitive: int) -> Rules:
    rules = room_for_rules(10_000, 100_000, 100_000)
    state = np.where(np.arange(len(part.posting_offsets) - 1) < first_sensitive, CLOSED, OPEN)
    find_unsafe_rules(part, rho.numerator, rho.denominator, state, NO_RECORDS, rules, GO_ON)
    assert (state == CLOSED).all()
    return rules


# The oracle: all itemsets, nothing of discreet.


def support(records: Sequence[set[int]], itemset: frozenset[int]) -> int:
    return sum(itemset <= record for record in records)


def closed_unsafe_rules(records: Sequence[set[int]], rho: Fraction, sensitive: Sequence[int]) -> set[Rule]:
    """All unsafe rules, each with what the records that have all of it have in common."""
    rules = set()
    for e in sensitive:
        having = [record for record in records if e in record]
        antecedents = {
            frozenset(q) for record in having for n in range(1, len(record)) for q in combinations(record, n)
        }
        for q in antecedents:
            if e not in q and support(having, q) > rho * support(records, q):
                rules.add((frozenset(set.intersection(*(record for record in having if q <= record))) - {e}, e))
    return rules


@pytest.mark.parametrize("rho", RHOS, ids=str)
def test_finds_exactly_the_closed_unsafe_rules_with_their_supports(rho: Fraction) -> None:
    random = np.random.default_rng(1)
    for _ in range(60):
        items = int(random.integers(2, 8))
        records = random_records(random, int(random.integers(1, 14)), items, random.uniform(0.2, 0.8))
        first_sensitive = int(random.integers(0, items))
        deleted = [(r, i) for r, record in enumerate(records) for i in record if random.random() < 0.2]
        left = [{i for i in record if (r, i) not in deleted} for r, record in enumerate(records)]
        rules = search(part_of(records, items, deleted), rho, first_sensitive)
        every = found(rules)
        assert len(set(every)) == len(every)
        assert set(every) == closed_unsafe_rules(left, rho, range(first_sensitive, items))
        for rule, (q, e) in enumerate(every):
            assert rules.supports[rule].tolist() == [support(left, q), support(left, q | {e})]
            holders = rules.holders[rules.offsets[rule, HOLDERS] : rules.offsets[rule + 1, HOLDERS]]
            assert sorted(holders.tolist()) == [r for r, record in enumerate(left) if q <= record]


def test_a_record_of_200_items_has_as_many_rules_as_sensitive_items() -> None:
    every = found(search(part_of([set(range(200)), {0}, {199}], 200), Fraction(7, 10), 150))
    assert sorted(every, key=lambda rule: rule[1]) == [(frozenset(range(200)) - {e}, e) for e in range(150, 200)]


def test_goes_on_where_there_was_no_more_room() -> None:
    records = random_records(np.random.default_rng(2), 30, 9, 0.4)
    part, rho = part_of(records, 9), Fraction(1, 2)
    every = found(search(part, rho, 4))
    assert {e for _, e in every} == set(range(4, 9))
    most = max(sum(rule[1] == e for rule in every) for e in range(4, 9))
    state, together, calls = np.where(np.arange(9) < 4, CLOSED, OPEN), list[Rule](), 0
    while state.any():
        before, rules = state.copy(), room_for_rules(most, 10_000, 10_000)
        find_unsafe_rules(part, 1, 2, state, NO_RECORDS, rules, GO_ON)
        together += [rule for rule in found(rules) if state[rule[1]] == CLOSED]
        assert state.sum() < before.sum()
        calls += 1
    assert together == every and calls > 1


@pytest.mark.parametrize("room", [(1, 1000, 1000), (1000, 30, 1000), (1000, 1000, 30)])
def test_never_takes_more_than_there_is_room_for(room: tuple[int, int, int]) -> None:
    records = random_records(np.random.default_rng(3), 30, 9, 0.4)
    rules = room_for_rules(*room)
    state = np.where(np.arange(9) < 4, CLOSED, OPEN)
    find_unsafe_rules(part_of(records, 9), 1, 2, state, NO_RECORDS, rules, GO_ON)
    assert state.any()
    assert 0 < rules.filled[RULES] <= room[0]
    assert set(found(rules)) <= closed_unsafe_rules(records, Fraction(1, 2), range(4, 9))


def test_stops_when_told_to() -> None:
    part = part_of([{0, 1}, {0, 2}], 3)
    rules = room_for_rules(10, 100, 100)
    state = np.array([CLOSED, OPEN, OPEN])
    find_unsafe_rules(part, 1, 2, state, NO_RECORDS, rules, np.ones(1, np.int64))
    assert state.tolist() == [CLOSED, OPEN, OPEN] and rules.filled[RULES] == 0
    is_open = np.ones(2, bool)
    find_unsafe_records(part, 1, 2, 1, is_open, rules, np.ones(1, np.int64))
    assert is_open.all() and rules.filled[RULES] == 0


def test_where_touched_the_rules_of_touched_records_alone_are_found() -> None:
    """All rules with an item are in the touched records when these are the ones that have it."""
    random = np.random.default_rng(7)
    for _ in range(60):
        records = random_records(random, 14, 8, 0.45)
        touched = np.array([0 in record for record in records])
        state = np.where(np.arange(8) < 4, CLOSED, OPEN_WHERE_TOUCHED)
        rules = room_for_rules(1000, 10_000, 10_000)
        find_unsafe_rules(part_of(records, 8), 1, 2, state, touched, rules, GO_ON)
        every = closed_unsafe_rules(records, Fraction(1, 2), range(4, 8))
        assert {rule for rule in found(rules) if 0 in rule[0]} == {rule for rule in every if 0 in rule[0]}
        assert not state.any()


def test_the_unsafe_rules_of_whole_records_that_are_open() -> None:
    random = np.random.default_rng(4)
    for _ in range(60):
        records = random_records(random, 12, 7, 0.5)
        is_open = random.random(12) < 0.5
        rules = room_for_rules(1000, 10_000, 10_000)
        wanted = {
            (frozenset(record) - {e}, e)
            for record, wanted in zip(records, is_open, strict=True)
            for e in record & {4, 5, 6}
            if wanted
            and len(record) > 1
            and 2 * support(records, frozenset(record)) > support(records, frozenset(record) - {e})
        }
        find_unsafe_records(part_of(records, 7), 1, 2, 4, is_open, rules, GO_ON)
        assert set(found(rules)) == wanted and not is_open.any()
