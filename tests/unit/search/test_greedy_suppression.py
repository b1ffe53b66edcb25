"""Greedy suppression against the definition of coherence and against a plain rendering of the method."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.encode.transactions import EncodedTransactions
from discreet.errors import InputError
from discreet.losses.ncp import NormalizedCertaintyPenalty
from discreet.models.coherence import Coherence
from discreet.models.kl_privacy import KLPrivacy
from discreet.models.km_anonymity import KMAnonymity
from discreet.models.transactions import TransactionModel
from discreet.search.events import Listener, SearchEvent, ignore
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.transactions.greedy_suppression import greedy_suppression
from discreet.search.transactions.problem import TransactionProblem
from discreet.taxonomy import Taxonomy
from discreet.values.sets import Sets
from examples import examples

Row = tuple[frozenset[int], frozenset[int], int]
"""the non-sensitive items, the sensitive ones, and how many transactions have just these"""


def run(
    rows: Sequence[Row],
    model: TransactionModel,
    limits: Limits | None = None,
    listen: Listener = ignore,
    items: int = 8,
) -> SearchResult:
    encoded = EncodedTransactions(
        Taxonomy.from_paths("items", [[str(item), "*"] for item in range(items)]),
        Sets.of([row[0] for row in rows]),
        Sets.of([row[1] for row in rows]),
        np.array([row[2] for row in rows], np.int64),
        ("s0", "s1", "s2"),
    )
    problem = TransactionProblem(encoded, model, NormalizedCertaintyPenalty())
    return greedy_suppression(problem, limits or Limits(), np.random.default_rng(1), listen)


def rows_of(*transactions: str, sensitive: str = "") -> list[Row]:
    """Transactions by the digits of their items; one of `sensitive` for each, '-' for none."""
    codes = sensitive or "-" * len(transactions)
    return [
        (frozenset(map(int, items)), frozenset() if code == "-" else frozenset({int(code)}), 1)
        for items, code in zip(transactions, codes, strict=True)
    ]


def suppressed_by(result: SearchResult, rows: Sequence[Row]) -> set[int]:
    """The items of which nothing is published; of all others everything must be."""
    published: set[int] = set()
    for nodes in result.recoded.nodes:
        published.update(int(node) - 1 for node in nodes)
    for source, nodes in zip(result.recoded.sources, result.recoded.nodes, strict=True):
        assert {int(node) - 1 for node in nodes} == rows[source][0] & published
    return set().union(*(row[0] for row in rows)) - published


# The oracle: sets of numbers, nothing of discreet.


def is_mole(rows: Sequence[Row], itemset: frozenset[int], k: int, share: Fraction) -> bool:
    having = [row for row in rows if itemset <= row[0]]
    total = sum(row[2] for row in having)
    worst = max(sum(row[2] for row in having if code in row[1]) for code in range(3))
    return total > 0 and (total < k or worst > share * total)


def all_moles(rows: Sequence[Row], k: int, share: Fraction, p: int) -> set[frozenset[int]]:
    itemsets = {
        frozenset(itemset) for row in rows for size in range(1, p + 1) for itemset in combinations(row[0], size)
    }
    return {itemset for itemset in itemsets if is_mole(rows, itemset, k, share)}


def plain_suppression(rows: Sequence[Row], k: int, share: Fraction, p: int) -> tuple[set[int], int]:
    """The method word for word: what is left out, and the number of minimal moles."""
    moles = all_moles(rows, k, share, p)
    minimal = {mole for mole in moles if not any(other < mole for other in moles)}
    suppressed = {next(iter(mole)) for mole in minimal if len(mole) == 1}
    left = {mole for mole in minimal if len(mole) > 1}
    while left:
        moles_of = Counter(item for mole in left for item in mole)
        support = {item: sum(row[2] for row in rows if item in row[0]) for item in moles_of}
        _, item = min((-Fraction(count, support[item]), item) for item, count in moles_of.items())
        suppressed.add(item)
        left = {mole for mole in left if item not in mole}
    return suppressed, len(minimal)


item_sets = st.frozensets(st.integers(0, 7), max_size=7)
row_lists = st.lists(
    st.tuples(item_sets, st.frozensets(st.integers(0, 2), max_size=2), st.integers(1, 3)), min_size=1, max_size=10
)


@examples(160)
@given(row_lists, st.integers(1, 4), st.sampled_from(["1/4", "1/3", "1/2", "2/3", "1"]), st.integers(1, 5))
def test_keeps_the_promise_by_the_method_word_for_word(rows: list[Row], k: int, share: str, p: int) -> None:
    h = Fraction(share)
    result = run(rows, Coherence(k, h, p))
    suppressed = suppressed_by(result, rows)
    released = [(row[0] - suppressed, row[1], row[2]) for row in rows]
    assert not all_moles(released, k, h, p)

    expected, moles = plain_suppression(rows, k, h, p)
    assert suppressed == expected
    assert result.details == {"suppressed_items": len(expected), "moles": moles}
    (best,) = result.found
    assert best.recoded.cut is None
    assert best.cost == sum(row[2] * len(row[0] & expected) for row in rows)
    assert result.status == "feasible"
    assert result.bound == 0
    assert result.cuts_total == 0


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("share", ["1/2", "1"])
def test_the_same_with_hundreds_of_transactions(seed: int, share: str) -> None:
    random = np.random.default_rng(seed)
    rows: list[Row] = [
        (
            frozenset(np.flatnonzero(random.random(11) < random.choice([0.2, 0.5, 0.8])).tolist()),
            frozenset(np.flatnonzero(random.random(3) < 0.4).tolist()),
            int(random.integers(1, 3)),
        )
        for _ in range(200)
    ]
    k, h, p = int(random.integers(30, 45)), Fraction(share), 5
    result = run(rows, Coherence(k, h, p), items=11)
    expected, moles = plain_suppression(rows, k, h, p)
    assert moles > 10
    assert suppressed_by(result, rows) == expected
    assert result.details["moles"] == moles


@examples(40)
@given(row_lists, st.integers(1, 4), st.integers(1, 5))
def test_without_shares_it_is_km_anonymity(rows: list[Row], k: int, m: int) -> None:
    by_km, by_coherence = run(rows, KMAnonymity(k, m)), run(rows, Coherence(k, Fraction(1), m))
    assert suppressed_by(by_km, rows) == suppressed_by(by_coherence, rows)


def test_the_item_with_most_moles_for_its_support_goes_first() -> None:
    # Support of 0: 4, of 1 and 2: 3. The minimal moles for k = 2 are {0,1}, {0,2}, {1,2}: 2/4, 2/3 and 2/3. Of the
    # equals 1 goes; then 0 has one mole for 4 and 2 one for 3: 2 goes.
    rows = rows_of("01", "02", "12", "0", "0", "1", "2")
    result = run(rows, KMAnonymity(2, 2))
    assert suppressed_by(result, rows) == {1, 2}
    assert result.details == {"suppressed_items": 2, "moles": 3}
    assert result.best.cost == 6


def test_items_that_are_moles_alone_count_in_no_larger_mole() -> None:
    # 3 is in one transaction only. With 3 gone {0,1} is the one minimal mole, of supports 4 and 3: 1 goes.
    rows = rows_of("013", "0", "0", "0", "1", "1")
    result = run(rows, KMAnonymity(2, 3))
    assert suppressed_by(result, rows) == {1, 3}
    assert result.details == {"suppressed_items": 2, "moles": 2}


def test_a_share_is_broken_only_above_it() -> None:
    rows = rows_of("0", "0", "1", "1", "1", sensitive="0-00-")
    assert suppressed_by(run(rows, Coherence(1, Fraction(1, 2), 1)), rows) == {1}
    assert suppressed_by(run(rows, Coherence(1, Fraction(2, 3), 1)), rows) == set()


def test_a_mole_by_its_share_may_lie_in_a_set_that_is_none() -> None:
    # s0 is in 2 of 3 with item 0, but in 1 of 2 with items 0 and 1: {0} has to go all the same.
    rows = rows_of("0", "01", "01", "1", sensitive="00--")
    result = run(rows, Coherence(1, Fraction(1, 2), 2))
    assert suppressed_by(result, rows) == {0}
    assert result.details["moles"] == 1


def test_more_items_known_than_any_transaction_has() -> None:
    rows = rows_of("01", "01", "0")
    assert suppressed_by(run(rows, KMAnonymity(2, 30)), rows) == set()


def test_transactions_without_items_need_nothing() -> None:
    result = run(rows_of("", sensitive="0"), Coherence(5, Fraction(1, 2), 2))
    assert result.details == {"suppressed_items": 0, "moles": 0}


MANY_MOLES = rows_of("01", "02", "12", "34", "0", "0", "1", "2", "3", "4", "5", "5")


def test_stopped_while_looking_for_moles_it_leaves_out_everything() -> None:
    interrupted = Limits()
    interrupted.interrupt.set()
    for limits in (interrupted, Limits(time_limit=0)):
        result = run(MANY_MOLES, KMAnonymity(2, 2), limits)
        assert suppressed_by(result, MANY_MOLES) == {0, 1, 2, 3, 4, 5}
        assert result.interrupted == (limits is interrupted)


def test_stopped_later_it_leaves_out_what_is_still_in_a_mole() -> None:
    limits = Limits()
    heard: list[SearchEvent] = []

    def listen(event: SearchEvent) -> None:
        heard.append(event)
        if len(heard) == 2:
            limits.interrupt.set()

    result = run(MANY_MOLES, KMAnonymity(2, 2), limits, listen)
    assert suppressed_by(result, MANY_MOLES) == {0, 1, 2, 3, 4}
    assert result.interrupted
    assert tuple(heard) == result.events
    assert [event.incumbent for event in heard] == [None, None, result.best.cost]


def test_another_promise_gets_a_sentence() -> None:
    keeps = "keeps km-anonymity and coherence and cannot keep 'kl-privacy'; set privacy.model to one of them"
    with pytest.raises(InputError, match=f"^The method greedy-suppression {keeps}"):
        run(MANY_MOLES, KLPrivacy(2, 1, 2, 0))
