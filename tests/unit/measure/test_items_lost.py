"""Occurrences that the release lacks, counted by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest

from discreet.encode.released_transactions import ReleasedTransactions
from discreet.encode.transactions import EncodedTransactions
from discreet.losses.ncp import NormalizedCertaintyPenalty
from discreet.measure.measurement import Measurement
from discreet.measure.transactions.certainty import ItemLossShare
from discreet.measure.transactions.comparison import TransactionComparison
from discreet.measure.transactions.items_lost import ItemsLost
from discreet.recode.transactions.recoded import Recoded
from discreet.taxonomy import Taxonomy
from discreet.values.sets import Sets

FOOD = Taxonomy.from_paths("items", [["Beer", "Liquor", "*"], ["Wine", "Liquor", "*"], ["Milk", "*"]])
BEER, WINE, MILK = (FOOD.node(label) for label in ("Beer", "Wine", "Milk"))
LEAVES = {node: leaf for leaf, node in enumerate(FOOD.leaf_nodes.tolist())}

ORIGINAL = EncodedTransactions(
    FOOD,
    Sets.of([[LEAVES[BEER], LEAVES[WINE]], [LEAVES[BEER], LEAVES[MILK]], []]),
    Sets.of([[0], [0, 1], [1]]),
    np.array([2, 1, 1], np.int64),
    ("Viagra", "Test"),
)
"""Beer Wine Viagra twice, Beer Milk Viagra Test, Test: 6 occurrences of others and 5 sensitive ones."""


def lost(nodes: list[list[int]], sensitive: list[list[int]], counts: list[int]) -> Measurement:
    release = ReleasedTransactions(Sets.of(nodes), Sets.of(sensitive), np.array(counts, np.int64))
    return ItemsLost().measure(TransactionComparison(ORIGINAL, release), np.random.default_rng(1))


def test_single_occurrences_are_counted_sensitive_ones_apart() -> None:
    found = lost([[BEER, WINE], [BEER, WINE], [MILK], []], [[0], [], [0], [1]], [1, 1, 1, 1])
    assert found.details == {
        "measured": True,
        "occurrences": 11,
        "lost": 3,
        "lost_sensitive": 2,
        "lost_other": 1,
        "trivial": 5,
        "trivial_share": 5 / 11,
    }
    assert found.original == 0
    assert found.release == pytest.approx(3 / 11)
    assert found.reading == (
        "27.3% of all occurrences of items are left out, 2 sensitive ones and 1 others; leaving out every sensitive "
        "one would lose 45.5%."
    )
    assert json.loads(json.dumps(found.as_dict()))["name"] == "items-lost"


def test_what_is_more_general_is_not_lost_though_several_items_become_one() -> None:
    liquor = FOOD.node("Liquor")
    found = lost([[liquor], [liquor], []], [[0], [0, 1], [1]], [2, 1, 1])
    assert (found.details["lost_other"], found.details["lost_sensitive"]) == (1, 0)  # Milk


def test_nothing_lost_and_the_trivial_release() -> None:
    nodes = [[BEER, WINE], [BEER, MILK], []]
    assert lost(nodes, [[0], [0, 1], [1]], [2, 1, 1]).reading.startswith("0% of all occurrences of items are left out;")
    trivial = lost(nodes, [[], [], []], [2, 1, 1])
    assert trivial.release == trivial.details["trivial_share"] == 5 / 11


def test_sensitive_items_published_apart_are_not_lost() -> None:
    release = ReleasedTransactions(
        Sets.of([[BEER, WINE], [BEER, MILK], []]),
        Sets.of([[], [], []]),
        np.array([2, 1, 1]),
        groups=np.array([0, 0, 0]),
        group_sensitive=np.array([[3, 2]]),
    )
    found = ItemsLost().measure(TransactionComparison(ORIGINAL, release), np.random.default_rng(1))
    assert found.release == 0


def test_transactions_without_items_are_not_measured() -> None:
    empty = EncodedTransactions(FOOD, Sets.of([[]]), Sets.of([[]]), np.array([3]), ())
    release = ReleasedTransactions(Sets.of([[]]), Sets.of([[]]), np.array([3]))
    found = ItemsLost().measure(TransactionComparison(empty, release), np.random.default_rng(1))
    assert found.release is None and found.reading.startswith("Not measured")


def test_the_loss_of_other_items_is_not_charged_for_sensitive_ones() -> None:
    nodes = Sets.of([[BEER, WINE], [BEER, MILK], []])
    recoded = Recoded(np.arange(3, dtype=np.int32), nodes, ORIGINAL.counts, kept=Sets.of([[], [], []]))
    release = ReleasedTransactions(nodes, Sets.of([[], [], []]), ORIGINAL.counts)
    measure = ItemLossShare(NormalizedCertaintyPenalty(), "Normalized certainty penalty")
    found = measure.measure(TransactionComparison(ORIGINAL, release, recoded), np.random.default_rng(1))
    assert found.release == 0
