"""Every release by partial suppression against all itemsets of it: none may give a sensitive item away."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.encode.transactions import EncodedTransactions
from discreet.kernels.rule_sanitation import sanitize
from discreet.losses.lm import LossMetric
from discreet.models.rho_uncertainty import RhoUncertainty
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.transactions import partial_suppression as method
from discreet.search.transactions.partial_suppression import Aim, partial_suppression
from discreet.search.transactions.problem import TransactionProblem
from discreet.taxonomy import Taxonomy
from discreet.values.sets import Sets
from examples import TIMES
from oracle.rho_uncertainty import is_safe

RHOS = (Fraction(0), Fraction(1, 10), Fraction(3, 10), Fraction(1, 2), Fraction(2, 3), Fraction(7, 10), Fraction(9, 10))
ITEMS, SENSITIVE = 5, "pqrs"


def random_transactions(random: np.random.Generator) -> EncodedTransactions:
    rows = int(random.integers(1, 12))
    share = random.uniform(0.1, 0.8)
    return EncodedTransactions(
        Taxonomy.from_paths("items", [[str(item), "*"] for item in range(ITEMS)]),
        Sets.of(np.flatnonzero(random.random(ITEMS) < share).tolist() for _ in range(rows)),
        Sets.of(np.flatnonzero(random.random(len(SENSITIVE)) < share).tolist() for _ in range(rows)),
        random.integers(1, 4, rows),
        tuple(SENSITIVE),
    )


def published(transactions: EncodedTransactions, result: SearchResult) -> list[frozenset[str]]:
    """The released records, one by one; each must be within its original."""
    recoded, records = result.recoded, []
    sensitive = recoded.sensitive(transactions)
    for row, source in enumerate(recoded.sources.tolist()):
        items = [str(node - 1) for node in recoded.nodes[row]]
        codes = [transactions.sensitive_items[code] for code in sensitive[row]]
        assert set(items) <= {str(leaf) for leaf in transactions.sets[source]}
        assert set(sensitive[row].tolist()) <= set(transactions.sensitive[source].tolist())
        records += [frozenset(items + codes)] * int(recoded.counts[row])
    assert np.bincount(recoded.sources, weights=recoded.counts).tolist() == transactions.counts.tolist()
    return records


@pytest.mark.parametrize("aim", ["rules", "distribution"])
@pytest.mark.parametrize("rho", RHOS, ids=str)
def test_no_rule_of_a_release_is_unsafe(rho: Fraction, aim: Aim) -> None:
    random = np.random.default_rng([rho.numerator, rho.denominator])
    for number in range(60 * TIMES):
        transactions = random_transactions(random)
        problem = TransactionProblem(transactions, RhoUncertainty(rho), LossMetric())
        t_max, b_max = [(500, 1000), (500, 1), (20, 1000), (1, 3)][number % 4]
        result = partial_suppression(problem, Limits(), random, aim=aim, t_max=t_max, b_max=b_max)
        records = published(transactions, result)
        assert is_safe(records, SENSITIVE, rho)
        occurrences = transactions.occurrences + int(transactions.sensitive_occurrences.sum())
        lost = occurrences - sum(map(len, records))
        assert result.best.cost == lost
        assert lost == result.details["deleted_sensitive"] + result.details["deleted_other"]
        assert aim == "distribution" or result.details["deleted_other"] == 0


@pytest.mark.parametrize("aim", ["rules", "distribution"])
@pytest.mark.parametrize("calls", range(5))
def test_stopped_at_any_time_it_is_safe(calls: int, aim: Aim, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock runs out after so many buffers of one rule each."""
    left = [0]

    def stopping(*arguments: Any) -> None:
        sanitize(*arguments)
        left[0] -= 1
        if left[0] <= 0:
            arguments[-1][0] = 1

    monkeypatch.setattr(method, "sanitize", stopping)
    random = np.random.default_rng(calls)
    completed = 0
    for _ in range(40 * TIMES):
        left[0] = calls
        transactions = random_transactions(random)
        problem = TransactionProblem(transactions, RhoUncertainty(Fraction(1, 2)), LossMetric())
        limits = Limits(time_limit=None if calls else 0.0)
        result = partial_suppression(problem, limits, random, aim=aim, t_max=30, b_max=1)
        assert is_safe(published(transactions, result), SENSITIVE, Fraction(1, 2))
        completed += result.details["deleted_sensitive"] > result.details["sanitized_rules"]
    assert completed > 10
