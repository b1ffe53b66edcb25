"""Cuts: one choice of how far to generalize each value of a taxonomy.

A cut holds exactly one node on every path from the root to a leaf. Publishing by it replaces each leaf by
the node of the cut above it; the root alone hides everything, the leaves hide nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from discreet.errors import InputError
from discreet.taxonomy.tree import IntArray, Taxonomy


@dataclass(frozen=True)
class Cut:
    """The nodes of a cut, sorted.

    >>> sex = Taxonomy.from_paths("sex", [["Male", "*"], ["Female", "*"]])
    >>> [cut.labels for cut in enumerate_cuts(sex)]
    [('*',), ('Male', 'Female')]
    """

    taxonomy: Taxonomy
    nodes: tuple[int, ...]

    def __post_init__(self) -> None:
        nodes = tuple(sorted(map(int, self.nodes)))
        object.__setattr__(self, "nodes", nodes)
        tree = self.taxonomy
        if nodes and not 0 <= nodes[0] <= nodes[-1] < len(tree.labels):
            raise InputError(f"A cut of taxonomy {tree.name!r} names a node outside 0..{len(tree.labels) - 1}.")
        # In pre-order the nodes of a cut cover the leaves from left to right without gaps or overlaps.
        index = np.array(nodes, dtype=np.int32)
        first = np.append(tree.first_leaf[index], len(tree.leaf_nodes))
        expected = np.append(0, tree.stop_leaf[index])
        wrong = np.flatnonzero(first != expected)
        if len(wrong):
            at = wrong[0]
            fault = "leaves out" if first[at] > expected[at] else "covers twice"
            leaf = tree.labels[tree.leaf_nodes[min(first[at], expected[at])]]
            raise InputError(f"A cut of taxonomy {tree.name!r} {fault} the value {leaf!r}.")

    @classmethod
    def root(cls, taxonomy: Taxonomy) -> Cut:
        """The cut that generalizes everything."""
        return cls(taxonomy, (0,))

    @classmethod
    def leaves(cls, taxonomy: Taxonomy) -> Cut:
        """The cut that generalizes nothing."""
        return cls(taxonomy, tuple(taxonomy.leaf_nodes.tolist()))

    @classmethod
    def at_depth(cls, taxonomy: Taxonomy, depth: int) -> Cut:
        """The nodes this many steps below the root, and the leaves that lie higher."""
        nodes = (node for node in range(len(taxonomy.labels)) if taxonomy.depth[node] == depth)
        higher = (int(node) for node in taxonomy.leaf_nodes if taxonomy.depth[node] < depth)
        return cls(taxonomy, (*nodes, *higher))

    @classmethod
    def from_labels(cls, taxonomy: Taxonomy, labels: Iterable[str]) -> Cut:
        return cls(taxonomy, tuple(taxonomy.node(label) for label in labels))

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(self.taxonomy.labels[node] for node in self.nodes)

    def value_of_leaf(self) -> IntArray:
        """Leaf number -> the node it is published as."""
        nodes = np.array(self.nodes, dtype=np.int32)
        return np.repeat(nodes, self.taxonomy.stop_leaf[nodes] - self.taxonomy.first_leaf[nodes])


def enumerate_cuts(taxonomy: Taxonomy) -> Iterator[Cut]:
    """Each cut exactly once, from the root to the leaves.

    The cut after a given one splits its last inner node v and takes back all splits to the right of v. What
    then follows v's left neighbours is the coarsest way to go on: the first child of v, and from each node x
    on to ``end[x]``, which is the next sibling of x or of the nearest ancestor that has one.
    """
    size = len(taxonomy.labels)
    end = taxonomy.end.tolist()
    nodes = [0]
    while nodes:
        yield Cut(taxonomy, tuple(nodes))
        while nodes and end[nodes[-1]] == nodes[-1] + 1:
            nodes.pop()
        if nodes:
            x = nodes.pop() + 1
            while x < size:
                nodes.append(x)
                x = end[x]
