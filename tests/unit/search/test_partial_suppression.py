"""Partial suppression on data small enough to say what it must do."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import get_args

import numpy as np
import pytest

from discreet.encode.transactions import EncodedTransactions
from discreet.errors import InputError
from discreet.losses.lm import LossMetric
from discreet.models.km_anonymity import KMAnonymity
from discreet.models.rho_uncertainty import RhoUncertainty
from discreet.models.transactions import TransactionModel
from discreet.search.events import SearchEvent
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.transactions import partial_suppression as method
from discreet.search.transactions.partial_suppression import (
    Aim,
    _parts,
    partial_suppression,
)
from discreet.search.transactions.problem import TransactionProblem
from discreet.search.transactions.records import with_denominator_up_to
from discreet.taxonomy import Taxonomy
from discreet.values.sets import Sets
from oracle.rho_uncertainty import TABLE_1
from oracle.set_encoding import before_and_after, rho_problem

HALF = RhoUncertainty(Fraction(1, 2))
PRINTED = rho_problem(TABLE_1, ["condom"], HALF.rho)


def transactions_of(rows: Iterable[str], items: str) -> EncodedTransactions:
    """Records by letters: small ones for the items, capital ones for the sensitive items."""
    every = list(rows)
    sensitive = sorted({letter for row in every for letter in row if letter.isupper()})
    return EncodedTransactions(
        Taxonomy.from_paths("items", [[item, "*"] for item in items]),
        Sets.of([items.index(letter) for letter in row if letter.islower()] for row in every),
        Sets.of([sensitive.index(letter) for letter in row if letter.isupper()] for row in every),
        np.ones(len(every), np.int64),
        tuple(sensitive),
    )


def released(transactions: EncodedTransactions, result: SearchResult) -> list[str]:
    labels, recoded = transactions.taxonomy.labels, result.recoded
    kept = recoded.sensitive(transactions)
    rows = []
    for row, count in enumerate(recoded.counts.tolist()):
        items = [labels[node] for node in recoded.nodes[row]]
        rows += ["".join([*items, *(transactions.sensitive_items[code] for code in kept[row])])] * count
    return sorted(rows)


def run(
    transactions: EncodedTransactions,
    model: TransactionModel = HALF,
    seed: int = 1,
    aim: Aim = "rules",
    t_max: int = 500,
    limits: Limits | None = None,
) -> SearchResult:
    problem = TransactionProblem(transactions, model, LossMetric())
    return partial_suppression(problem, limits or Limits(), np.random.default_rng(seed), aim=aim, t_max=t_max)


def random_rows(records: int) -> list[str]:
    random = np.random.default_rng(5)
    return ["".join(np.array(list("abcdefghPQRS"))[random.random(12) < 0.4]) for _ in range(records)]


@pytest.mark.parametrize("aim", ["rules", "distribution"])
@pytest.mark.parametrize("seed", range(20))
def test_table_1_needs_two_deletions(aim: Aim, seed: int) -> None:
    result = run(PRINTED.transactions, aim=aim, seed=seed)
    assert result.best.cost == 2
    assert result.details["parts"] == 1
    assert result.details["deleted_sensitive"] + result.details["deleted_other"] == 2


def test_the_aim_rules_deletes_sensitive_items_only() -> None:
    result = run(PRINTED.transactions)
    before, after = before_and_after(PRINTED, result.recoded)
    changed = {original: published for original, published in zip(before, after, strict=True) if original != published}
    assert all(published == original - {"condom"} for original, published in changed.items())
    assert set(changed) in ({TABLE_1[0], TABLE_1[4]}, {TABLE_1[2], TABLE_1[4]})
    assert result.details == {"deleted_sensitive": 2, "deleted_other": 0, "sanitized_rules": 2, "parts": 1}


def test_nothing_is_unsafe_at_one_and_nothing_stays_beside_a_sensitive_item_at_zero() -> None:
    assert run(PRINTED.transactions, RhoUncertainty(Fraction(1))).best.cost == 0
    assert run(PRINTED.transactions, RhoUncertainty(Fraction(0))).best.cost == 4


def test_records_of_one_item_stay_whole() -> None:
    transactions = transactions_of(["A", "A", "B", "x", ""], "x")
    assert run(transactions, RhoUncertainty(Fraction(0))).best.cost == 0


def distance(rows: Iterable[str], others: Iterable[str]) -> float:
    """Between the items' shares of all occurrences."""
    counts, other_counts = Counter("".join(rows)), Counter("".join(others))
    shares = [(counts[item] / counts.total(), other_counts[item] / other_counts.total()) for item in other_counts]
    return sum(abs(one - another) for one, another in shares)


