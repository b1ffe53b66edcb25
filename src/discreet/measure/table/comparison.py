"""An original and its release side by side: what the measures have in common.

A release does not say which of its rows was which record, and need not: recoding by a cut replaces each value by
the one published node above it, so a combination of the original belongs to one published group (or to none, when
all its records were deleted). Only which records of a group were deleted or starred is unknown. Recoding draws them
at random among those with the same published values, sensitive value and class, so each of these has the same
chance, which follows from the counts:

    shown(c)   = rows of c's cell that show the sensitive value / records of the cell
    starred(c) = (1 - shown(c)) * stars in c's group and class / records there whose value is not shown
    kept(c)    = shown(c) + starred(c)

with cell = (published group, class, sensitive value). Where nothing was deleted, kept is 1 and every measure that
uses it is exact; elsewhere it is the expectation over the draw.

Where groups have labels of their own (local recoding) nobody can say which records are behind a row. What is measured
then looks at the published rows alone, where a value stands equally for each of the leaves that it may stand for
(`spread`). Measures that ask what became of a record are left out (`BY_CUTS`). Rows that were made up (synthetic) have
measures of their own (`MADE_UP`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from discreet.encode.joint import SUPPRESSED
from discreet.encode.released_table import ReleasedTable
from discreet.encode.table import EncodedTable
from discreet.errors import InputError
from discreet.measure.measurement import Described, Measurement
from discreet.taxonomy import PublishedValues
from discreet.values.arrays import Floats, Int32s, Int64s, column_codes

BY_CUTS = ("global",)
ANY_RECODING = ("global", "local")
"""Of records. Rows that were made up are nobody's, so groups of them say nothing of people."""
MADE_UP = ("synthetic",)

UNPUBLISHED = -1
"""The node of a leaf that no published value covers."""
MOST_DENSE = 1 << 22


@dataclass(frozen=True)
class Chances:
    """For each combination of the original, the chance that its records are published with their value or a star."""

    shown: Floats
    starred: Floats

    @property
    def kept(self) -> Floats:
        return self.shown + self.starred


@dataclass(frozen=True)
class MadeUpRows:
    """Rows of numbers, each with the code of its class."""

    numbers: Floats
    """row x column: the quasi-identifiers, then the sensitive column where there is one"""
    classes: Int64s


Again: TypeAlias = Callable[[Int64s, np.random.Generator], MadeUpRows | None]
"""Takes how many records of each combination there are; None where these cannot be published."""


