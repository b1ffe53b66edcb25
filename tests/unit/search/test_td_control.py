"""Top-down generalization: how far down it goes, and where it is stopped or asked for another promise."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from discreet.encode.transactions import EncodedTransactions
from discreet.errors import InputError
from discreet.losses.lm import LossMetric
from discreet.models.km_anonymity import KMAnonymity
from discreet.models.rho_uncertainty import RhoUncertainty
from discreet.search.limits import Limits
from discreet.search.transactions.problem import TransactionProblem
from discreet.search.transactions.td_control import td_control
from discreet.taxonomy import Taxonomy
from discreet.values.sets import Sets
from oracle.rho_uncertainty import is_safe
from oracle.set_encoding import before_and_after, rho_problem

HALF = Fraction(1, 2)


def drinks_and_fruits(records: list[tuple[list[str], bool]]) -> TransactionProblem:
    """Records of beer, wine, apple and pear, each with the sensitive item or not."""
    taxonomy = Taxonomy.from_paths(
        "items", [("beer", "drink", "*"), ("wine", "drink", "*"), ("apple", "fruit", "*"), ("pear", "fruit", "*")]
    )
    leaf = {label: number for number, label in enumerate(taxonomy.leaf_labels)}
    transactions = EncodedTransactions(
        taxonomy,
        Sets.of([[leaf[item] for item in items] for items, _ in records]),
        Sets.of([[0] if is_sensitive else [] for _, is_sensitive in records]),
        np.ones(len(records), np.int64),
        ("secret",),
    )
    return TransactionProblem(transactions, RhoUncertainty(HALF), LossMetric())


def released(problem: TransactionProblem) -> tuple[list[frozenset[str]], Fraction]:
    result = td_control(problem, Limits(), np.random.default_rng(0))
    return before_and_after(problem, result.recoded)[1], result.best.cost


def test_what_is_safe_at_the_leaves_stays_as_it_is() -> None:
    problem = drinks_and_fruits([(["beer"], True), (["beer"], False), (["apple", "pear"], False)])
    assert released(problem)[1] == 0


def test_drinks_are_told_apart_only_where_that_is_safe() -> None:
    """beer gives the secret away, a drink does not; each of 8 drinks costs a third, the secret would cost 4."""
    records = [(["beer"], True)] * 4 + [(["wine"], False)] * 4 + [(["apple"], False), (["pear"], False)]
    after, cost = released(drinks_and_fruits(records))
    assert after == [frozenset({"drink", "secret"})] * 4 + [frozenset({"drink"})] * 4 + [
        frozenset({"apple"}),
        frozenset({"pear"}),
    ]
    assert cost == Fraction(8, 3)


def test_the_secret_goes_where_that_is_cheaper() -> None:
    records = [(["beer"], True)] + [(["wine"], False)] * 8
    after, cost = released(drinks_and_fruits(records))
    assert cost == 1
    assert is_safe(after, ["secret"], HALF)


def test_a_node_may_be_unsafe_where_its_children_are_safe() -> None:
    records = [(["beer"], True), (["wine"], True), (["beer", "wine"], False)]
    assert released(drinks_and_fruits(records))[1] == 0


def test_a_node_with_one_child_is_not_the_end() -> None:
    taxonomy = Taxonomy.from_paths("items", [("beer", "drink", "food", "*"), ("wine", "drink", "food", "*")])
    problem = drinks_and_fruits([(["beer"], True), (["beer"], False), (["wine"], False)])
    problem = replace(problem, transactions=replace(problem.transactions, taxonomy=taxonomy))
    assert released(problem)[1] == 0


def test_stopped_at_once_it_is_safe_all_the_same() -> None:
    problem = rho_problem([frozenset("as"), frozenset("b")], ["s"], HALF)
    limits = Limits()
    limits.interrupt.set()
    result = td_control(problem, limits, np.random.default_rng(0))
    assert is_safe(before_and_after(problem, result.recoded)[1], ["s"], HALF)


def test_another_promise_is_refused() -> None:
    problem = rho_problem([frozenset("as"), frozenset("b")], ["s"], HALF)
    other = TransactionProblem(problem.transactions, KMAnonymity(2, 2), LossMetric())
    with pytest.raises(InputError, match="td-control keeps rho-uncertainty and cannot keep 'km-anonymity'"):
        td_control(other, Limits(), np.random.default_rng(0))
