"""The two releases without a rule: what they leave out, and that no rule is left at any rho."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from discreet.encode.released_transactions import ReleasedTransactions
from discreet.errors import InputError
from discreet.losses.lm import LossMetric
from discreet.measure.transactions.comparison import TransactionComparison
from discreet.measure.transactions.items_lost import ItemsLost
from discreet.models.km_anonymity import KMAnonymity
from discreet.search.events import SearchEvent
from discreet.search.limits import Limits
from discreet.search.transactions.problem import TransactionProblem
from discreet.search.transactions.trivial_suppression import LeaveOut, trivial_suppression
from oracle.rho_uncertainty import Record, is_safe, random_records
from oracle.set_encoding import before_and_after, rho_problem

NEVER = Fraction(0)


def released(
    records: list[Record], sensitive: list[str], leave_out: LeaveOut, seed: int = 0
) -> tuple[list[Record], list[Record]]:
    problem = rho_problem(records, sensitive, NEVER)
    result = trivial_suppression(problem, Limits(), np.random.default_rng(seed), leave_out=leave_out)
    before, after = before_and_after(problem, result.recoded)
    assert sum(map(len, before)) - sum(map(len, after)) == result.best.cost
    return before, after


@pytest.mark.parametrize("leave_out", ["sensitive", "all-but-one"])
def test_no_rule_is_left_of_random_records_even_at_a_rho_of_zero(leave_out: LeaveOut) -> None:
    for seed in range(300):
        records, sensitive = random_records(np.random.default_rng(seed))
        before, after = released(records, sensitive, leave_out, seed)
        assert is_safe(after, sensitive, NEVER)
        if leave_out == "sensitive":
            assert after == [record - set(sensitive) for record in before]
        else:
            assert all(now <= was and len(now) == min(len(was), 1) for was, now in zip(before, after, strict=True))


def test_every_sensitive_item_goes_from_records_of_a_single_item_too() -> None:
    records = [frozenset("as"), frozenset("s"), frozenset("ab"), frozenset()]
    _, after = released(records, ["s"], "sensitive")
    assert sorted(map(sorted, after)) == [[], [], ["a"], ["a", "b"]]


def test_it_loses_what_items_lost_calls_trivial() -> None:
    problem = rho_problem([frozenset("abst"), frozenset("s"), frozenset("bt")], ["s", "t"], NEVER)
    transactions = problem.transactions
    result = trivial_suppression(problem, Limits(), np.random.default_rng(0))
    recoded = result.recoded
    release = ReleasedTransactions(recoded.nodes, recoded.sensitive(transactions), recoded.counts)
    details = ItemsLost().measure(TransactionComparison(transactions, release), np.random.default_rng(0)).details
    assert details["lost"] == details["trivial"] == result.best.cost == 4
    assert result.details == {"deleted_sensitive": 4, "deleted_other": 0}


def test_equal_records_keep_any_of_their_items_equally_often() -> None:
    _, after = released([frozenset("abs")] * 3_000, ["s"], "all-but-one")
    counts = Counter(after)
    assert set(counts) == {frozenset("a"), frozenset("b"), frozenset("s")}
    assert all(900 < count < 1_100 for count in counts.values())


def test_other_draws_keep_other_items() -> None:
    records = [frozenset("abs")] * 20
    assert len({tuple(sorted(map(tuple, released(records, ["s"], "all-but-one", seed)[1]))) for seed in range(5)}) > 1


def test_it_tells_of_its_one_step() -> None:
    heard: list[SearchEvent] = []
    problem = rho_problem([frozenset("as"), frozenset("ab")], ["s"], NEVER)
    result = trivial_suppression(problem, Limits(), np.random.default_rng(0), heard.append)
    assert tuple(heard) == result.events
    assert [(event.incumbent, event.bound) for event in heard] == [(Fraction(1), None), (Fraction(1), Fraction(1))]


def test_another_promise_is_refused() -> None:
    problem = rho_problem([frozenset("as")], ["s"], NEVER)
    other = TransactionProblem(problem.transactions, KMAnonymity(2, 2), LossMetric())
    with pytest.raises(InputError, match="trivial-suppression keeps rho-uncertainty and cannot keep 'km-anonymity'"):
        trivial_suppression(other, Limits(), np.random.default_rng(0))
