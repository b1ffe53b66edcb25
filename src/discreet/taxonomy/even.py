"""The literature's synthetic taxonomy: items placed at random under nodes with the same number of children.

For items whose meaning is not recorded, as in the public data sets of baskets and clicks (Terrovitis, Mamoulis and
Kalnis 2008; He and Naughton 2009; Liu 2010, 4.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from discreet.errors import InputError
from discreet.taxonomy.placement import MadeFrom, Placement
from discreet.taxonomy.tree import ROOT, Taxonomy

_NO_PARENT = -1
"""The parent of a node that has none, or none yet."""


@dataclass(frozen=True)
class Even:
    """The values in an order drawn by the seed, joined in groups of fan_out, these groups again, up to ``*``.

    The same values and the same seed give the same taxonomy, in whatever order the values come. A node that is
    left over waits for the next level, so that no node has a single child.
    """

    fan_out: int
    seed: int

    def __post_init__(self) -> None:
        if self.fan_out < 2:
            raise InputError(f"even: a node needs at least 2 children, not {self.fan_out}; write a number such as 5.")
        if self.seed < 0:
            raise InputError(f"even: the seed {self.seed} is below 0; write a whole number such as 1.")

    def build(self, name: str, values: Sequence[str]) -> Placement:
        taken = {value for value in values if value}
        if ROOT in taken:
            raise InputError(
                f"{name}: the value '*' occurs in the data, but '*' stands for any value; "
                "rename it or give a taxonomy file."
            )
        labels = sorted(taken)
        parents = [_NO_PARENT] * len(labels)
        opening, closing = _brackets(taken)
        nodes: list[int] = np.random.default_rng(self.seed).permutation(len(labels)).tolist()
        for level in count(1):
            if len(nodes) <= self.fan_out:
                break
            groups = [nodes[start : start + self.fan_out] for start in range(0, len(nodes), self.fan_out)]
            nodes = []
            for number, group in enumerate(groups, start=1):
                if len(group) > 1:
                    # Without blanks: in some files of transactions a blank ends the item.
                    group = _joined(group, f"{opening}{level}:{number}{closing}", labels, parents)
                nodes += group
        _joined(nodes, ROOT, labels, parents)
        return Placement.by_label(Taxonomy.from_parents(name, labels, parents), values, MadeFrom.ALL_VALUES)


def _joined(nodes: list[int], label: str, labels: list[str], parents: list[int]) -> list[int]:
    """Adds a node with this label above the nodes, to the labels and the parents of all nodes; the new node."""
    above = len(labels)
    labels.append(label)
    parents.append(_NO_PARENT)
    for node in nodes:
        parents[node] = above
    return [above]


def _brackets(taken: set[str]) -> tuple[str, str]:
    """More brackets than any value begins with, so that no label is also a value."""
    width = next(width for width in count(1) if not any(value.startswith("<" * width) for value in taken))
    return "<" * width, ">" * width
