"""Sanitizing a buffer of rules: the least deletions, exact supports, and rules that become unsafe by it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from discreet.kernels.rule_sanitation import DELETED, SANITIZED, Progress, deletions_needed, sanitize
from discreet.kernels.unsafe_rules import CLOSED, MEMBERS, OPEN, RULES, Part, Rules, find_unsafe_rules, room_for_rules
from discreet.values.sets import Sets

RHOS = (Fraction(0), Fraction(1, 10), Fraction(3, 10), Fraction(1, 2), Fraction(7, 10), Fraction(9, 10), Fraction(1))
GO_ON = np.zeros(1, np.int64)
ITEMS, FIRST_SENSITIVE = 8, 5


def part_of(records: Sequence[set[int]]) -> Part:
    sets = Sets.of(records)
    by_item = np.argsort(sets.items, kind="stable")
    starts = np.searchsorted(sets.items[by_item], np.arange(ITEMS + 1)).astype(np.int64)
    return Part(sets.offsets, sets.items, np.ones(len(sets.items), bool), starts, sets.rows[by_item].astype(np.int32))


def left_of(part: Part) -> list[set[int]]:
    return [
        set(part.items[first:end][part.kept[first:end]].tolist())
        for first, end in zip(part.offsets[:-1], part.offsets[1:], strict=True)
    ]


def support(records: Sequence[set[int]], itemset: set[int]) -> int:
    return sum(itemset <= record for record in records)


def is_unsafe(records: Sequence[set[int]], q: set[int], e: int, rho: Fraction) -> bool:
    return support(records, q | {e}) > rho * support(records, q)


def sanitized(part: Part, rho: Fraction, for_rules: bool, seed: int) -> tuple[Rules, Progress]:
    rules = room_for_rules(10_000, 100_000, 100_000)
    state = np.where(np.arange(ITEMS) < FIRST_SENSITIVE, CLOSED, OPEN)
    find_unsafe_rules(part, rho.numerator, rho.denominator, state, np.zeros(0, bool), rules, GO_ON)
    supports = np.diff(part.posting_offsets)
    draws = np.random.default_rng(seed).random(len(part.items))
    progress = Progress(supports.copy(), supports, draws, np.zeros(2, np.int64))
    sanitize(part, rules, progress, rho.numerator, rho.denominator, for_rules, GO_ON)
    return rules, progress


def test_the_least_number_of_deletions() -> None:
    for rho in RHOS:
        for without in range(1, 25):
            for both in range(1, without + 1):
                for of_q in (False, True):
                    least = next(k for k in range(both + 1) if both - k <= rho * (without - k * of_q))
                    assert least == deletions_needed(without, both, not of_q, rho.numerator, rho.denominator)


@pytest.mark.parametrize("for_rules", [True, False])
def test_supports_stay_exact_and_other_rules_may_become_unsafe(for_rules: bool) -> None:
    random, regressions = np.random.default_rng(6), 0
    for seed in range(150):
        rho = RHOS[1 + seed % 5]
        records = [set(np.flatnonzero(random.random(ITEMS) < 0.45).tolist()) for _ in range(12)]
        part = part_of(records)
        rules, progress = sanitized(part, rho, for_rules, seed)
        left = left_of(part)
        assert progress.supports.tolist() == [support(left, {item}) for item in range(ITEMS)]
        assert progress.done[DELETED] == (~part.kept).sum()
        assert progress.done[SANITIZED] <= progress.done[DELETED]
        for rule in range(int(rules.filled[RULES])):
            members = rules.members[rules.offsets[rule, MEMBERS] : rules.offsets[rule + 1, MEMBERS]]
            e = int(rules.sensitive[rule])
            q = set(members.tolist()) - {e}
            assert rules.supports[rule].tolist() == [support(left, q), support(left, q | {e})]
            assert not is_unsafe(left, q, e, rho)
        regressions += any(
            is_unsafe(left, set(q), e, rho) and not is_unsafe(records, set(q), e, rho)
            for size in range(1, ITEMS)
            for q in combinations(range(ITEMS), size)
            for e in range(FIRST_SENSITIVE, ITEMS)
            if e not in q
        )
    assert regressions > 5


def test_what_has_lost_some_loses_more_by_the_aim_rules() -> None:
    """6 and 7 are alike; the later goes first and, being begun, altogether."""
    part = part_of([{0, 6, 7}, {1, 6, 7}, {2, 6, 7}])
    _, progress = sanitized(part, Fraction(1, 2), True, 1)
    assert progress.supports[[0, 1, 2, 6, 7]].tolist() == [1, 1, 1, 3, 0]


def test_what_is_too_frequent_loses_by_the_aim_distribution() -> None:
    part = part_of([{0, 7}, {1, 7}, {2, 7}, {3, 7}, {4, 7}, {7}])
    _, progress = sanitized(part, Fraction(1, 2), False, 1)
    assert 0 < progress.supports[7] < 6 and 0 < progress.supports[:5].sum() < 5


@pytest.mark.parametrize(("for_rules", "deleted"), [(True, 0), (False, 7)])
def test_the_leftover_counts_and_not_how_frequent_an_item_is(for_rules: bool, deleted: int) -> None:
    """Item 0 has 1 of 2 occurrences left, 7 has 60 of 100; with 1, of which all are, both shares fell."""
    part, rules = part_of([{0, 7}]), room_for_rules(10, 100, 100)
    find_unsafe_rules(part, 1, 2, np.where(np.arange(ITEMS) == 7, OPEN, CLOSED), np.zeros(0, bool), rules, GO_ON)
    supports, originals = np.ones((2, ITEMS), np.int64)
    supports[[0, 1, 7]], originals[[0, 1, 7]] = (1, 1000, 60), (2, 1000, 100)
    progress = Progress(supports, originals, np.zeros(2), np.zeros(2, np.int64))
    sanitize(part, rules, progress, 1, 2, for_rules, GO_ON)
    assert left_of(part) == [{0, 7} - {deleted}]


def test_stops_when_told_to() -> None:
    part, rules = part_of([{0, 7}]), room_for_rules(10, 100, 100)
    find_unsafe_rules(part, 1, 2, np.where(np.arange(ITEMS) == 7, OPEN, CLOSED), np.zeros(0, bool), rules, GO_ON)
    supports = np.diff(part.posting_offsets)
    progress = Progress(supports.copy(), supports, np.zeros(2), np.zeros(2, np.int64))
    sanitize(part, rules, progress, 1, 2, True, np.ones(1, np.int64))
    assert rules.filled[RULES] == 1 and part.kept.all()