def test_the_distribution_stays_closer_by_its_aim() -> None:
    rows = random_rows(300)
    transactions = transactions_of(rows, "abcdefgh")
    for_rules, for_distribution = (
        distance(released(transactions, run(transactions, RhoUncertainty(Fraction(3, 10)), aim=aim)), rows)
        for aim in get_args(Aim)
    )
    assert for_distribution < for_rules / 10


def test_parts_make_up_for_what_those_before_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    """In parts of a few records no share can be kept; over all of them it can."""
    rows = random_rows(400)
    transactions = transactions_of(rows, "abcdefgh")
    distances = {}
    for at_a_time in (4, 1000):
        monkeypatch.setattr(method, "PARTS_AT_A_TIME", at_a_time)
        result = run(transactions, RhoUncertainty(Fraction(3, 10)), aim="distribution", t_max=2)
        assert 100 <= result.details["parts"] < 1000
        distances[at_a_time] = distance(released(transactions, result), rows)
    assert distances[4] < distances[1000] / 10


def test_the_release_depends_on_the_seed_and_not_on_the_number_of_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    transactions = transactions_of(random_rows(200), "abcdefgh")
    releases = []
    for workers in (1, 2, 5):
        monkeypatch.setattr(os, "cpu_count", lambda workers=workers: workers)
        result = run(transactions, t_max=50)
        assert result.details["parts"] > 4
        releases.append(released(transactions, result))
    assert releases[0] == releases[1] == releases[2]
    assert released(transactions, run(transactions, seed=2, t_max=50)) != releases[0]


def test_parts_are_random_halves_of_the_records_and_end_at_one() -> None:
    items = Sets.of([range(2000), range(2000), [1], [2], [3]])
    order = np.array([4, 2, 0, 3, 1])
    parts = list(_parts(items, order, 1))
    assert np.concatenate(parts).tolist() == order.tolist()
    assert all(len(part) >= 1 for part in parts) and [1] in [part.tolist() for part in parts]
    assert [part.tolist() for part in _parts(Sets.of([[0, 1], [2, 3], []]), np.arange(3), 500)] == [[0, 1, 2]]
    assert [part.tolist() for part in _parts(Sets.of([]), np.arange(0), 500)] == [[]]


@pytest.mark.parametrize("largest", [1, 2, 7, 40])
def test_a_fraction_with_a_small_denominator_compares_alike(largest: int) -> None:
    quotients = sorted({Fraction(a, b) for b in range(1, largest + 1) for a in range(b + 1)})
    for rho in (*(Fraction(n, 997) for n in range(998)), Fraction(0.7), Fraction(0.3), Fraction(1, 3)):
        assert with_denominator_up_to(rho, largest) == max(quotient for quotient in quotients if quotient <= rho)


def test_stopped_at_once_it_deletes_the_sensitive_items_beside_others() -> None:
    transactions = transactions_of(["xA", "AB", "A", "y"], "xy")
    interrupt = threading.Event()
    interrupt.set()
    for limits in (Limits(time_limit=0.0), Limits(interrupt=interrupt)):
        result = run(transactions, limits=limits)
        assert result.interrupted == (limits.interrupt is interrupt)
        rows = released(transactions, result)
        assert rows == ["", "A", "x", "y"]


def test_says_what_it_found() -> None:
    heard: list[SearchEvent] = []
    result = partial_suppression(PRINTED, Limits(), np.random.default_rng(1), heard.append)
    assert tuple(heard) == result.events
    assert [event.incumbent for event in heard] == [None, None, Fraction(2), Fraction(2)]
    assert [event.bound for event in heard] == [None, None, None, Fraction(2)]
    assert [event.examined for event in heard] == [0, 2, 2, 2]
    assert result.status == "optimal" and result.bound == 2 and not result.interrupted


def test_says_after_each_part_how_many_rules_are_safe_by_now() -> None:
    problem = TransactionProblem(transactions_of(random_rows(200), "abcdefgh"), HALF, LossMetric())
    heard: list[SearchEvent] = []
    result = partial_suppression(problem, Limits(), np.random.default_rng(1), heard.append, t_max=50)
    examined = [event.examined for event in heard]
    assert len(heard) == 3 + result.details["parts"] > 6
    assert examined == sorted(examined) and examined[1] > 0
    assert examined[-1] == examined[-2] == result.details["sanitized_rules"]


def test_keeps_no_other_promise() -> None:
    with pytest.raises(InputError, match="partial-suppression keeps rho-uncertainty and cannot keep 'km-anonymity'"):
        run(PRINTED.transactions, KMAnonymity(2, 2))
