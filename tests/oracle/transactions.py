"""Optimal KL(m,n)-privacy by trying every cut and every itemset: the slow twin of the search for transactions.

Written from Liu 2010, chapter 4 (Definitions 4.3 and 4.4, Observation 4.1, section 4.2.3). It prunes nothing but
itemsets that no transaction supports, and counts in whole numbers and fractions. Nothing of discreet is imported.

A taxonomy is nested: a leaf is a label (str), an inner node is ``(label, [child, ...])``. A cut is the frozen set of
its labels. A decorated item is a label and whether it is present; an itemset is a frozen set of them.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Literal, TypeAlias

import numpy as np

Taxonomy: TypeAlias = "str | tuple[str, Sequence[Taxonomy]]"
Transaction: TypeAlias = tuple[frozenset[str], frozenset[str]]  # non-sensitive items, sensitive items
Cut: TypeAlias = frozenset[str]
Item: TypeAlias = tuple[str, bool]  # label, present?
Itemset: TypeAlias = frozenset[Item]
Undecorated: TypeAlias = frozenset[str]
Loss: TypeAlias = Literal["lm", "ncp"]

PRESENT, ABSENT = True, False


@dataclass(frozen=True)
class Tree:
    """A taxonomy with its nodes in pre-order: the nodes below v are those from v + 1 up to end[v]."""

    taxonomy: Taxonomy

    @cached_property
    def _rows(self) -> list[tuple[str, int, int, int]]:
        """Of each node: label, parent, end, number of leaves."""
        rows: list[tuple[str, int, int, int]] = []

        def grow(node: Taxonomy, parent: int) -> int:
            here = len(rows)
            label, children = (node, ()) if isinstance(node, str) else node
            rows.append((label, parent, 0, 0))
            leaves = sum([grow(child, here) for child in children]) or 1
            rows[here] = (label, parent, len(rows), leaves)
            return leaves

        grow(self.taxonomy, -1)
        return rows

    @cached_property
    def labels(self) -> list[str]:
        return [label for label, _, _, _ in self._rows]

    @cached_property
    def parents(self) -> list[int]:
        return [parent for _, parent, _, _ in self._rows]

    @cached_property
    def end(self) -> list[int]:
        return [end for _, _, end, _ in self._rows]

    @cached_property
    def leaf_counts(self) -> list[int]:
        return [leaves for _, _, _, leaves in self._rows]

    @cached_property
    def number(self) -> dict[str, int]:
        return {label: node for node, label in enumerate(self.labels)}

    @property
    def leaves(self) -> list[str]:
        return [label for node, label in enumerate(self.labels) if self.end[node] == node + 1]

    def above(self, label: str) -> list[str]:
        """The node itself, its parent and so on up to the root."""
        path, node = [], self.number[label]
        while node >= 0:
            path.append(self.labels[node])
            node = self.parents[node]
        return path

    def below(self, label: str) -> list[str]:
        """The leaves that the node stands for."""
        return [leaf for leaf in self.leaves if label in self.above(leaf)]

    def children(self, label: str) -> list[str]:
        return [other for other in self.labels if self.above(other)[1:2] == [label]]

    def paths(self) -> list[tuple[str, ...]]:
        """One row a leaf, from the leaf up to the root."""
        return [tuple(self.above(leaf)) for leaf in self.leaves]

    def cuts(self) -> list[Cut]:
        """Every set of nodes with exactly one on each path from the root to a leaf."""

        def grow(node: Taxonomy) -> list[Cut]:
            label, children = (node, ()) if isinstance(node, str) else node
            deeper = [frozenset[str]().union(*parts) for parts in product(*map(grow, children))] if children else []
            return [frozenset([label]), *deeper]

        return grow(self.taxonomy)

    def on_or_above(self, cut: Collection[str]) -> frozenset[str]:
        return frozenset(label for part in cut for label in self.above(part))

    def is_generalization(self, general: Collection[str], special: Collection[str]) -> bool:
        """Is each item of the first the same as, or above, an item of the second?"""
        return frozenset(general) <= self.on_or_above(special)


@dataclass(frozen=True)
class SetProblem:
    """Transactions, their taxonomy and what is promised: at least k alike, no sensitive item in more than share."""

    taxonomy: Taxonomy
    transactions: tuple[Transaction, ...]
    k: int
    share: Fraction
    m: int
    n: int = 0

    @cached_property
    def tree(self) -> Tree:
        return Tree(self.taxonomy)

    @cached_property
    def sensitive(self) -> list[str]:
        return sorted({item for _, sensitive in self.transactions for item in sensitive})

    @cached_property
    def having(self) -> list[int]:
        """Node -> the transactions with an item under it, as bits."""
        return [
            sum(1 << t for t, (items, _) in enumerate(self.transactions) if not items.isdisjoint(below))
            for below in map(self.tree.below, self.tree.labels)
        ]

    @cached_property
    def having_sensitive(self) -> list[int]:
        """Sensitive item -> the transactions that have it, as bits."""
        return [
            sum(1 << t for t, (_, sensitive) in enumerate(self.transactions) if item in sensitive)
            for item in self.sensitive
        ]

    @cached_property
    def undecorated_threats(self) -> frozenset[Undecorated]:
        """The items of all threats of all cuts."""
        return frozenset(undecorated(itemset) for itemset in threats(self))


def generalized(problem: SetProblem, cut: Cut) -> tuple[Transaction, ...]:
    """What is published: each item replaced by the node of the cut above it."""
    to = {leaf: next(label for label in problem.tree.above(leaf) if label in cut) for leaf in problem.tree.leaves}
    return tuple((frozenset(to[item] for item in items), sensitive) for items, sensitive in problem.transactions)


def supporters(tree: Tree, published: Sequence[Transaction], itemset: Itemset) -> list[Transaction]:
    """Definition 4.3, for itemsets on or above the published level: the transactions are generalized to its items."""
    return [
        (items, sensitive)
        for items, sensitive in published
        if all((label in tree.on_or_above(items)) == present for label, present in itemset)
    ]


def power(tree: Tree, itemset: Itemset) -> tuple[int, int]:
    """Observation 4.1: how many items are present, and how many leaves the absent ones stand for."""
    absent = sum(tree.leaf_counts[tree.number[label]] for label, present in itemset if not present)
    return sum(present for _, present in itemset), absent


def is_threat(problem: SetProblem, support: Sequence[Transaction]) -> bool:
    """Definition 4.4, of the transactions that support an itemset."""
    if not support:
        return False
    known = [sum(item in sensitive for _, sensitive in support) for item in problem.sensitive]
    return len(support) < problem.k or any(count > problem.share * len(support) for count in known)


def undecorated(itemset: Itemset) -> Undecorated:
    return frozenset(label for label, _ in itemset)


def itemsets(problem: SetProblem, cut: Cut | None = None) -> Iterator[tuple[Itemset, int]]:
    """Every itemset within power that a transaction supports, with its transactions as bits.

    Of items on or above the cut, or of all items; at least one, no two on one path of the taxonomy.
    """
    tree, having = problem.tree, problem.having
    everybody = (1 << len(problem.transactions)) - 1
    wanted = set(tree.labels) if cut is None else tree.on_or_above(cut)
    nodes = [node for node, label in enumerate(tree.labels) if label in wanted]

    def grow(itemset: tuple[Item, ...], support: int, start: int, m: int, n: int) -> Iterator[tuple[Itemset, int]]:
        if itemset:
            yield frozenset(itemset), support
        for node in nodes:
            if node < start:
                continue
            label, cost, end = tree.labels[node], tree.leaf_counts[node], tree.end[node]
            if m and support & having[node]:
                yield from grow((*itemset, (label, PRESENT)), support & having[node], end, m - 1, n)
            if n >= cost and support & ~having[node]:
                yield from grow((*itemset, (label, ABSENT)), support & ~having[node], end, m, n - cost)

    yield from grow((), everybody, 0, problem.m, problem.n)


def threats(problem: SetProblem, cut: Cut | None = None) -> Iterator[Itemset]:
    """Definition 4.4: the threats that a release by this cut supports, or those of the original data."""
    top, bottom = problem.share.numerator, problem.share.denominator
    for itemset, support in itemsets(problem, cut):
        size = support.bit_count()
        if size < problem.k or any((support & s).bit_count() * bottom > top * size for s in problem.having_sensitive):
            yield itemset


def most_general_threats(problem: SetProblem) -> frozenset[Undecorated]:
    """Definition 4.6."""
    known = problem.undecorated_threats
    return frozenset(
        threat
        for threat in known
        if not any(other != threat and problem.tree.is_generalization(other, threat) for other in known)
    )


def is_valid(problem: SetProblem, cut: Cut) -> bool:
    """Does the release by this cut support no threat?

    Who supports an itemset on or above a cut is the same in the original data, so its threats are looked up there.
    """
    published = problem.tree.on_or_above(cut)
    return not any(threat <= published for threat in problem.undecorated_threats)


def cost(problem: SetProblem, cut: Cut, loss: Loss = "lm") -> Fraction:
    """Charged for each occurrence of an original item, by the node of the cut above it."""
    tree = problem.tree
    total = Fraction(0)
    for items, _ in problem.transactions:
        for item in items:
            node = next(tree.number[label] for label in tree.above(item) if label in cut)
            leaves, all_leaves = tree.leaf_counts[node], tree.leaf_counts[0]
            if loss == "lm":
                total += Fraction(leaves - 1, max(all_leaves - 1, 1))
            elif tree.end[node] > node + 1:
                total += Fraction(leaves, all_leaves)
    return total


def valid_cuts(problem: SetProblem) -> list[Cut]:
    return [cut for cut in problem.tree.cuts() if is_valid(problem, cut)]


def best_cuts(problem: SetProblem, loss: Loss = "lm") -> tuple[Fraction, list[Cut]] | None:
    """The least loss of all valid cuts and the cuts that have it; None where no cut is valid."""
    costs = {cut: cost(problem, cut, loss) for cut in valid_cuts(problem)}
    if not costs:
        return None
    least = min(costs.values())
    return least, [cut for cut, price in costs.items() if price == least]


SHARES = tuple(Fraction(share) for share in ("1", "1", "1/2", "1/2", "1/3", "2/3"))
SENSITIVE = ("s", "t")


def random_taxonomy(random: np.random.Generator, max_leaves: int = 8) -> Taxonomy:
    """With 2 to max_leaves leaves, some as flat as can be, some with nodes of one child."""
    count = max(map(int, random.integers(2, max_leaves + 1, 2)))
    nodes: list[Taxonomy] = [f"i{number}" for number in range(count)]
    inner = 0
    for _ in range(int(random.choice([0, 1, 2, 2, 3]))):
        grouped: list[Taxonomy] = []
        while nodes:
            size = min(len(nodes), int(random.choice([1, 2, 2, 2, 3])))
            if size == 1 and random.random() < 0.8:
                grouped.append(nodes.pop(0))
                continue
            grouped.append((f"g{inner}", tuple(nodes[:size])))
            inner += 1
            nodes = nodes[size:]
        nodes = grouped
    return ("root", tuple(nodes))


def random_problem(
    random: np.random.Generator,
    *,
    max_leaves: int = 8,
    max_transactions: int = 10,
    max_k: int = 4,
    max_m: int = 3,
    max_n: int = 3,
    shares: Sequence[Fraction] = SHARES,
) -> SetProblem:
    """A small problem, at times with leaves that never occur, empty or repeated transactions, no sensitive items."""
    taxonomy = random_taxonomy(random, max_leaves)
    leaves = Tree(taxonomy).leaves
    occurring = [leaf for leaf in leaves if random.random() < 0.9]
    density = random.choice([0.3, 0.5, 0.8])
    sensitive = SENSITIVE[: int(random.choice([0, 1, 1, 2, 2]))]
    transactions: list[Transaction] = []
    for _ in range(max(map(int, random.integers(1, max_transactions + 1, 2)))):
        if transactions and random.random() < 0.4:
            transactions.append(transactions[int(random.integers(len(transactions)))])
            continue
        items = frozenset(leaf for leaf in occurring if random.random() < density)
        transactions.append((items, frozenset(item for item in sensitive if random.random() < 0.15)))
    return SetProblem(
        taxonomy=taxonomy,
        transactions=tuple(transactions),
        k=int(random.integers(1, max_k + 1)),
        share=shares[int(random.integers(len(shares)))],
        m=min(map(int, random.integers(1, max_m + 1, 2))),
        n=min(map(int, random.integers(0, max_n + 1, 2))),
    )
