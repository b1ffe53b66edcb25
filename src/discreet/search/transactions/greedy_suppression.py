"""Greedy suppression: coherence of transactions by leaving items out of all of them.

Paper: Xu, Wang, Fu and Yu 2008 (MM, the greedy algorithm on minimal moles). A mole is an itemset of at most p
non-sensitive items that some transactions have, but fewer than k, or with a sensitive item in more than the share h
of its transactions. Items that are moles on their own are left out first. Then all minimal moles are found, those
without a smaller mole in them, and until none is left the item e with the greatest MM(e) / IL(e) is left out: MM(e) is
the number of minimal moles left with e, IL(e) the information lost with it, its support. Ties go by leaf number.

Promises: a release that keeps coherence (or k^m-anonymity, which is coherence with h = 1) by suppression alone;
nothing about how good the release is. Sensitive items stay.

Why it is valid. Leaving items out changes nothing for an itemset of the others. So a mole of the release would be a
mole of the original, with a minimal mole within it whose items are all published; but one item of each minimal mole
is not. An itemset has at least one item, so leaving out everything is always valid.

Unlike the paper's, the minimal moles are not kept in a tree of links but as rows of an array, with the moles of each
item beside it; what is chosen is the same. IL(e) is the support whatever loss the release is then measured by.

Costs: for each size, all non-moles of the size before and what extends them. Memory: some 8 bytes for each item of each
minimal mole; in sparse data nearly every pair that occurs is one. If stopped during the search for moles it leaves out
all items; if stopped later, all that are still in a mole.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.encode.transactions import EncodedTransactions
from discreet.kernels.minimal_moles import NONE
from discreet.kernels.mole_removal import item_to_suppress, moles_of_items, remove_moles_of
from discreet.models.coherence import Coherence
from discreet.models.itemset_limits import ItemsetLimits
from discreet.models.km_anonymity import KMAnonymity
from discreet.recode.transactions.recoded import UNPUBLISHED, Recoded, release_cost
from discreet.search.events import Listener, SearchEvent, ignore
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.transactions.moles import Bools, MoleSearch
from discreet.search.transactions.problem import TransactionProblem, cannot_keep
from discreet.values.arrays import Int32s


def greedy_suppression(
    problem: TransactionProblem, limits: Limits, random: np.random.Generator, listen: Listener = ignore
) -> SearchResult:
    """Leaves out the item with the most moles for its support, again and again. Nothing is drawn at random."""
    model = problem.model
    if not isinstance(model, Coherence | KMAnonymity):
        raise cannot_keep("greedy-suppression", model)
    transactions = problem.transactions
    events: list[SearchEvent] = []

    def note(cost: Fraction | None, suppressed: int) -> None:
        events.append(SearchEvent(limits.seconds, cost, None, suppressed))
        listen(events[-1])

    note(None, 0)
    moles = _find_moles(transactions, model.itemset_limits(), limits)
    note(None, len(moles.single))
    is_suppressed = _suppress(transactions, moles, limits)
    node_of_leaf = np.where(is_suppressed, UNPUBLISHED, transactions.taxonomy.leaf_nodes).astype(np.int32)
    recoded = Recoded.everywhere(transactions, node_of_leaf)
    cost = release_cost(problem.loss, transactions, recoded)
    suppressed = int(is_suppressed.sum())
    note(cost, suppressed)
    details = {"suppressed_items": suppressed, "moles": len(moles.single) + len(moles.larger)}
    return SearchResult.ended(recoded, cost, limits, events, details)


@dataclass(frozen=True, eq=False)
class Moles:
    """The minimal moles of transactions, by leaf numbers."""

    single: Int32s
    """the leaves that are moles on their own"""
    larger: Int32s
    """mole x leaf, NONE after the last: all others"""
    are_all: bool
    """False if the search was stopped before its end"""


def _find_moles(transactions: EncodedTransactions, itemset_limits: ItemsetLimits, limits: Limits) -> Moles:
    # Rare items first: their itemsets are few, and most are moles at once, so that little is left to extend.
    by_support = np.argsort(transactions.leaf_occurrences, kind="stable")
    leaves = by_support[transactions.leaf_occurrences[by_support] > 0].astype(np.int32)
    item_of_leaf = np.full(len(by_support), -1, np.int32)
    item_of_leaf[leaves] = np.arange(len(leaves))
    search = MoleSearch.of(
        transactions.sets.mapped(item_of_leaf), len(leaves), transactions.counts, transactions.sensitive, itemset_limits
    )
    is_open = np.ones(len(leaves), bool)
    single = search.of_size(1).found(is_open, limits)[:, 0]
    is_open[single] = False
    widest = max(1, min(itemset_limits.present, search.longest))
    larger = np.empty((0, widest), np.int32)
    for size in range(2, widest + 1):
        known = np.ascontiguousarray(larger[:, : size - 1])
        found = search.of_size(size, known).found(is_open, limits)
        larger = np.concatenate((larger, np.pad(found, ((0, 0), (0, widest - size)), constant_values=NONE)))
    return Moles(leaves[single], np.append(leaves, np.int32(NONE))[larger], are_all=not limits.is_over)


def _suppress(transactions: EncodedTransactions, moles: Moles, limits: Limits) -> Bools:
    """Leaf number -> whether it is left out."""
    supports = transactions.leaf_occurrences
    if not moles.are_all:
        return supports > 0
    is_suppressed = np.zeros(len(supports), bool)
    is_suppressed[moles.single] = True
    first, members = moles_of_items(moles.larger, len(supports))
    moles_left = np.diff(first)
    is_gone = np.zeros(len(moles.larger), bool)
    while (leaf := item_to_suppress(moles_left, supports)) >= 0:
        if limits.is_over:
            return is_suppressed | (moles_left > 0)
        remove_moles_of(leaf, moles.larger, first, members, is_gone, moles_left)
        is_suppressed[leaf] = True
    return is_suppressed
