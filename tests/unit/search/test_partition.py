from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.encode.transactions import EncodedTransactions
from discreet.errors import InputError, NoReleaseError
from discreet.losses.lm import LossMetric
from discreet.losses.ncp import NormalizedCertaintyPenalty
from discreet.losses.transactions import ItemLoss
from discreet.models.km_anonymity import KMAnonymity
from discreet.models.transactional_k_anonymity import TransactionalKAnonymity
from discreet.search.events import SearchEvent
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.transactions.partition import partition
from discreet.search.transactions.problem import TransactionProblem
from discreet.taxonomy import Taxonomy
from discreet.values.sets import Sets
from examples import examples

SHOP = Taxonomy.from_paths("shop", [("a1", "A", "*"), ("a2", "A", "*"), ("b1", "B", "*"), ("b2", "B", "*")])
FLAT = Taxonomy.from_paths("flat", [("a", "*"), ("b", "*"), ("c", "*")])


class Case(NamedTuple):
    """Transactions as pairs of non-sensitive leaf labels and sensitive codes."""

    taxonomy: Taxonomy
    transactions: list[tuple[frozenset[str], frozenset[int]]]


def encoded(case: Case) -> EncodedTransactions:
    leaf = {label: number for number, label in enumerate(case.taxonomy.leaf_labels)}
    counts = Counter(case.transactions)
    return EncodedTransactions(
        case.taxonomy,
        Sets.of([leaf[label] for label in items] for items, _ in counts),
        Sets.of(sensitive for _, sensitive in counts),
        np.array(list(counts.values()), np.int64),
        tuple(f"s{code}" for code in range(5)),
    )


def solve(
    case: Case,
    k: int,
    seed: int = 0,
    loss: ItemLoss | None = None,
    limits: Limits | None = None,
    events: list[SearchEvent] | None = None,
) -> SearchResult:
    problem = TransactionProblem(encoded(case), TransactionalKAnonymity(k), loss or LossMetric())
    listen = (lambda event: None) if events is None else events.append
    return partition(problem, limits or Limits(), np.random.default_rng(seed), listen)


Published = tuple[frozenset[str], frozenset[int], frozenset[str]]


def published(case: Case, result: SearchResult) -> Counter[Published]:
    """Original items, sensitive items and published labels of each transaction, with counts."""
    distinct = list(Counter(case.transactions))
    rows: Counter[Published] = Counter()
    recoded = result.recoded
    assert recoded.groups is None
    for source, nodes, count in zip(recoded.sources.tolist(), recoded.nodes, recoded.counts.tolist(), strict=True):
        assert count > 0
        assert nodes.tolist() == sorted(set(nodes.tolist()))
        labels = frozenset(case.taxonomy.labels[node] for node in nodes.tolist())
        rows[(*distinct[source], labels)] += count
    return rows


def baskets(taxonomy: Taxonomy, *items: str) -> Case:
    return Case(taxonomy, [(frozenset(text.split()), frozenset()) for text in items])


def shown(case: Case, result: SearchResult) -> dict[str, str]:
    """Original -> published, where equal transactions are published alike."""
    rows = published(case, result)
    assert len({items for items, _, _ in rows}) == len(rows)
    return {" ".join(sorted(items)): " ".join(sorted(labels)) for items, _, labels in rows}


@st.composite
def cases(draw: st.DrawFn) -> tuple[Case, int]:
    size = draw(st.integers(1, 14))
    parents = [-1] + [draw(st.integers(max(0, node - 4), node - 1)) for node in range(1, size)]
    taxonomy = Taxonomy.from_parents("tree", [f"n{node}" for node in range(size)], parents)
    items = st.frozensets(st.sampled_from(taxonomy.leaf_labels), min_size=draw(st.integers(0, 1)), max_size=5)
    sensitive = st.frozensets(st.integers(0, 4), max_size=1)
    pool = draw(st.lists(st.tuples(items, sensitive), min_size=1, max_size=12))
    transactions = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=40))
    return Case(taxonomy, transactions), draw(st.integers(1, min(6, len(transactions))))


def ancestors(taxonomy: Taxonomy, label: str) -> Sequence[str]:
    return taxonomy.path(taxonomy.node(label))


