"""The adversary who knows that a person has one of several items, but not which.

Paper: Liu 2010, 4.1. Definition 4.2 allows this knowledge, "a1 or a2", as one fact; Definition 4.4 promises nothing
about it unless the items are all that lie under one node. With the taxonomy R(A(a1, a2, a3), B(b1, b2)) and the
transactions {a1, s}, {a2, s}, {a1, a2}, three times {a3} and twice {b1}, the published items a1, a2, a3, B imply s with
at most 1/2 each, and so do A and R, yet "a1 or a2" implies it with 2/3: transactions that have several of the items are
counted once in the disjunction, and here they are the ones without s.

For each node, the published ones among its children, and each sensitive item, this looks for two or more of the
children whose disjunction implies it most. Up to 12 children all subsets are tried: with the transactions counted by
which of the children they have, the ones that have none of a subset are a sum over the subsets of its complement, for
all complements at once (the zeta transform). With more, the children are ordered by how strongly each implies the
sensitive item and the first two, three, ... are tried, so the worst case is at least as bad as what is found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain, pairwise
from typing import Any

import numpy as np

from discreet.encode.released_transactions import ReleasedTransactions
from discreet.taxonomy import Taxonomy
from discreet.values.arrays import Int32s, Int64s
from discreet.values.sets import Sets
from discreet.values.words import counted, percent

MOST_CHILDREN = 12
"""Published children up to which all subsets are tried."""
MOST_NAMED = 5
"""Items that a sentence names."""


@dataclass(frozen=True, eq=False)
class Family:
    """Published nodes with one parent, and the transactions that have at least one of them."""

    parent: int
    children: Int32s
    rows: Int64s
    """of each occurrence of a child, ascending: the number of the transaction, from 0"""
    child: Int64s
    """of each occurrence: which child"""
    counts: Int64s
    """transaction -> how often it occurs"""
    sensitive: Sets
    """transaction -> codes of its sensitive items"""

    @cached_property
    def codes(self) -> Int64s:
        """The sensitive items that any of the transactions has."""
        return np.flatnonzero(np.bincount(self.sensitive.items))

    def having(self) -> Iterator[Int64s]:
        """For each of the codes: transaction -> how often it occurs with the sensitive item."""
        order = np.argsort(self.sensitive.items, kind="stable")
        stops = np.cumsum(np.bincount(self.sensitive.items)[self.codes])
        for members in np.split(self.sensitive.rows[order], stops[:-1]):
            amount = np.zeros(len(self.counts), np.int64)
            amount[members] = self.counts[members]
            yield amount


@dataclass(frozen=True)
class Disjunction:
    """One of these items: so many transactions have one, and so many of them the sensitive item."""

    parent: int
    items: tuple[int, ...]
    sensitive: int
    records: int
    having: int
    alone: Fraction
    """the confidence that the strongest of the items gives alone"""

    @property
    def confidence(self) -> Fraction:
        return Fraction(self.having, self.records)


def disjunctions(
    taxonomy: Taxonomy, release: ReleasedTransactions, sensitive_items: tuple[str, ...], share: Fraction | None
) -> dict[str, Any]:
    """The part "disjunctions" of the attack's document. share: the most that is promised, None where nothing is."""
    reason = hindrance(taxonomy, release, sensitive_items)
    if reason is not None:
        return {"applies": False, "reading": f"Knowing one of several items was not tried: {reason}."}
    worst: Disjunction | None = None
    tried, exceeding, exact = 0, 0, True
    for family in families(taxonomy, release):
        exact &= len(family.children) <= MOST_CHILDREN
        tried += len(family.codes)
        for found in strongest(family):
            exceeding += share is not None and found.confidence > share
            if worst is None or found.confidence > worst.confidence:
                worst = found
    if worst is None:
        return {
            "applies": False,
            "reading": "Knowing one of several items was not tried: no two published items with a sensitive one have "
            "the same parent.",
        }
    return {
        "applies": True,
        "tried": tried,
        "all_subsets": exact,
        "highest_confidence": float(worst.confidence),
        "above_share": None if share is None else exceeding,
        "witness": {
            "items": [taxonomy.labels[item] for item in worst.items],
            "parent": taxonomy.labels[worst.parent],
            "sensitive": sensitive_items[worst.sensitive],
            "records": worst.records,
            "having": worst.having,
            "confidence": float(worst.confidence),
            "alone": float(worst.alone),
        },
        "reading": _reading(taxonomy, sensitive_items, worst, share, exceeding, tried),
    }


def hindrance(taxonomy: Taxonomy, release: ReleasedTransactions, sensitive_items: tuple[str, ...]) -> str | None:
    """Why nobody can say which transactions of the release have an item and a sensitive one, if that is so."""
    if not sensitive_items:
        return "there are no sensitive items"
    if release.groups is not None:
        return "sensitive items are published apart"
    shown = np.unique(release.nodes.items)
    if (shown[1:] < taxonomy.end[shown[:-1]]).any():
        return "the same item is published under different labels in different transactions"
    return None


