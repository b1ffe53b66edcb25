"""The adversary who knows items that a person has and items that they do not have, and looks for transactions that fit.

Paper: Liu 2010, 4.1. They bring what they know to the level of the published items (4.1.3). An item that the person has
must be in a fitting transaction, as itself or as any published item above it; where none is published anywhere, it was
suppressed and says nothing. That the person does not have a published item is known only when it is known that they
have none of the leaves under it.

Their confidence in a sensitive item is its share of the transactions that fit. Where sensitive items are published
apart by groups, a transaction has one with the share of its group, and their confidence is the average over those that
fit.

The original is looked at in the same way, as a release whose published items are the leaves.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce

import numpy as np
import numpy.typing as npt

from discreet.encode.released_transactions import ReleasedTransactions
from discreet.taxonomy import Taxonomy
from discreet.values.arrays import Int64s
from discreet.values.incidence import Bits, Incidence

Floats = npt.NDArray[np.float64]

MOST_KEPT = 1 << 26
"""Bytes of bits that are kept for the items that come next."""
ROUNDING = 1e-9
"""How far a share that was summed in floating point can be from the exact one, and more."""


@dataclass(frozen=True)
class Known:
    """What the adversary knows about somebody, as leaf numbers."""

    present: tuple[int, ...]
    absent: tuple[int, ...]


@dataclass(frozen=True)
class Seen:
    """What the adversary can use of that in a release."""

    present: frozenset[tuple[int, ...]]
    """published nodes of which a fitting transaction has at least one, for each item"""
    absent: frozenset[int]
    """published nodes that it does not have"""


@dataclass(frozen=True, eq=False)
class Fitting:
    """The transactions that fit what is known about somebody."""

    rows: Int64s
    """the distinct ones"""
    records: int
    having: Floats
    """sensitive item -> how many of them have it, in expectation where sensitive items are published apart"""

    @property
    def confidence(self) -> float:
        """in the sensitive item that they are surest of"""
        return float(self.having.max(initial=0.0) / self.records) if self.records else 0.0

    @property
    def likeliest(self) -> Int64s:
        """the sensitive items that they are surest of; none where no transaction that fits has one"""
        best = self.having.max(initial=0.0)
        return np.flatnonzero((self.having == best) & (best > 0))


class Reader:
    """Somebody who looks for transactions in a release."""

    def __init__(self, taxonomy: Taxonomy, release: ReleasedTransactions, sensitive_items: int) -> None:
        self.release = release
        self.sensitive_items = sensitive_items
        self._taxonomy = taxonomy
        self._incidence = Incidence(release.nodes)
        self._kept: dict[int, Bits] = {}
        self._above: dict[int, tuple[int, ...]] = {}

    def sees(self, known: Known) -> Seen:
        """What is known, brought to the level of the published items."""
        above = (self._published_above(leaf) for leaf in known.present)
        return Seen(frozenset(nodes for nodes in above if nodes), self._published_and_absent(known.absent))

    def fitting(self, seen: Seen) -> Fitting:
        bits = self._incidence.everything
        for nodes in seen.present:
            bits = bits & reduce(np.bitwise_or, map(self._bits, nodes))
        for node in seen.absent:
            bits = bits & ~self._bits(node)
        rows = self._incidence.members(bits)
        return Fitting(rows, int(self.release.counts[rows].sum()), self._having(rows))

    def exceeds(self, found: Fitting, share: Fraction) -> bool:
        """Whether their confidence in some sensitive item is above the share, exactly."""
        if self._group_shares is None:
            most = int(found.having.max(initial=0))
            return most * share.denominator > share.numerator * found.records
        bound = float(share) * found.records
        if (found.having > bound * (1 + ROUNDING)).any():
            return True
        close = np.flatnonzero(found.having > bound * (1 - ROUNDING))
        return any(self._exactly_having(found.rows, item) > share * found.records for item in close.tolist())

    @cached_property
    def totals(self) -> Int64s:
        """sensitive item -> how many transactions of the release have it"""
        release = self.release
        if release.group_sensitive is not None:
            totals: Int64s = release.group_sensitive.sum(axis=0, dtype=np.int64)
            return totals
        return release.sensitive.supports(release.counts, self.sensitive_items)

    @cached_property
    def _group_sizes(self) -> Int64s | None:
        release = self.release
        if release.groups is None or release.group_sensitive is None:
            return None
        return np.bincount(release.groups, weights=release.counts, minlength=len(release.group_sensitive)).astype(
            np.int64
        )

    @cached_property
    def _group_shares(self) -> Floats | None:
        """group x sensitive item -> the share of its transactions that have it"""
        if self._group_sizes is None or self.release.group_sensitive is None:
            return None
        shares: Floats = self.release.group_sensitive / np.maximum(1, self._group_sizes)[:, None]
        return shares

    def _having(self, rows: Int64s) -> Floats:
        release = self.release
        if self._group_shares is not None and release.groups is not None:
            groups, place = np.unique(release.groups[rows], return_inverse=True)
            weights = np.bincount(place, weights=release.counts[rows], minlength=len(groups))
            having: Floats = weights @ self._group_shares[groups]
            return having
        sensitive = release.sensitive.take(rows)
        weights = np.repeat(release.counts[rows], sensitive.sizes)
        return np.bincount(sensitive.items, weights=weights, minlength=self.sensitive_items).astype(np.float64)

    def _exactly_having(self, rows: Int64s, item: int) -> Fraction:
        release, sizes = self.release, self._group_sizes
        assert release.groups is not None and release.group_sensitive is not None and sizes is not None
        fitting = np.bincount(release.groups[rows], weights=release.counts[rows], minlength=len(sizes))
        return sum(
            (
                int(fitting[group]) * Fraction(int(release.group_sensitive[group, item]), int(sizes[group]))
                for group in np.flatnonzero(fitting).tolist()
            ),
            Fraction(0),
        )

    def _published_above(self, leaf: int) -> tuple[int, ...]:
        """The leaf's own node and those above it, as far as they are published."""
        if leaf not in self._above:
            published, node = [], int(self._taxonomy.leaf_nodes[leaf])
            while node >= 0:
                if self._incidence.has(node):
                    published.append(node)
                node = int(self._taxonomy.parents[node])
            self._above[leaf] = tuple(published)
        return self._above[leaf]

    def _published_and_absent(self, absent: tuple[int, ...]) -> frozenset[int]:
        """The published nodes of which all leaves are known to be absent."""
        taxonomy, known = self._taxonomy, set(absent)
        found = set()
        for leaf in absent:
            node = int(taxonomy.leaf_nodes[leaf])
            while node >= 0 and known.issuperset(range(taxonomy.first_leaf[node], taxonomy.stop_leaf[node])):
                if self._incidence.has(node):
                    found.add(node)
                node = int(taxonomy.parents[node])
        return frozenset(found)

    def _bits(self, node: int) -> Bits:
        if node not in self._kept:
            if len(self._kept) * self._incidence.everything.nbytes > MOST_KEPT:
                self._kept.clear()
            self._kept[node] = self._incidence.of_item(node)
        return self._kept[node]
