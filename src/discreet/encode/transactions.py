"""Transactions as a search sees them: the distinct sets with their counts, items by number.

A transaction is a set of items. Its non-sensitive items are leaves of one taxonomy; its sensitive items have
codes of their own and are never generalized. Two transactions with the same items are one entry with a count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from discreet.errors import InputError
from discreet.read.transactions import RawTransactions, Shape
from discreet.taxonomy import MadeFrom, Placement, Taxonomy, TaxonomyBuilder
from discreet.values.arrays import Int64s
from discreet.values.look_alikes import in_words, look_alikes
from discreet.values.sets import Sets, distinct
from discreet.values.words import SHOWN_VALUES, briefly


@dataclass(frozen=True, eq=False)
class EncodedTransactions:
    """All that a search ever sees of transactions: how often each distinct one occurs."""

    taxonomy: Taxonomy
    """of the non-sensitive items, as given; leaves that do not occur are allowed"""
    sets: Sets
    """distinct transaction -> leaf numbers of its non-sensitive items"""
    sensitive: Sets
    """distinct transaction -> codes of its sensitive items"""
    counts: Int64s
    sensitive_items: tuple[str, ...]

    @property
    def transactions(self) -> int:
        return int(self.counts.sum())

    @cached_property
    def nodes(self) -> Sets:
        """Distinct transaction -> its non-sensitive items as nodes of the taxonomy."""
        return Sets(self.sets.offsets, self.taxonomy.leaf_nodes[self.sets.items])

    @cached_property
    def leaf_occurrences(self) -> Int64s:
        """Leaf number -> how many transactions have it."""
        return self.sets.supports(self.counts, len(self.taxonomy.leaf_nodes))

    @property
    def occurrences(self) -> int:
        """How many non-sensitive items all transactions have in total."""
        return int(self.leaf_occurrences.sum())

    @cached_property
    def sensitive_occurrences(self) -> Int64s:
        """Sensitive item -> how many transactions have it."""
        return self.sensitive.supports(self.counts, len(self.sensitive_items))


@dataclass(frozen=True, eq=False)
class TransactionEncoding:
    """Encoded transactions and where they came from."""

    transactions: EncodedTransactions
    shape: Shape
    separator: str | None
    """basket only"""
    name: str
    """the source, as a sentence names it"""
    made_from: MadeFrom
    """what the taxonomy was made from"""
    warnings: tuple[str, ...]


def encode_transactions(
    raw: RawTransactions,
    builder: TaxonomyBuilder,
    sensitive: Sequence[str],
    on_missing: Literal["error", "drop"],
) -> TransactionEncoding:
    """Places the items that are not sensitive in the builder's taxonomy and counts the distinct transactions.

    sensitive: the sensitive items, even if they do not occur. on_missing: whether an item that is neither sensitive nor
    in the taxonomy is an error or left out. The result does not depend on the order of the transactions.
    """
    warnings = []
    if raw.duplicates:
        items = "1 item was" if raw.duplicates == 1 else f"{raw.duplicates} items were"
        warnings.append(f"{raw.name}: {items} named more than once in a transaction; each counts once.")
    sensitive_items = tuple(sorted(set(sensitive)))
    absent = sorted(set(sensitive_items).difference(raw.items))
    if absent:
        warnings.append(f"sensitive: {_listed(absent)} {'does' if len(absent) == 1 else 'do'} not occur in {raw.name}.")

    warnings += _look_alikes(raw.items, sensitive_items)
    code_of = {item: code for code, item in enumerate(sensitive_items)}
    placed = [item for item in raw.items if item not in code_of]
    placement = builder.build("items", placed)
    warnings += placement.notes
    _refuse_sensitive_labels(placement, sensitive_items)
    homeless = [item for item, leaf in zip(placed, placement.leaf_of.tolist(), strict=True) if leaf < 0]
    if homeless:
        sentence = _homeless(raw, placement, homeless)
        if on_missing == "error":
            raise InputError(
                f"{sentence} Add {'it' if len(homeless) == 1 else 'them'} to the taxonomy, list "
                f"{'it' if len(homeless) == 1 else 'them'} under sensitive, or set on_missing: drop."
            )
        warnings.append(f"{sentence} {'It is' if len(homeless) == 1 else 'They are'} left out.")

    leaf_of = dict(zip(placed, placement.leaf_of.tolist(), strict=True))
    sets = raw.sets.mapped(np.array([leaf_of.get(item, -1) for item in raw.items], np.int64))
    codes = raw.sets.mapped(np.array([code_of.get(item, -1) for item in raw.items], np.int64))
    empty = int(((sets.sizes == 0) & (codes.sizes == 0)).sum())
    if empty:
        have = "1 transaction has" if empty == 1 else f"{empty} transactions have"
        warnings.append(f"{raw.name}: {have} no items; {'it is' if empty == 1 else 'they are'} kept.")
    first, like = distinct(sets, codes)
    counts = np.bincount(like).astype(np.int64)
    return TransactionEncoding(
        EncodedTransactions(placement.taxonomy, sets.take(first), codes.take(first), counts, sensitive_items),
        raw.shape,
        raw.separator,
        raw.name,
        placement.made_from,
        tuple(warnings),
    )


def _look_alikes(items: Sequence[str], sensitive: Sequence[str]) -> Iterator[str]:
    """A sentence where an item looks like a sensitive one and is another."""
    listed = set(sensitive)
    alike = [group for group in look_alikes(listed.union(items)) if listed.intersection(group)]
    unprotected = [group for group in alike if not listed.issuperset(group)]
    if unprotected:
        yield (
            "sensitive: some items look like one that is listed, but are not listed and so not protected: "
            f"{in_words(unprotected)}. Give them one spelling in the data, or list them all."
        )
    if hollow := [group for group in alike if group not in unprotected]:
        yield (
            "sensitive: some items look alike and count as different ones, so that each may seem rarer than it is: "
            f"{in_words(hollow)}. Give them one spelling in the data."
        )


def _refuse_sensitive_labels(placement: Placement, sensitive_items: tuple[str, ...]) -> None:
    both = sorted(set(sensitive_items).intersection(placement.taxonomy.labels))
    if not both:
        return
    are = "is" if len(both) == 1 else "are"
    if placement.made_from is not MadeFrom.POLICY:
        raise InputError(
            f"sensitive: {_listed(both)} {are} named like a group of items in the taxonomy made from the data; rename "
            f"{'it' if len(both) == 1 else 'them'} or give a taxonomy."
        )
    raise InputError(
        f"{_listed(both)} {are} both sensitive and in the taxonomy, but a sensitive item is never generalized; take "
        f"{'it' if len(both) == 1 else 'them'} out of one of the two."
    )


def _homeless(raw: RawTransactions, placement: Placement, homeless: list[str]) -> str:
    """The sentence about items that have no leaf; an error where one is the name of an inner node."""
    inner = sorted(set(homeless).intersection(placement.taxonomy.labels))
    if inner:
        raise InputError(
            f"{raw.name}: {_listed(inner)} {'is an inner node' if len(inner) == 1 else 'are inner nodes'} of the "
            "taxonomy, and items belong at its leaves; rename the inner node, or the item, and give the item a leaf."
        )
    absent = set(homeless)
    is_homeless = np.array([item in absent for item in raw.items], np.bool_)
    having = len(np.unique(raw.sets.rows[is_homeless[raw.sets.items]]))
    return (
        f"{raw.name}: {len(homeless)} {'item is' if len(homeless) == 1 else 'items are'} neither in the taxonomy nor "
        f"sensitive ({_listed(homeless)}; in {having} {'transaction' if having == 1 else 'transactions'})."
    )


def _listed(items: Sequence[str]) -> str:
    more = f" and {len(items) - SHOWN_VALUES} more" if len(items) > SHOWN_VALUES else ""
    return ", ".join(map(briefly, items[:SHOWN_VALUES])) + more
