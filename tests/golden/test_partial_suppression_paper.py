"""Jia et al. 2014 on partial suppression: where the paper cannot be taken at its word.

Each rule in question is written here from the paper's text, with exact numbers, and everything is counted by the
exhaustive oracle. Where it matters, discreet's own method does on the same records what the paper meant.
"""

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import ceil, log

import numpy as np
import pytest

from discreet.search.limits import Limits
from discreet.search.transactions.partial_suppression import partial_suppression
from oracle.rho_uncertainty import (
    RHOS,
    TABLE_1,
    Itemset,
    Record,
    is_safe,
    itemsets,
    random_records,
    support,
    unsafe_rules,
)
from oracle.set_encoding import before_and_after, rho_problem

HALF = Fraction(1, 2)
SEVEN_TENTHS = Fraction(7, 10)


def records(*texts: str) -> list[Record]:
    return [frozenset(text) for text in texts]


def suppressed(given: list[Record], sensitive: str, rho: Fraction, t_max: int = 500) -> list[Record]:
    problem = rho_problem(given, list(sensitive), rho)
    result = partial_suppression(problem, Limits(), np.random.default_rng(0), t_max=t_max)
    return before_and_after(problem, result.recoded)[1]


def deletions(item: str, known: Itemset, sensitive: str, given: list[Record], rho: Fraction) -> Fraction:
    """N_s of Definition 1."""
    too_many = support(given, known | {sensitive}) - rho * support(given, known)
    return too_many if item == sensitive else too_many / (1 - rho)


class TestTheDefinitionOfSafe:
    def test_taken_literally_no_sensitive_item_may_be_published(self) -> None:
        # "For any sensitive item e": condom -> condom has the confidence 1 in whatever release has a condom.
        known = frozenset({"condom"})
        assert support(TABLE_1, known | {"condom"}) == support(TABLE_1, known) > 0

    def test_the_empty_set_would_forbid_what_is_frequent(self) -> None:
        given = records("s", "s", "a")
        assert is_safe(given, "s", HALF)
        assert support(given, frozenset("s")) > HALF * support(given, frozenset())
        assert Counter(suppressed(given, "s", HALF)) == Counter(given)


class Printed:
    """Algorithm 1 line by line, with i = 1 and safe = true at the start, which it leaves open, and qids without e."""

    def __init__(self, given: list[Record], sensitive: str, rho: Fraction, b_max: int) -> None:
        self.given, self.sensitive, self.rho, self.b_max = given, sensitive, rho, b_max
        self.buffer: dict[Itemset, int] = {}
        self.i, self.is_safe, self.has_ended = 1, True, False
        self.called_unsafe: list[Itemset] = []

    def once(self, *, empties: bool) -> None:
        if empties:
            self.buffer.clear()
        read = []
        while len(self.buffer) < self.b_max and self.i <= len(self.given):
            read.append(self.given[self.i - 1])
            self.buffer.update(dict.fromkeys(itemsets(read[-1:]), 0))
            self.i += 1
        self.buffer = {qid: support(read, qid) for qid in self.buffer}
        for qid, size in self.buffer.items():
            holders = [self.buffer.get(qid | {e}, 0) for e in self.sensitive if e not in qid]
            if max(holders, default=0) > self.rho * size:
                self.called_unsafe.append(qid)
                self.is_safe = False
        if self.i >= len(self.given) and self.is_safe:
            self.has_ended = True
        elif self.i >= len(self.given):
            self.i, self.is_safe = 1, True


class TestTheLoop:
    def test_the_last_record_may_stay_unread(self) -> None:
        given = records("a", "b", "cs")
        loop = Printed(given, "s", HALF, b_max=2)
        loop.once(empties=True)
        assert loop.has_ended and loop.i == 3
        assert not is_safe(given, "s", HALF)
        assert is_safe(suppressed(given, "s", HALF), "s", HALF)

    def test_with_a_buffer_that_is_never_emptied_it_stands_still(self) -> None:
        loop = Printed(records("a", "b", "c", "c", "cs"), "s", HALF, b_max=2)
        states = []
        for _ in range(5):
            loop.once(empties=False)
            states.append((loop.i, loop.has_ended))
        assert states == [(3, False)] * 5

    def test_supports_in_the_records_read_call_unsafe_what_is_not(self) -> None:
        given = records("as", "a", "b")
        assert is_safe(given, "s", HALF)
        loop = Printed(given, "s", HALF, b_max=3)
        loop.once(empties=True)
        assert loop.called_unsafe == [frozenset("a")]
        assert Counter(suppressed(given, "s", HALF)) == Counter(given)

    def test_the_subsets_of_one_record_fill_any_buffer(self) -> None:
        # A record of BMS-WebView-2 has 161 items.
        assert len(itemsets(records("abcdefghij"))) == 2**10 - 1
        long = frozenset(f"i{number}" for number in range(161))
        problem = rho_problem([long, *[long - {"i0"}] * 2], ["i0"], HALF)
        result = partial_suppression(problem, Limits(), np.random.default_rng(0), t_max=2**170)
        assert result.best.cost == 0


