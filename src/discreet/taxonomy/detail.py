"""How detailed a column may be and has to be: bounds on the cuts of its taxonomy.

A bound names a level, counted from the root, or labels. *At most* so detailed: what lies below ends there, as if the
taxonomy had never had it. *At least* so detailed: what lies above is never published.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np

from discreet.taxonomy.cut import Cut
from discreet.taxonomy.tree import IntArray, Taxonomy

Detail: TypeAlias = int | tuple[str, ...]
"""A level, 0 being the root, or labels of nodes."""


def named_nodes(taxonomy: Taxonomy, detail: Detail) -> tuple[int, ...]:
    """The nodes that a bound names; a label that the taxonomy does not have names none."""
    if isinstance(detail, int):
        return Cut.at_depth(taxonomy, detail).nodes
    known = set(taxonomy.labels)
    return tuple(taxonomy.node(label) for label in detail if label in known)


def unknown_labels(taxonomy: Taxonomy, detail: Detail) -> list[str]:
    return [] if isinstance(detail, int) else [label for label in detail if label not in set(taxonomy.labels)]


def ending_at(taxonomy: Taxonomy, nodes: Iterable[int]) -> tuple[Taxonomy, IntArray]:
    """The taxonomy in which these nodes are leaves, and for each old leaf number the new one.

    >>> days = Taxonomy.from_paths("day", [["Mon", "week", "*"], ["Tue", "week", "*"], ["Sun", "*"]])
    >>> shorter, leaf_of = ending_at(days, [days.node("week")])
    >>> shorter.leaf_labels, leaf_of.tolist()
    (('week', 'Sun'), [0, 0, 1])
    """
    stays = np.ones(len(taxonomy.labels), bool)
    for node in nodes:
        stays[node + 1 : taxonomy.end[node]] = False
    number = np.cumsum(stays) - 1  # of a node that goes: that of the last one before it that stays, the one above it
    kept = np.flatnonzero(stays)
    parents = [int(number[parent]) if parent >= 0 else -1 for parent in taxonomy.parents[kept].tolist()]
    shorter = Taxonomy(
        taxonomy.name, tuple(taxonomy.labels[node] for node in kept.tolist()), np.array(parents, np.int32)
    )
    return shorter, shorter.first_leaf[number[taxonomy.leaf_nodes]]


def labels_above(taxonomy: Taxonomy, nodes: Iterable[int]) -> frozenset[str]:
    """The labels of all nodes that lie above one of these."""
    above: set[int] = set()
    for node in nodes:
        parent = int(taxonomy.parents[node])
        while parent >= 0 and parent not in above:
            above.add(parent)
            parent = int(taxonomy.parents[parent])
    return frozenset(taxonomy.labels[node] for node in above)
