"""Verifying published transactions.

Every published item is a sensitive item of the certificate or a node of the published taxonomy. The promises:

- kl-privacy, km-anonymity, coherence: no itemset within the adversary's power is a threat (`itemsets`). For kl-privacy
  the adversary knows published nodes and those above them. That means one thing only where no published
  node lies above another, so this is checked with it. For the two others they know published items as they are.
- transactional-k-anonymity: every set of non-sensitive items is that of at least k transactions.
- privacy-degree: of the transactions of a group at most 1 in p have the same sensitive item, as the file of sensitive
  items counts them; none is among the other items.
- rho-uncertainty: of the transactions with any published items, sensitive ones or not, no more than rho have another
  sensitive item (`rho_uncertainty`).

The leaves under a node are counted in the published taxonomy.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, pairwise

import numpy as np
import numpy.typing as npt

from discreet.errors import InputError
from discreet.verifier.certificate import NAME, Certificate, sequence
from discreet.verifier.limits import ReleaseLimits
from discreet.verifier.taxonomy import Parents, nested_pairs
from discreet.verifier.transactions.claims import (
    EqualSets,
    ItemsetPromise,
    PrivacyDegree,
    RhoUncertainty,
    TransactionClaims,
    TransactionPromise,
    read_claims,
    read_promises,
)
from discreet.verifier.transactions.file import PublishedTransactions, read_group_counts, read_transactions
from discreet.verifier.transactions.itemsets import Database, Incidence, Limits, Threat, threats
from discreet.verifier.transactions.rho_uncertainty import Rule, unsafe_rules
from discreet.verifier.verdict import MOST_WITNESSES, Breach, Verdict, counted, shown, some, within_witness_limit

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

NO_TRANSACTIONS = "The release has no transactions."


def verify_transactions(certificate: Certificate, promise: Sequence[object] | None = None) -> Verdict:
    """Check published transactions against their certificate, or against `promise` in place of the stated one.

    The partitions of the verdict are the distinct sets of non-sensitive items, or the groups of the shape `grouped`.
    """
    claims = read_claims(certificate)
    promises = read_promises(certificate.promise, claims, f"{NAME}: promise")
    if promise is not None:
        promises = read_promises(sequence(promise, "promise"), claims, "promise")
    published = read_transactions(certificate, claims)
    baskets = _baskets(published, claims)
    breaches: list[Breach] = []
    partitions = len(published.group_labels)
    if claims.sensitive_data is None:
        partitions = len(np.unique(_equal_rows(baskets.rows, baskets.nodes, published.number)))
    else:
        breaches += _linked_items(baskets)
    for each in promises:
        breaches += _promise_breaches(each, baskets, claims, certificate)
    return Verdict(
        holds=not breaches,
        promise=tuple(map(str, promises)),
        rows=published.number,
        partitions=partitions,
        breaches=within_witness_limit(breaches),
        hollow=None if published.number else NO_TRANSACTIONS,
        row="transaction",
        partition="group" if claims.shape == "grouped" else "distinct set",
    )


@dataclass(frozen=True, eq=False)
class _Tree:
    """The taxonomy by numbers, a node before those under it and each subtree in one piece: node x ends at end[x]."""

    labels: tuple[str, ...]
    parents: Ints
    end: Ints
    leaves: Ints

    @classmethod
    def of(cls, parents: Parents) -> "_Tree":
        children: dict[str | None, list[str]] = {}
        for node, parent in parents.items():
            children.setdefault(parent, []).append(node)
        labels: list[str] = []
        stack = list(children[None])
        while stack:
            labels.append(stack.pop())
            stack.extend(children.get(labels[-1], ()))
        place = {label: number for number, label in enumerate(labels)}
        above = [-1 if (parent := parents[label]) is None else place[parent] for label in labels]
        sizes = np.ones(len(labels), np.int64)
        leaves = np.array([label not in children for label in labels], np.int64)
        for number in range(len(labels) - 1, 0, -1):
            sizes[above[number]] += sizes[number]
            leaves[above[number]] += leaves[number]
        return cls(tuple(labels), np.array(above, np.int64), np.arange(len(labels)) + sizes, leaves)


@dataclass(frozen=True, eq=False)
class _Baskets:
    """Published transactions with their items told apart: nodes of the taxonomy, and sensitive ones."""

    published: PublishedTransactions
    tree: _Tree
    sensitive_items: tuple[str, ...]
    rows: Ints
    nodes: Ints
    sensitive_rows: Ints
    sensitive: Ints


def _baskets(published: PublishedTransactions, claims: TransactionClaims) -> _Baskets:
    tree = _Tree.of(claims.parents)
    number: Mapping[str, int] = {
        **{label: node for node, label in enumerate(tree.labels)},
        **{item: -1 - place for place, item in enumerate(claims.sensitive)},
    }
    strangers = [code for code, label in enumerate(published.labels) if label and label not in number]
    if strangers:
        times = np.bincount(published.items, minlength=len(published.labels))
        words = [f"{shown(published.labels[code])} ({counted(int(times[code]), 'transaction')})" for code in strangers]
        raise InputError(
            f"{published.name}: {counted(len(strangers), 'item')} neither in the taxonomy nor sensitive: {some(words)}."
        )
    numbers = np.array([number.get(label, 0) for label in published.labels], np.int64)[published.items]
    hidden = numbers < 0
    order = np.lexsort((numbers[~hidden], published.rows[~hidden]))
    return _Baskets(
        published,
        tree,
        claims.sensitive,
        published.rows[~hidden][order],
        numbers[~hidden][order],
        published.rows[hidden],
        -1 - numbers[hidden],
    )


def _equal_rows(rows: Ints, columns: Ints, height: int) -> Ints:
    """For each row the first one with the same columns; entries come by row, the columns of each ascending."""
    sizes = np.bincount(rows, minlength=height)
    equal = np.full(height, int(sizes.argmin()) if height else 0)  # right for empty rows
    filled = np.flatnonzero(sizes)
    ends = np.cumsum(sizes[filled]).tolist()
    content = memoryview(np.ascontiguousarray(columns, np.int64).tobytes())
    first: dict[bytes, int] = {}
    equal[filled] = [
        first.setdefault(bytes(content[8 * start : 8 * end]), row)
        for row, (start, end) in zip(filled.tolist(), pairwise([0, *ends]), strict=True)
    ]
    return equal


def _promise_breaches(
    promise: TransactionPromise, baskets: _Baskets, claims: TransactionClaims, certificate: Certificate
) -> Iterator[Breach]:
    if isinstance(promise, ItemsetPromise):
        yield from _itemset_breaches(promise, baskets, claims, certificate.limits)
    elif isinstance(promise, EqualSets):
        yield from _rare_sets(promise, baskets)
    elif isinstance(promise, RhoUncertainty):
        yield from _unsafe_rules(promise, baskets)
    elif claims.sensitive_data is not None:
        counts = read_group_counts(claims.sensitive_data, certificate)
        yield from _common_items(promise, baskets, counts, claims.sensitive_data.name)


# --- itemsets -------------------------------------------------------------------------------------------------


def _itemset_breaches(
    promise: ItemsetPromise, baskets: _Baskets, claims: TransactionClaims, most: ReleaseLimits
) -> Iterator[Breach]:
    labels = baskets.tree.labels
    if promise.generalized:
        published = {labels[node] for node in np.unique(baskets.nodes).tolist()}
        nested, pairs = nested_pairs(claims.parents, published, MOST_WITNESSES)
        if nested:
            yield Breach(
                "exclusiveness",
                f"{counted(nested, 'published item pair')} in which one lies above the other: items on one path, "
                f"for which {promise.model} is not defined.",
                tuple(f"{shown(upper)} lies above {shown(lower)}" for lower, upper in pairs),
            )
            return
    limits = promise.limits
    if not len(baskets.sensitive):
        limits = Limits(limits.smallest, Fraction(1), limits.present, limits.absent)
    database, nodes, nowhere = _database(baskets, most, generalized=promise.generalized, confident=limits.share < 1)

    def words(threat: Threat) -> str:
        known = [f"{shown(labels[nodes[node]])} present" for node in threat.present]
        known += [f"{shown(labels[nodes[node]])} absent" for node in threat.absent]
        itemset = ", ".join(known or [f"{shown(labels[nowhere])} absent"])
        size = counted(threat.support, "transaction")
        if threat.sensitive is None:
            return f"{itemset}: {size}, fewer than {limits.smallest}"
        item = shown(baskets.sensitive_items[threat.sensitive])
        return f"{itemset}: {item} in {threat.holders} of {size}, more than {limits.share} of them"

    found = list(islice(threats(database, limits), MOST_WITNESSES))
    if found:
        some_ = (
            f"At least {MOST_WITNESSES} itemsets" if len(found) == MOST_WITNESSES else counted(len(found), "itemset")
        )
        yield Breach(
            promise.model,
            f"{some_} by which an adversary finds too few transactions, or a sensitive item in too many of them.",
            tuple(map(words, found)),
        )


def _database(
    baskets: _Baskets, most: ReleaseLimits, *, generalized: bool, confident: bool
) -> tuple[Database, Ints, int]:
    """The distinct transactions, the taxonomy's number of each node, and the smallest node that is nowhere.

    Nodes above the published ones matter only to what can be inferred of sensitive items (`itemsets`, on levels).
    """
    tree, number = baskets.tree, baskets.published.number
    published = np.zeros(len(tree.labels), bool)
    published[baskets.nodes] = True
    rows, nodes = baskets.rows, baskets.nodes
    sensitive_rows, sensitive = baskets.sensitive_rows, baskets.sensitive
    if not confident:
        sensitive_rows, sensitive = sensitive_rows[:0], sensitive[:0]
    every_row = np.concatenate((rows, sensitive_rows))
    every_item = np.concatenate((nodes, len(tree.labels) + sensitive))
    order = np.lexsort((every_item, every_row))
    first_equal = _equal_rows(every_row[order], every_item[order], number)
    kept, distinct = np.unique(first_equal, return_inverse=True)
    is_kept = np.zeros(number, bool)
    is_kept[kept] = True
    rows, nodes = distinct[rows[is_kept[rows]]], nodes[is_kept[rows]]
    sensitive_rows, sensitive = distinct[sensitive_rows[is_kept[sensitive_rows]]], sensitive[is_kept[sensitive_rows]]
    if generalized and confident:
        parents = _worth_naming(tree, published)
        steps = _steps_up(parents)[nodes].sum()
        most.allow("items", len(nodes) + int(steps), f"{baskets.published.name}, with the nodes above each item")
        rows, nodes = _with_ancestors(parents, rows, nodes)
    used, columns = np.unique(nodes, return_inverse=True)
    own = np.arange(len(used))
    nowhere = _smallest_nowhere(tree, published) if generalized else -1
    database = Database(
        _incidence(rows, columns, len(kept), len(used)),
        _incidence(sensitive_rows, sensitive, len(kept), len(baskets.sensitive_items)),
        np.bincount(distinct, minlength=len(kept)).astype(np.int64),
        used if generalized else own,
        tree.end[used] if generalized else own + 1,
        tree.leaves[used],
        published[used],
        None if nowhere < 0 else int(tree.leaves[nowhere]),
    )
    return database, used, nowhere


def _incidence(rows: Ints, columns: Ints, height: int, width: int) -> Incidence:
    order = np.lexsort((columns, rows))
    return Incidence(rows[order], columns[order], height, width)


def _worth_naming(tree: _Tree, published: Flags) -> Ints:
    """Node -> the next node above it with other published items under it, or -1.

    A node between them has the transactions of one under it, and says nothing new (`itemsets`). So a chain of nodes
    costs no more than one of them.
    """
    before = np.concatenate(([0], np.cumsum(published)))
    under = before[tree.end] - before[:-1]
    above = tree.parents.copy()
    for node, parent in enumerate(tree.parents.tolist()):
        if parent >= 0 and under[parent] == under[node]:
            above[node] = above[parent]
    return above


def _steps_up(parents: Ints) -> Ints:
    """Node -> how many lie above it; a node comes after its parent."""
    steps = np.zeros(len(parents), np.int64)
    for node, parent in enumerate(parents.tolist()):
        if parent >= 0:
            steps[node] = steps[parent] + 1
    return steps


def _with_ancestors(parents: Ints, rows: Ints, nodes: Ints) -> tuple[Ints, Ints]:
    """Every transaction with all nodes that it supports: its items and those above them."""
    width = len(parents)
    codes = layer = rows * width + nodes
    while len(layer):
        above = parents[layer % width]
        layer = _distinct((layer // width * width + above)[above >= 0])
        codes = np.concatenate((codes, layer))
    codes = _distinct(codes)
    return codes // width, codes % width


def _distinct(codes: Ints) -> Ints:
    """Sorted, each once; `numpy.unique` hashes first, which is several times slower on nearly sorted numbers."""
    codes = np.sort(codes, kind="stable")
    return codes[np.append(True, np.diff(codes) > 0)] if len(codes) else codes


def _smallest_nowhere(tree: _Tree, published: Flags) -> int:
    """Of the topmost nodes with no published item at, under or above them the one with the fewest leaves, or -1.

    Those below them count only where the publisher told them apart, and a release says nothing about what never occurs.
    """
    before = np.concatenate(([0], np.cumsum(published)))
    none_under = before[tree.end] == before[:-1]
    borders = np.zeros(len(published) + 1, np.int64)
    np.add.at(borders, np.flatnonzero(published), 1)
    np.add.at(borders, tree.end[published], -1)
    is_nowhere = none_under & (np.cumsum(borders)[:-1] == 0)
    below_another = is_nowhere[tree.parents] & (tree.parents >= 0)
    nowhere = np.flatnonzero(is_nowhere & ~below_another)
    return int(nowhere[tree.leaves[nowhere].argmin()]) if len(nowhere) else -1


# --- equal sets -----------------------------------------------------------------------------------------------


def _rare_sets(promise: EqualSets, baskets: _Baskets) -> Iterator[Breach]:
    number = baskets.published.number
    firsts, sizes = np.unique(_equal_rows(baskets.rows, baskets.nodes, number), return_counts=True)
    rare = np.flatnonzero(sizes < promise.k)
    if len(rare):
        labels = baskets.tree.labels
        witnesses = []
        for place in rare[np.argsort(sizes[rare], kind="stable")][:MOST_WITNESSES].tolist():
            start, end = np.searchsorted(baskets.rows, [firsts[place], firsts[place] + 1])
            items = some([shown(labels[node]) for node in baskets.nodes[start:end].tolist()]) or "no items"
            size = counted(int(sizes[place]), "transaction")
            witnesses.append(f"the set of {items}: {size}, fewer than {promise.k}")
        yield Breach(
            promise.model,
            f"{counted(len(rare), 'set')} of non-sensitive items with fewer than {counted(promise.k, 'transaction')}.",
            tuple(witnesses),
        )


# --- rules ----------------------------------------------------------------------------------------------------


def _unsafe_rules(promise: RhoUncertainty, baskets: _Baskets) -> Iterator[Breach]:
    labels = (*baskets.tree.labels, *baskets.sensitive_items)
    first_sensitive = len(baskets.tree.labels)
    rows = np.concatenate((baskets.rows, baskets.sensitive_rows))
    items = np.concatenate((baskets.nodes, first_sensitive + baskets.sensitive))
    records = _incidence(rows, items, baskets.published.number, len(labels))

    def words(rule: Rule) -> str:
        known = some([shown(labels[item]) for item in sorted(rule.known)])
        size = counted(rule.support, "transaction")
        item = shown(labels[rule.sensitive])
        return f"{known}: {item} in {rule.holders} of {size}, more than {promise.rho} of them"

    found = list(islice(unsafe_rules(records, first_sensitive, promise.rho), MOST_WITNESSES))
    if found:
        yield Breach(
            promise.model,
            f"At least {counted(len(found), 'rule')} by which a sensitive item follows too surely from other items.",
            tuple(map(words, found)),
        )


# --- groups ---------------------------------------------------------------------------------------------------


def _linked_items(baskets: _Baskets) -> Iterator[Breach]:
    """Sensitive items that are in a transaction, where they should be known for groups only."""
    items, times = np.unique(baskets.sensitive, return_counts=True)
    if len(items):
        yield Breach(
            "linked",
            f"{baskets.published.name} holds {counted(len(items), 'sensitive item')}, which are published apart.",
            tuple(
                f"{shown(baskets.sensitive_items[item])} in {counted(number, 'transaction')}"
                for item, number in zip(items.tolist(), times.tolist(), strict=True)
            ),
        )


def _common_items(
    promise: PrivacyDegree, baskets: _Baskets, counts: Mapping[tuple[str, str], int], name: str
) -> Iterator[Breach]:
    published = baskets.published
    sizes: dict[str, int] = {}
    if published.groups is not None:
        numbers = np.bincount(published.groups, minlength=len(published.group_labels))
        sizes = dict(zip(published.group_labels, numbers.tolist(), strict=True))
    sensitive = frozenset(baskets.sensitive_items)
    broken = []
    for (group, item), number in counts.items():
        if item not in sensitive:
            raise InputError(f"{name}: {shown(item)} is not a sensitive item of the certificate.")
        size = sizes.get(group, 0)
        if number * promise.p > size:
            broken.append((group, size, item, number))
    if broken:
        yield Breach(
            promise.model,
            f"{counted(len(broken), 'time')} a sensitive item is too common in a group of transactions.",
            tuple(
                f"group {shown(group)} of {counted(size, 'transaction')}: {shown(item)} in {number}, more than 1 of "
                f"{promise.p}"
                for group, size, item, number in broken[:MOST_WITNESSES]
            ),
        )
