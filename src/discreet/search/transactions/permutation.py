"""permutation: the items as they are, the sensitive ones published separately, by groups of similar transactions.

Paper: Ghinita, Tao and Kalnis 2008 (CAHD). First the transactions are brought into an order in which neighbours have
many items in common: a band matrix, by reverse Cuthill-McKee. Then each transaction with a sensitive item that is in no
group yet, in that order, becomes the pivot of one: among the 3p ungrouped transactions before it and the 3p after it
that share no sensitive item with it, the p - 1 with most items in common with it and no sensitive item in common with
each other. A group that would leave the rest unsolvable is not formed. What is left at the end is one last group.

Promises: in every group, a sensitive item belongs to at most one in p of the transactions. In a group of p no two
share one. For the last group it is kept as an invariant: no group is formed unless each sensitive item is then in at
most one in p of the transactions left. So the one group of all transactions is a release if there is any, and stopping
at any time yields one.

The loss is 0 by definition, as no item is generalized: what is lost is the link between items and sensitive items.

What it does not promise: the groups depend on who has sensitive items. Every transaction's items are published, so a
reader who knows the method may look for the pivot of each group, the one that the others are most like, and will find
it more often than one time in p: in groups of one pivot on Retail with 20 random sensitive items, 43% of the time with
p = 4 and 31% with p = 10. The order of equals and the numbers of the groups are drawn at random, which hides the order
of the data but not this.

The matrix: the paper orders the transactions by the graph in which those with a common item are neighbours. One item in
half of the transactions makes that graph quadratic, with more than 2 thousand million entries for the baskets of
Retail. Here the nodes are the distinct sets and the items, and an edge says that an item is in a set: as many edges as
the data has items. The search goes from a set by way of its items to the same neighbours, and meets the sets in the
same layers. Measured on BMS-WebView-1 and 2 it takes a fifteenth of the time, and members share more items with their
pivots (1.55 instead of 1.32 and 3.03 instead of 2.63 on average, p = 4).

Needs: the transactions, one by one, in memory; about 100 bytes for each.

Costs: ordering is linear in the number of items except for sorting; each pivot looks at 6p neighbours and at those that
it skips because they have its sensitive items.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

from discreet.encode.transactions import EncodedTransactions
from discreet.errors import NoReleaseError
from discreet.kernels.sensitive_groups import GROUPS, LEFT, NO_GROUP, Grouping, Transactions, form_groups
from discreet.models.privacy_degree import PrivacyDegree
from discreet.recode.transactions.recoded import Recoded, release_cost
from discreet.search.events import Listener, SearchEvent, ignore
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.transactions.problem import TransactionProblem, cannot_keep
from discreet.values.arrays import Int32s, Int64s
from discreet.values.sets import distinct

CANDIDATES = 3
"""The paper's alpha: this many times p candidates on either side of a pivot."""

PIVOTS_BETWEEN_LOOKS = 1000
"""Pivots between two looks at the clock."""


def permutation(
    problem: TransactionProblem, limits: Limits, random: np.random.Generator, listen: Listener = ignore
) -> SearchResult:
    """A release of the privacy degree p; details: how many groups, and the size of the largest."""
    transactions, model = problem.transactions, problem.model
    if not isinstance(model, PrivacyDegree):
        raise cannot_keep("permutation", model)
    p = model.p
    _refuse_frequent_sensitive_items(transactions, p)
    sources = _in_band_order(transactions, random)
    ordered = Transactions(
        sources,
        transactions.sets.offsets,
        transactions.sets.items,
        transactions.sensitive.offsets,
        transactions.sensitive.items,
    )
    grouping = _ungrouped(transactions)
    tried, finished = 0, False
    while not finished and not limits.is_over:
        now = form_groups(ordered, grouping, p, CANDIDATES * p, PIVOTS_BETWEEN_LOOKS)
        tried, finished = tried + now, now < PIVOTS_BETWEEN_LOOKS
    recoded, sizes = _recoded(transactions, sources, grouping, random)
    cost = release_cost(problem.loss, transactions, recoded)
    event = SearchEvent(limits.seconds, cost, None, tried)
    listen(event)
    details = {"groups": len(sizes), "largest_group": int(sizes.max(initial=0))}
    return SearchResult.ended(recoded, cost, limits, [event], details, examined=tried)


