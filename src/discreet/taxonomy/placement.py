"""Where the values of a column belong in a taxonomy, and what every taxonomy builder returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Protocol

import numpy as np

from discreet.taxonomy.tree import ROOT, IntArray, Taxonomy


class MadeFrom(Enum):
    """What a taxonomy depends on, and with that how much of it a release may show (see `public_taxonomy`)."""

    POLICY = "the policy alone"
    EACH_VALUE = "the values that occur, each by itself: what lies above a label depends on nothing but the label"
    ALL_VALUES = "all values together: one value more, and the others may lie elsewhere"


@dataclass(frozen=True, eq=False)
class Placement:
    """A taxonomy and the leaf of each value."""

    taxonomy: Taxonomy
    leaf_of: IntArray
    """Parallel to the values: the number of each value's leaf, -1 for a value that has no place."""
    made_from: MadeFrom
    notes: tuple[str, ...] = ()
    """what the steward should know about the taxonomy, as sentences"""

    @classmethod
    def by_label(cls, taxonomy: Taxonomy, leaves: Iterable[str | None], made_from: MadeFrom) -> Placement:
        """Place each value at the leaf with the given label; None, or no such leaf, is no place."""
        number: dict[str | None, int] = {label: leaf for leaf, label in enumerate(taxonomy.leaf_labels)}
        leaf_of = np.array([number.get(leaf, -1) for leaf in leaves], dtype=np.int32)
        leaf_of.setflags(write=False)
        return cls(taxonomy, leaf_of, made_from)

    @classmethod
    def from_leaves(
        cls, name: str, leaves: Sequence[str | None], ancestors: Callable[[str], Iterable[str]]
    ) -> Placement:
        """Place each value in the taxonomy of the values themselves.

        ``leaves`` are the values' labels, None or empty for no place; ``ancestors`` returns the labels from a
        leaf's parent to the root, and looks at nothing but the leaf. The leaves are sorted, so that the tree does
        not reveal the order of the data. Without any leaf the taxonomy is a lone ``*``.
        """
        distinct = sorted({leaf for leaf in leaves if leaf})
        paths = [[leaf, *ancestors(leaf)] for leaf in distinct] or [[ROOT]]
        return cls.by_label(Taxonomy.from_paths(name, paths), leaves, MadeFrom.EACH_VALUE)


class TaxonomyBuilder(Protocol):
    """What makes a taxonomy for a column, or already has one, and places the column's values in it.

    ``name`` is the column's and goes into the taxonomy and its errors. The values are those present; a
    missing one has no place here (see :meth:`Taxonomy.with_missing`).
    """

    def build(self, name: str, values: Sequence[str]) -> Placement: ...


@dataclass(frozen=True)
class LabelledTaxonomy:
    """A taxonomy that is given: a value belongs to the leaf whose label is exactly its text."""

    taxonomy: Taxonomy
    notes: tuple[str, ...] = ()

    def build(self, name: str, values: Sequence[str]) -> Placement:
        return replace(Placement.by_label(self.taxonomy, values, MadeFrom.POLICY), notes=self.notes)
