"""The taxonomy: a tree of values, from the single ones (leaves) to "anything" (the root).

Nodes are numbered in pre-order, a parent before its children and each subtree in one piece. The nodes below
``v`` are then the interval ``[v, end[v])``, and the leaves below it the interval
``[first_leaf[v], stop_leaf[v])``: every question of the kind "does x lie under v" is two comparisons, for one
node or for an array of a million.

Nothing here recurses, so a taxonomy may be as deep as memory allows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, groupby, pairwise

import numpy as np
import numpy.typing as npt

from discreet.errors import InputError

ROOT = "*"
"""The label of the root wherever discreet makes the root itself."""

MISSING = ""
"""The label reserved for the missing value: a leaf right below the root, equal to nothing but itself."""

IntArray = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False, repr=False)
class Taxonomy:
    """A tree of labels, numbered in pre-order; node 0 is the root.

    Build one with :meth:`from_parents`, :meth:`from_edges` or :meth:`from_paths`, which take nodes in any
    order and explain what is wrong with them. The plain constructor requires pre-order.

    >>> education = Taxonomy.from_paths("education", [["Junior", "School", "*"], ["Senior", "School", "*"]])
    >>> education.labels
    ('*', 'School', 'Junior', 'Senior')
    >>> education.lies_under(education.node("Senior"), education.node("School"))
    True
    >>> education.count_cuts()
    3
    """

    name: str
    labels: tuple[str, ...]
    parents: IntArray
    """Node -> its parent, -1 for the root. All arrays are read-only."""
    end: IntArray = field(init=False)
    """x lies under v, or is v, exactly when ``v <= x < end[v]``."""
    first_leaf: IntArray = field(init=False)
    """With leaves numbered from 0 in pre-order, v covers ``[first_leaf[v], stop_leaf[v])``."""
    stop_leaf: IntArray = field(init=False)
    leaf_nodes: IntArray = field(init=False)
    """Leaf number -> node."""
    depth: IntArray = field(init=False)
    """Node -> number of steps up to the root."""

    def __post_init__(self) -> None:
        labels = tuple(self.labels)
        parents = np.array(self.parents, dtype=np.int32)
        if not labels:
            raise _no_values(self.name)
        if parents.shape != (len(labels),) or len(set(labels)) < len(labels):
            raise InputError(f"Taxonomy {self.name!r} needs one parent for each label and no label twice.")
        if MISSING in labels and (labels[-1] != MISSING or parents[-1] > 0):
            raise InputError(
                f"Taxonomy {self.name!r} has an empty label, which is reserved for the missing value as the "
                "last child of the root; give the value a name."
            )
        end, depth = _extents(self.name, parents.tolist())
        is_leaf = end == np.arange(1, len(labels) + 1, dtype=np.int32)
        leaves_before = np.concatenate(([0], np.cumsum(is_leaf))).astype(np.int32)
        derived = {
            "parents": parents,
            "end": end,
            "first_leaf": leaves_before[:-1].copy(),
            "stop_leaf": leaves_before[end],
            "leaf_nodes": np.flatnonzero(is_leaf).astype(np.int32),
            "depth": depth,
        }
        object.__setattr__(self, "labels", labels)
        for attribute, array in derived.items():
            array.setflags(write=False)
            object.__setattr__(self, attribute, array)

    @classmethod
    def from_parents(cls, name: str, labels: Sequence[str], parents: Sequence[int] | IntArray) -> Taxonomy:
        """Node i has the label ``labels[i]`` and the parent ``parents[i]``, -1 for the root.

        The nodes may come in any order; children of one parent keep theirs.
        """
        above = [int(parent) for parent in parents]
        if not labels:
            raise _no_values(name)
        if len(above) != len(labels) or not all(-1 <= parent < len(labels) for parent in above):
            raise InputError(
                f"Taxonomy {name!r} needs the number of a parent, or -1, for each of {len(labels)} values."
            )
        for label, parent in zip(labels, above, strict=True):
            if label == MISSING:
                raise _empty_label(name, "the root" if parent < 0 else f"a value under {labels[parent]!r}")
        _refuse_repeated_labels(name, labels, above)
        roots = [node for node, parent in enumerate(above) if parent < 0]
        if len(roots) > 1:
            raise _several_roots(name, [labels[root] for root in roots])

        children: list[list[int]] = [[] for _ in labels]
        for node, parent in enumerate(above):
            if parent >= 0:
                children[parent].append(node)
        order: list[int] = []
        stack = roots
        while stack:
            node = stack.pop()
            order.append(node)
            stack.extend(reversed(children[node]))
        if len(order) < len(labels):
            unreached = set(range(len(labels))).difference(order)
            raise _cycle(name, [labels[node] for node in _find_cycle(above, min(unreached))])

        number = np.empty(len(labels), dtype=np.int32)
        number[order] = np.arange(len(labels), dtype=np.int32)
        return cls(
            name,
            tuple(labels[node] for node in order),
            np.array([number[above[node]] if above[node] >= 0 else -1 for node in order], dtype=np.int32),
        )

    @classmethod
    def from_edges(cls, name: str, edges: Iterable[tuple[str, str | None]]) -> Taxonomy:
        """From (child, parent) labels. The root has the parent None, or is only ever a parent."""
        parent_of: dict[str, str | None] = {}
        for child, parent in edges:
            if child in parent_of:
                known = parent_of[child]
                raise _twice(name, child) if known == parent else _two_parents(name, child, known, parent)
            parent_of[child] = parent
        for parent in list(parent_of.values()):
            if parent is not None:
                parent_of.setdefault(parent, None)
        return cls._from_parent_of(name, parent_of)

    @classmethod
    def from_paths(cls, name: str, paths: Iterable[Sequence[str]]) -> Taxonomy:
        """From one path of labels for each leaf, leaf first and root last.

        Paths may differ in length. A label repeated on the next level (``White;White;*``, as ARX writes it)
        is one node.
        """
        parent_of: dict[str, str | None] = {}
        leaves: set[str] = set()
        root: str | None = None
        for row, path in enumerate(paths, start=1):
            nodes = [label for label, _ in groupby(path)]
            if not nodes or MISSING in nodes:
                raise _empty_label(name, f"a value in row {row}")
            if root is not None and nodes[-1] != root:
                raise _several_roots(name, [root, nodes[-1]])
            root = nodes[-1]
            if len(set(nodes)) < len(nodes):
                raise _cycle(name, _first_loop(nodes))
            for child, parent in chain(pairwise(nodes), [(root, None)]):
                known = parent_of.setdefault(child, parent)
                if known != parent:
                    raise _two_parents(name, child, known, parent)
            if nodes[0] in leaves:
                raise _twice(name, nodes[0])
            leaves.add(nodes[0])
        for parent in parent_of.values():
            if parent in leaves:
                raise _leaf_and_inner(name, parent)
        return cls._from_parent_of(name, parent_of)

    @classmethod
    def _from_parent_of(cls, name: str, parent_of: dict[str, str | None]) -> Taxonomy:
        number = {label: node for node, label in enumerate(parent_of)}
        parents = [-1 if parent is None else number[parent] for parent in parent_of.values()]
        return cls.from_parents(name, list(parent_of), parents)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Taxonomy):
            return NotImplemented
        return self is other or (
            self.name == other.name and self.labels == other.labels and np.array_equal(self.parents, other.parents)
        )

    def __hash__(self) -> int:
        # Not over all labels: a cut's hash includes this one, and cuts are hashed by the million.
        return hash((self.name, len(self.labels), self.labels[-1]))

    def __repr__(self) -> str:
        return f"Taxonomy({self.name!r}, root {self.labels[0]!r}, {len(self.leaf_nodes)} leaves)"

    def children(self, v: int) -> tuple[int, ...]:
        found = []
        child, end = v + 1, int(self.end[v])
        while child < end:
            found.append(child)
            child = int(self.end[child])
        return tuple(found)

    def is_leaf(self, v: int) -> bool:
        return int(self.end[v]) == v + 1

    def leaf_count(self, v: int) -> int:
        """How many leaves v covers; 1 for a leaf."""
        return int(self.stop_leaf[v] - self.first_leaf[v])

    def sums(self, of_leaves: npt.NDArray[np.integer] | npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """Node -> the sum over the leaves it covers.

        >>> Taxonomy.from_paths("sex", [["Male", "*"], ["Female", "*"]]).sums(np.array([3, 4])).tolist()
        [7, 3, 4]
        """
        before = np.concatenate(([0], np.cumsum(of_leaves))).astype(np.int64)
        return np.asarray(before[self.stop_leaf] - before[self.first_leaf])

    def lies_under(self, x: int, v: int) -> bool:
        """Whether x is v or a descendant of v."""
        return v <= x < int(self.end[v])

    def node(self, label: str) -> int:
        """The node with this label."""
        try:
            return self._node_of[label]
        except KeyError:
            raise InputError(f"Taxonomy {self.name!r} has no value {label!r}.") from None

    @cached_property
    def _node_of(self) -> dict[str, int]:
        return {label: node for node, label in enumerate(self.labels)}

    @cached_property
    def leaf_labels(self) -> tuple[str, ...]:
        """The labels of the leaves, by leaf number."""
        return tuple(self.labels[node] for node in self.leaf_nodes.tolist())

    def path(self, v: int) -> tuple[str, ...]:
        """The labels from v up to the root, as :meth:`from_paths` takes them."""
        labels = []
        while v >= 0:
            labels.append(self.labels[v])
            v = int(self.parents[v])
        return tuple(labels)

    def collapsed(self) -> Taxonomy:
        """The same tree with every chain of one-child nodes as one node.

        The nodes of such a chain cover the same leaves, so they stand for the same generalization; the one
        left has the lowest label, which tells the reader of a release the most.
        """
        nodes = range(len(self.labels))
        kept = [self.is_leaf(v) or self.end[v + 1] != self.end[v] for v in nodes]
        number = np.cumsum(kept) - 1
        nearest = [-1] * len(nodes)  # node -> the new number of itself or of the next kept node above it
        labels, parents = [], []
        for v in nodes:
            parent = int(self.parents[v])
            above = nearest[parent] if parent >= 0 else -1
            nearest[v] = int(number[v]) if kept[v] else above
            if kept[v]:
                labels.append(self.labels[v])
                parents.append(above)
        return Taxonomy(self.name, tuple(labels), np.array(parents, dtype=np.int32))

    def with_missing(self) -> Taxonomy:
        """This taxonomy with a leaf :data:`MISSING` as the last child of the root.

        Where the root is itself a value (a leaf other than ``*``), a new root ``*`` goes above both.
        """
        if self.labels[-1] == MISSING:
            return self
        root_is_value = len(self.labels) == 1 and self.labels[0] != ROOT
        labels = (ROOT, *self.labels) if root_is_value else self.labels
        parents = [-1, 0] if root_is_value else self.parents
        return Taxonomy(self.name, (*labels, MISSING), np.append(parents, 0).astype(np.int32))

    def count_cuts(self) -> int:
        """The exact number of cuts: 1 at a leaf, 1 + the product over the children at an inner node."""
        below = [1] * len(self.labels)
        for v in range(len(self.labels) - 1, 0, -1):
            below[self.parents[v]] *= below[v] + (not self.is_leaf(v))
        return below[0] + (not self.is_leaf(0))


def _extents(name: str, parents: list[int]) -> tuple[IntArray, IntArray]:
    """The end of each node's interval and its depth; an error unless ``parents`` is in pre-order."""
    end = np.full(len(parents), len(parents), dtype=np.int32)
    depth = np.empty(len(parents), dtype=np.int32)
    ancestors: list[int] = []
    for v, parent in enumerate(parents):
        while ancestors and ancestors[-1] != parent:
            end[ancestors.pop()] = v
        if not ancestors and (v, parent) != (0, -1):
            raise InputError(f"Taxonomy {name!r} is not in pre-order at node {v}; use Taxonomy.from_parents.")
        depth[v] = len(ancestors)
        ancestors.append(v)
    return end, depth


