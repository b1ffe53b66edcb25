"""Insertion on the example of Jia et al. 2014, and where it is stopped or asked for another promise."""

import sys
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from discreet.errors import InputError
from discreet.losses.lm import LossMetric
from discreet.models.km_anonymity import KMAnonymity
from discreet.policy import TransactionPolicy
from discreet.search.limits import Limits
from discreet.search.transactions.insertion import insertion
from discreet.search.transactions.problem import TransactionProblem
from discreet.search.transactions.warm_up import warm_up
from oracle.rho_uncertainty import TABLE_1, is_safe, unsafe_rules
from oracle.set_encoding import before_and_after, rho_problem

HALF = Fraction(1, 2)


def test_three_rules_of_table_1_are_unsafe_beforehand() -> None:
    known = {tuple(sorted(rule.known)) for rule in unsafe_rules(TABLE_1, ["condom"], HALF)}
    assert known == {("beer",), ("flour",), ("beer", "bread")}


@pytest.mark.parametrize("seed", range(20))
def test_two_deletions_suffice_for_table_1(seed: int) -> None:
    problem = rho_problem(TABLE_1, ["condom"], HALF)
    result = insertion(problem, Limits(), np.random.default_rng(seed))
    before, after = before_and_after(problem, result.recoded)
    assert is_safe(after, ["condom"], HALF)
    assert result.best.cost == 2
    assert sum(map(len, before)) - sum(map(len, after)) == 2


def test_items_that_are_not_sensitive_all_stay() -> None:
    problem = rho_problem(TABLE_1, ["condom", "flour"], Fraction(1, 10))
    before, after = before_and_after(problem, insertion(problem, Limits(), np.random.default_rng(0)).recoded)
    assert [record - {"condom", "flour"} for record in before] == [record - {"condom", "flour"} for record in after]


def test_a_record_of_one_sensitive_item_stays_whole() -> None:
    problem = rho_problem([frozenset({"condom"})] * 3, ["condom"], Fraction(1, 10))
    result = insertion(problem, Limits(), np.random.default_rng(0))
    assert result.best.cost == 0


def test_with_a_rho_of_zero_sensitive_items_stand_alone() -> None:
    records = [frozenset({"a", "s"}), frozenset({"s"}), frozenset({"s", "t"})]
    problem = rho_problem(records, ["s", "t"], Fraction(0))
    _, after = before_and_after(problem, insertion(problem, Limits(), np.random.default_rng(0)).recoded)
    assert sorted(map(len, after)) == [1, 1, 1]
    assert is_safe(after, ["s", "t"], Fraction(0))


def test_the_border_itself_is_allowed() -> None:
    records = [frozenset("ab")] * 7 + [frozenset("a")] * 3
    problem = rho_problem(records, ["b"], Fraction(7, 10))
    assert insertion(problem, Limits(), np.random.default_rng(0)).best.cost == 0
    problem = rho_problem(records, ["b"], Fraction(69, 100))
    assert insertion(problem, Limits(), np.random.default_rng(0)).best.cost == 1


def test_records_of_more_items_than_a_word_has_bits() -> None:
    long = frozenset(f"i{number}" for number in range(150))
    records = [long | {"s"}] * 5 + [long] * 5
    problem = rho_problem(records, ["s"], HALF)
    assert insertion(problem, Limits(), np.random.default_rng(0)).best.cost == 0
    problem = rho_problem([*records, long | {"s"}], ["s"], HALF)
    assert insertion(problem, Limits(), np.random.default_rng(0)).best.cost == 1


def test_stopped_at_once_it_is_safe_all_the_same() -> None:
    problem = rho_problem(TABLE_1, ["condom"], HALF)
    result = insertion(problem, Limits(time_limit=1e-9), np.random.default_rng(0))
    _, after = before_and_after(problem, result.recoded)
    assert not any("condom" in record for record in after)


def test_another_promise_is_refused() -> None:
    problem = rho_problem(TABLE_1, ["condom"], HALF)
    other = TransactionProblem(problem.transactions, KMAnonymity(2, 2), LossMetric())
    with pytest.raises(InputError, match="keeps rho-uncertainty and cannot keep 'km-anonymity'"):
        insertion(other, Limits(), np.random.default_rng(0))


def test_an_improvement_gives_up_one_item_for_two() -> None:
    # x sets the last record apart: with it neither s nor t can stay.
    records = [frozenset(items) for items in ("a", "as", "at", "axst")]
    problem = rho_problem(records, ["s", "t"], HALF)
    assert insertion(problem, Limits(), np.random.default_rng(0)).best.cost == 2
    result = insertion(problem, Limits(), np.random.default_rng(0), improve=1)
    _, after = before_and_after(problem, result.recoded)
    assert result.best.cost == 1 and result.details["deleted_other"] == 1
    assert sorted("".join(sorted(record)) for record in after) == ["a", "as", "ast", "at"]


def test_stopped_before_an_improvement_nothing_is_cut() -> None:
    problem = rho_problem([frozenset(items) for items in ("a", "as", "at", "axst")], ["s", "t"], HALF)
    result = insertion(problem, Limits(time_limit=0), np.random.default_rng(0), improve=3)
    assert result.details["deleted_other"] == 0 and result.details["put_back"] == 0


def test_warming_up_calls_every_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    called = set()

    def noting(name: str, loop: Callable[..., object]) -> Callable[..., object]:
        def noted(*given: object) -> object:
            called.add(name)
            return loop(*given)

        return noted

    module = sys.modules[insertion.__module__]
    for name in ("find_lonely", "put_back", "refill"):
        monkeypatch.setattr(module, name, noting(name, getattr(module, name)))
    policy = {
        "data": {"kind": "transactions", "path": "baskets.dat"},
        "taxonomy": {"flat": True},
        "sensitive": ["s"],
        "privacy": {"model": "rho-uncertainty", "rho": "1/2"},
        "search": {"improve": 1},
    }
    warm_up(TransactionPolicy.parse(policy))
    assert called == {"find_lonely", "put_back", "refill"}


def test_a_single_check_that_would_take_years_is_stopped() -> None:
    # However many of the 40 items are known, s follows with 1/2 at most, and every set of them has to be looked at.
    items = frozenset(f"i{number}" for number in range(40))
    records = [items, items | {"s"}]
    for item in items:
        records += [items - {item}, items - {item} | {"s"}]
    problem = rho_problem(records, ["s"], HALF)
    result = insertion(problem, Limits(time_limit=0.5), np.random.default_rng(0))
    assert result.details["tried"] < len(items) + 1
