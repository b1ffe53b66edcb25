"""A table as numbers: the distinct combinations of leaves, sensitive value and class, with their counts."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from discreet.errors import InputError
from discreet.models import SensitiveColumn
from discreet.taxonomy import MISSING, Cut, Taxonomy

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]

LARGEST_CODE = 1 << 62
MOST_CELLS = 1 << 26


@dataclass(frozen=True)
class EncodedTable:
    """All that a search ever sees of a table: how often each combination occurs, never a row.

    Taxonomies are as given, with a leaf for missing values where some are missing; a search wants them collapsed. A
    table without a sensitive or class column has one value of it everywhere.
    """

    attributes: tuple[str, ...]
    taxonomies: tuple[Taxonomy, ...]
    leaves: Int32s
    """attribute x combination -> leaf number"""
    sensitive: Int32s
    classes: Int32s
    counts: Int64s
    sensitive_values: tuple[str, ...]
    class_values: tuple[str, ...]

    @property
    def rows(self) -> int:
        return int(self.counts.sum())

    @property
    def sensitive_column(self) -> SensitiveColumn:
        counts = np.bincount(self.sensitive, weights=self.counts, minlength=len(self.sensitive_values))
        return SensitiveColumn(self.sensitive_values, tuple(int(count) for count in counts))

    def without_class(self) -> EncodedTable:
        """The same table, its classes not told apart."""
        if len(self.class_values) == 1:
            return self
        columns = np.vstack((self.leaves, self.sensitive))
        _, first, number = np.unique(column_codes(columns), return_index=True, return_inverse=True)
        return replace(
            self,
            leaves=self.leaves[:, first],
            sensitive=self.sensitive[first],
            classes=np.zeros(len(first), np.int32),
            counts=np.bincount(number, weights=self.counts).astype(np.int64),
            class_values=(MISSING,),
        )

    def occurrences(self, attribute: int) -> Int64s:
        """How many records each leaf of the attribute has."""
        leaf_count = len(self.taxonomies[attribute].leaf_nodes)
        return np.bincount(self.leaves[attribute], weights=self.counts, minlength=leaf_count).astype(np.int64)

    def partitions(self, cuts: tuple[Cut, ...]) -> Partitions:
        """The groups that look alike when every value is replaced by the value of the cut above it."""
        values = np.stack([cut.value_of_leaf()[row] for cut, row in zip(cuts, self.leaves, strict=True)])
        codes, group_of = np.unique(column_codes(values), return_inverse=True)
        size = len(codes)
        nodes = np.empty((size, len(cuts)), np.int32)
        nodes[group_of] = values.T
        shape = (size, len(self.sensitive_values), len(self.class_values))
        if shape[0] * shape[1] * shape[2] > MOST_CELLS:
            raise InputError(
                f"The sensitive column has {shape[1]} different values and the release {shape[0]} groups: more pairs "
                "than fit in memory; group the sensitive values into classes before publishing."
            )
        cells = (group_of * shape[1] + self.sensitive) * shape[2] + self.classes
        histogram = np.bincount(cells, weights=self.counts, minlength=shape[0] * shape[1] * shape[2])
        return Partitions(nodes, histogram.astype(np.int64).reshape(shape))


@dataclass(frozen=True)
class Partitions:
    """Groups of records with equal published quasi-identifiers."""

    nodes: Int32s
    """partition x attribute -> node of its taxonomy"""
    histogram: Int64s
    """partition x sensitive value x class -> number of records"""


def column_codes(columns: npt.NDArray[np.integer]) -> Int64s:
    """One number for each column of a 2-d array of non-negative integers: equal exactly for equal columns."""
    codes = np.zeros(columns.shape[1], np.int64)
    highest = 0
    for row in columns:
        width = int(row.max()) + 1
        if (highest + 1) * width >= LARGEST_CODE:
            codes = np.unique(codes, return_inverse=True)[1]
            highest = int(codes.max())
        codes = codes * width + row
        highest = (highest + 1) * width - 1
    return codes