def _refuse_repeated_labels(name: str, labels: Sequence[str], parents: list[int]) -> None:
    if len(set(labels)) == len(labels):
        return
    inner = set(parents)
    first: dict[str, int] = {}
    for node, label in enumerate(labels):
        other = first.setdefault(label, node)
        if other == node:
            continue
        if (node in inner) != (other in inner):
            raise _leaf_and_inner(name, label)
        if parents[node] == parents[other]:
            raise _twice(name, label)
        known, parent = (labels[p] if p >= 0 else None for p in (parents[other], parents[node]))
        raise _two_parents(name, label, known, parent)


def _find_cycle(parents: list[int], node: int) -> list[int]:
    """The cycle met on the way up from a node that never reaches the root; its start is repeated at the end."""
    seen: dict[int, None] = {}
    while node not in seen:
        seen[node] = None
        node = parents[node]
    walked = list(seen)
    return [*walked[walked.index(node) :], node]


def _first_loop(labels: list[str]) -> list[str]:
    """The part of a path from the first label that is repeated to its last occurrence."""
    last = {label: position for position, label in enumerate(labels)}
    start = next(position for position, label in enumerate(labels) if last[label] > position)
    return labels[start : last[labels[start]] + 1]


def _no_values(name: str) -> InputError:
    return InputError(f"Taxonomy {name!r} has no values; it needs at least one.")