def families(taxonomy: Taxonomy, release: ReleasedTransactions) -> Iterator[Family]:
    """Every node with two or more published children of which one occurs with a sensitive item."""
    rows, nodes = release.nodes.rows, release.nodes.items
    parents = taxonomy.parents[nodes]
    order = np.lexsort((nodes, rows, parents))
    rows, nodes, parents = rows[order], nodes[order], parents[order]
    starts = np.flatnonzero(np.diff(parents, prepend=-2))
    for start, stop in pairwise([*starts.tolist(), len(parents)]):
        if parents[start] < 0:
            continue
        children, child = np.unique(nodes[start:stop], return_inverse=True)
        if len(children) < 2:
            continue
        own, row = np.unique(rows[start:stop], return_inverse=True)
        sensitive = release.sensitive.take(own)
        if len(sensitive.items):
            row, child = row.astype(np.int64), child.astype(np.int64)
            yield Family(int(parents[start]), children, row, child, release.counts[own], sensitive)


def strongest(family: Family) -> list[Disjunction]:
    """For each sensitive item of the family, the disjunction of two or more children that implies it most."""
    return _of_all_subsets(family) if len(family.children) <= MOST_CHILDREN else _of_prefixes(family)


def _of_all_subsets(family: Family) -> list[Disjunction]:
    size = len(family.children)
    has = np.bincount(family.rows, weights=np.left_shift(1, family.child)).astype(np.int64)
    # amounts[0]: transactions by the subset of children they have; then the same with each sensitive item
    amounts = np.zeros((1 + len(family.codes), 1 << size), np.int64)
    for amount, weights in zip(amounts, chain((family.counts,), family.having()), strict=True):
        amount += np.bincount(has, weights=weights, minlength=1 << size).astype(np.int64)
    within = amounts
    for bit in range(size):
        halves = within.reshape(len(amounts), -1, 2, 1 << bit)
        halves[:, :, 1] += halves[:, :, 0]
    # Those that have one of a subset are all but those that have only others; backwards, subsets are complements.
    meeting = within[:, -1:] - within[:, ::-1]
    several = np.bitwise_count(np.arange(1 << size)) >= 2
    records, having = meeting[0, several], meeting[1:, several]
    subsets = np.flatnonzero(several)
    best = _most(having, records)
    records_alone, having_alone = meeting[0, 1 << np.arange(size)], meeting[1:, 1 << np.arange(size)]
    return [
        Disjunction(
            family.parent,
            tuple(family.children[chosen].tolist()),
            int(sensitive),
            int(records[place]),
            int(having[number, place]),
            max(map(Fraction, having_alone[number, chosen].tolist(), records_alone[chosen].tolist())),
        )
        for number, (sensitive, place) in enumerate(zip(family.codes, best.tolist(), strict=True))
        for chosen in [np.flatnonzero(subsets[place] >> np.arange(size) & 1)]
    ]


def _of_prefixes(family: Family) -> list[Disjunction]:
    size = len(family.children)
    records_alone = np.bincount(family.child, weights=family.counts[family.rows], minlength=size)
    starts = np.flatnonzero(np.diff(family.rows, prepend=-1))
    found = []
    for sensitive, having in zip(family.codes.tolist(), family.having(), strict=True):
        having_alone = np.bincount(family.child, weights=having[family.rows], minlength=size)
        order = np.argsort(-having_alone / records_alone, kind="stable")
        rank = np.empty(size, np.int64)
        rank[order] = np.arange(size)
        # A transaction is counted from its first child on.
        first = np.minimum.reduceat(rank[family.child], starts)
        records = np.bincount(first, weights=family.counts, minlength=size).cumsum().astype(np.int64)[1:]
        so_many = np.bincount(first, weights=having, minlength=size).cumsum().astype(np.int64)[1:]
        place = int(_most(so_many[None, :], records)[0])
        items = tuple(sorted(family.children[order[: place + 2]].tolist()))
        alone = Fraction(int(having_alone[order[0]]), int(records_alone[order[0]]))
        found.append(Disjunction(family.parent, items, sensitive, int(records[place]), int(so_many[place]), alone))
    return found


def _most(having: Int64s, records: Int64s) -> Int64s:
    """For each row of `having`: where its share of the records is highest, of equal ones the first."""
    # Two different shares differ by at least 1 / records^2, far above the rounding of a double up to 10^7 records.
    best: Int64s = np.argmax(having / records, axis=1)
    return best


def _reading(
    taxonomy: Taxonomy,
    sensitive_items: tuple[str, ...],
    worst: Disjunction,
    share: Fraction | None,
    exceeding: int,
    tried: int,
) -> str:
    named = [taxonomy.labels[item] for item in worst.items[:MOST_NAMED]]
    if more := len(worst.items) - len(named):
        named.append(f"one of {counted(more, 'other')}")
    sentence = (
        f"Anyone who knows that a person has {' or '.join(named)} finds {sensitive_items[worst.sensitive]} in "
        f"{worst.having:,} of {counted(worst.records, 'transaction')}, {percent(float(worst.confidence))}; "
        f"any one of these items alone gives {percent(float(worst.alone))} at most"
    )
    if share is None:
        return f"{sentence}."
    if not exceeding:
        return f"{sentence}, and no knowledge of this kind exceeds the promised {percent(float(share))}."
    uncovered = ", which the promise does not cover" if worst.alone <= share else ""
    exceed = "1 exceeds" if exceeding == 1 else f"{exceeding:,} exceed"
    return (
        f"{sentence}. Of {counted(tried, 'pair')} of a node and a sensitive item, {exceed} the promised "
        f"{percent(float(share))} in this way{uncovered}."
    )
