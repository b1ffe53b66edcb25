"""Apriori anonymization: k^m-anonymity of transactions by raising items in a taxonomy, small itemsets first.

Paper: Terrovitis, Mamoulis and Kalnis 2008 (AA, with the direct anonymization DA within each size). For each size
1, ..., m the itemsets of published items are walked through in the order of a count tree: items by falling support,
depth-first. An itemset that is in some transactions, but fewer than k, is repaired: among all ways to raise some of
its items to ancestors, the one of least additional loss that gives it k transactions is applied, to all items below the
ancestors chosen. Itemsets with an item raised since are passed over, which is the paper's way back to the longest
prefix that is still valid. The next size starts from what is published by then.

Promises: a release that keeps k^m-anonymity by one cut, whatever the loss; nothing about how good the release is.

Why it is valid. A size is walked through again, on what is then published, until a walk finds nothing to repair: all
itemsets of that size then have their k transactions. Raising items never undoes that for itemsets of this size or a
smaller one: a raised itemset has at least the transactions of any itemset below it that occurs. So after size m all
sizes are right.

Where the paper leaves a choice:
- The count tree holds itemsets of published items only, not those of their ancestors: a repair reads supports off
  the transactions of each node instead, so the tree need not be extended.
- Ways to raise an itemset are tried in order of the additional loss (a best-first search, raising one item by one
  level at a time). No loss charges a more general node less, so the first with k transactions is the cheapest. Among
  equals the one whose nodes have the greatest total depth is taken, then the one with the lower node numbers.
- The loss of a repair is what it adds to the loss of the whole release, including all items that are raised along with
  it.

Costs: each walk counts the itemsets of one size that occur, and a few walks are enough for a size; what is repaired at
one size leaves fewer items for the next. Memory: the transactions of each node of the taxonomy, 4 bytes each. If
stopped before its end, it publishes the root alone.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from heapq import heappop, heappush

import numpy as np

from discreet.encode.transactions import EncodedTransactions
from discreet.errors import NoReleaseError
from discreet.kernels.row_sets import have_in_common, rows_of_items, rows_with_above
from discreet.losses.transactions import ItemLoss, prices
from discreet.models.itemset_limits import ItemsetLimits
from discreet.models.km_anonymity import KMAnonymity
from discreet.recode.transactions.recoded import Recoded, release_cost
from discreet.search.cut_enumeration import count_all_cuts
from discreet.search.events import Listener, SearchEvent, ignore
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.transactions.moles import MoleSearch, MolesOfSize
from discreet.search.transactions.problem import TransactionProblem, cannot_keep
from discreet.taxonomy import Cut
from discreet.values.arrays import Int32s

Nodes = tuple[int, ...]


def apriori(
    problem: TransactionProblem, limits: Limits, random: np.random.Generator, listen: Listener = ignore
) -> SearchResult:
    """A cut that keeps k^m-anonymity, found by repairing one itemset after another. Nothing is drawn at random."""
    model = problem.model
    if not isinstance(model, KMAnonymity):
        raise cannot_keep("apriori", model)
    itemset_limits, transactions = model.itemset_limits(), problem.transactions
    _refuse_too_few(transactions, itemset_limits.smallest)
    rising = RisingCut(transactions, problem.loss, itemset_limits.smallest)
    events: list[SearchEvent] = []

    def note(cost: Fraction | None) -> None:
        events.append(SearchEvent(limits.seconds, cost, None, rising.repairs + 1))
        listen(events[-1])

    is_valid = _repair_all(rising, itemset_limits, limits, lambda: note(None))
    cut = rising.cut if is_valid else Cut.root(transactions.taxonomy)
    recoded = Recoded.by_cut(transactions, cut)
    cost = release_cost(problem.loss, transactions, recoded)
    note(cost)
    details = {"repaired_itemsets": rising.repairs}
    total = count_all_cuts([transactions.taxonomy])
    return SearchResult.ended(recoded, cost, limits, events, details, total=total, examined=rising.repairs + 1)


def _refuse_too_few(transactions: EncodedTransactions, smallest: int) -> None:
    with_items = int(transactions.counts[transactions.sets.sizes > 0].sum())
    if 0 < with_items < smallest:
        raise NoReleaseError(
            f"No release keeps the promise: {with_items} transactions have items that are not sensitive, and anyone "
            f"who knows an item has to find {smallest}."
        )


class RisingCut:
    """A cut that only ever goes up, from the leaves, with what each step adds to the loss."""

    def __init__(self, transactions: EncodedTransactions, loss: ItemLoss, smallest: int) -> None:
        self.transactions = transactions
        self.smallest = smallest
        self.repairs = 0
        taxonomy = transactions.taxonomy
        self.node_of_leaf = taxonomy.leaf_nodes.copy()
        self.parents = taxonomy.parents.tolist()
        self.end = taxonomy.end.tolist()
        self.depth = taxonomy.depth.tolist()
        offsets, nodes = rows_with_above(transactions.nodes.offsets, transactions.nodes.items, taxonomy.parents)
        self.first_row, self.rows = rows_of_items(offsets, nodes, len(taxonomy.labels))
        counted = np.concatenate(([0], np.cumsum(transactions.counts[self.rows])))
        self.supports = counted[self.first_row[1:]] - counted[self.first_row[:-1]]
        """node -> how many transactions have a leaf of it"""
        price, _ = prices(loss, taxonomy)
        occurrences = transactions.leaf_occurrences
        self.loss_if_raised = (price * taxonomy.sums(occurrences)).tolist()
        """node -> the loss of all items below it when they are published as the node"""
        self.loss_now = taxonomy.sums(price[taxonomy.leaf_nodes] * occurrences).tolist()
        """node on the cut or above -> the loss of all items below it as they are published now"""

    @property
    def cut(self) -> Cut:
        return Cut(self.transactions.taxonomy, tuple(np.unique(self.node_of_leaf).tolist()))

    def added_loss(self, nodes: Nodes) -> int:
        """What it costs to publish these nodes, which are on the cut or above it, and none below another."""
        return sum(self.loss_if_raised[node] - self.loss_now[node] for node in nodes)

    def cheapest_repair(self, itemset: Nodes) -> Nodes:
        """What to raise the items to, so that enough transactions have them all; some may become one."""
        seen = {itemset}
        waiting = [(0, 0, itemset)]
        while True:
            *_, nodes = heappop(waiting)
            if have_in_common(np.array(nodes), self.smallest, self.first_row, self.rows, self.transactions.counts):
                return nodes
            for node in nodes:
                parent = self.parents[node]
                if parent < 0:
                    continue
                beside = [other for other in nodes if not parent <= other < self.end[parent]]
                raised = tuple(sorted([*beside, parent]))
                if raised not in seen:
                    seen.add(raised)
                    depths = sum(self.depth[node] for node in raised)
                    heappush(waiting, (self.added_loss(raised), -depths, raised))

    def raise_to(self, node: int) -> None:
        """Publishes all items below the node as the node."""
        taxonomy = self.transactions.taxonomy
        self.node_of_leaf[taxonomy.first_leaf[node] : taxonomy.stop_leaf[node]] = node
        added = self.added_loss((node,))
        while node >= 0:
            self.loss_now[node] += added
            node = self.parents[node]


class PublishedItems:
    """The transactions as a cut publishes them: the items numbered by falling support."""

    def __init__(self, rising: RisingCut, limits: ItemsetLimits) -> None:
        self.rising = rising
        transactions = rising.transactions
        occurring = np.unique(rising.node_of_leaf[transactions.leaf_occurrences > 0])
        self.nodes = occurring[np.argsort(-rising.supports[occurring], kind="stable")]
        number = np.full(len(rising.parents), -1, np.int32)
        number[self.nodes] = np.arange(len(self.nodes))
        self.item_of_leaf = number[rising.node_of_leaf]
        self.is_open = np.ones(len(self.nodes), bool)
        """item -> whether it has not been raised since"""
        sets = transactions.sets.mapped(self.item_of_leaf)
        self.search = MoleSearch.of(sets, len(self.nodes), transactions.counts, transactions.sensitive, limits)

    def repair_starting_with(self, item: int, moles: MolesOfSize) -> None:
        """Repairs the moles with the item as their first; itemsets of smaller sizes must be in order."""
        for itemset in moles.starting_with(item, self.is_open):
            if self.is_open[itemset].all():
                self._repair(itemset)

    def _repair(self, itemset: Int32s) -> None:
        taxonomy = self.rising.transactions.taxonomy
        before = tuple(sorted(self.nodes[itemset].tolist()))
        for node in set(self.rising.cheapest_repair(before)).difference(before):
            self.rising.raise_to(node)
            raised = self.item_of_leaf[taxonomy.first_leaf[node] : taxonomy.stop_leaf[node]]
            self.is_open[raised[raised >= 0]] = False
        self.rising.repairs += 1


def _repair_all(
    rising: RisingCut, itemset_limits: ItemsetLimits, limits: Limits, after_walk: Callable[[], None]
) -> bool:
    """Raises the cut until it is valid; False if the limits end it before that."""
    published = PublishedItems(rising, itemset_limits)
    for size in range(1, itemset_limits.present + 1):
        if published.search.longest < size:
            break
        repairs = -1
        while repairs < rising.repairs:
            if repairs >= 0:
                published = PublishedItems(rising, itemset_limits)
            repairs = rising.repairs
            moles = published.search.of_size(size)
            for item in range(len(published.nodes)):
                if limits.is_over:
                    return False
                if published.is_open[item]:
                    published.repair_starting_with(item, moles)
            after_walk()
    return True
