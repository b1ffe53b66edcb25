"""Generalized frequent patterns: sets of items, single or general, that many transactions have together.

Papers: Srikant and Agrawal 1995 (patterns over a taxonomy); Zaki 2000 (an item as the set of the transactions that have
it). A transaction has a node when it has an item under it. Of a node and one above it the second adds nothing, so
no two nodes of a pattern lie on one path; the root, which every transaction with items has, is left out.

Nodes are numbered in pre-order, so the nodes after v that do not lie under v are those from end[v] on, and none of them
lies above v. A pattern is grown by such nodes only: each is met exactly once, and none with two nodes on one path is
met at all. That is why this is not left to a mining library: given the transactions with all nodes above their items,
it would first enumerate what is dropped afterwards. mlxtend's FP-growth was not done with 88,162 market baskets at 1%
after 150 seconds; this takes about 4 seconds and 120 MB. Growing is cut by support alone, which never rises: a
third node is tried only when it is frequent with each of the others. Pairs are counted transaction by transaction, as a
product of sparse matrices: of many rare items most never meet.

A transaction that occurs c times has a bit for each 1 in the binary form of c, kept apart by the power of two it stands
for: supports are then counts of bits, whole numbers throughout.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from discreet.kernels.frequent_patterns import grow
from discreet.measure.transactions.comparison import TransactionComparison
from discreet.taxonomy import Taxonomy
from discreet.values.arrays import Int64s
from discreet.values.incidence import WORD, Bits, Incidence
from discreet.values.sets import Sets

WORK_AT_A_TIME = 4 * 10**6
"""Pairs that are counted at a time, as often as they occur."""

Pattern = tuple[int, ...]
"""Nodes of the taxonomy, and behind them sensitive items as the number of nodes plus their code; ascending."""


Mine = Callable[[Taxonomy, Sets, Sets, Int64s, int, int, int], dict[Pattern, int] | None]
"""frequent_patterns or frequent_itemsets"""


def mined_before_and_after(
    comparison: TransactionComparison, mine: Mine, smallest: int, longest: int, most: int
) -> tuple[int, dict[Pattern, int], dict[Pattern, int]]:
    """What can be mined from the original and from the release, and the length up to which neither has too many."""
    original, release = comparison.original, comparison.release
    for length in range(longest, 0, -1):
        limit = most if length > 1 else len(original.taxonomy.labels) + len(original.sensitive_items)
        before = mine(original.taxonomy, original.nodes, original.sensitive, original.counts, smallest, length, limit)
        if before is None:
            continue
        after = mine(original.taxonomy, release.nodes, release.sensitive, release.counts, smallest, length, limit)
        if after is not None:
            return length, before, after
    raise AssertionError("there are no more patterns of one item than there are items")


def frequent_patterns(
    taxonomy: Taxonomy, nodes: Sets, sensitive: Sets, counts: Int64s, smallest: int, longest: int, most: int
) -> dict[Pattern, int] | None:
    """The patterns of at most `longest` items that at least `smallest` transactions have, and how many do.

    nodes, sensitive, counts: distinct transactions, as nodes of the taxonomy and codes of sensitive items.
    None when there are more than `most` patterns.
    """
    expanded = _with_ancestors(taxonomy, nodes, sensitive)
    beyond = np.arange(1, len(taxonomy.labels) + int(sensitive.items.max(initial=-1)) + 2)
    beyond[: len(taxonomy.labels)] = taxonomy.end
    return _mined(expanded, counts, beyond, smallest, longest, most)


def frequent_itemsets(
    taxonomy: Taxonomy, nodes: Sets, sensitive: Sets, counts: Int64s, smallest: int, longest: int, most: int
) -> dict[Pattern, int] | None:
    """The same for transactions as they are: one has only the nodes that it is given with, none above them."""
    first_sensitive = len(taxonomy.labels)
    together = nodes.joined(sensitive, first_sensitive)
    beyond = np.arange(1, first_sensitive + int(sensitive.items.max(initial=-1)) + 2)
    return _mined(together, counts, beyond, smallest, longest, most)


def _mined(
    sets: Sets, counts: Int64s, beyond: Int64s, smallest: int, longest: int, most: int
) -> dict[Pattern, int] | None:
    """beyond: item -> the first one after it that may be with it in a pattern"""
    support = sets.supports(counts, len(beyond))
    frequent = np.flatnonzero(support >= smallest)
    found: dict[Pattern, int] = {(int(item),): int(support[item]) for item in frequent}
    if longest > 1 and len(frequent) > 1:
        number_of = np.full(len(beyond), -1)
        number_of[frequent] = np.arange(len(frequent))
        among_frequent = sets.mapped(number_of)
        beyond_frequent = np.searchsorted(frequent, beyond[frequent])
        pairs = _pairs(among_frequent, counts, beyond_frequent, smallest, most - len(found))
        if pairs is None:
            return None
        transactions = _Transactions.of(among_frequent, counts, len(frequent))
        blocks, number = [], len(found)
        for item, others, grown in _grown(transactions, pairs, smallest, longest, most - len(found)):
            number += len(grown)
            if number > most:  # before they are made into patterns, which takes longer than to find them
                return None
            blocks.append((frequent[item], frequent[others], grown))
        for block in blocks:
            _add(found, *block)
    return found


def _with_ancestors(taxonomy: Taxonomy, nodes: Sets, sensitive: Sets) -> Sets:
    """Each transaction with all nodes at or above its items but the root, and its sensitive items numbered after."""
    width = np.int64(len(taxonomy.labels) + int(sensitive.items.max(initial=-1)) + 1)
    codes = [sensitive.rows * width + (len(taxonomy.labels) + sensitive.items)]
    rows, above = nodes.rows, nodes.items
    while len(above):
        below_root = above > 0
        rows, above = rows[below_root], above[below_root]
        codes.append(rows * width + above)
        above = taxonomy.parents[above]
    # np.unique hashes whole numbers, which takes ten times as long as sorting them here.
    ordered = np.sort(np.concatenate(codes))
    distinct = ordered[np.diff(ordered, prepend=-1) > 0]
    sizes = np.bincount(distinct // width, minlength=len(nodes))
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    return Sets(offsets, (distinct % width).astype(np.int32))


@dataclass(frozen=True)
class _Transactions:
    """For each of some items the transactions that have it, as bits that count; words without any are left out."""

    bits: Bits
    """item x words"""
    weights: Int64s
    """word -> how many transactions each of its bits stands for"""

    @classmethod
    def of(cls, sets: Sets, counts: Int64s, items: int) -> _Transactions:
        slices = [np.flatnonzero(counts >> power & 1) for power in range(int(counts.max(initial=0)).bit_length())]
        used = [power for power, members in enumerate(slices) if len(members)]
        # Each slice begins with a new word: it is filled up with an empty set, put behind the others.
        padded = [np.append(slices[p], np.full(-len(slices[p]) % WORD, len(sets), np.int64)) for p in used]
        with_empty = Sets(np.append(sets.offsets, sets.offsets[-1]), sets.items)
        incidence = Incidence(with_empty.take(np.concatenate(padded)))
        words = np.array([len(members) // WORD for members in padded], np.int64)
        return cls(
            np.stack([incidence.of_item(item) for item in range(items)]),
            np.repeat(np.array([1 << power for power in used], np.int64), words),
        )

    def having(self, item: int, others: Int64s) -> _Transactions:
        """The transactions with the item, for each of the others."""
        words = np.flatnonzero(self.bits[item])
        return _Transactions(self.bits[np.ix_(others, words)] & self.bits[item, words], self.weights[words])


Pairs = list[tuple[Int64s, Int64s]]
"""item -> the later ones that are frequent with it, and how often"""


def _pairs(sets: Sets, counts: Int64s, beyond: Int64s, smallest: int, most: int) -> Pairs | None:
    """None for more than `most` pairs.

    They are counted some items at a time, because a single transaction of many items can have more than memory holds.
    """
    has = sparse.csr_array((counts[sets.rows], sets.items, sets.offsets), (len(sets), len(beyond)))
    within = sparse.csr_array((np.ones(len(sets.items), np.int64), sets.items, sets.offsets), has.shape).T.tocsr()
    work = np.bincount(sets.items, weights=sets.sizes[sets.rows], minlength=len(beyond))
    blocks = (np.cumsum(work) // WORK_AT_A_TIME).astype(np.int64)
    found: Pairs = []
    for block in np.split(np.arange(len(beyond)), np.flatnonzero(np.diff(blocks)) + 1):
        together = (within[block] @ has).tocsr()
        together.sort_indices()
        for place, item in enumerate(block.tolist()):
            row = slice(together.indptr[place], together.indptr[place + 1])
            others, supports = together.indices[row].astype(np.int64), together.data[row]
            frequent = (others >= beyond[item]) & (supports >= smallest)
            found.append((others[frequent], supports[frequent]))
            most -= len(found[-1][0])
        if most < 0:
            return None
    return found


def _grown(
    transactions: _Transactions, pairs: Pairs, smallest: int, longest: int, most: int
) -> Iterator[tuple[int, Int64s, Int64s]]:
    """Of each item the later ones it is frequent with, and every pattern that begins with it, as `grow` gives them.

    Where the item has more than `most` patterns, one more than that is given.
    """
    are_pairs = np.zeros((len(pairs), len(pairs)), np.bool_)
    for item, (others, _) in enumerate(pairs):
        are_pairs[item, others] = True
    for item, (others, supports) in enumerate(pairs):
        if len(others):
            having = transactions.having(item, others)
            number, grown = grow(having.bits, having.weights, others, supports, are_pairs, smallest, longest - 1, most)
            yield item, others, np.broadcast_to(grown[:1], (number, longest)) if number > most else grown[:number]


def _add(found: dict[Pattern, int], first: int, others: Int64s, grown: Int64s) -> None:
    """Puts the patterns that begin with an item among those found."""
    items = np.append(others, -1)[grown[:, 1:]]
    for support, *rest in np.column_stack((grown[:, 0], items)).tolist():
        found[(int(first), *(item for item in rest if item >= 0))] = support
