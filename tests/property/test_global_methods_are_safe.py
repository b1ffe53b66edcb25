"""Global suppression and td-control on random small databases: every itemset of every release is counted.

A generalized node is an item of the release like any other. What is lost is compared with the release that has all
items as they are and no sensitive one.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Protocol

import numpy as np
import pytest

from discreet.search.events import Listener, SearchEvent, ignore
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.transactions import global_suppression as module
from discreet.search.transactions.global_suppression import global_suppression
from discreet.search.transactions.problem import TransactionProblem
from discreet.search.transactions.td_control import td_control
from discreet.taxonomy import Taxonomy
from discreet.values.arrays import Int64s
from examples import TIMES
from oracle.rho_uncertainty import RHOS, Record, is_safe, random_records
from oracle.set_encoding import before_and_after, rho_problem

BATCHES, BATCH = 10 * TIMES, 20


class Method(Protocol):
    def __call__(
        self, problem: TransactionProblem, limits: Limits, random: np.random.Generator, listen: Listener = ignore
    ) -> SearchResult: ...


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
    """All rules are safe, sensitive types are kept or left out as a whole, and none of those could come back alone.

    The loss is no more than that of all sensitive occurrences. Returns the items of the release.
    """
    result = method(problem, Limits(), random)
    sensitive = set(problem.transactions.sensitive_items)
    before, after = before_and_after(problem, result.recoded)
    released: set[str] = set().union(*after)
    assert is_safe(after, sensitive, rho)
    assert [record & sensitive & released for record in before] == [record & sensitive for record in after]
    for item in set().union(*before) & sensitive - released:
        assert not is_safe([now | (was & {item}) for was, now in zip(before, after, strict=True)], sensitive, rho)
    assert result.best.cost <= sum(len(record & sensitive) for record in before)
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


@pytest.mark.parametrize("method", [global_suppression, td_control])
def test_what_is_told_meanwhile_ends_with_the_loss_and_never_rises(method: Method) -> None:
    for seed in range(100):
        random = np.random.default_rng(seed)
        problem = with_pairs(rho_problem(*random_records(random), RHOS[seed % len(RHOS)]))
        search = method(problem, Limits(), random)
        told = [event.incumbent for event in search.events if event.incumbent is not None]
        assert len(told) == len(search.events)
        assert told == sorted(told, reverse=True)
        assert told[-1] == search.best.cost


@pytest.mark.parametrize("method", [global_suppression, td_control])
def test_stopped_anywhere_it_is_safe_and_loses_no_more_than_all_sensitive_items(
    method: Method, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock runs out when so many choices of types were looked at."""
    stop = np.zeros(1, np.int64)

    def run_stoppable(loop: Callable[[Int64s], None], limits: Limits) -> None:
        loop(stop)

    monkeypatch.setattr(module, "run_stoppable", run_stoppable)
    stopped = 0
    for seed in range(200):
        random = np.random.default_rng(seed)
        records, sensitive = linked_records(random) if seed % 2 else random_records(random)
        rho = RHOS[seed % len(RHOS)]
        problem = with_pairs(rho_problem(records, sensitive, rho))
        last = int(random.integers(1, 12))

        def hear(event: SearchEvent, last: int = last) -> None:
            stop[0] = event.examined >= last

        result = method(problem, Limits(), random, hear)
        before, after = before_and_after(problem, result.recoded)
        assert is_safe(after, sensitive, rho)
        assert result.best.cost <= sum(len(record & set(sensitive)) for record in before)
        stopped += int(stop[0])
    assert stopped >= 50
