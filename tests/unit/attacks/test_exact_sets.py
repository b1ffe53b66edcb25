"""The adversary who knows the exact set of somebody's items: against counting the transactions one by one."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.attacks.transactions.document import attack_transactions
from discreet.attacks.transactions.exact_sets import exact_sets
from discreet.encode.released_transactions import ReleasedTransactions
from discreet.encode.transactions import EncodedTransactions
from discreet.models.itemset_limits import Adversary, ItemsetLimits
from discreet.taxonomy import Taxonomy
from discreet.values.sets import Sets, distinct
from examples import examples

Basket = frozenset[str]
"""items, and the sensitive ones s and t"""

TAXONOMY = Taxonomy.from_paths("items", [["a1", "A", "R"], ["a2", "A", "R"], ["b1", "B", "R"]])
SENSITIVE = ("s", "t")
HALF = Fraction(1, 2)
GENERAL = {"a1": "A", "a2": "A"}


def baskets(*texts: str) -> list[Basket]:
    return [frozenset(text.split()) for text in texts]


def others(basket: Basket) -> Basket:
    return basket - {*SENSITIVE}


def sensitive(transactions: Sequence[Basket]) -> Sets:
    return Sets.of([SENSITIVE.index(item) for item in basket & {*SENSITIVE}] for basket in transactions)


def encoded(transactions: Sequence[Basket], sensitive_items: tuple[str, ...] = SENSITIVE) -> EncodedTransactions:
    sets = Sets.of([TAXONOMY.leaf_labels.index(item) for item in others(basket)] for basket in transactions)
    ones = np.ones(len(transactions), np.int64)
    return EncodedTransactions(TAXONOMY, sets, sensitive(transactions), ones, sensitive_items)


def released(transactions: Sequence[Basket]) -> ReleasedTransactions:
    nodes = Sets.of([TAXONOMY.node(item) for item in others(basket)] for basket in transactions)
    codes = sensitive(transactions)
    first, like = distinct(nodes, codes)
    return ReleasedTransactions(nodes.take(first), codes.take(first), np.bincount(like).astype(np.int64))


def as_published(basket: Basket, release: Sequence[Basket]) -> Basket:
    """What somebody looks for who knows this: nothing that is published nowhere."""
    shown = frozenset[str]().union(*release)
    return frozenset(label for item in others(basket) for label in {item, GENERAL.get(item, item)} & shown)


def confidences(original: Sequence[Basket], release: Sequence[Basket]) -> list[Fraction]:
    """For each sensitive item that is shown beside others: his confidence in it; 0 where nobody has these others."""
    whole = [as_published(basket, release) for basket in original]
    return [
        Fraction(sum(item in basket for basket in alike), len(alike)) if others(shown) in whole else Fraction(0)
        for shown in release
        if others(shown)
        for alike in [[basket for basket in release if others(basket) == others(shown)]]
        for item in shown & {*SENSITIVE}
    ]


@st.composite
def releases(draw: st.DrawFn) -> tuple[list[Basket], list[Basket]]:
    """An original, and the same with some occurrences left out, and perhaps A in place of a1 and a2."""
    original = draw(st.lists(st.frozensets(st.sampled_from(["a1", "a2", "b1", *SENSITIVE])), min_size=1, max_size=12))
    label = draw(st.sampled_from([GENERAL, {}]))
    left_out = draw(st.lists(st.frozensets(st.sampled_from(["a2", "b1", "s"]), max_size=1), min_size=12, max_size=12))
    kept = [basket - gone for basket, gone in zip(original, left_out, strict=False)]
    return original, [frozenset(label.get(item, item) for item in basket) for basket in kept]


@examples(160)
@given(releases(), st.one_of(st.none(), st.fractions(0, Fraction(5, 6), max_denominator=6)))
def test_it_counts_what_is_surer_than_promised(
    published: tuple[list[Basket], list[Basket]], share: Fraction | None
) -> None:
    original, release = published
    found = exact_sets(encoded(original), released(release), share)
    expected = confidences(original, release)
    assert found["applies"] == bool(expected)
    if expected:
        assert found["shown"] == len(expected)
        assert found["certain"] == sum(confidence == 1 for confidence in expected)
        above = None if share is None else sum(confidence > share for confidence in expected)
        assert found["above_share"] == above


def test_the_share_is_compared_exactly() -> None:
    seven_of_ten = baskets(*["a1 s"] * 7, *["a1"] * 3)
    original, release = encoded(seven_of_ten), released(seven_of_ten)
    assert exact_sets(original, release, Fraction(7, 10))["above_share"] == 0
    assert exact_sets(original, release, Fraction(7 * 10**29 - 1, 10**30))["above_share"] == 7


def test_a_set_that_is_nobodys_is_not_looked_for() -> None:
    original, release = baskets("a1 a2 s", "a1 a2"), baskets("a1 s", "a1 a2")
    assert exact_sets(encoded(original), released(release), HALF)["certain"] == 0
    assert exact_sets(encoded([*original, *baskets("a1")]), released([*release, *baskets("b1")]), HALF)["certain"] == 1


@pytest.mark.parametrize(
    ("shown", "share", "reading"),
    [
        (
            ["a1 s", "a1 a2"],
            HALF,
            "Of 1 sensitive item shown beside others, 1 (100%) is then more certain than the promised 50%, and 1 "
            "(100%) is certain, which the promise does not cover.",
        ),
        (
            ["a1 s", "a1 s", "a1", "a2 s", "a2", "a1 a2"],
            HALF,
            "Of 3 sensitive items shown beside others, 2 (67%) are then more certain than the promised 50%, and none "
            "is certain, which the promise does not cover.",
        ),
        (
            ["a1 s", "a1"],
            HALF,
            "Of 1 sensitive item shown beside others, none is then more certain than the promised 50%.",
        ),
        (["a1 s", "a1 a2"], None, "Of 1 sensitive item shown beside others, 1 (100%) is then certain."),
    ],
)
def test_it_says_so(shown: list[str], share: Fraction | None, reading: str) -> None:
    knowing = "Somebody may know all items of a person that are not sensitive, and that there are no others."
    transactions = baskets(*shown)
    assert exact_sets(encoded(transactions), released(transactions), share)["reading"] == f"{knowing} {reading}"


def test_it_stands_beside_a_promise_that_is_kept() -> None:
    transactions = baskets("a1 s", "a1 a2")
    original, release = encoded(transactions), released(transactions)
    adversary, random = Adversary(ItemsetLimits(1, HALF, 2)), np.random.default_rng(1)
    document = attack_transactions(adversary, original, release, random=random)
    assert document["after"]["above_share"] == 0
    assert document["exact_sets"]["above_share"] == 1
    assert document["reading"][-1] == f"Beyond the promise: {document['exact_sets']['reading']}"


@pytest.mark.parametrize(
    ("release", "sensitive_items", "reason"),
    [
        (released(baskets("a1")), (), "there are no sensitive items"),
        (released(baskets("a1", "s")), SENSITIVE, "no sensitive item is shown beside others"),
        (released(baskets("a1 s", "A")), SENSITIVE, "the same item is published under different labels in different"),
        (
            ReleasedTransactions(
                Sets.of([[1]]), Sets.of([[]]), np.array([1]), groups=np.array([0]), group_sensitive=np.array([[1, 0]])
            ),
            SENSITIVE,
            "sensitive items are published apart",
        ),
    ],
)
def test_where_it_does_not_apply(release: ReleasedTransactions, sensitive_items: tuple[str, ...], reason: str) -> None:
    found = exact_sets(encoded(baskets("a1"), sensitive_items), release, HALF)
    assert not found["applies"]
    assert found["reading"].startswith(f"Knowing the exact set was not tried: {reason}")