@examples(100)
@given(cases(), st.integers(0, 3), st.sampled_from([LossMetric(), NormalizedCertaintyPenalty()]))
def test_every_release_keeps_the_promise_and_says_nothing_untrue(
    given_case: tuple[Case, int], seed: int, loss: ItemLoss
) -> None:
    case, k = given_case
    result = solve(case, k, seed, loss)
    rows = published(case, result)

    kept: Counter[tuple[frozenset[str], frozenset[int]]] = Counter()
    sizes: Counter[frozenset[str]] = Counter()
    for (items, sensitive, labels), count in rows.items():
        kept[items, sensitive] += count
        sizes[labels] += count
    assert kept == Counter(case.transactions)
    assert min(sizes.values()) >= k

    cost = Fraction(0)
    emptied = 0
    for (items, _, labels), count in rows.items():
        if items and not labels:
            emptied += count
            cost += count * len(items)
            continue
        above = {item: [label for label in ancestors(case.taxonomy, item) if label in labels] for item in items}
        assert all(len(found) == 1 for found in above.values())
        assert {label for found in above.values() for label in found} == labels
        for (label,) in above.values():
            cost += count * loss.generalization(case.taxonomy, case.taxonomy.node(label))
    assert result.details["emptied"] == emptied
    assert len(sizes) <= result.details["groups"] <= len(case.transactions) // k
    assert result.best.cost == result.events[-1].incumbent == cost
    costs = [event.incumbent for event in result.events if event.incumbent is not None]
    assert costs == sorted(costs, reverse=True)

    filled = sum(1 for items, _ in case.transactions if items)
    empty = len(case.transactions) - filled
    missing = max(0, k - empty) if empty else 0
    assert emptied == (missing if filled - missing >= k else filled)


@examples(80)
@given(cases())
def test_no_node_is_left_whose_children_all_transactions_under_it_agree_on(given_case: tuple[Case, int]) -> None:
    case, k = given_case
    taxonomy = case.taxonomy
    members: dict[frozenset[str], list[frozenset[str]]] = {}
    for items, _, labels in published(case, solve(case, k)):
        members.setdefault(labels, []).append(items)
    for labels, sets in members.items():
        for label in labels:
            node = taxonomy.node(label)
            if taxonomy.is_leaf(node):
                continue
            children = {taxonomy.labels[child] for child in taxonomy.children(node)}
            had = {
                frozenset(above for item in items for above in ancestors(taxonomy, item)) & children for items in sets
            }
            assert len(had) > 1


def test_worked_by_hand() -> None:
    """{A, B} for all; B saves 4/3 in t1 and t3, A only 2/3 in t2 and t3; then no two agree on A."""
    case = baskets(SHOP, "a1 b1 b2", "a2 b1", "a2 b1 b2", "a1 a2 b2")
    result = solve(case, 2)
    assert shown(case, result) == {"a1 b1 b2": "A b1 b2", "a2 b1": "A B", "a2 b1 b2": "A b1 b2", "a1 a2 b2": "A B"}
    assert result.best.cost == Fraction(7, 3)
    assert result.best.recoded.cut is None
    assert result.status == "feasible"
    assert (result.bound, result.cuts_total) == (Fraction(0), 0)
    assert result.cuts_examined == 4
    assert result.details == {"groups": 2, "emptied": 0}


def test_k_1_publishes_everything_as_it_is() -> None:
    case = baskets(SHOP, "a1 b1", "a2", "a1 a2 b1 b2")
    assert shown(case, solve(case, 1)) == {"a1 b1": "a1 b1", "a2": "a2", "a1 a2 b1 b2": "a1 a2 b1 b2"}


def test_nothing_is_expanded_when_the_rest_cannot_be_filled_up() -> None:
    case = baskets(FLAT, "a", "a", "c")
    assert shown(case, solve(case, 2)) == {"a": "*", "c": "*"}


def test_a_whole_part_is_given_up_when_none_has_one_to_spare() -> None:
    case = baskets(FLAT, "a", "a", "b", "b", "c")
    assert shown(case, solve(case, 2)) == {"a": "*", "b": "b", "c": "*"}


def test_what_fills_up_the_rest_comes_from_the_largest_part() -> None:
    case = baskets(FLAT, *["a"] * 3, *["b"] * 5, "c")
    assert published(case, solve(case, 3)) == {
        (frozenset("a"), frozenset(), frozenset("a")): 3,
        (frozenset("b"), frozenset(), frozenset("b")): 3,
        (frozenset("b"), frozenset(), frozenset("*")): 2,
        (frozenset("c"), frozenset(), frozenset("*")): 1,
    }


def test_who_fills_up_the_rest_is_drawn() -> None:
    """Three buyers of a, told apart by what is sensitive: each is moved to the rest one time in three."""
    case = Case(FLAT, [(frozenset("a"), frozenset([code])) for code in range(3)] + [(frozenset("b"), frozenset())])
    moved: Counter[frozenset[int]] = Counter()
    for seed in range(300):
        rows = published(case, solve(case, 2, seed))
        moved.update(sensitive for items, sensitive, labels in rows if items == {"a"} and labels == {"*"})
    assert sum(moved.values()) == 300
    assert all(70 < moved[frozenset([code])] < 130 for code in range(3))


