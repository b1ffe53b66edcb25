"""The itemsets by which an adversary learns too much from published transactions, found by definition and exactly.

Paper: Liu 2010, Definition 4.4 with Observation 4.1. An itemset is a non-empty set of nodes known to be present, at
most m, and of nodes known to be absent, worth at most n leaves; no two lie on one path. It is a threat if it is
supported by some transactions but fewer than k, or if more of its transactions than the share have one sensitive item.

Depth first: each node, the rarest first, then the commoner ones among the transactions that have it, and so on. Rarest
first, the transactions of a node and the later nodes in them make a matrix of no more cells than the file has
items, so matrices are dense, and the two last steps of every itemset are one product of matrices of bits. Why nothing
is missed:

- *Levels.* An absent inner node stands for the published nodes under it: the same transactions, no more leaves. So
  only published nodes are taken as absent. Where the share is 1, a supported itemset of few transactions stays one when
  each present node is replaced by a published node under it that one of these transactions has, so the same is true
  of the present ones. A node that no transaction has is in no supported itemset as present, and as absent means
  nothing but the whole file, which is looked at by itself.
- *Nothing new.* If Y + y has the transactions of Y, Y not empty, then every threat with Y + y is one without y, of less
  knowledge; the same goes for a node with the transactions of one under it. Going on like this ends at a threat that is
  not left out. A node and one above it are together the lower one alone, so two on one path need no rule of their own.
- *Bounds.* Transactions with no item that may be called absent stay, whatever is absent; and what n leaves of
  absences take away is at most what the best of them take away singly. Let `lower` be a lower bound on what is left:
  no absences make a threat if lower is at least k and no more than the share of lower have one sensitive item, for a
  share only grows by losing transactions without the item. And r further present items leave at least the transactions
  that stay, less the r largest losses by one of them. What no bound settles is searched.

The cost grows with the number of supported itemsets of m - 2 items.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_SMALL_PRODUCT = 1 << 18
"""Multiplications up to which a matrix product in floating point is faster than one by bits."""
_WORDS_AT_ONCE = 1 << 17


@dataclass(frozen=True)
class Limits:
    """How few may support an itemset, which share of them may have a sensitive item, how much an adversary knows."""

    smallest: int
    share: Fraction
    present: int
    absent: int = 0


@dataclass(frozen=True)
class Threat:
    """An itemset that says too much: of few transactions, or of many with one sensitive item."""

    present: tuple[int, ...]
    absent: tuple[int, ...]
    """where none is present either: a node that no transaction has, so that all transactions support it"""
    support: int
    sensitive: int | None = None
    holders: int = 0
    """how many of the transactions have the sensitive item"""


@dataclass(frozen=True, eq=False)
class Incidence:
    """Which row has which column, by row: those of row i are columns[offsets[i]:offsets[i + 1]]."""

    rows: Ints
    columns: Ints
    height: int
    width: int

    @cached_property
    def offsets(self) -> Ints:
        return np.concatenate(([0], np.cumsum(np.bincount(self.rows, minlength=self.height)))).astype(np.int64)

    @cached_property
    def by_column(self) -> Incidence:
        order = np.argsort(self.columns, kind="stable")
        return Incidence(self.columns[order], self.rows[order], self.width, self.height)

    def row(self, row: int) -> Ints:
        return self.columns[self.offsets[row] : self.offsets[row + 1]]

    def among(self, rows: Ints) -> tuple[Ints, Ints]:
        """The entries of these rows: their places in `rows`, and their columns."""
        sizes = self.offsets[rows + 1] - self.offsets[rows]
        ends = np.cumsum(sizes)
        places = np.repeat(np.arange(len(rows)), sizes)
        return places, self.columns[np.arange(len(places)) + np.repeat(self.offsets[rows] - ends + sizes, sizes)]


@dataclass(frozen=True, eq=False)
class Database:
    """Distinct published transactions as itemsets see them.

    Nodes are those with a transaction; y lies at or under x if first[x] <= first[y] < end[x].
    """

    nodes: Incidence
    """transaction x every node it supports"""
    sensitive: Incidence
    weights: Ints
    """how many transactions are equal to this one"""
    first: Ints
    end: Ints
    leaves: Ints
    published: Flags
    """which nodes are published items; only these are ever taken as absent"""
    nowhere: int | None = None
    """the fewest leaves of a node that no transaction has, of those that the adversary can name"""

    @property
    def transactions(self) -> int:
        return int(self.weights.sum())


def threats(database: Database, limits: Limits) -> Iterator[Threat]:
    """Threats one by one; none if and only if there is none.

    Not all: where present nodes with some absences are a threat, other absences and further present nodes are left out.
    """
    return _Search(database, limits).run()


@dataclass(frozen=True, eq=False)
class _Group:
    """The transactions that support `present`, as far as they go on: with a node that may be added."""

    present: tuple[int, ...]
    weights: Ints
    candidates: Ints
    having: Flags
    """transaction x candidate"""
    removable: Ints
    """nodes that may be called absent"""
    removing: Flags
    """transaction x removable"""
    sensitive: Ints
    holding: Flags
    """transaction x sensitive item"""


@dataclass(frozen=True, eq=False)
class _Singles:
    """For each candidate, added alone: its support, the least that absences leave, the commonest sensitive item."""

    support: Ints
    staying: Ints
    removed: Ints
    lower: Ints
    holders: Ints


class _Search:
    def __init__(self, database: Database, limits: Limits) -> None:
        self.database = database
        self.limits = limits
        total = database.transactions
        share = limits.share
        # how many of so many transactions may have one sensitive item
        sizes = np.arange(total + 1)
        exact = sizes if share.numerator * total < 1 << 63 else sizes.astype(object)
        self.most_holders: Ints = (exact * share.numerator // share.denominator).astype(np.int64)
        # A sensitive item that no more have is not in too large a share of k transactions or more.
        self.most_holders_of_few = int(self.most_holders[min(limits.smallest, total)])
        self.is_removable = database.published & (database.leaves <= limits.absent)
        self.support = self._node_weights(database.nodes.columns, database.weights[database.nodes.rows])
        self.rank = np.empty(database.nodes.width, np.int64)
        self.rank[np.argsort(self.support, kind="stable")] = np.arange(database.nodes.width)

    def run(self) -> Iterator[Threat]:
        database = self.database
        if not database.transactions:
            return
        redundant = self._like_one_below()
        bad = np.zeros(database.nodes.width, bool)
        if self.limits.present:
            holders = self._largest_holders()
            for node in np.flatnonzero(self._suspect(self.support, holders) & ~redundant).tolist():
                bad[node] = True
                rows = database.nodes.by_column.row(node)
                group = self._group((node,), rows, database.nodes.among(rows), np.zeros(0, np.int64))
                yield self._threat((node,), (), group.weights, group.holding, group.sensitive)
        yield from self._without_present()
        if self.limits.present:
            for node in np.argsort(self.rank).tolist():
                if not (bad[node] or redundant[node]):
                    yield from self._from_node(node, bad | redundant)

    # --- one step ---------------------------------------------------------------------------------------------

    def _from_node(self, node: int, left_out: Flags) -> Iterator[Threat]:
        """All threats with this present node and otherwise commoner ones, and with absent ones."""
        database, support = self.database, self.support
        rows = database.nodes.by_column.row(node)
        entries = database.nodes.among(rows)
        candidates = np.zeros(0, np.int64)
        # A node that all transactions have says nothing beside others.
        if self.limits.present > 1 and support[node] < database.transactions:
            together = self._node_weights(entries[1], database.weights[rows][entries[0]])
            new = (together > 0) & (together < support[node]) & (together < support) & ~left_out
            new &= self.rank > self.rank[node]
            candidates = np.flatnonzero(new)
            candidates = candidates[np.argsort(self.rank[candidates])]
        group = self._group((node,), rows, entries, candidates)
        if self.limits.absent:
            found = self._absences(group, np.ones(len(rows), bool), ())
            if found is not None:
                yield found
                return
        if len(candidates):
            yield from self._extend(group, self.limits.present - 1, first=True)

    def _extend(self, group: _Group, more: int, *, first: bool = False) -> Iterator[Threat]:
        """All threats with `present` and one to `more` candidates; first: one alone was not yet looked at."""
        singles = self._singles(group)
        usable = np.ones(len(group.candidates), bool)
        if first:
            for place in np.flatnonzero(self._suspect(singles.lower, singles.holders)).tolist():
                found = self._settle(group, [place])
                if found is not None:
                    usable[place] = False
                    yield found
        if more < 2 or len(group.candidates) < 2:
            return
        together = _joint(group.weights, group.having, group.having)
        support = singles.support
        new = (together > 0) & (together < np.minimum.outer(support, support))
        new &= np.logical_and.outer(usable, usable)
        new = np.triu(new, 1)
        lower = np.maximum(
            self._pairs_staying(group, together), together - np.minimum.outer(singles.removed, singles.removed)
        )
        holders = self._pairs_holding(group)
        for one, other in np.argwhere(new & self._suspect(lower, holders)).tolist():
            found = self._settle(group, [one, other])
            if found is not None:
                new[one, other] = False
                yield found
        if more > 2:
            for place in self._worth_following(group, singles, new, together, more - 1).tolist():
                yield from self._extend(self._narrowed(group, place, np.flatnonzero(new[place])), more - 1)

    def _singles(self, group: _Group) -> _Singles:
        weights, having = group.weights, group.having
        support = weights @ having
        staying, removed = support, np.zeros_like(support)
        if len(group.removable):
            staying = weights @ self._staying(group)
            takes = _joint(weights, having, group.removing)
            takes[self._on_one_path(group.candidates, group.removable)] = 0
            removed = self._most_removed(takes, self.database.leaves[group.removable])
        holders = _joint(weights, group.holding, having).max(0, initial=0)
        return _Singles(support, staying, removed, np.maximum(staying, support - removed), holders)

    def _own_removable(self, group: _Group) -> Ints:
        """Transaction x candidate: how many of its removable nodes lie at or under it and so cannot be absent."""
        own = np.zeros(group.having.shape, np.int64)
        under = self._on_one_path(group.candidates, group.removable)
        for place in np.flatnonzero(under.any(1)).tolist():
            own[:, place] = group.removing[:, under[place]].sum(1)
        return own

    def _staying(self, group: _Group) -> Flags:
        """Transaction x candidate: whether it has the candidate, and no removable node but those at or under it."""
        staying: Flags = group.having & (self._own_removable(group) == group.removing.sum(1)[:, None])
        return staying

    def _pairs_staying(self, group: _Group, together: Ints) -> Ints:
        """For each pair of candidates, the transactions with no removable node but those at or under the two.

        Counted where these are at most two, which is a lower bound: as many are under one candidate and the rest under
        the other as the transaction has altogether.
        """
        if not len(group.removable):
            return together
        own = self._own_removable(group)
        number = group.removing.sum(1)
        staying = np.zeros_like(together)
        for all_ in range(3):
            rows = number == all_
            parts = [group.having[rows] & (own[rows] == part) for part in range(all_ + 1)]
            for part in range(all_ + 1):
                staying += _joint(group.weights[rows], parts[part], parts[all_ - part])
        return staying

    def _pairs_holding(self, group: _Group) -> Ints:
        """For each pair of candidates, how many transactions have the sensitive item that most of them have."""
        largest = np.zeros((len(group.candidates),) * 2, np.int64)
        for held in group.holding.T:
            having = group.having[held]
            np.maximum(largest, _joint(group.weights[held], having, having), out=largest)
        return largest

    def _worth_following(self, group: _Group, singles: _Singles, new: Flags, together: Ints, more: int) -> Ints:
        """The candidates under which a bound does not rule out every threat of `more` further ones."""
        kept = _joint(group.weights, self._staying(group), group.having) if len(group.removable) else together
        losses = np.where(new, singles.staying[:, None] - kept, 0)
        more = min(more, losses.shape[1])
        largest = np.partition(losses, losses.shape[1] - more, axis=1)[:, losses.shape[1] - more :]
        lower = singles.staying - largest.sum(1)
        return np.flatnonzero(self._suspect(lower, singles.holders) & (new.sum(1) > 1))

    # --- groups -----------------------------------------------------------------------------------------------

    def _group(self, present: tuple[int, ...], rows: Ints, entries: tuple[Ints, Ints], candidates: Ints) -> _Group:
        """The group of these transactions; entries: their places in rows, and nodes."""
        database = self.database
        weights = database.weights[rows]
        removable = np.zeros(0, np.int64)
        if self.limits.absent:
            occurs = np.zeros(database.nodes.width, bool)
            occurs[entries[1]] = True
            removable = np.flatnonzero(occurs & self.is_removable)
            removable = removable[~self._on_one_path(removable, np.array(present, np.int64)).any(1)]
        sensitive = np.zeros(0, np.int64)
        secrets = sensitive, sensitive
        if self.limits.share < 1:
            secrets = database.sensitive.among(rows)
            holders = _weigh(secrets[1], weights[secrets[0]], database.sensitive.width)
            sensitive = np.flatnonzero(holders > self.most_holders_of_few)
        return _Group(
            present,
            weights,
            candidates,
            _matrix(entries, len(rows), candidates, database.nodes.width),
            removable,
            _matrix(entries, len(rows), removable, database.nodes.width),
            sensitive,
            _matrix(secrets, len(rows), sensitive, database.sensitive.width),
        )

    def _narrowed(self, group: _Group, place: int, candidates: Ints) -> _Group:
        """The group with one candidate more present; of the others these may still be added."""
        having = group.having[:, candidates]
        rows = group.having[:, place] & having.any(1)
        added = group.candidates[[place]]
        removing = group.removing[rows]
        removable = ~self._on_one_path(group.removable, added)[:, 0] & removing.any(0)
        weights, holding = group.weights[rows], group.holding[rows]
        active = weights @ holding > self.most_holders_of_few
        return _Group(
            (*group.present, int(added[0])),
            weights,
            group.candidates[candidates],
            having[rows],
            group.removable[removable],
            removing[:, removable],
            group.sensitive[active],
            holding[:, active],
        )

    # --- absences ---------------------------------------------------------------------------------------------

    def _without_present(self) -> Iterator[Threat]:
        """The threats of absent nodes alone."""
        if not self.limits.absent:
            return
        database = self.database
        rows = np.arange(len(database.weights))
        group = self._group((), rows, (database.nodes.rows, database.nodes.columns), np.zeros(0, np.int64))
        trivial = database.nowhere is not None and database.nowhere <= self.limits.absent
        if trivial and self._is_threat(group.weights, group.holding):
            yield self._threat((), (), group.weights, group.holding, group.sensitive)
            return
        found = self._absences(group, np.ones(len(rows), bool), ())
        if found is not None:
            yield found

    def _settle(self, group: _Group, added: list[int]) -> Threat | None:
        """The threat with these candidates present and whatever absent, if there is one."""
        rows: Flags = np.logical_and.reduce(group.having[:, added], axis=1)
        present = tuple(group.candidates[added].tolist())
        weights, holding = group.weights[rows], group.holding[rows]
        if self._is_threat(weights, holding):
            return self._threat((*group.present, *present), (), weights, holding, group.sensitive)
        return self._absences(group, rows, present) if self.limits.absent else None

    def _absences(self, group: _Group, rows: Flags, added: tuple[int, ...]) -> Threat | None:
        """The first threat by absent nodes among these transactions, at least one."""
        free = ~self._on_one_path(group.removable, np.array(added, np.int64)).any(1)
        return self._remove(
            (*group.present, *added),
            (),
            group.removable[free],
            group.removing[rows][:, free],
            group.weights[rows],
            group.holding[rows],
            group.sensitive,
            self.limits.absent,
        )

    def _remove(
        self,
        present: tuple[int, ...],
        absent: tuple[int, ...],
        removable: Ints,
        removing: Flags,
        weights: Ints,
        holding: Flags,
        sensitive: Ints,
        budget: int,
    ) -> Threat | None:
        """Depth first over what is absent next, what takes most for its leaves first."""
        if absent and self._is_threat(weights, holding):
            return self._threat(present, absent, weights, holding, sensitive)
        total = weights.sum()
        takes = weights @ removing
        leaves = self.database.leaves[removable]
        # What all transactions have cannot be absent from any of them, what none has changes nothing.
        useful = np.flatnonzero((takes > 0) & (takes < total) & (leaves <= budget))
        if not len(useful):
            return None
        useful = useful[np.argsort(-takes[useful] / leaves[useful], kind="stable")]
        removable, removing, takes, leaves = removable[useful], removing[:, useful], takes[useful], leaves[useful]
        # Without the first p, the transactions whose last one is among them stay.
        number_to_last = np.where(removing.any(1), len(useful) - np.argmax(removing[:, ::-1], axis=1), 0)
        staying = np.cumsum(_weigh(number_to_last, weights, len(useful) + 1))[:-1]
        spent, taken = np.concatenate(([0], np.cumsum(leaves))), np.concatenate(([0], np.cumsum(takes)))
        reach = np.minimum(np.searchsorted(spent, spent[:-1] + budget), len(useful))
        lower = np.maximum(staying, total - (taken[reach] - taken[:-1]))
        holders = (weights @ holding).max(initial=0)
        for place in np.flatnonzero(self._suspect(lower, holders)).tolist():
            kept = ~removing[:, place]
            found = self._remove(
                present,
                (*absent, int(removable[place])),
                removable[place + 1 :],
                removing[kept, place + 1 :],
                weights[kept],
                holding[kept],
                sensitive,
                budget - int(leaves[place]),
            )
            if found is not None:
                return found
        return None

    def _most_removed(self, takes: Ints, leaves: Ints) -> Ints:
        """For each row, at most how much is taken away by columns of so many leaves: the best for their leaves first.

        The last one is counted in full, though it may not fit: more than any choice that fits can take.
        """
        order = np.argsort(-takes / leaves, axis=1, kind="stable")
        spent_before = np.cumsum(leaves[order], axis=1) - leaves[order]
        best = np.take_along_axis(takes, order, axis=1)
        removed: Ints = np.where(spent_before < self.limits.absent, best, 0).sum(1)
        return removed

    # --- the definition ---------------------------------------------------------------------------------------

    def _suspect(self, lower: Ints | int, holders: Ints | int) -> Flags:
        """Whether so many transactions, of which so many have one sensitive item, may break a limit."""
        size = np.maximum(lower, 0).astype(np.int64)
        suspect: Flags = (size < self.limits.smallest) | (holders > self.most_holders[size])
        return suspect

    def _is_threat(self, weights: Ints, holding: Flags) -> bool:
        size = int(weights.sum())
        return size > 0 and bool(self._suspect(size, (weights @ holding).max(initial=0)))

    def _threat(
        self,
        present: tuple[int, ...],
        absent: tuple[int, ...],
        weights: Ints,
        holding: Flags,
        sensitive: Ints,
    ) -> Threat:
        size = int(weights.sum())
        if size < self.limits.smallest:
            return Threat(present, absent, size)
        holders = weights @ holding
        worst = int(holders.argmax())
        return Threat(present, absent, size, int(sensitive[worst]), int(holders[worst]))

    # --- the taxonomy -----------------------------------------------------------------------------------------

    def _on_one_path(self, some: Ints, others: Ints) -> Flags:
        """some x others: whether one lies at, under or above the other."""
        first, end = self.database.first, self.database.end
        under = (first[some][:, None] >= first[others]) & (first[some][:, None] < end[others])
        above = (first[others] >= first[some][:, None]) & (first[others] < end[some][:, None])
        return under | above

    def _like_one_below(self) -> Flags:
        """The nodes with the transactions of one under them, which says the same for no more leaves."""
        first, end = self.database.first, self.database.end
        order = np.argsort(first)
        stack: list[int] = []
        redundant = np.zeros(len(first), bool)
        for node in order.tolist():
            while stack and end[stack[-1]] <= first[node]:
                stack.pop()
            # Nodes between have a support between, so the nearest one above is the first to be equal.
            if stack and self.support[stack[-1]] == self.support[node]:
                redundant[stack[-1]] = True
            stack.append(node)
        return redundant

    def _largest_holders(self) -> Ints:
        """For each node, how many of its transactions have the sensitive item that most of them have."""
        largest = np.zeros(self.database.nodes.width, np.int64)
        if self.limits.share < 1:
            for item in range(self.database.sensitive.width):
                rows = self.database.sensitive.by_column.row(item)
                places, columns = self.database.nodes.among(rows)
                np.maximum(largest, self._node_weights(columns, self.database.weights[rows[places]]), out=largest)
        return largest

    def _node_weights(self, columns: Ints, weights: Ints) -> Ints:
        return _weigh(columns, weights, self.database.nodes.width)


def _weigh(places: Ints, weights: Ints, length: int) -> Ints:
    """The weight at each place; whole numbers below 2**53 are exact in floating point."""
    return np.bincount(places, weights, length).astype(np.int64)


def _matrix(entries: tuple[Ints, Ints], height: int, wanted: Ints, width: int) -> Flags:
    """Row x wanted column, from the rows and columns that are true."""
    rows, columns = entries
    matrix = np.zeros((height, len(wanted)), bool)
    if len(wanted):
        place_of = np.full(width, -1)
        place_of[wanted] = np.arange(len(wanted))
        places = place_of[columns]
        kept = places >= 0
        matrix[rows[kept], places[kept]] = True
    return matrix


def _joint(weights: Ints, some: Flags, others: Flags) -> Ints:
    """Column of some x column of others: the weight of the rows that have both.

    Small products are left to floating point, where they are exact. In large ones columns are bits, and a weight
    is a sum of powers of two: one product for each power over the rows that have it in their weight. A linear algebra
    library would take all cores for them, and be many times slower where others use them too.
    """
    if some.size * others.shape[1] <= _SMALL_PRODUCT:
        product: Ints = ((some * weights[:, None]).T.astype(float) @ others.astype(float)).astype(np.int64)
        return product
    joint = np.zeros((some.shape[1], others.shape[1]), np.int64)
    for power in range(int(weights.max(initial=0)).bit_length()):
        rows = (weights >> power) & 1 == 1
        left, right = _packed(some[rows]), _packed(others[rows])
        step = max(1, _WORDS_AT_ONCE // max(1, right.size))
        for start in range(0, len(left), step):
            both = left[start : start + step, None] & right
            joint[start : start + step] += np.bitwise_count(both).sum(2, dtype=np.int64) << power
    return joint


def _packed(columns: Flags) -> npt.NDArray[np.uint64]:
    """Each column as bits in whole words."""
    padded = np.zeros((columns.shape[1], -(-len(columns) // 64) * 64), bool)
    padded[:, : len(columns)] = columns.T
    return np.packbits(padded, axis=1).view(np.uint64)
