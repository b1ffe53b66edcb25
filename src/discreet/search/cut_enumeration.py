"""The values that a search decides on: taxonomies side by side, reduced to what occurs in the data.

A leaf that does not occur changes nothing in a release, and neither does the choice between a node and its only
child that occurs, except for the label: the child's is more specific, and no loss charges more for it. So a search
for one best release walks the reduced trees; the rest is filled in when a cut is handed out. (A search for the h
best releases treats such a node and its child as different: their labels make two releases.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.taxonomy import Cut, Taxonomy
from discreet.values.arrays import Bools, Int32s


@dataclass(frozen=True)
class OccurringTree:
    """A taxonomy without what does not occur, again in pre-order."""

    taxonomy: Taxonomy
    nodes: Int32s
    """node of this tree -> node of the taxonomy"""
    parents: Int32s
    end: Int32s
    first_leaf: Int32s
    stop_leaf: Int32s
    leaf_nodes: Int32s
    leaf_of: Int32s
    """leaf number of the taxonomy -> leaf number here, -1 where it does not occur"""
    is_forbidden: Bools
    """node of the taxonomy -> whether it must not be in a cut; with a node all nodes above it"""

    @classmethod
    def of(
        cls,
        taxonomy: Taxonomy,
        occurs: Bools,
        *,
        merge_only_children: bool = True,
        is_forbidden: Bools | None = None,
    ) -> OccurringTree:
        before = np.concatenate(([0], np.cumsum(occurs)))
        occurring = before[taxonomy.stop_leaf] - before[taxonomy.first_leaf]
        kept = occurring > 0
        if merge_only_children:
            # A node whose occurring leaves all lie under one child gives way to that child.
            has_parent = taxonomy.parents >= 0
            parents = taxonomy.parents[has_parent]
            replaced = np.zeros(len(kept), bool)
            replaced[parents[occurring[has_parent] == occurring[parents]]] = True
            kept &= ~replaced
        nodes = np.flatnonzero(kept)
        number = np.full(len(kept), -1, np.int32)
        number[nodes] = np.arange(len(nodes))
        parents_kept = np.full(len(nodes), -1, np.int32)
        for index, node in enumerate(nodes):
            above = taxonomy.parents[node]
            while above >= 0 and not kept[above]:
                above = taxonomy.parents[above]
            parents_kept[index] = number[above] if above >= 0 else -1
        return cls(
            taxonomy=taxonomy,
            nodes=nodes.astype(np.int32),
            parents=parents_kept,
            end=np.searchsorted(nodes, taxonomy.end[nodes]).astype(np.int32),
            first_leaf=before[taxonomy.first_leaf[nodes]].astype(np.int32),
            stop_leaf=before[taxonomy.stop_leaf[nodes]].astype(np.int32),
            leaf_nodes=number[taxonomy.leaf_nodes[occurs]],
            leaf_of=np.where(occurs, before[:-1], -1).astype(np.int32),
            is_forbidden=np.zeros(len(taxonomy.labels), bool) if is_forbidden is None else is_forbidden,
        )

    @property
    def forbidden(self) -> Bools:
        """node of this tree -> whether it must not be in a cut"""
        return np.asarray(self.is_forbidden[self.nodes])

    def coarsest_cut(self) -> tuple[int, ...]:
        """The nodes that may be in a cut and have nothing above them that may."""
        forbidden = self.forbidden
        return tuple(
            node
            for node, parent in enumerate(self.parents.tolist())
            if not forbidden[node] and (parent < 0 or forbidden[parent])
        )

    @cached_property
    def _children(self) -> tuple[tuple[int, ...], ...]:
        children: list[list[int]] = [[] for _ in self.nodes]
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                children[parent].append(node)
        return tuple(tuple(below) for below in children)

    def children(self, node: int) -> tuple[int, ...]:
        return self._children[node]

    def count_cuts(self) -> int:
        counts = [1] * len(self.nodes)
        for node in range(len(self.nodes) - 1, -1, -1):
            below = self.children(node)
            if below:
                product = 1
                for child in below:
                    product *= counts[child]
                counts[node] = 1 + product
        return counts[0]

    def complete(self, nodes: Iterable[int]) -> Cut:
        """The cut of the taxonomy with these values; leaves that do not occur go as high as the rest allows."""
        chosen = {int(self.nodes[node]) for node in nodes}
        with_chosen_below = set()
        for node in chosen:
            above = int(self.taxonomy.parents[node])
            while above >= 0 and above not in with_chosen_below:
                with_chosen_below.add(above)
                above = int(self.taxonomy.parents[above])
        rest: list[int] = []
        to_split = list(with_chosen_below)
        while to_split:
            for child in self.taxonomy.children(to_split.pop()):
                if child not in with_chosen_below and child not in chosen:
                    (to_split if self.is_forbidden[child] else rest).append(child)
        return Cut(self.taxonomy, tuple(sorted([*chosen, *rest])))


@dataclass(frozen=True)
class Forest:
    """Several trees whose nodes are numbered through: the values of a cut enumeration tree."""

    trees: tuple[OccurringTree, ...]

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        ends = np.cumsum([0] + [len(tree.nodes) for tree in self.trees])
        return tuple(int(end) for end in ends)

    def value(self, attribute: int, node: int) -> int:
        return self.offsets[attribute] + node

    @cached_property
    def places(self) -> tuple[tuple[int, int], ...]:
        """value -> (attribute, node)"""
        return tuple((attribute, node) for attribute, tree in enumerate(self.trees) for node in range(len(tree.nodes)))

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """value -> the values right below it"""
        return tuple(
            tuple(self.value(attribute, child) for child in self.trees[attribute].children(node))
            for attribute, node in self.places
        )

    def nodes_by_attribute(self, values: Iterable[int]) -> tuple[tuple[int, ...], ...]:
        """The values of a cut, by attribute."""
        nodes: list[list[int]] = [[] for _ in self.trees]
        for value in values:
            attribute, node = self.places[value]
            nodes[attribute].append(node)
        return tuple(tuple(sorted(chosen)) for chosen in nodes)

    def cuts(self, values: Iterable[int]) -> tuple[Cut, ...]:
        """The complete cuts of the taxonomies."""
        chosen = self.nodes_by_attribute(values)
        return tuple(tree.complete(nodes) for tree, nodes in zip(self.trees, chosen, strict=True))


def count_all_cuts(taxonomies: Sequence[Taxonomy]) -> int:
    """How many combinations of cuts there are, exactly; one-child chains count as one node."""
    product = 1
    for taxonomy in taxonomies:
        product *= taxonomy.collapsed().count_cuts()
    return product