def test_a_node_with_one_child_is_passed_although_it_saves_nothing() -> None:
    chain = Taxonomy.from_paths("chain", [("a", "X", "Y", "*"), ("b", "X", "Y", "*")])
    case = baskets(chain, "a", "a", "b", "b")
    assert shown(case, solve(case, 2)) == {"a": "a", "b": "b"}


def test_a_taxonomy_of_one_value_has_nothing_to_expand() -> None:
    case = baskets(Taxonomy.from_paths("one", [("*",)]), "*", "*")
    assert shown(case, solve(case, 2)) == {"*": "*"}


def test_transactions_without_items_stay_so_when_they_are_enough() -> None:
    case = baskets(FLAT, "", "", "a", "a")
    result = solve(case, 2)
    assert shown(case, result) == {"": "", "a": "a"}
    assert result.details == {"groups": 2, "emptied": 0}


def test_too_few_transactions_without_items_are_filled_up_at_random() -> None:
    case = baskets(FLAT, "", "a", "a", "a", "b", "b", "b")
    emptied: Counter[frozenset[str]] = Counter()
    for seed in range(200):
        result = solve(case, 3, seed)
        rows = published(case, result)
        assert result.details["emptied"] == 2
        for (items, _, labels), count in rows.items():
            emptied[items] += count * (bool(items) and not labels)
    assert sum(emptied.values()) == 400
    assert all(160 < emptied[frozenset(item)] < 240 for item in "ab")


def test_all_items_go_when_too_few_transactions_would_keep_theirs() -> None:
    few_filled = baskets(FLAT, "", "", "a")
    assert shown(few_filled, solve(few_filled, 2)) == {"": "", "a": ""}
    few_in_all = baskets(FLAT, "", "a", "b")
    result = solve(few_in_all, 2)
    assert shown(few_in_all, result) == {"": "", "a": "", "b": ""}
    assert result.best.cost == 2
    assert result.details == {"groups": 1, "emptied": 2}


def test_fewer_transactions_than_k() -> None:
    with pytest.raises(NoReleaseError, match=r"No release of 2 transactions can keep .* k = 3"):
        solve(baskets(FLAT, "a", "b"), 3)


def test_another_promise_gets_a_sentence() -> None:
    problem = TransactionProblem(encoded(baskets(FLAT, "a", "a")), KMAnonymity(2, 2), LossMetric())
    with pytest.raises(InputError, match="partition keeps transactional-k-anonymity and cannot keep 'km-anonymity'"):
        partition(problem, Limits(), np.random.default_rng(1))


def test_no_transactions_at_all() -> None:
    result = solve(Case(FLAT, []), 3)
    assert len(result.recoded.counts) == 0
    assert result.details == {"groups": 0, "emptied": 0}


def test_stopped_before_it_began_everything_is_the_root() -> None:
    case = baskets(SHOP, "a1", "a1", "b1", "b1")
    limits = Limits()
    limits.interrupt.set()
    events: list[SearchEvent] = []
    result = solve(case, 2, limits=limits, events=events)
    assert shown(case, result) == {"a1": "*", "b1": "*"}
    assert result.interrupted
    assert result.best.cost == 4
    assert tuple(events) == result.events


def test_the_same_seed_gives_the_same_release() -> None:
    case = Case(FLAT, [(frozenset("a"), frozenset([code])) for code in range(3)] + [(frozenset("b"), frozenset())])
    assert published(case, solve(case, 2, seed=5)) == published(case, solve(case, 2, seed=5))


def test_large_data_take_seconds() -> None:
    """20 thousand transactions over 625 items; the limit is far above what it takes."""
    random = np.random.default_rng(1)
    paths = [(f"i{i}", f"x{i // 5}", f"y{i // 25}", f"z{i // 125}", "*") for i in range(625)]
    taxonomy = Taxonomy.from_paths("items", paths)
    popular = np.minimum(random.zipf(1.3, 100_000), 625) - 1
    sizes = random.integers(1, 8, 20_000)
    bounds = np.concatenate(([0], np.cumsum(sizes)))
    transactions = [
        (frozenset(f"i{item}" for item in popular[start:stop].tolist()), frozenset[int]())
        for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
        if stop <= len(popular)
    ]
    case = Case(taxonomy, transactions)
    solve(baskets(FLAT, "a", "a"), 2)  # compiles
    started = time.monotonic()
    result = solve(case, 5)
    assert time.monotonic() - started < 10
    sizes_published: Counter[frozenset[str]] = Counter()
    for (_, _, labels), count in published(case, result).items():
        sizes_published[labels] += count
    assert min(sizes_published.values()) >= 5
