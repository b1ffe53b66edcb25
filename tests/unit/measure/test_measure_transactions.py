"""Measures of transactions: against their definitions, counted by hand or by brute force."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import log
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.encode.released_transactions import ReleasedTransactions
from discreet.encode.transactions import EncodedTransactions
from discreet.measure.measurement import Measurement
from discreet.measure.transactions import TRANSACTION_MEASURES, frequent_patterns, measure_transactions
from discreet.measure.transactions.mining import frequent_patterns as mine
from discreet.recode.transactions.recoded import Recoded
from discreet.taxonomy import Cut, Taxonomy
from discreet.values.sets import Sets
from examples import examples

FOOD = Taxonomy.from_paths(
    "items",
    [
        ["Beer", "Liquor", "*"],
        ["Wine", "Liquor", "*"],
        ["Milk", "Dairy", "*"],
        ["Yogurt", "Dairy", "*"],
        ["Shoe", "*"],
    ],
)
Basket = tuple[frozenset[int], frozenset[int]]


def node(label: str) -> int:
    return FOOD.node(label)


def encoded(taxonomy: Taxonomy, baskets: list[Basket], sensitive: tuple[str, ...]) -> EncodedTransactions:
    """Baskets of leaf numbers and sensitive codes."""
    distinct = Counter(baskets)
    return EncodedTransactions(
        taxonomy,
        Sets.of(leaves for leaves, _ in distinct),
        Sets.of(codes for _, codes in distinct),
        np.array(list(distinct.values()), np.int64),
        sensitive,
    )


def released(baskets: Sequence[Basket]) -> ReleasedTransactions:
    """Baskets of nodes and sensitive codes."""
    distinct = Counter(baskets)
    return ReleasedTransactions(
        Sets.of(nodes for nodes, _ in distinct),
        Sets.of(codes for _, codes in distinct),
        np.array(list(distinct.values()), np.int64),
    )


def published(original: EncodedTransactions, recoded: Recoded) -> ReleasedTransactions:
    baskets: list[Basket] = []
    for row, nodes in enumerate(recoded.nodes):
        codes = frozenset(original.sensitive[int(recoded.sources[row])].tolist())
        baskets += [(frozenset(nodes.tolist()), codes)] * int(recoded.counts[row])
    return released(baskets)


def foods(*baskets: str) -> EncodedTransactions:
    """'Beer Wine !Viagra': what begins with ! is sensitive."""
    leaves, sensitive = FOOD.leaf_labels, ("Viagra", "Test")
    return encoded(
        FOOD,
        [
            (
                frozenset(leaves.index(item) for item in basket.split() if item[0] != "!"),
                frozenset(sensitive.index(item[1:]) for item in basket.split() if item[0] == "!"),
            )
            for basket in baskets
        ],
        sensitive,
    )


def measures(
    original: EncodedTransactions, release: ReleasedTransactions, recoded: Recoded | None = None
) -> dict[str, Measurement]:
    found = measure_transactions(original, release, recoded, random=np.random.default_rng(1))
    return {measurement.name: measurement for measurement in found}


BASKETS = foods("Beer Milk !Viagra", "Wine Yogurt", "Beer Wine", "Shoe !Viagra", "Shoe !Test")
CUT = Recoded.by_cut(BASKETS, Cut.from_labels(FOOD, ["Liquor", "Milk", "Yogurt", "Shoe"]))


@st.composite
def taxonomies(draw: st.DrawFn) -> Taxonomy:
    size = draw(st.integers(2, 9))
    parents = [-1, *(draw(st.integers(0, child - 1)) for child in range(1, size))]
    return Taxonomy.from_parents("items", [f"n{number}" for number in range(size)], parents)


@st.composite
def problems(draw: st.DrawFn) -> tuple[Taxonomy, list[Basket]]:
    """A taxonomy and transactions of any of its nodes."""
    taxonomy = draw(taxonomies())
    nodes = st.frozensets(st.integers(0, len(taxonomy.labels) - 1), max_size=4)
    baskets = st.tuples(nodes, st.frozensets(st.integers(0, 1), max_size=2))
    # Repeated, so that counts have several bits.
    rows = draw(st.lists(st.tuples(baskets, st.integers(1, 5)), max_size=8))
    return taxonomy, [basket for basket, times in rows for _ in range(times)]


def by_trying_all(parents: list[int], baskets: list[Basket], smallest: int, longest: int) -> dict[tuple[int, ...], int]:
    """Every set of items that is no two on one path, by the definition."""

    def at_or_above(node: int) -> set[int]:
        return {node} | (at_or_above(parents[node]) if parents[node] >= 0 else set())

    size = len(parents)
    expanded = [
        set().union(*(at_or_above(node) for node in nodes)) - {0} | {size + code for code in codes}
        for nodes, codes in baskets
    ]
    found = {}
    for length in range(1, longest + 1):
        for pattern in combinations(range(1, size + 2), length):
            nodes = [item for item in pattern if item < size]
            if any(first in at_or_above(second) for first in nodes for second in nodes if first != second):
                continue
            support = sum(basket.issuperset(pattern) for basket in expanded)
            if support >= smallest:
                found[pattern] = support
    return found


@examples(60)
@given(problems(), st.integers(1, 4), st.integers(1, 4))
def test_patterns_are_those_of_the_definition(
    problem: tuple[Taxonomy, list[Basket]], smallest: int, longest: int
) -> None:
    taxonomy, baskets = problem
    release = released(baskets)
    found = mine(taxonomy, release.nodes, release.sensitive, release.counts, smallest, longest, 10**6)
    assert found == by_trying_all(taxonomy.parents.tolist(), baskets, smallest, longest)


def test_more_patterns_than_wanted_are_not_listed() -> None:
    release = published(BASKETS, CUT)
    found = mine(FOOD, release.nodes, release.sensitive, release.counts, 1, 3, 3)
    assert found is None


def test_where_there_are_too_many_patterns_shorter_ones_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frequent_patterns, "MOST_PATTERNS", 25)
    found = measures(BASKETS, published(BASKETS, CUT))["frequent-patterns"]
    assert found.details["longest"] == 2
    monkeypatch.setattr(frequent_patterns, "MOST_PATTERNS", 1)
    found = measures(BASKETS, published(BASKETS, CUT))["frequent-patterns"]
    assert found.details["longest"] == 1
    assert found.original == 9  # five leaves, two branches, two sensitive items


def test_a_cut_keeps_the_supports_of_what_it_keeps() -> None:
    found = measures(BASKETS, published(BASKETS, CUT))["frequent-patterns"]
    assert found.original is not None and found.release is not None
    assert found.release == found.details["both"] < found.original
    assert found.details["error"] == 0
    assert "exactly" in found.reading
    assert {"items": ["Beer"], "transactions": 2} in found.details["lost"]


def test_the_error_is_that_of_the_patterns_in_both() -> None:
    original = foods("Beer", "Beer", "Beer", "Wine")
    release = released(
        [(frozenset({node("Beer")}), frozenset())] * 2 + [(frozenset({node("Liquor")}), frozenset())] * 2
    )
    found = measures(original, release)["frequent-patterns"]
    # Beer: 3 and 2, Liquor: 4 and 4; Wine is lost.
    assert found.details["error"] == pytest.approx(1 / 7)
    assert (found.original, found.release, found.details["both"]) == (3, 2, 2)


def test_losses_are_per_item() -> None:
    found = measures(BASKETS, published(BASKETS, CUT), CUT)
    # Four of eight items are published as Liquor, two of five leaves.
    assert found["ncp"].release == pytest.approx(4 / 8 * 2 / 5)
    assert found["lm"].release == pytest.approx(4 / 8 * 1 / 4)
    assert found["ncp"].details["branches"][0] == {"branch": "Liquor", "items": 4, "share": pytest.approx(2 / 5)}
    assert found["ncp"].details["left_out"] == 0


def test_a_recoding_that_is_the_same_everywhere_is_read_off_the_release() -> None:
    suppressed = Recoded.everywhere(BASKETS, np.array([node("Liquor"), node("Liquor"), -1, -1, node("Shoe")], np.int32))
    for recoded in (CUT, suppressed):
        release = published(BASKETS, recoded)
        told, read = measures(BASKETS, release, recoded), measures(BASKETS, release)
        assert told["ncp"] == read["ncp"]
    assert told["ncp"].details["left_out"] == 2
    assert "25% of all items are left out; an item under Dairy lost most, 100%" in told["ncp"].reading


def test_what_items_lost_is_not_guessed() -> None:
    beer, liquor = frozenset({node("Beer")}), frozenset({node("Liquor")})
    overlapping = released([(beer, frozenset()), (liquor, frozenset())])
    partly = released([(beer, frozenset()), (frozenset(), frozenset())])
    for release in (overlapping, partly):
        found = measures(foods("Beer", "Beer"), release)["ncp"]
        assert found.release is None
        assert found.reading.startswith("Not measured: the release alone does not show")


def test_items_and_lengths() -> None:
    found = measures(BASKETS, published(BASKETS, CUT))["items"]
    assert (found.original, found.release) == (5, 4)
    assert found.details["exact"] == 3
    assert found.details["average_length"] == {"original": 8 / 5, "release": 7 / 5}


def test_frequencies_are_spread_evenly() -> None:
    found = measures(foods("Beer", "Beer", "Beer", "Wine"), released([(frozenset({node("Liquor")}), frozenset())] * 4))
    details = found["item-frequency"].details
    assert found["item-frequency"].release == pytest.approx(1 / 4)
    beer, wine = 3 / 4 * log((3 / 4) / (5 / 8)), 1 / 4 * log((1 / 4) / (3 / 8))
    even = 1 / 2 * log((1 / 2) / (5 / 8)) + 1 / 2 * log((1 / 2) / (3 / 8))
    assert details["divergence"] == pytest.approx((beer + wine + even) / 2)
    assert {"item": "Beer", "original": 0.75, "release": 0.5} in details["shifted"]


def test_frequencies_that_have_nothing_in_common_are_ln_2_apart() -> None:
    found = measures(foods("Beer"), released([(frozenset({node("Shoe")}), frozenset())]))["item-frequency"]
    assert found.details["divergence"] == pytest.approx(log(2))
    assert found.release == 1


@examples(40)
@given(problems())
def test_frequencies_of_the_original_itself_are_exact(problem: tuple[Taxonomy, list[Basket]]) -> None:
    taxonomy, baskets = problem
    size = len(taxonomy.leaf_nodes)
    original = encoded(
        taxonomy, [(frozenset(n for n in nodes if n < size), codes) for nodes, codes in baskets], ("s", "t")
    )
    found = measures(original, published(original, Recoded.by_cut(original, Cut.leaves(taxonomy))))
    if original.occurrences:
        assert found["item-frequency"].release == pytest.approx(0, abs=1e-12)
        assert found["ncp"].release == found["lm"].release == 0
        assert found["sensitive"].release in (0, None)
    assert found["frequent-patterns"].original == found["frequent-patterns"].release
    assert found["items"].original == found["items"].release


def rules_by_definition(baskets: list[Basket], top: dict[int, int], share: Fraction) -> dict[tuple[int, int], Fraction]:
    """branch, sensitive item -> confidence, by counting."""
    found = {}
    for branch in set(top.values()):
        having = [codes for nodes, codes in baskets if any(top.get(node) == branch for node in nodes)]
        if having and len(having) >= share * len(baskets):
            for code in (0, 1):
                found[branch, code] = Fraction(sum(code in codes for codes in having), len(having))
    return found


@examples(40)
@given(problems(), st.randoms(use_true_random=False))
def test_rules_about_sensitive_items(problem: tuple[Taxonomy, list[Basket]], choice: Any) -> None:
    taxonomy, baskets = problem
    size = len(taxonomy.leaf_nodes)
    baskets = [(frozenset(n for n in nodes if n < size), codes) for nodes, codes in baskets]
    original = encoded(taxonomy, baskets, ("s", "t"))
    local = [
        (frozenset(choice.choice(list(range(len(taxonomy.labels)))) for _ in nodes), codes) for nodes, codes in baskets
    ]
    top = {}
    for child in range(1, len(taxonomy.labels)):
        branch = child
        while taxonomy.parents[branch] > 0:
            branch = int(taxonomy.parents[branch])
        top[child] = branch
    before = rules_by_definition(
        [(frozenset(int(taxonomy.leaf_nodes[leaf]) for leaf in leaves), codes) for leaves, codes in baskets],
        top,
        Fraction(1, 100),
    )
    after = rules_by_definition(local, top, Fraction(0))
    overall = {code: Fraction(sum(code in codes for _, codes in local), max(1, len(local))) for code in (0, 1)}
    found = measures(original, released(local))["sensitive"].release
    if not sum(before.values()):
        assert found is None
        return
    errors = sum(abs(before[rule] - after.get(rule, overall[rule[1]])) for rule in before)
    assert found == pytest.approx(float(errors / sum(before.values())))


def test_rules_where_sensitive_items_are_published_apart() -> None:
    original = foods("Beer !Viagra", "Milk", "Beer !Viagra", "Beer")
    release = ReleasedTransactions(
        Sets.of([[node("Beer")], [node("Milk")], [node("Beer")]]),
        Sets.of([[], [], []]),
        np.array([1, 1, 2]),
        groups=np.array([0, 0, 1]),
        group_sensitive=np.array([[1, 0], [1, 0]]),
    )
    found = measures(original, release)["sensitive"]
    # Liquor: 2/3 before; (1/2 + 2 * 1/2) / 3 = 1/2 after. Dairy: 0 before, 1/2 after.
    assert found.release == pytest.approx((1 / 6 + 1 / 2) / (2 / 3))


def test_without_sensitive_items_nothing_is_said_about_them() -> None:
    original = encoded(FOOD, [(frozenset({0}), frozenset())], ())
    found = measures(original, published(original, Recoded.by_cut(original, Cut.root(FOOD))))
    assert list(found) == [name for name, measure in TRANSACTION_MEASURES.items() if not measure.needs_sensitive]


def test_transactions_without_items() -> None:
    original = encoded(FOOD, [(frozenset(), frozenset({0}))] * 3, ("Viagra",))
    found = measures(original, published(original, Recoded.by_cut(original, Cut.root(FOOD))))
    assert found["ncp"].release is found["item-frequency"].release is found["sensitive"].release is None
    assert (found["frequent-patterns"].original, found["frequent-patterns"].release) == (1, 1)


def test_measurements_can_be_written_down() -> None:
    for measurement in measures(BASKETS, published(BASKETS, CUT), CUT).values():
        assert measurement.reading.endswith(".")
        assert json.loads(json.dumps(measurement.as_dict()))["name"] == measurement.name
