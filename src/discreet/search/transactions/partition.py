"""partition: top-down local generalization, until every published transaction looks like k - 1 others.

Paper: He and Naughton 2009 (LG). All transactions begin as one partition, published as the root alone. A partition is
split by expanding one of its nodes: its transactions separate by which children of the node they have. The node
whose expansion saves most loss is taken, counting only the parts of at least k transactions. Transactions in smaller
parts go together into a left-over part that keeps the node as it is; if that has fewer than k, others fill it up: what
the largest parts have above k, or, where that is not enough, the whole smallest part.

Promises: each set of non-sensitive items in the release is that of at least k transactions. Every published node stands
for an item of each transaction that has it, and every item is under exactly one published node of its transaction. It
does not promise the least loss: the choice is greedy. An item may be published as itself in one partition and as its
ancestor in another, so counts of a single item are lower bounds.

Which transactions fill up a left-over part is drawn at random: a rule that the reader could repeat would distinguish
some of those with the rare patterns from those moved to them.

Transactions without any non-sensitive item can only be published as they are, without items. Where they are fewer than
k, as many others as are missing, drawn at random, are published without their items too; and so are all others when
fewer than k of them would be left. Their items cost 1 each, like everything that is left out.

Needs: the distinct transactions in memory; about 30 bytes for each transaction and for each of its items.

Why nodes are closed for good: if no k transactions of a partition agree on the children of a node, no k of a part of
it do. If expanding would leave too few over and nothing to fill up from, the partition has fewer than 2k transactions,
so it will never be split in two and the same stays true. In a left-over part one of the two holds for the node: no k
agree, as fewer than k were moved to it, or a whole part was given up for it, and then it has fewer than 2k.

Costs: each step looks once at every item of one partition; a partition is expanded at most once for each node above
its items. Whenever it is stopped, the partitions as they are make a release.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from discreet.encode.transactions import EncodedTransactions
from discreet.errors import NoReleaseError
from discreet.kernels.local_generalization import (
    NODES,
    PARTITIONS,
    ROWS,
    SAVED,
    STEPS,
    Partitions,
    Sources,
    Tree,
    split_partitions,
)
from discreet.losses.transactions import prices
from discreet.models.transactional_k_anonymity import TransactionalKAnonymity
from discreet.recode.transactions.recoded import Recoded, release_cost
from discreet.search.branch_and_bound import SECONDS_BETWEEN_EVENTS
from discreet.search.events import Listener, SearchEvent, ignore
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.transactions.problem import TransactionProblem, cannot_keep
from discreet.taxonomy import Taxonomy
from discreet.values.arrays import Int64s
from discreet.values.sets import Sets

STEPS_BETWEEN_LOOKS = 1000
"""Steps between two looks at the clock."""


def partition(
    problem: TransactionProblem, limits: Limits, random: np.random.Generator, listen: Listener = ignore
) -> SearchResult:
    """A release that keeps transactional k-anonymity; details: its groups, and transactions `emptied` to keep it."""
    transactions, model = problem.transactions, problem.model
    if not isinstance(model, TransactionalKAnonymity):
        raise cannot_keep("partition", model)
    k = model.k
    if 0 < transactions.transactions < k:
        raise NoReleaseError(
            f"No release of {transactions.transactions} transactions can keep transactional k-anonymity with k = {k}, "
            "as each has to look like k - 1 others; choose a smaller k or publish more transactions."
        )
    emptied = _emptied(transactions, k, random)
    empty = np.where(transactions.sets.sizes > 0, emptied, transactions.counts)
    filled = transactions.counts - empty
    price, unit = prices(problem.loss, transactions.taxonomy)
    sources = Sources(transactions.sets.offsets, transactions.sets.items)
    tree = _tree(transactions.taxonomy, price)
    waiting, final = _room(transactions, filled, k), _room(transactions, filled, k)
    _publish_as_root(waiting, filled, transactions.taxonomy.is_leaf(0))

    sizes = transactions.sets.sizes
    first_cost = int(price[0]) * int((sizes * filled).sum()) + unit * int((sizes * emptied).sum())
    told = np.zeros(2, np.int64)
    events: list[SearchEvent] = []

    def note() -> None:
        cost = Fraction(first_cost - int(told[SAVED]), unit)
        events.append(SearchEvent(limits.seconds, cost, None, int(told[STEPS])))
        listen(events[-1])

    note()
    while waiting.length[PARTITIONS] and not limits.is_over:
        split_partitions(sources, tree, k, waiting, final, STEPS_BETWEEN_LOOKS, random, told)
        if limits.seconds - events[-1].seconds >= SECONDS_BETWEEN_EVENTS:
            note()
    note()
    recoded = _recoded([final, waiting], empty)
    cost = release_cost(problem.loss, transactions, recoded)
    details = {
        "groups": int(final.length[PARTITIONS] + waiting.length[PARTITIONS] + empty.any()),
        "emptied": int(emptied.sum()),
    }
    return SearchResult.ended(recoded, cost, limits, events, details, examined=int(told[STEPS]))


def _emptied(transactions: EncodedTransactions, k: int, random: np.random.Generator) -> Int64s:
    """Distinct transaction with items -> how many are published without them, so that no set has fewer than k."""
    filled = np.where(transactions.sets.sizes > 0, transactions.counts, 0)
    empty = transactions.transactions - int(filled.sum())
    missing = max(0, k - empty) if empty else 0
    if int(filled.sum()) < k + missing:
        return filled
    return random.multivariate_hypergeometric(filled, missing)


def _room(transactions: EncodedTransactions, counts: Int64s, k: int) -> Partitions:
    """Room for all partitions into which this many of each distinct transaction can be split.

    A row has at least one transaction. Each of a partition's at least k transactions has an item under every node, so
    there is at most one node for every k items.
    """
    rows = int(counts.sum())
    nodes = int((transactions.sets.sizes * counts).sum()) // k
    return Partitions(
        sources=np.zeros(rows, np.int32),
        counts=np.zeros(rows, np.int64),
        nodes=np.zeros(nodes, np.int32),
        is_open=np.zeros(nodes, np.bool_),
        first_row=np.zeros(rows // k, np.int64),
        first_node=np.zeros(rows // k, np.int64),
        length=np.zeros(3, np.int64),
    )


def _publish_as_root(partitions: Partitions, counts: Int64s, root_is_leaf: bool) -> None:
    """Makes all these transactions one partition, unless there are none."""
    index = np.flatnonzero(counts)
    if not len(index):
        return
    partitions.sources[: len(index)] = index
    partitions.counts[: len(index)] = counts[index]
    partitions.is_open[0] = not root_is_leaf
    partitions.length[:] = 1, len(index), 1


def _tree(taxonomy: Taxonomy, price: Int64s) -> Tree:
    parents = taxonomy.parents[1:]
    first_child = np.concatenate(([0], np.cumsum(np.bincount(parents, minlength=len(taxonomy.labels))))).astype(
        np.int64
    )
    children = (np.argsort(parents, kind="stable") + 1).astype(np.int32)
    return Tree(taxonomy.first_leaf, taxonomy.stop_leaf, first_child, children, price)


def _recoded(parts: list[Partitions], empty: Int64s) -> Recoded:
    """The partitions as they are, and the transactions that are published without items."""
    sources, nodes, counts = [], [], []
    for partitions in parts:
        number, rows, all_nodes = (int(partitions.length[what]) for what in (PARTITIONS, ROWS, NODES))
        sizes = np.diff(partitions.first_row[:number], append=rows)
        published = Sets(np.append(partitions.first_node[:number], all_nodes), partitions.nodes[:all_nodes])
        nodes.append(published.take(np.repeat(np.arange(number), sizes)))
        sources.append(partitions.sources[:rows])
        counts.append(partitions.counts[:rows])
    index = np.flatnonzero(empty).astype(np.int32)
    node_sizes = np.concatenate([*(published.sizes for published in nodes), np.zeros(len(index), np.int64)])
    return Recoded(
        np.concatenate([*sources, index]),
        Sets(
            np.concatenate(([0], np.cumsum(node_sizes))).astype(np.int64),
            np.concatenate([published.items for published in nodes]),
        ),
        np.concatenate([*counts, empty[index]]),
    )