class TestTheNumberOfSuppressions:
    def test_it_is_not_whole_and_not_at_least_one(self) -> None:
        number = deletions("s", frozenset("a"), "s", records("as"), SEVEN_TENTHS)
        assert number == Fraction(3, 10) < 1

    def test_of_floats_it_deletes_more_than_there_is(self) -> None:
        given = records("as", "as", "as")
        exact = deletions("a", frozenset("a"), "s", given, SEVEN_TENTHS)
        assert exact == 3
        assert ceil((3 - 3 * 0.7) / (1 - 0.7)) == 4

    def test_in_floats_the_border_is_unsafe(self) -> None:
        given = [*records("as") * 63, *records("a") * 27]
        assert is_safe(given, "s", SEVEN_TENTHS)
        assert 0.7 * 90 < 63
        assert Counter(suppressed(given, "s", SEVEN_TENTHS)) == Counter(given)

    def test_another_sensitive_item_that_follows_does_not_help(self) -> None:
        # E = {s, t} for q = a, and line 8 may choose d = t for the rule a -> s.
        given = records("ast", "ast", "a")
        assert {rule.sensitive for rule in unsafe_rules(given, "st", HALF) if rule.known == {"a"}} == {"s", "t"}
        without = [record - {"t"} for record in given]
        assert {rule.sensitive for rule in unsafe_rules(without, "st", HALF)} == {"s"}


def test_supports_of_sets_with_the_deleted_item_would_stay() -> None:
    # Line 15 updates the qids within the record as it is then: not {a, s}.
    given = records("as", "ab")
    supports = {qid: support(given, qid) for qid in itemsets(given)}
    reduced = [frozenset("a"), *given[1:]]
    stale = {qid for qid in supports if qid <= given[0]} - {qid for qid in supports if qid <= reduced[0]}
    assert stale == {frozenset("s"), frozenset("as")}
    assert [supports[qid] - support(reduced, qid) for qid in stale] == [1, 1]


class TestTheDistribution:
    """H_dist(t) = T(t) log(T(t) / T_0(t)) / N_s(t), of which the greatest is taken."""

    @staticmethod
    def value(now: float, before: float, number: int) -> float:
        return now * log(now / before) / number

    def test_by_records_it_is_never_positive_and_prefers_more_deletions(self) -> None:
        # T(t) = sup(t) / |T|, and no record ever goes.
        values = [self.value(now / 10, before / 10, 1) for before in range(1, 11) for now in range(1, before + 1)]
        assert max(values) == 0
        assert self.value(3 / 10, 5 / 10, 2) > self.value(3 / 10, 5 / 10, 1)

    def test_by_occurrences_a_rare_item_goes_before_what_lost_nothing(self) -> None:
        # Of 100,000 occurrences 20,000 have gone. The rare item lost most of its own, the frequent one as all did.
        rare = self.value(5 / 80_000, 50 / 100_000, 1)
        frequent = self.value(9_500 / 80_000, 12_000 / 100_000, 1)
        assert frequent < rare < 0
        assert 5 / 50 < 9_500 / 12_000


class TestDivideAndConquer:
    @pytest.mark.parametrize("rho", RHOS, ids=str)
    def test_records_may_be_split(self, rho: Fraction) -> None:
        random = np.random.default_rng(RHOS.index(rho))
        for _ in range(40):
            given, sensitive = random_records(random)
            problem = rho_problem(given, sensitive, rho)
            result = partial_suppression(problem, Limits(), random, t_max=1)
            assert is_safe(before_and_after(problem, result.recoded)[1], sensitive, rho)

    def test_items_may_not(self) -> None:
        given = records("as", "b")
        parts = [[record & frozenset(half) for record in given] for half in ("ab", "s")]
        assert all(is_safe(part, "s", HALF) for part in parts)
        assert not is_safe(given, "s", HALF)

    def test_one_long_record_is_dear_however_often_it_is_split(self) -> None:
        long = frozenset("abcdefghijklmnopqrst")
        assert 1 * 2 ** len(long) / len(long) > 500
        assert sum(map(len, suppressed([long], "t", HALF))) == 19

    def test_lemma_1_needs_products(self) -> None:
        # q = a is in one part only, so in the other its confidence is 0 / 0; its products are 0 <= rho 0.
        first, second = records("as", "a"), records("b")
        assert support(second, frozenset("a")) == 0
        assert is_safe(first, "s", HALF) and is_safe(second, "s", HALF) and is_safe(first + second, "s", HALF)


def test_two_deletions_suffice_where_leaving_out_types_takes_three() -> None:
    # The paper counts four.
    counts = Counter(item for record in TABLE_1 for item in record)
    types = sorted(counts)
    choices = [set(choice) for size in range(len(types)) for choice in combinations(types, size)]
    safe = [choice for choice in choices if is_safe([record - choice for record in TABLE_1], ["condom"], HALF)]
    assert min(sum(counts[item] for item in choice) for choice in safe) == 3
    problem = rho_problem(TABLE_1, ["condom"], HALF)
    assert partial_suppression(problem, Limits(), np.random.default_rng(0)).best.cost == 2
