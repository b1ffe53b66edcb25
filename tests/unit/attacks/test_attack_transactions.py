"""The adversary against transactions: against the definition, by looking at every transaction."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.attacks.transactions import disjunctions as disjunction_module
from discreet.attacks.transactions.disjunctions import disjunctions
from discreet.attacks.transactions.document import attack_transactions
from discreet.attacks.transactions.itemsets import Known, Reader
from discreet.encode.released_transactions import ReleasedTransactions
from discreet.encode.transactions import EncodedTransactions
from discreet.models.itemset_limits import Adversary, ItemsetLimits
from discreet.recode.transactions.recoded import Recoded
from discreet.taxonomy import Cut, Taxonomy
from discreet.values.sets import Sets
from examples import examples

Basket = tuple[frozenset[int], frozenset[int]]

LETTERS = Taxonomy.from_paths("items", [[leaf, leaf[0].upper(), "R"] for leaf in ("a1", "a2", "a3", "b1", "b2")])


def encoded(taxonomy: Taxonomy, baskets: list[Basket], sensitive: tuple[str, ...]) -> EncodedTransactions:
    distinct = Counter(baskets)
    return EncodedTransactions(
        taxonomy,
        Sets.of(leaves for leaves, _ in distinct),
        Sets.of(codes for _, codes in distinct),
        np.array(list(distinct.values()), np.int64),
        sensitive,
    )


def released(baskets: Sequence[Basket]) -> ReleasedTransactions:
    distinct = Counter(baskets)
    return ReleasedTransactions(
        Sets.of(nodes for nodes, _ in distinct),
        Sets.of(codes for _, codes in distinct),
        np.array(list(distinct.values()), np.int64),
    )


def by_cut(original: EncodedTransactions, *labels: str) -> ReleasedTransactions:
    recoded = Recoded.by_cut(original, Cut.from_labels(original.taxonomy, labels))
    baskets: list[Basket] = []
    for row, nodes in enumerate(recoded.nodes):
        codes = frozenset(original.sensitive[row].tolist())
        baskets += [(frozenset(nodes.tolist()), codes)] * int(recoded.counts[row])
    return released(baskets)


def letters(*baskets: str) -> EncodedTransactions:
    """'a1 b2 !s': what begins with ! is sensitive."""
    return encoded(
        LETTERS,
        [
            (
                frozenset(LETTERS.leaf_labels.index(item) for item in basket.split() if item[0] != "!"),
                frozenset("st".index(item[1:]) for item in basket.split() if item[0] == "!"),
            )
            for basket in baskets
        ],
        ("s", "t"),
    )


def attack(
    original: EncodedTransactions,
    release: ReleasedTransactions,
    limits: ItemsetLimits | None = None,
    known: int | None = 1,
    absent: int = 0,
    people: int = 10_000,
) -> dict[str, Any]:
    random = np.random.default_rng(1)
    adversary = Adversary(limits, known, absent)
    return attack_transactions(adversary, original, release, people=people, random=random)


@st.composite
def problems(draw: st.DrawFn) -> tuple[Taxonomy, list[Basket]]:
    """A taxonomy and transactions of any of its nodes, as local generalization and suppression can publish them."""
    size = draw(st.integers(2, 9))
    parents = [-1, *(draw(st.integers(0, child - 1)) for child in range(1, size))]
    taxonomy = Taxonomy.from_parents("items", [f"n{number}" for number in range(size)], parents)
    nodes = st.frozensets(st.integers(0, size - 1), max_size=4)
    baskets = st.tuples(nodes, st.frozensets(st.integers(0, 1), max_size=2))
    return taxonomy, draw(st.lists(baskets, min_size=1, max_size=12))


def fits(
    nodes: frozenset[int], paths: list[list[int]], present: set[int], absent: set[int], published: set[int]
) -> bool:
    """Whether a published transaction fits, by the protocol. paths: leaf number -> its node and all above it."""
    for leaf in present:
        if published.intersection(paths[leaf]) and not nodes.intersection(paths[leaf]):
            return False
    return not any({leaf for leaf, path in enumerate(paths) if node in path} <= absent for node in nodes)


@examples(80)
@given(problems(), st.data())
def test_what_fits_is_what_the_protocol_says(problem: tuple[Taxonomy, list[Basket]], data: st.DataObject) -> None:
    taxonomy, baskets = problem
    paths = [[taxonomy.node(label) for label in taxonomy.path(int(leaf))] for leaf in taxonomy.leaf_nodes]
    leaves = st.sets(st.integers(0, len(paths) - 1), max_size=4)
    present = data.draw(leaves)
    absent = data.draw(leaves) - present
    reader = Reader(taxonomy, released(baskets), 2)
    found = reader.fitting(reader.sees(Known(tuple(present), tuple(absent))))
    published = {node for nodes, _ in baskets for node in nodes}
    fitting = [codes for nodes, codes in baskets if fits(nodes, paths, present, absent, published)]
    assert found.records == len(fitting)
    assert found.having.tolist() == [sum(code in codes for codes in fitting) for code in (0, 1)]
    for share in (Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(2, 3), Fraction(1)):
        expected = any(sum(code in codes for codes in fitting) > share * len(fitting) for code in (0, 1))
        assert reader.exceeds(found, share) == expected


@examples(25)
@given(problems(), st.integers(0, 4))
def test_everybody_is_attacked_with_items_of_their_own(problem: tuple[Taxonomy, list[Basket]], absent: int) -> None:
    taxonomy, baskets = problem
    size = len(taxonomy.leaf_nodes)
    baskets = [(frozenset(node for node in nodes if node < size), codes) for nodes, codes in baskets]
    original = encoded(taxonomy, baskets, ("s", "t"))
    # With all items known, what fits before are the transactions that have them all.
    release = by_cut(original, taxonomy.labels[0])
    found = attack(original, release, ItemsetLimits(3, Fraction(1, 2), 9), 9, 0)
    everything = attack(original, release, ItemsetLimits(3, Fraction(1, 2), 9), None, 0)
    assert [everything[side] for side in ("before", "after")] == [found[side] for side in ("before", "after")]
    assert everything["adversary"].startswith("Somebody who knows all items that a person has and that are not sens")
    alike = [[other for other in baskets if other[0] >= items] for items, _ in baskets]
    assert found["people"] == len(baskets)
    assert found["before"]["found"] == sum(len(others) == 1 for others in alike)
    assert found["before"]["below_k"] == sum(len(others) < 3 for others in alike)
    shares = [max(sum(s in codes for _, codes in others) / len(others) for s in (0, 1)) for others in alike]
    assert found["before"]["highest_confidence"] == pytest.approx(max(shares))
    known = zip(shares, baskets, strict=True)
    assert found["before"]["above_share"] == sum(share > 1 / 2 for share, (items, _) in known if items)
    # People who know nobody's absence wrongly always find the person herself.
    found = attack(original, by_cut(original, *original.taxonomy.leaf_labels), None, 9, absent)
    assert found["after"] == found["before"]
    assert found["before"]["fitting"][0]["people"] == 0
    for person in found["persons"]:
        assert not set(person["present"]) & set(person["absent"])


def test_an_absent_general_item_needs_all_its_leaves() -> None:
    original = letters("a1 b1", "b1", "b1 !s", "a1")
    release = by_cut(original, "A", "b1", "b2")
    reader = Reader(LETTERS, release, 2)
    a1, a2, a3, b1 = range(4)
    for absent, records in (((a1, a2), 3), ((a1, a2, a3), 2)):
        assert reader.fitting(reader.sees(Known((b1,), absent))).records == records


def test_a_suppressed_item_tells_nothing() -> None:
    release = released([(frozenset({LETTERS.node("b1")}), frozenset())] * 3)
    reader = Reader(LETTERS, release, 2)
    assert reader.fitting(reader.sees(Known((0,), ()))).records == 3


def test_figures_before_and_after() -> None:
    original = letters("a1 !s", "a2", "a2", "b1 !t", "b1 !s", "b1")
    found = attack(original, by_cut(original, "A", "B"), ItemsetLimits(3, Fraction(1, 3), 1))
    assert (found["before"]["found"], found["after"]["found"]) == (1, 0)
    assert (found["before"]["below_k"], found["after"]["below_k"]) == (3, 0)
    assert (found["before"]["highest_confidence"], found["after"]["highest_confidence"]) == (1.0, pytest.approx(1 / 3))
    assert (found["before"]["above_share"], found["after"]["above_share"]) == (1, 0)
    # Before: s of a1 is right; a2 has none to name, so s as of everybody, wrong; b1: s or t by lot, 1/2 + 1/2.
    assert found["before"]["guesses"]["right"] == 2
    # After: A names s, right for one of three; B names s or t by lot.
    assert found["after"]["guesses"]["right"] == 2
    assert found["before"]["baseline"]["right"] == found["after"]["baseline"]["right"] == 2
    assert found["persons"][0]["after"]["records"] == 3
    assert "Fewer than the promised 3 transactions fit 3 people before and nobody after." in found["reading"]
    assert "The highest confidence in a sensitive item goes from 100% to 33%." in found["reading"]
    assert json.loads(json.dumps(found)) == found


def test_where_sensitive_items_are_published_apart() -> None:
    original = letters("a1 !s", "a2", "a1", "b1 !s")
    a1, a2, b1 = (LETTERS.node(label) for label in ("a1", "a2", "b1"))
    release = ReleasedTransactions(
        Sets.of([[a1], [a2], [a1], [b1]]),
        Sets.of([[], [], [], []]),
        np.array([1, 2, 1, 1]),
        groups=np.array([0, 0, 1, 1]),
        group_sensitive=np.array([[1, 0], [1, 0]]),
    )
    found = attack(original, release, ItemsetLimits(1, Fraction(1, 2), 1))
    # a1: (1/3 + 1/2) / 2; a2: 1/3; b1: 1/2, which is exactly what is promised.
    assert found["after"]["highest_confidence"] == pytest.approx(1 / 2)
    assert found["after"]["above_share"] == 0
    values = {person["present"][0]: person["after"]["values"] for person in found["persons"]}
    assert values["a1"] == [{"value": "s", "confidence": pytest.approx(5 / 12)}]
    assert values["a2"] == [{"value": "s", "confidence": pytest.approx(1 / 3)}]
    assert attack(original, release, ItemsetLimits(1, Fraction(49, 100), 1))["after"]["above_share"] == 1
    assert not found["disjunctions"]["applies"]


def test_a_sum_of_shares_is_compared_exactly() -> None:
    # Ten groups of three with one s each: in floating point the shares of the ten do not sum to 10/3.
    release = ReleasedTransactions(
        Sets.of([[LETTERS.node("a1")]] * 10),
        Sets.of([[]] * 10),
        np.full(10, 3),
        groups=np.arange(10),
        group_sensitive=np.tile([1, 0], (10, 1)),
    )
    reader = Reader(LETTERS, release, 2)
    found = reader.fitting(reader.sees(Known((0,), ())))
    assert not reader.exceeds(found, Fraction(1, 3))
    assert reader.exceeds(found, Fraction(10**12 - 1, 3 * 10**12))


def test_without_sensitive_items_only_people_are_found() -> None:
    original = encoded(LETTERS, [(frozenset({0}), frozenset()), (frozenset({1}), frozenset())], ())
    found = attack(original, by_cut(original, "A", "B"), ItemsetLimits(2, Fraction(1), 1))
    assert found["before"]["found"] == 2
    assert found["after"]["found"] == 0
    assert found["after"]["highest_confidence"] is found["after"]["guesses"] is found["after"]["above_share"] is None
    assert not found["disjunctions"]["applies"]


def test_who_knows_nothing_is_not_above_the_promise() -> None:
    # Two of three have s, which is no secret. Only of the first something is known.
    original = letters("a1 !s", "!s", "b1")
    release = released([(frozenset({LETTERS.node("A")}), frozenset()), (frozenset(), frozenset({0}))])
    found = attack(original, release, ItemsetLimits(1, Fraction(49, 100), 1), known=None)
    assert found["before"]["above_share"] == 1
    assert found["after"]["highest_confidence"] == 0.5
    assert found["after"]["above_share"] == 0


def test_people_are_drawn_where_there_are_many() -> None:
    original = letters(*["a1 b1"] * 50, *["a2 !s"] * 50)
    found = attack(original, by_cut(original, "A", "B"), known=1, absent=1, people=20)
    assert found["people"] == 20
    assert "20 of 100 people at random" in found["adversary"]
    assert sum(part["people"] for part in found["after"]["fitting"]) == 20


def test_one_of_several_items_tells_more_than_is_promised() -> None:
    original = letters("a1 !s", "a2 !s", "a1 a2", "a3", "a3", "a3", "b1", "b1")
    release = by_cut(original, "a1", "a2", "a3", "B")
    found = attack(original, release, ItemsetLimits(1, Fraction(1, 2), 1))
    assert found["after"]["above_share"] == 0  # the promise is kept
    assert found["disjunctions"] == {
        "applies": True,
        "tried": 1,
        "all_subsets": True,
        "highest_confidence": pytest.approx(2 / 3),
        "above_share": 1,
        "witness": {
            "items": ["a1", "a2"],
            "parent": "A",
            "sensitive": "s",
            "records": 3,
            "having": 2,
            "confidence": pytest.approx(2 / 3),
            "alone": 0.5,
        },
        "reading": "Anyone who knows that a person has a1 or a2 finds s in 2 of 3 transactions, 67%; any one of these "
        "items alone gives 50% at most. Of 1 pair of a node and a sensitive item, 1 exceeds the promised 50% in this "
        "way, which the promise does not cover.",
    }
    assert found["reading"][-2] == f"Beyond the promise: {found['disjunctions']['reading']}"


def strongest_by_trying_all(parents: list[int], baskets: list[Basket]) -> dict[tuple[int, int], Fraction]:
    """parent, sensitive item -> the highest confidence that two or more of its published children give."""
    published = {node for nodes, _ in baskets for node in nodes}
    best: dict[tuple[int, int], Fraction] = {}
    for parent in range(len(parents)):
        children = [node for node in published if parents[node] == parent]
        for length in range(2, len(children) + 1):
            for chosen in combinations(children, length):
                having = [codes for nodes, codes in baskets if nodes.intersection(chosen)]
                for code in (0, 1):
                    share = Fraction(sum(code in codes for codes in having), len(having))
                    best[parent, code] = max(best.get((parent, code), Fraction(0)), share)
    return {pair: share for pair, share in best.items() if share > 0}


def of_one_cut(taxonomy: Taxonomy, baskets: list[Basket]) -> list[Basket]:
    """Without the nodes that lie under other published ones."""
    published = set().union(*(nodes for nodes, _ in baskets)) if baskets else set()
    under = {node for node in published for other in published if node != other and taxonomy.lies_under(node, other)}
    return [(nodes - under, codes) for nodes, codes in baskets]


def test_an_item_with_several_labels_is_not_tried() -> None:
    found = disjunctions(LETTERS, released([(frozenset({0, 1}), frozenset({0}))]), ("s", "t"), None)
    assert not found["applies"] and "under different labels" in found["reading"]


@examples(60)
@given(problems(), st.sampled_from([Fraction(1, 3), Fraction(1, 2), Fraction(2, 3)]))
def test_disjunctions_are_the_strongest(problem: tuple[Taxonomy, list[Basket]], share: Fraction) -> None:
    taxonomy, baskets = problem[0], of_one_cut(*problem)
    best = strongest_by_trying_all(taxonomy.parents.tolist(), baskets)
    found = disjunctions(taxonomy, released(baskets), ("s", "t"), share)
    assert found["applies"] == bool(best)
    if best:
        assert found["tried"] == len(best)
        assert found["highest_confidence"] == pytest.approx(float(max(best.values())))
        assert found["above_share"] == sum(confidence > share for confidence in best.values())
        witness = found["witness"]
        chosen = {taxonomy.node(label) for label in witness["items"]}
        having = [codes for nodes, codes in baskets if nodes & chosen]
        code = "st".index(witness["sensitive"])
        assert (witness["records"], witness["having"]) == (len(having), sum(code in codes for codes in having))
        alone = [[codes for nodes, codes in baskets if node in nodes] for node in chosen]
        assert witness["alone"] == pytest.approx(max(sum(code in c for c in having) / len(having) for having in alone))


@examples(40)
@given(problems())
def test_with_many_children_what_is_found_is_real_and_never_too_high(problem: tuple[Taxonomy, list[Basket]]) -> None:
    taxonomy, baskets = problem[0], of_one_cut(*problem)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disjunction_module, "MOST_CHILDREN", 0)
        best = strongest_by_trying_all(taxonomy.parents.tolist(), baskets)
        found = disjunctions(taxonomy, released(baskets), ("s", "t"), None)
    assert found["applies"] == bool(best)
    if best:
        assert not found["all_subsets"]
        assert found["above_share"] is None
        witness = found["witness"]
        chosen = {taxonomy.node(label) for label in witness["items"]}
        assert len(chosen) >= 2
        having = [codes for nodes, codes in baskets if nodes & chosen]
        code = "st".index(witness["sensitive"])
        assert (witness["records"], witness["having"]) == (len(having), sum(code in codes for codes in having))
        assert witness["confidence"] <= float(max(best.values())) + 1e-12


def test_the_order_of_confidence_finds_the_example() -> None:
    original = letters("a1 !s", "a2 !s", "a1 a2", "a3", "a3", "a3", "b1", "b1")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disjunction_module, "MOST_CHILDREN", 2)
        found = disjunctions(LETTERS, by_cut(original, "a1", "a2", "a3", "B"), ("s", "t"), Fraction(1, 2))
    assert found["witness"]["items"] == ["a1", "a2"]
    assert not found["all_subsets"]