def _refuse_frequent_sensitive_items(transactions: EncodedTransactions, p: int) -> None:
    """No release is possible exactly when a sensitive item is in more than one in p of all transactions."""
    total, occurrences = transactions.transactions, transactions.sensitive_occurrences
    too_frequent = np.flatnonzero(occurrences * p > total)
    if not len(too_frequent):
        return
    worst = int(occurrences.argmax())
    times = int(occurrences[worst])
    others = f", as are {len(too_frequent) - 1} more" if len(too_frequent) > 1 else ""
    raise NoReleaseError(
        f"The sensitive item {transactions.sensitive_items[worst]!r} is in {times} of {total} transactions "
        f"({times / total:.1%}), more than the one in {p} that a privacy degree of p = {p} allows{others}; "
        f"choose p = {total // times} or smaller, or do not list it as sensitive."
    )


def _in_band_order(transactions: EncodedTransactions, random: np.random.Generator) -> Int32s:
    """The distinct transaction of each single one, in an order that puts similar ones near each other.

    Equal sets are next to each other, in random order; where the method leaves the order of sets or items open, the
    numbers that it sees them by decide, and these are drawn.
    """
    first, number = distinct(transactions.sets)
    sets, leaves = len(first), len(transactions.taxonomy.leaf_nodes)
    drawn_set, drawn_leaf = random.permutation(sets), sets + random.permutation(leaves)
    kept = transactions.sets.take(first)
    row, column = drawn_set[kept.rows], drawn_leaf[kept.items]
    ends = np.concatenate((row, column)), np.concatenate((column, row))
    graph = csr_array((np.ones(len(ends[0]), np.int8), ends), shape=(sets + leaves, sets + leaves))
    place = np.empty(sets + leaves, np.int64)
    place[reverse_cuthill_mckee(graph, symmetric_mode=True)] = np.arange(sets + leaves)
    sources = random.permutation(np.repeat(np.arange(len(transactions.counts), dtype=np.int32), transactions.counts))
    return sources[np.argsort(place[drawn_set[number[sources]]], kind="stable")]


def _ungrouped(transactions: EncodedTransactions) -> Grouping:
    total = transactions.transactions
    return Grouping(
        group=np.full(total, NO_GROUP, np.int32),
        before=np.arange(-1, total + 1),
        after=np.arange(1, total + 3),
        unassigned=transactions.sensitive_occurrences.copy(),
        item_mark=np.full(len(transactions.taxonomy.leaf_nodes), -1, np.int64),
        sensitive_mark=np.full(len(transactions.sensitive_items), -1, np.int64),
        progress=np.array([0, 0, total], np.int64),
    )


def _recoded(
    transactions: EncodedTransactions, sources: Int32s, grouping: Grouping, random: np.random.Generator
) -> tuple[Recoded, Int64s]:
    """The groups under random numbers, with what is in none as the last one; and the size of each."""
    formed = int(grouping.progress[GROUPS])
    groups = formed + bool(grouping.progress[LEFT])
    number = random.permutation(groups)
    group = number[np.where(grouping.group == NO_GROUP, formed, grouping.group)]
    width = len(transactions.counts)
    codes, counts = np.unique(group * width + sources, return_counts=True)
    published = (codes % width).astype(np.int32)
    nodes = transactions.nodes.take(published)
    recoded = Recoded(published, nodes, counts.astype(np.int64), (codes // width).astype(np.int32))
    return recoded, np.bincount(group, minlength=groups).astype(np.int64)
