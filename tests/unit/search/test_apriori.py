"""Apriori anonymization against the definition of k^m-anonymity and against a plain rendering of the method."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.encode.transactions import EncodedTransactions
from discreet.errors import InputError, NoReleaseError
from discreet.losses.ncp import NormalizedCertaintyPenalty
from discreet.models.coherence import Coherence
from discreet.models.km_anonymity import KMAnonymity
from discreet.search.cut_enumeration import count_all_cuts
from discreet.search.events import SearchEvent
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.transactions.apriori import apriori
from discreet.search.transactions.problem import TransactionProblem
from discreet.taxonomy import Taxonomy
from discreet.values.sets import Sets
from examples import examples

Transaction = frozenset[str]
Tree = dict[str, str]
"""label -> the label of its parent; the root '*' has none"""


def run(taxonomy: Taxonomy, transactions: Counter[Transaction], k: int, m: int, limits: Limits) -> SearchResult:
    leaf = {label: number for number, label in enumerate(taxonomy.leaf_labels)}
    encoded = EncodedTransactions(
        taxonomy,
        Sets.of([[leaf[item] for item in items] for items in transactions]),
        Sets.of([[] for _ in transactions]),
        np.array(list(transactions.values()), np.int64),
        (),
    )
    problem = TransactionProblem(encoded, KMAnonymity(k, m), NormalizedCertaintyPenalty())
    return apriori(problem, limits, np.random.default_rng(1))


# The oracle: labels and dictionaries, nothing of discreet.


def path(tree: Tree, label: str) -> list[str]:
    """From the label up to the root."""
    labels = [label]
    while labels[-1] in tree:
        labels.append(tree[labels[-1]])
    return labels


def leaves_under(tree: Tree, node: str) -> list[str]:
    return [label for label in tree.keys() - set(tree.values()) if node in path(tree, label)]


def published(tree: Tree, transactions: Counter[Transaction], cut: set[str]) -> Counter[Transaction]:
    released: Counter[Transaction] = Counter()
    for items, count in transactions.items():
        released[frozenset(next(node for node in path(tree, item) if node in cut) for item in items)] += count
    return released


def support(released: Counter[Transaction], itemset: tuple[str, ...]) -> int:
    return sum(count for items, count in released.items() if items.issuperset(itemset))


def rare_itemsets(released: Counter[Transaction], k: int, size: int) -> set[tuple[str, ...]]:
    occurring = {itemset for items in released for itemset in combinations(sorted(items), size)}
    return {itemset for itemset in occurring if support(released, itemset) < k}


def loss(tree: Tree, transactions: Counter[Transaction], cut: set[str]) -> Fraction:
    """NCP, summed over all items of all transactions."""
    total = Fraction(0)
    for items, count in transactions.items():
        for item in items:
            node = next(node for node in path(tree, item) if node in cut)
            if node != item:
                total += Fraction(count * len(leaves_under(tree, node)), len(leaves_under(tree, "*")))
    return total


def raise_items(tree: Tree, cut: set[str], nodes: set[str]) -> set[str]:
    """The cut with these nodes in place of all that lies below them."""
    tops = {node for node in nodes if not any(above in nodes for above in path(tree, node)[1:])}
    return tops | {node for node in cut if not tops.intersection(path(tree, node))}


def plain_apriori(
    tree: Tree, order: list[str], transactions: Counter[Transaction], k: int, m: int
) -> tuple[set[str], int]:
    """The method word for word; order: all labels, for equals. The cut and the number of repairs."""
    rank = {label: number for number, label in enumerate(order)}
    cut = set(leaves_under(tree, "*"))
    repairs = 0
    for size in range(1, m + 1):
        while True:
            released = published(tree, transactions, cut)
            by_support = sorted(cut, key=lambda node: (-support(released, (node,)), rank[node]))
            place = {node: number for number, node in enumerate(by_support)}
            rare = [sorted(itemset, key=place.__getitem__) for itemset in rare_itemsets(released, k, size)]
            for itemset in sorted(rare, key=lambda nodes: [place[node] for node in nodes]):
                if not cut.issuperset(itemset):
                    continue
                ways = []
                for nodes in product(*(path(tree, node) for node in itemset)):
                    raised = raise_items(tree, cut, set(nodes))
                    tops = sorted({node for node in raised if node in nodes}, key=rank.__getitem__)
                    if support(published(tree, transactions, raised), tuple(tops)) >= k:
                        height = -sum(len(path(tree, node)) - 1 for node in tops)
                        numbers = [rank[node] for node in tops]
                        ways.append((loss(tree, transactions, raised), height, numbers, raised))
                cut = min(ways, key=lambda way: way[:3])[3]
                repairs += 1
            if not rare:
                break
    return cut, repairs


@st.composite
def problems(draw: st.DrawFn) -> tuple[Tree, Counter[Transaction], int, int]:
    size = draw(st.integers(2, 11))
    tree = {f"n{node}": f"n{draw(st.integers(0, node - 1))}" for node in range(1, size)}
    tree = {child: "*" if parent == "n0" else parent for child, parent in tree.items()}
    leaves = sorted(set(tree) - set(tree.values()))
    sets = draw(st.lists(st.frozensets(st.sampled_from(leaves)), min_size=1, max_size=9))
    transactions: Counter[Transaction] = Counter()
    for items in sets:
        transactions[items] += draw(st.integers(1, 2))
    return tree, transactions, draw(st.integers(1, 4)), draw(st.integers(1, 4))


@examples(160)
@given(problems())
def test_keeps_the_promise_by_the_method_word_for_word(problem: tuple[Tree, Counter[Transaction], int, int]) -> None:
    tree, transactions, k, m = problem
    taxonomy = Taxonomy.from_edges("items", [("*", None), *tree.items()])
    with_items = sum(count for items, count in transactions.items() if items)
    if 0 < with_items < k:
        with pytest.raises(NoReleaseError, match=rf"{with_items} transactions have items .* has to find {k}\.$"):
            run(taxonomy, transactions, k, m, Limits())
        return
    result = run(taxonomy, transactions, k, m, Limits())
    (best,) = result.found
    cut = set(best.recoded.cut.labels)

    for leaf in leaves_under(tree, "*"):
        assert len(cut.intersection(path(tree, leaf))) == 1
    released = published(tree, transactions, cut)
    assert not [itemset for size in range(1, m + 1) for itemset in rare_itemsets(released, k, size)]
    assert best.cost == loss(tree, transactions, cut)
    expected, repairs = plain_apriori(tree, list(taxonomy.labels), transactions, k, m)
    assert cut == expected
    assert result.details == {"repaired_itemsets": repairs}
    assert sum(result.recoded.counts) == sum(transactions.values())
    by_label = Counter[Transaction]()
    for nodes, count in zip(result.recoded.nodes, result.recoded.counts, strict=True):
        by_label[frozenset(taxonomy.labels[node] for node in nodes)] += int(count)
    assert by_label == released


TWO_KINDS = Taxonomy.from_paths("items", [["a1", "A", "*"], ["a2", "A", "*"], ["b1", "B", "*"], ["b2", "B", "*"]])
FOUR = Counter(
    [
        frozenset({"a1", "b1", "b2"}),
        frozenset({"a2", "b1"}),
        frozenset({"a2", "b1", "b2"}),
        frozenset({"a1", "a2", "b2"}),
    ]
)


def test_the_example_of_terrovitis_and_others() -> None:
    result = run(TWO_KINDS, FOUR, 2, 2, Limits())
    assert result.best.recoded.cut.labels == ("A", "b1", "b2")
    assert result.best.cost == Fraction(5 * 2, 4)
    assert result.status == "feasible"
    assert result.bound == 0
    assert result.cuts_total == count_all_cuts([TWO_KINDS]) == 5
    assert result.cuts_examined == 2
    assert not result.interrupted


def test_more_items_known_than_any_transaction_has() -> None:
    labels = run(TWO_KINDS, FOUR, 2, 30, Limits()).best.recoded.cut.labels
    assert labels == ("A", "b1", "b2")


def test_transactions_without_items_need_nothing() -> None:
    result = run(TWO_KINDS, Counter([frozenset[str]()]), 5, 2, Limits())
    assert result.best.cost == 0
    assert len(result.best.recoded.cut.labels) == 4


def test_stopped_at_once_it_publishes_the_root() -> None:
    interrupted = Limits()
    interrupted.interrupt.set()
    for limits in (interrupted, Limits(time_limit=0)):
        search = run(TWO_KINDS, FOUR, 2, 2, limits)
        assert search.best.recoded.cut.labels == ("*",)
        assert search.best.cost == 11
        assert search.interrupted == (limits is interrupted)


def test_tells_what_it_does_and_listens_to_an_interrupt() -> None:
    limits = Limits()
    heard: list[SearchEvent] = []

    def listen(event: SearchEvent) -> None:
        heard.append(event)
        limits.interrupt.set()

    encoded = EncodedTransactions(
        TWO_KINDS, Sets.of([[0], [0, 2], [1, 2]]), Sets.of([[], [], []]), np.array([2, 2, 2], np.int64), ()
    )
    problem = TransactionProblem(encoded, KMAnonymity(3, 2), NormalizedCertaintyPenalty())
    search = apriori(problem, limits, np.random.default_rng(1), listen)
    assert tuple(heard) == search.events
    assert [event.incumbent for event in heard] == [None, search.best.cost]
    assert search.best.recoded.cut.labels == ("*",)
    assert search.interrupted


def test_another_promise_gets_a_sentence() -> None:
    encoded = EncodedTransactions(TWO_KINDS, Sets.of([[0]]), Sets.of([[]]), np.array([5], np.int64), ())
    problem = TransactionProblem(encoded, Coherence(2, Fraction(1, 2), 2), NormalizedCertaintyPenalty())
    with pytest.raises(
        InputError, match=r"^The method apriori keeps km-anonymity and cannot keep 'coherence'; set .* to it"
    ):
        apriori(problem, Limits(), np.random.default_rng(1))
