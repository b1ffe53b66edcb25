"""The divergence of shares against its definition."""

from __future__ import annotations

import json
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.encode.released_transactions import ReleasedTransactions
from discreet.encode.transactions import EncodedTransactions
from discreet.measure.measurement import Measurement
from discreet.measure.transactions import TRANSACTION_MEASURES
from discreet.measure.transactions.comparison import TransactionComparison
from discreet.taxonomy import Taxonomy
from discreet.values.sets import Sets

FOOD = Taxonomy.from_paths("items", [["Beer", "Liquor", "*"], ["Wine", "Liquor", "*"], ["Milk", "*"]])


def singles(counts: list[int]) -> tuple[Sets, Sets, np.ndarray]:
    """Transactions of one item each: so many Beer, Wine, Milk, s and t."""
    return Sets.of([[0], [1], [2], [], []]), Sets.of([[], [], [], [0], [1]]), np.array(counts, np.int64)


def diverges(before: list[int], after: list[int]) -> Measurement:
    original = EncodedTransactions(FOOD, *singles(before), ("s", "t"))
    leaves, sensitive, counts = singles(after)
    release = ReleasedTransactions(Sets(leaves.offsets, FOOD.leaf_nodes[leaves.items]), sensitive, counts)
    return TRANSACTION_MEASURES["item-divergence"].measure(
        TransactionComparison(original, release), np.random.default_rng(1)
    )


def by_definition(before: list[int], after: list[int]) -> float:
    def divergence(shares: list[float], others: list[float]) -> float:
        return sum(share * log(share / other) for share, other in zip(shares, others, strict=True) if share)

    first, second = ([number / sum(counts) for number in counts] for counts in (before, after))
    mean = [(one + other) / 2 for one, other in zip(first, second, strict=True)]
    return divergence(first, mean) / 2 + divergence(second, mean) / 2


COUNTS = st.lists(st.integers(0, 9), min_size=5, max_size=5).filter(any)


@given(COUNTS, COUNTS)
def test_it_is_the_mean_divergence_from_the_mean(before: list[int], after: list[int]) -> None:
    found = diverges(before, after)
    assert found.details["divergence"] == pytest.approx(by_definition(before, after), abs=1e-12)
    assert found.release == pytest.approx(by_definition(before, after) / log(2), abs=1e-12)


def test_sensitive_occurrences_that_are_left_out_are_seen() -> None:
    found = diverges([4, 4, 4, 4, 4], [4, 4, 4, 4, 0])
    assert found.release is not None and found.release > 0.05
    assert found.details["sensitive_share"] == {"original": pytest.approx(2 / 5), "release": pytest.approx(1 / 4)}
    assert "1 of 5 items no longer occur" in found.reading


def test_deleting_in_proportion_changes_nothing() -> None:
    assert diverges([8, 4, 6, 2, 4], [4, 2, 3, 1, 2]).release == pytest.approx(0, abs=1e-12)


def test_a_general_item_is_spread_over_its_leaves() -> None:
    original = EncodedTransactions(FOOD, *singles([3, 1, 0, 4, 0]), ("s", "t"))
    release = ReleasedTransactions(Sets.of([[FOOD.node("Liquor")], []]), Sets.of([[], [0]]), np.array([4, 4]))
    found = TRANSACTION_MEASURES["item-divergence"].measure(
        TransactionComparison(original, release), np.random.default_rng(1)
    )
    assert found.details["divergence"] == pytest.approx(by_definition([3, 1, 0, 4, 0], [2, 2, 0, 4, 0]))


def test_the_most_frequent_items_are_told_with_both_shares() -> None:
    found = diverges([1, 2, 3, 4, 0], [1, 2, 2, 0, 0])
    assert found.details["frequent"][:2] == [
        {"item": "s", "sensitive": True, "original": 0.4, "release": 0.0},
        {"item": "Milk", "sensitive": False, "original": 0.3, "release": 0.4},
    ]
    json.dumps(found.as_dict())


def test_nothing_to_compare_is_not_measured() -> None:
    for before, after, reason in (([0] * 5, [0] * 5, "transactions have"), ([1] * 5, [0] * 5, "release has")):
        found = diverges(before, after)
        assert found.release is None
        assert found.reading.startswith(f"Not measured: the {reason} no items")