def _empty_label(name: str, where: str) -> InputError:
    return InputError(f"Taxonomy {name!r}: {where} has an empty label; give it a name.")


def _several_roots(name: str, roots: Sequence[str]) -> InputError:
    return InputError(
        f"Taxonomy {name!r} has {len(roots)} roots: {_quoted(roots)}; put one value, say '*', above them all (there "
        "should be no line with the names of columns)."
    )


def _cycle(name: str, labels: Sequence[str]) -> InputError:
    shown = " under ".join(repr(label) for label in labels[:10]) + (" ..." if len(labels) > 10 else "")
    return InputError(
        f"Taxonomy {name!r} has a cycle, a value that lies under itself: {shown}; a label stands for one node, so "
        "rename one of them."
    )


def _two_parents(name: str, label: str, first: str | None, second: str | None) -> InputError:
    parents = " and ".join("none (as a root)" if parent is None else repr(parent) for parent in (first, second))
    return InputError(f"Taxonomy {name!r}: the value {label!r} lies under two parents, {parents}; keep one of them.")


def _leaf_and_inner(name: str, label: str) -> InputError:
    return InputError(
        f"Taxonomy {name!r}: the value {label!r} is both a leaf and an inner node; "
        "rename the inner one, or give it a leaf of another name."
    )


def _twice(name: str, label: str) -> InputError:
    return InputError(f"Taxonomy {name!r}: the value {label!r} appears twice; remove one of the two rows.")


def _quoted(labels: Sequence[str]) -> str:
    return ", ".join(repr(label) for label in labels[:10]) + (", ..." if len(labels) > 10 else "")
