"""Published taxonomies: for every node its parent, read from rows `leaf;parent;...;root`.

The missing value is the leaf with the empty label, so that an empty cell is looked up like any other.
"""

import csv
from collections.abc import Collection, Iterator, Mapping

from discreet.engine.errors import complaint
from discreet.engine.escaping import unescaped
from discreet.errors import InputError
from discreet.values.long_cells import long_cells
from discreet.verifier.certificate import Certificate

Parents = Mapping[str, str | None]
"""Every node's parent; the root's is None."""


def read_taxonomy(certificate: Certificate, name: str) -> Parents:
    """Read the taxonomy of this name and make sure that it is one tree, so that 'lies above' means one thing.

    Cycles need no separate search: every row ends in a node without a parent, so where all rows agree
    on each node's parent, every path up ends.
    """
    path, escaped = certificate.release.file(name), certificate.escaped
    parents: dict[str, str | None] = {}
    leaves = set()
    number = 0
    try:
        with long_cells(), path.open(encoding="utf-8-sig", newline="") as file:
            for written in csv.reader(file, delimiter=";", strict=True):
                number += len(written)
                certificate.limits.allow("labels", number, name)
                row = [unescaped(label, name) for label in written] if escaped else written
                labels = [label for place, label in enumerate(row) if place == 0 or label != row[place - 1]]
                leaves.update(labels[:1])
                for node, parent in zip(labels, [*labels[1:], None], strict=False):
                    if parents.setdefault(node, parent) != parent:
                        raise InputError(
                            f"{name}: {node!r} lies under {_named(parents[node])} in one row and under "
                            f"{_named(parent)} in another; a taxonomy is one tree."
                        )
    except (OSError, ValueError, csv.Error) as error:
        raise InputError(f"{name}: cannot be read as a taxonomy ({complaint(error)}).") from error
    inner = set(parents.values())
    if not parents:
        raise InputError(f"{name}: the taxonomy is empty.")
    if "" in inner:
        raise InputError(f"{name}: an inner node has no label; only the leaf of the missing value may be empty.")
    if both := sorted(leaves & inner):
        raise InputError(f"{name}: {both[0]!r} is both a leaf and an inner node.")
    roots = [node for node, parent in parents.items() if parent is None]
    if len(roots) != 1:
        raise InputError(f"{name}: a taxonomy has one root, this one has {len(roots)}.")
    return parents


def nested_pairs(parents: Parents, published: Collection[str], most: int) -> tuple[int, list[tuple[str, str]]]:
    """How many pairs (lower, upper) of published values there are in which one lies above the other, and some of them.

    For every node it is counted how many published ones lie above it, from the count of its parent: a chain of so many
    published values has the square of it in pairs.
    """
    above: dict[str, int] = {}
    number = 0
    pairs: list[tuple[str, str]] = []
    for lower in sorted(published):
        way = []
        upper: str | None = lower
        while upper is not None and upper not in above:
            way.append(upper)
            upper = parents[upper]
        for node in reversed(way):
            parent = parents[node]
            above[node] = 0 if parent is None else above[parent] + (parent in published)
        number += above[lower]
        upper = parents[lower]
        while upper is not None and len(pairs) < min(most, number):
            if upper in published:
                pairs.append((lower, upper))
            upper = parents[upper]
    return number, pairs


def labels_above(parents: Parents, nodes: Collection[str], labels: Collection[str]) -> Iterator[tuple[str, str]]:
    """For each of these nodes the labels among `labels` that lie above it, as pairs (node, label).

    The nearest one is kept for every node that was passed, so that the work is that of the nodes and the pairs, however
    deep the tree is.
    """
    nearest: dict[str | None, str | None] = {None: None}

    def nearest_above(node: str) -> str | None:
        way = []
        upper: str | None = node
        while upper is not None and upper not in nearest:
            way.append(upper)
            upper = parents[upper]
        for lower in reversed(way):
            parent = parents[lower]
            nearest[lower] = parent if parent in labels else nearest[parent]
        return nearest[node]

    for node in nodes:
        label = nearest_above(node)
        while label is not None:
            yield node, label
            label = nearest_above(label)


def _named(parent: str | None) -> str:
    return "nothing" if parent is None else repr(parent)
