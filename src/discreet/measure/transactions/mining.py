"""Generalized frequent patterns: sets of items, single or general, that many transactions have together.

Papers: Srikant and Agrawal 1995 (patterns over a taxonomy); Zaki 2000 (an item as the set of the transactions that have
it). A transaction has a node when it has an item under it. Of a node and one above it the second adds nothing, so
no two nodes of a pattern lie on one path; the root, which every transaction with items has, is left out.

Nodes are numbered in pre-order, so the nodes after v that do not lie under v are those from end[v] on, and none of them
lies above v. A pattern is grown by such nodes only: each is met exactly once, and none with two nodes on one path is
met at all. That is why this is not left to a mining library: given the transactions with all nodes above their items,
one enumerates first what is dropped afterwards. mlxtend's FP-growth was not done with 88,162 market baskets at 1%
after 150 seconds; this takes about 4 and 120 MB. Growing is cut by support alone, which never rises: a
third node is tried only when it is frequent with each of the others.

A transaction that occurs c times has a bit for each 1 in the binary form of c, kept apart by the power of two it stands
for: supports are then counts of bits, whole numbers throughout.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.encode.incidence import WORD, Bits, Incidence
from discreet.encode.transactions import Int64s, Sets
from discreet.measure.transactions.comparison import occurrences
from discreet.taxonomy import Taxonomy

Pattern = tuple[int, ...]
"""Nodes of the taxonomy, and behind them sensitive items as the number of nodes plus their code; ascending."""


def frequent_patterns(
    taxonomy: Taxonomy, nodes: Sets, sensitive: Sets, counts: Int64s, smallest: int, longest: int, most: int
) -> dict[Pattern, int] | None:
    """The patterns of at most `longest` items that at least `smallest` transactions have, and how many do.

    nodes, sensitive, counts: distinct transactions, as nodes of the taxonomy and codes of sensitive items.
    None when there are more than `most` patterns.
    """
    expanded = _with_ancestors(taxonomy, nodes, sensitive)
    size = len(taxonomy.labels) + int(sensitive.items.max(initial=-1)) + 1
    support = occurrences(expanded, counts, size)
    frequent = np.flatnonzero(support >= smallest)
    found: dict[Pattern, int] = {(int(item),): int(support[item]) for item in frequent}
    if longest > 1 and len(frequent) > 1:
        end = np.arange(1, size + 1)
        end[: len(taxonomy.labels)] = taxonomy.end
        miner = _Miner(_Transactions.of(expanded, counts, frequent), np.searchsorted(frequent, end[frequent]), smallest)
        pairs = miner.pairs(most - len(found))
        if pairs is None:
            return None
        for chosen, number in miner.grow(pairs, longest):
            found[tuple(frequent[list(chosen)].tolist())] = number
            if len(found) > most:
                return None
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
    """For each frequent item the transactions that have it, as bits that count."""

    bits: Bits
    """frequent item x words"""
    starts: Int64s
    """of the words, by the power of two that their bits count"""
    powers: Int64s

    @classmethod
    def of(cls, sets: Sets, counts: Int64s, items: Int64s) -> _Transactions:
        slices = [np.flatnonzero(counts >> power & 1) for power in range(int(counts.max(initial=0)).bit_length())]
        used = [power for power, members in enumerate(slices) if len(members)]
        # Each slice begins with a new word: it is filled up with an empty set, put behind the others.
        padded = [np.append(slices[p], np.full(-len(slices[p]) % WORD, len(sets), np.int64)) for p in used]
        with_empty = Sets(np.append(sets.offsets, sets.offsets[-1]), sets.items)
        incidence = Incidence(with_empty.take(np.concatenate(padded)))
        words = np.array([len(members) // WORD for members in padded], np.int64)
        return cls(
            np.stack([incidence.of_item(item) for item in items.tolist()]),
            np.cumsum(words) - words,
            np.array([1 << power for power in used], np.int64),
        )

    def support(self, bits: Bits) -> Int64s:
        """rows of words -> how many transactions are meant"""
        return np.add.reduceat(np.bitwise_count(bits), self.starts, axis=1, dtype=np.int64) @ self.powers


@dataclass(frozen=True)
class _Miner:
    transactions: _Transactions
    beyond: Int64s
    """frequent item -> the first one after it that does not lie under it; all numbered among the frequent ones"""
    smallest: int

    def pairs(self, most: int) -> list[tuple[Int64s, Int64s]] | None:
        """For each item the later ones that are frequent with it, and how often; None for more than `most` pairs.

        They are counted first, because a single transaction of many items can have more than memory holds.
        """
        bits = self.transactions.bits
        found: list[tuple[Int64s, Int64s]] = []
        for item in range(len(bits)):
            others = np.arange(self.beyond[item], len(bits))
            support = self.transactions.support(bits[others] & bits[item])
            frequent = support >= self.smallest
            found.append((others[frequent], support[frequent]))
            most -= len(found[-1][0])
            if most < 0:
                return None
        return found

    def grow(self, pairs: list[tuple[Int64s, Int64s]], longest: int) -> Iterator[tuple[tuple[int, ...], int]]:
        """Every frequent pattern of two to `longest` items, with its support."""
        bits = self.transactions.bits
        together = np.zeros((len(bits), len(bits)), np.bool_)
        for item, (others, _) in enumerate(pairs):
            together[item, others] = True
        for item, (others, supports) in enumerate(pairs):
            yield from self._extend((item,), bits[item], others, supports, together, longest)

    def _extend(
        self,
        chosen: tuple[int, ...],
        have: Bits,
        others: Int64s,
        supports: Int64s,
        pairs: npt.NDArray[np.bool_],
        longest: int,
    ) -> Iterator[tuple[tuple[int, ...], int]]:
        """The pattern with each of the others, which are frequent with it, and what grows from there."""
        for place, (item, support) in enumerate(zip(others.tolist(), supports.tolist(), strict=True)):
            grown = (*chosen, item)
            yield grown, support
            if len(grown) == longest:
                continue
            candidates = others[place + 1 :]
            candidates = candidates[pairs[item, candidates]]
            if not len(candidates):
                continue
            together = have & self.transactions.bits[item]
            found = self.transactions.support(self.transactions.bits[candidates] & together)
            frequent = found >= self.smallest
            yield from self._extend(grown, together, candidates[frequent], found[frequent], pairs, longest)
