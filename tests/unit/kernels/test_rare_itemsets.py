"""Counting all itemsets in a table against enumerating them, with more items than one word of a mask has."""

import numpy as np
import pytest

from discreet.encode.transactions import EncodedTransactions
from discreet.losses.lm import LossMetric
from discreet.models.km_anonymity import KMAnonymity
from discreet.search.results import SearchResult
from discreet.search.transactions import view
from discreet.search.transactions.og import og
from discreet.search.transactions.problem import TransactionProblem
from discreet.taxonomy import Taxonomy
from discreet.values.sets import Sets

ITEMS = 150


def shop(seed: int) -> EncodedTransactions:
    """Some items frequent, most rare, in three levels."""
    random = np.random.default_rng(seed)
    paths = [(f"i{item}", f"A{item // 3}", f"B{item // 30}", "*") for item in range(ITEMS)]
    chances = 0.5 / (1 + random.permutation(ITEMS) / 4)
    sets = Sets.of(np.flatnonzero(random.random(ITEMS) < chances).tolist() for _ in range(400))
    nothing = Sets.of([] for _ in range(400))
    return EncodedTransactions(Taxonomy.from_paths("shop", paths), sets, nothing, random.integers(1, 3, 400), ())


def solved(transactions: EncodedTransactions, promise: KMAnonymity) -> SearchResult:
    return og(TransactionProblem(transactions, promise, LossMetric()))


@pytest.mark.parametrize("m", [1, 2, 3, 4])
@pytest.mark.parametrize("k", [2, 5])
@pytest.mark.parametrize("seed", range(5))
def test_the_table_and_the_enumeration_give_the_same_optimum(
    k: int, m: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    transactions = shop(seed)
    by_table = solved(transactions, KMAnonymity(k, m))
    monkeypatch.setattr(view, "MOST_CELLS", 0)
    one_by_one = solved(transactions, KMAnonymity(k, m))
    assert by_table.status == one_by_one.status == "optimal"
    assert by_table.best.cost == one_by_one.best.cost
    assert by_table.best.cost < transactions.occurrences
    assert by_table.best.cost > 0 or m == 1


def test_the_widest_size_decides_whether_a_table_fits() -> None:
    data = view.view(
        view.Rows(Sets.of([range(1, 41)]), Sets.of([[]]), np.ones(1, np.int64)),
        Taxonomy.from_paths("flat", [(f"i{item}", "*") for item in range(40)]),
        np.zeros(41, np.int32),
        KMAnonymity(2, 39).itemset_limits(),
    )
    assert data.cut_items.sum() == 40
    assert not data._fits_a_table()  # C(40, 20) cells, though C(40, 39) are few
