"""What a method did to the rows of a table: the hinge between search and everything after it.

By cuts, each column the same way in all rows (global recoding); by regions, each group of records with labels of its
own (local recoding); or new rows that take the place of the old ones (synthetic), with values of the taxonomies or with
numbers of their own. Each stage says which of these it can take.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from discreet.encode.released_table import ReleasedTable
from discreet.encode.table import EncodedTable
from discreet.errors import InputError
from discreet.taxonomy import MISSING, Cut, PublishedValues
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

    def published_values(self, table: EncodedTable) -> tuple[PublishedValues, ...]:
        """For each attribute what the numbers of its partitions stand for: nodes, and no other labels."""
        return _nodes(table)


@dataclass(frozen=True, eq=False)
class ByRegions:
    """Entry e: counts[e] records of the combination sources[e] are published at the labels of the region regions[e].

    Which of the records with one combination go to which region is drawn at random when they are written.
    """

    recoding: ClassVar[Recoding] = "local"

    sources: Int32s
    """entry -> combination of the encoded table"""
    regions: Int32s
    counts: Int64s
    nodes: Int32s
    """region x attribute -> node of its taxonomy, or a label that was made for groups"""
    values: tuple[PublishedValues, ...] = ()
    """for each attribute what may be published; none: nodes alone"""

    def published_values(self, table: EncodedTable) -> tuple[PublishedValues, ...]:
        """For each attribute what the numbers of its regions stand for."""
        return self.values or _nodes(table)

    def knowing(self, release: ReleasedTable) -> ReleasedTable:
        """The release with what its reader does not know: over which values the means were taken."""
        numbers, known = [], []
        for attribute, (made, read) in enumerate(zip(self.values, release.values, strict=True)):
            place: dict[str, int] = {}
            of_made, of_read = (
                np.array([place.setdefault(label, len(place)) for label in values.labels]) for values in (made, read)
            )
            known.append(of_made[self.nodes[:, attribute]])
            numbers.append(of_read[release.nodes[attribute]])
        codes = column_codes(np.hstack((np.array(known), np.array(numbers))))
        regions, rows = codes[: len(self.nodes)], codes[len(self.nodes) :]
        order = np.argsort(regions)
        found = order[np.minimum(np.searchsorted(regions[order], rows), len(order) - 1)]
        if (regions[found] != rows).any():
            raise InputError("The release holds a group that was not published; has it been changed since?")
        return replace(release, nodes=np.ascontiguousarray(self.nodes[found].T), values=self.values)

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

    columns: Mapping[str, Sequence[str | None]]
    """published column -> its values; those of quasi-identifiers are nodes of their taxonomies"""
    sensitive: str | None = None

    def published_values(self, table: EncodedTable) -> tuple[PublishedValues, ...]:
        """For each attribute what the numbers of its partitions stand for: nodes, and no other labels."""
        return _nodes(table)

    def partitions(self, table: EncodedTable) -> Partitions:
        """Groups of rows that look alike; classes are not told apart."""
        nodes = np.array(
            [
                [taxonomy.node(value or MISSING) for value in self.columns[name]]
                for name, taxonomy in zip(table.attributes, table.taxonomies, strict=True)
            ],
            np.int32,
        )
        place = {value: code for code, value in enumerate(table.sensitive_values)}
        shown = np.zeros(nodes.shape[1], np.int64)
        if self.sensitive:
            shown[:] = [place[value or MISSING] for value in self.columns[self.sensitive]]
        _, first, group_of = np.unique(column_codes(nodes), return_index=True, return_inverse=True)
        cells = np.bincount(group_of * len(place) + shown, minlength=len(first) * len(place))
        return Partitions(nodes[:, first].T, cells.astype(np.int64).reshape(len(first), len(place), 1))


@dataclass(frozen=True)
class Numbers:
    """What the made-up values of a column are: numbers within a range, with so many decimals at most."""

    least: str
    most: str
    decimals: int


@dataclass(frozen=True, eq=False)
class NewNumbers:
    """Rows of numbers that were made up from groups of records; the values are no nodes of any taxonomy."""

    recoding: ClassVar[Recoding] = "synthetic"

    columns: Mapping[str, Sequence[str | None]]
    """published column, except the class -> its values"""
    classes: Sequence[str | None] | None
    ranges: Mapping[str, Numbers]
    """for each of the columns"""
    group_sizes: Int64s
    """of the records that rows were made from"""

    @property
    def rows(self) -> int:
        return len(next(iter(self.columns.values())))

    def published_values(self, table: EncodedTable) -> tuple[PublishedValues, ...]:
        """Those of the groups behind the rows: nothing but the root."""
        return _nodes(table)

    def partitions(self, table: EncodedTable) -> Partitions:
        """The groups of records behind the rows, of which no value is told.

        What promises are about here is how large they are. They count as if all of one sensitive value.
        """
        nodes = np.zeros((len(self.group_sizes), len(table.attributes)), np.int32)
        histogram = np.zeros((len(self.group_sizes), len(table.sensitive_values), 1), np.int64)
        histogram[:, 0, 0] = self.group_sizes
        return Partitions(nodes, histogram)


Recoded: TypeAlias = ByCuts | ByRegions | NewRows | NewNumbers


def _nodes(table: EncodedTable) -> tuple[PublishedValues, ...]:
    return tuple(map(PublishedValues, table.taxonomies))
