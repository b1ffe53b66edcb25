"""Global suppression on the example of Jia et al. 2014, and where it is stopped or asked for another promise."""

from fractions import Fraction

import numpy as np
import pytest

from discreet.errors import InputError
from discreet.losses.lm import LossMetric
from discreet.models.km_anonymity import KMAnonymity
from discreet.search.limits import Limits
from discreet.search.transactions.global_suppression import global_suppression
from discreet.search.transactions.problem import TransactionProblem
from oracle.rho_uncertainty import TABLE_1, is_safe
from oracle.set_encoding import before_and_after, rho_problem

HALF = Fraction(1, 2)


@pytest.mark.parametrize("seed", range(20))
def test_table_1_loses_beer_and_flour_and_so_one_less_than_all_condoms(seed: int) -> None:
    problem = rho_problem(TABLE_1, ["condom"], HALF)
    result = global_suppression(problem, Limits(), np.random.default_rng(seed))
    before, after = before_and_after(problem, result.recoded)
    assert is_safe(after, ["condom"], HALF)
    assert result.best.cost == 3
    assert [record - {"beer", "flour"} for record in before] == after


def test_a_type_goes_everywhere_or_nowhere() -> None:
    problem = rho_problem([*TABLE_1, *TABLE_1[:2]], ["condom", "fruits"], Fraction(1, 5))
    before, after = before_and_after(problem, global_suppression(problem, Limits(), np.random.default_rng(0)).recoded)
    published = frozenset().union(*after)
    assert [record & published for record in before] == after


def test_what_is_safe_stays_whole() -> None:
    records = [frozenset("ab")] * 7 + [frozenset("a")] * 3
    problem = rho_problem(records, ["b"], Fraction(7, 10))
    assert global_suppression(problem, Limits(), np.random.default_rng(0)).best.cost == 0
    problem = rho_problem(records, ["b"], Fraction(69, 100))
    assert global_suppression(problem, Limits(), np.random.default_rng(0)).best.cost == 7


def test_a_rare_item_comes_back_when_the_sensitive_one_has_gone() -> None:
    """`a` ends its own rule at the price of one occurrence; `s` goes all the same, for the sake of `b` and `c`."""
    records = [frozenset("as")] + [frozenset("bcs")] * 4 + [frozenset("b")] * 2 + [frozenset("c")] * 2
    problem = rho_problem(records, ["s"], HALF)
    assert global_suppression(problem, Limits(), np.random.default_rng(0)).best.cost == 5


def test_stopped_at_once_it_is_safe_all_the_same() -> None:
    problem = rho_problem(TABLE_1, ["condom"], HALF)
    limits = Limits()
    limits.interrupt.set()
    result = global_suppression(problem, limits, np.random.default_rng(0))
    before, after = before_and_after(problem, result.recoded)
    assert is_safe(after, ["condom"], HALF)
    assert sum(map(len, before)) - sum(map(len, after)) <= 4


def test_another_promise_is_refused() -> None:
    problem = rho_problem(TABLE_1, ["condom"], HALF)
    other = TransactionProblem(problem.transactions, KMAnonymity(2, 2), LossMetric())
    with pytest.raises(InputError, match="global-suppression keeps rho-uncertainty and cannot keep 'km-anonymity'"):
        global_suppression(other, Limits(), np.random.default_rng(0))
