"""Global suppression and td-control on random small databases: every itemset of every release is counted.

A generalized node is an item of the release like any other.
"""

from dataclasses import replace
from fractions import Fraction
from typing import Protocol

import numpy as np
import pytest

from discreet.search.limits import Limits
from discreet.search.transactions.global_suppression import global_suppression
from discreet.search.transactions.problem import TransactionProblem, TransactionResult
from discreet.search.transactions.td_control import td_control
from discreet.taxonomy import Taxonomy
from oracle.rho_uncertainty import RHOS, Record, is_safe, random_records
from oracle.set_encoding import before_and_after, rho_problem

BATCHES, BATCH = 20, 20


class Method(Protocol):
    def __call__(
        self, problem: TransactionProblem, limits: Limits, random: np.random.Generator
    ) -> TransactionResult: ...


def with_pairs(problem: TransactionProblem) -> TransactionProblem:
    """The items in pairs, and these in pairs; the order of the leaves stays. No items, no pairs."""
    leaves = problem.transactions.taxonomy.leaf_labels
    if leaves == ("*",):
        return problem
    paths = [(leaf, f"pair {place // 2}", f"four {place // 4}", "*") for place, leaf in enumerate(leaves)]
    taxonomy = Taxonomy.from_paths("items", paths)
    assert taxonomy.leaf_labels == leaves
    return replace(problem, transactions=replace(problem.transactions, taxonomy=taxonomy))


def assert_safe(method: Method, problem: TransactionProblem, rho: Fraction, random: np.random.Generator) -> set[str]:
    """All rules are safe, and sensitive types are kept or left out as a whole. Returns the items of the release."""
    result = method(problem, Limits(), random)
    sensitive = set(problem.transactions.sensitive_items)
    before, after = before_and_after(problem, result.recoded)
    released: set[str] = set().union(*after)
    assert is_safe(after, sensitive, rho)
    assert [record & sensitive & released for record in before] == [record & sensitive for record in after]
    return released


def linked_records(random: np.random.Generator) -> tuple[list[Record], list[str]]:
    """Each record has one item of eight, which tells how likely it has the one sensitive item."""
    likely = random.random(8)
    items = random.integers(0, 8, 24).tolist()
    return [frozenset({f"i{item}", *(["s"] if random.random() < likely[item] else [])}) for item in items], ["s"]


@pytest.mark.parametrize("batch", range(BATCHES))
@pytest.mark.parametrize("method", [global_suppression, td_control])
def test_no_rule_of_the_release_is_unsafe(method: Method, batch: int) -> None:
    for number in range(BATCH):
        random = np.random.default_rng([batch, number])
        records, sensitive = random_records(random)
        rho = RHOS[number % len(RHOS)]
        assert_safe(method, with_pairs(rho_problem(records, sensitive, rho)), rho, random)


def test_no_rule_of_generalized_items_is_unsafe() -> None:
    generalized = 0
    for seed in range(300):
        random = np.random.default_rng(seed)
        records, sensitive = linked_records(random)
        rho = RHOS[seed % len(RHOS)]
        released = assert_safe(td_control, with_pairs(rho_problem(records, sensitive, rho)), rho, random)
        generalized += any(node.startswith(("pair", "four")) for node in released)
    assert generalized >= 50
