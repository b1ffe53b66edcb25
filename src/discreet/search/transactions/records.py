"""Transactions one by one, sensitive and other items in one numbering: what methods of partial suppression work on.

Equal transactions need not be published the same way, so each is a record of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.encode.transactions import EncodedTransactions
from discreet.models.rho_uncertainty import RhoUncertainty
from discreet.recode.transactions.recoded import Recoded, release_cost
from discreet.search.events import Listener, SearchEvent
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.transactions.problem import TransactionProblem
from discreet.search.transactions.suppression_bound import suppression_bound
from discreet.values.arrays import Int32s, Int64s
from discreet.values.sets import Sets, distinct

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Records:
    """Record r has the items[r]: the leaf numbers of the others, and first_sensitive + code for the sensitive ones."""

    items: Sets
    sources: Int32s
    """record -> the distinct transaction that it is one of"""
    first_sensitive: int
    item_count: int

    @classmethod
    def of(cls, transactions: EncodedTransactions) -> Records:
        leaves = len(transactions.taxonomy.leaf_nodes)
        together = transactions.sets.joined(transactions.sensitive, leaves)
        sources = np.repeat(np.arange(len(transactions.counts), dtype=np.int32), transactions.counts)
        return cls(together.take(sources), sources, leaves, leaves + len(transactions.sensitive_items))

    @cached_property
    def supports(self) -> Int64s:
        """Item -> how many records have it."""
        return np.bincount(self.items.items, minlength=self.item_count).astype(np.int64)

    @cached_property
    def is_sensitive(self) -> Bools:
        """Occurrence (a place among items.items) -> is it one of a sensitive item?"""
        return self.items.items >= self.first_sensitive

    def released(self, kept: Bools, transactions: EncodedTransactions) -> Recoded:
        """The release of the occurrences that are kept, all at the leaves; equal records of one source merged."""
        is_sensitive = self.is_sensitive
        leaf_nodes = transactions.taxonomy.leaf_nodes
        nodes = self._part(kept & ~is_sensitive, leaf_nodes[np.where(is_sensitive, 0, self.items.items)])
        sensitive = self._part(kept & is_sensitive, self.items.items - self.first_sensitive)
        each = Sets(np.arange(len(self.sources) + 1, dtype=np.int64), self.sources)
        first, like = distinct(nodes, sensitive, each)
        counts = np.bincount(like, minlength=len(first)).astype(np.int64)
        return Recoded(self.sources[first], nodes.take(first), counts, kept=sensitive.take(first))

    def result(
        self,
        problem: TransactionProblem,
        kept: Bools,
        limits: Limits,
        events: Sequence[SearchEvent],
        listen: Listener,
        details: Mapping[str, Any],
    ) -> SearchResult:
        """What a method that keeps these occurrences hands over, with what no such method can go below.

        The bound is no part of the search: it is found after the clock has been read, unless time is up.
        """
        recoded = self.released(kept, problem.transactions)
        cost, seconds, bound = release_cost(problem.loss, problem.transactions, recoded), limits.seconds, None
        if isinstance(problem.model, RhoUncertainty) and not limits.is_over:
            bound = Fraction(suppression_bound(problem.transactions, problem.model.rho, limits))
            events = [*events, SearchEvent(limits.seconds, cost, bound, events[-1].examined)]
            listen(events[-1])
        return SearchResult.ended(recoded, cost, limits, events, details, bound=bound, seconds=seconds)

    def _part(self, wanted: Bools, numbers: Int32s) -> Sets:
        """The numbers at the wanted places of each record."""
        before = np.concatenate(([0], np.cumsum(wanted)))
        return Sets(before[self.items.offsets], numbers[wanted].astype(np.int32))


def with_denominator_up_to(rho: Fraction, largest: int) -> Fraction:
    """The greatest fraction up to rho with such a denominator: no quotient of whole numbers up to `largest` is between.

    So supports compare with it as with rho, and the products fit into 64 bits.
    """
    largest = max(1, largest)
    near = rho.limit_denominator(largest)
    if near <= rho:
        return near
    # The neighbour a / b below p / q has pb - aq = 1 and the greatest such b.
    p, q = near.numerator, near.denominator
    b = largest - (largest - pow(p, -1, q)) % q
    return Fraction((p * b - 1) // q, b)