@dataclass(frozen=True)
class Comparison:
    """An original, its release, and the names of the columns that the tables hold as numbers only."""

    original: EncodedTable
    release: ReleasedTable
    sensitive: str | None
    class_column: str | None
    recoding: str = "global"
    again: Again | None = None
    """where numbers were made up: makes rows up from some of the records, in the same way"""

    @property
    def rows(self) -> int:
        return self.original.rows

    @property
    def deleted(self) -> int:
        return self.original.rows - self.release.rows

    @cached_property
    def numbers(self) -> Floats:
        """combination of the original x column, where all values are numbers"""
        original = self.original
        columns = [
            np.array([_number(label) for label in taxonomy.leaf_labels])[leaves]
            for taxonomy, leaves in zip(original.taxonomies, original.leaves, strict=True)
        ]
        if self.sensitive is not None:
            columns.append(np.array([_number(value) for value in original.sensitive_values])[original.sensitive])
        return np.stack(columns, axis=1)

    @cached_property
    def released_numbers(self) -> Floats:
        """combination of the release x column, where numbers were made up"""
        original, release = self.original, self.release
        columns = []
        for name, taxonomy, nodes in zip(original.attributes, original.taxonomies, release.nodes, strict=True):
            labels = (*taxonomy.labels, *release.further.get(name, ()))
            columns.append(np.array([_number(label) for label in labels])[nodes])
        if self.sensitive is not None:
            values = (*original.sensitive_values, *release.further.get(self.sensitive, ()))
            columns.append(np.array([_number(value) for value in values])[release.sensitive])
        return np.stack(columns, axis=1)

    @cached_property
    def stars(self) -> int:
        return int(self.release.counts[self.release.sensitive == SUPPRESSED].sum())

    @cached_property
    def values(self) -> tuple[PublishedValues, ...]:
        """For each attribute what the numbers in the release stand for."""
        return self.release.published_values(self.original.taxonomies)

    def published(self, attribute: int) -> Int64s:
        """How many rows are published at each node of the attribute's taxonomy, or other label."""
        number = len(self.values[attribute].labels)
        return weighted_counts(self.release.nodes[attribute], self.release.counts, number)

    def spread(self, attribute: int) -> csr_array:
        """published value x leaf -> the share of the value that stands for the leaf"""
        values = self.values[attribute]
        shares = values.covers().astype(np.float64)
        shares.data /= np.repeat(values.leaf_counts, values.leaf_counts)
        return shares

    @cached_property
    def node_of_leaf(self) -> tuple[Int32s, ...]:
        """For each attribute: leaf -> the published node above it, or UNPUBLISHED."""
        return tuple(self._node_of_leaf(attribute) for attribute in range(len(self.original.attributes)))

    def _node_of_leaf(self, attribute: int) -> Int32s:
        taxonomy = self.original.taxonomies[attribute]
        nodes = np.unique(self.release.nodes[attribute])
        first, stop = taxonomy.first_leaf[nodes], taxonomy.stop_leaf[nodes]
        overlapping = np.flatnonzero(first[1:] < stop[:-1])
        if len(overlapping):
            above, below = (taxonomy.labels[nodes[overlapping[0] + step]] for step in (0, 1))
            raise InputError(
                f"{self.original.attributes[attribute]}: the release holds both {above!r} and {below!r}, which lies "
                "under it; only releases in which published values exclude one another can be measured."
            )
        found = np.full(len(taxonomy.leaf_nodes), UNPUBLISHED, np.int32)
        for node, start, end in zip(nodes, first, stop, strict=True):
            found[start:end] = node
        return found

    @cached_property
    def nodes(self) -> Int32s:
        """attribute x combination of the original -> the node it is published at, or UNPUBLISHED"""
        return np.stack([nodes[row] for nodes, row in zip(self.node_of_leaf, self.original.leaves, strict=True)])

    @cached_property
    def chances(self) -> Chances:
        original, release = self.original, self.release
        combinations = len(original.counts)
        nodes = np.concatenate([self.nodes, release.nodes], axis=1) - UNPUBLISHED
        classes = np.concatenate([original.classes, release.classes])
        place = numbered(np.vstack([nodes, classes[None, :]]))
        sensitive = np.concatenate([original.sensitive, release.sensitive]) - SUPPRESSED
        cell = numbered(np.vstack([place, sensitive]))
        here, there = place[:combinations], place[combinations:]
        cell_here, cell_there = cell[:combinations], cell[combinations:]
        is_shown = release.sensitive != SUPPRESSED
        places, cells = int(place.max()) + 1, int(cell.max()) + 1
        in_cell = weighted_counts(cell_here, original.counts, cells)
        shown = weighted_counts(cell_there[is_shown], release.counts[is_shown], cells)
        in_place = weighted_counts(here, original.counts, places)
        shown_in_place = weighted_counts(there[is_shown], release.counts[is_shown], places)
        starred = weighted_counts(there[~is_shown], release.counts[~is_shown], places)
        unseen = in_place - shown_in_place
        if (shown > in_cell).any() or (starred > unseen).any():
            raise InputError(
                "The release holds more rows of a kind than the original has; has one of the two changed since?"
            )
        shown_share = shown[cell_here] / in_cell[cell_here]
        starred_share = np.divide(starred, unseen, out=np.zeros(places), where=unseen > 0)[here]
        return Chances(shown_share, (1 - shown_share) * starred_share)

    @cached_property
    def class_of_original(self) -> Int64s:
        """combination -> number of its equivalence class: all records with the same quasi-identifiers"""
        return numbered(self.original.leaves)

    @cached_property
    def class_of_release(self) -> Int64s:
        return numbered(self.release.nodes)

    @cached_property
    def sizes_of_original(self) -> Int64s:
        """Equivalence class -> records."""
        return weighted_counts(self.class_of_original, self.original.counts)

    @cached_property
    def sizes_of_release(self) -> Int64s:
        return weighted_counts(self.class_of_release, self.release.counts)


class TableMeasure(Described, Protocol):
    """One way to say how useful the release of a table still is."""

    needs_class: ClassVar[bool]
    recodings: ClassVar[tuple[str, ...]]
    """the recodings that it can measure: ANY_RECODING where it looks at the published rows alone, BY_CUTS where it has
    to know what became of each, MADE_UP where rows must be nobody's"""

    def measure(self, comparison: Comparison, random: np.random.Generator) -> Measurement:
        """The measure of a release; one that draws nothing leaves `random` alone."""
        ...


def _number(text: str) -> float:
    """nan for a label that is no number, of which no record is published"""
    try:
        return float(text)
    except ValueError:
        return float("nan")


def numbered(columns: npt.NDArray[np.integer]) -> Int64s:
    """Numbers the distinct columns of a 2-d array from 0, without gaps."""
    if not columns.shape[1]:
        return np.zeros(0, np.int64)
    return np.asarray(np.unique(column_codes(columns), return_inverse=True)[1], np.int64)


def weighted_counts(values: npt.NDArray[np.integer], counts: Int64s, length: int = 0) -> Int64s:
    return np.bincount(values, weights=counts, minlength=length).astype(np.int64)


def cross_table(columns: npt.NDArray[np.integer], counts: Int64s) -> tuple[npt.NDArray[np.integer], Int64s]:
    """The distinct columns of a 2-d array and how many records each has."""
    if not columns.shape[1]:
        return columns, counts
    widths = [int(row.max()) + 1 for row in columns]
    size = 1
    for width in widths:
        size *= width
    if size <= MOST_DENSE:
        cells = weighted_counts(np.ravel_multi_index(tuple(columns), widths), counts, size)
        occurring = np.flatnonzero(cells)
        return np.stack(np.unravel_index(occurring, widths)), cells[occurring]
    codes, first, number = np.unique(column_codes(columns), return_index=True, return_inverse=True)
    return columns[:, first], weighted_counts(number, counts, len(codes))
