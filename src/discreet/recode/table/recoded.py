"""What a method did to the rows of a table: the hinge between search and everything after it.

By cuts, each column the same way in all rows (global recoding); by regions, each group of records with labels of its
own (local recoding); or new rows that take the place of the old ones (synthetic). Each stage says which of these it can
take.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from discreet.encode.table import EncodedTable
from discreet.taxonomy import Cut
from discreet.values.arrays import Int32s, Int64s, column_codes
from discreet.values.partitions import Partitions

Recoding: TypeAlias = Literal["global", "local", "synthetic"]


@dataclass(frozen=True)
class ByCuts:
    """Every value of a column is published as the node of its cut above it."""

    recoding: ClassVar[Recoding] = "global"

    cuts: tuple[Cut, ...]
    """one for each attribute"""

    def partitions(self, table: EncodedTable) -> Partitions:
        return table.partitions(self.cuts)


@dataclass(frozen=True, eq=False)
class ByRegions:
    """Entry e: counts[e] records of the combination sources[e] are published at the nodes of the region regions[e].

    Which of the records with one combination go to which region is drawn at random when they are written.
    """

    recoding: ClassVar[Recoding] = "local"

    sources: Int32s
    """entry -> combination of the encoded table"""
    regions: Int32s
    counts: Int64s
    nodes: Int32s
    """region x attribute -> node of its taxonomy"""

    def partitions(self, table: EncodedTable) -> Partitions:
        """Groups of records that look alike, which may be those of several regions."""
        published = self.nodes[self.regions]
        _, first, group_of = np.unique(column_codes(published.T), return_index=True, return_inverse=True)
        shape = (len(first), len(table.sensitive_values), len(table.class_values))
        cells = (group_of * shape[1] + table.sensitive[self.sources]) * shape[2] + table.classes[self.sources]
        histogram = np.bincount(cells, weights=self.counts, minlength=shape[0] * shape[1] * shape[2])
        return Partitions(published[first], histogram.astype(np.int64).reshape(shape))


@dataclass(frozen=True, eq=False)
class NewRows:
    """Rows that were made up: none of them is a record of the original."""

    recoding: ClassVar[Recoding] = "synthetic"

    columns: Mapping[str, Sequence[Any]]
    """published column -> its values, as text or None"""


Recoded: TypeAlias = ByCuts | ByRegions | NewRows
