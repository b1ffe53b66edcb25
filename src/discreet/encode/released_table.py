"""A release as its reader counts it: the distinct published rows, their values placed in the original's taxonomies.

It is read from the published file, not taken from what recoding meant to write: what is measured and attacked is
what everyone will see.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from pyarrow import parquet

from discreet.encode.joint import SUPPRESSED, count_records
from discreet.encode.table import Encoding
from discreet.engine import STAR, Engine
from discreet.errors import InputError
from discreet.policy import TablePolicy
from discreet.read.table import load_table
from discreet.read.text import RowError
from discreet.taxonomy import Taxonomy
from discreet.taxonomy.published import Labelling, PublishedValues, read_values
from discreet.values.arrays import Int32s, Int64s, column_codes
from discreet.values.long_cells import long_cells
from discreet.values.words import briefly

_RELEASED = "released"


@dataclass(frozen=True)
class ReleasedTable:
    """The distinct rows of a release with their counts; taxonomies and value codes are those of its EncodedTable."""

    nodes: Int32s
    """attribute x combination -> node of the attribute's taxonomy, or a label that was made for groups"""
    sensitive: Int32s
    """the code of the sensitive value, SUPPRESSED for a star; 0 throughout where there is no such column"""
    classes: Int32s
    counts: Int64s
    values: tuple[PublishedValues, ...] = ()
    """for each attribute what is published; none: nodes alone"""
    further: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """column -> published values that were made up: their nodes, or codes, go on where those of the original end"""

    @property
    def rows(self) -> int:
        return int(self.counts.sum())

    def published_values(self, taxonomies: Sequence[Taxonomy]) -> tuple[PublishedValues, ...]:
        """For each attribute what the numbers in `nodes` stand for. taxonomies: those of the original."""
        return self.values or tuple(map(PublishedValues, taxonomies))

    def shown(self, values: int) -> Int64s:
        """sensitive value, of so many that there are -> rows that show it"""
        is_shown = self.sensitive >= 0
        return np.bincount(self.sensitive[is_shown], weights=self.counts[is_shown], minlength=values).astype(np.int64)

    def without_class(self) -> ReleasedTable:
        """The same rows, with no distinction between classes."""
        if not self.classes.any():
            return self
        columns = np.vstack((self.nodes, self.sensitive - SUPPRESSED))
        _, first, number = np.unique(column_codes(columns), return_index=True, return_inverse=True)
        counts = np.bincount(number, weights=self.counts).astype(np.int64)
        none = np.zeros(len(first), np.int32)
        return ReleasedTable(self.nodes[:, first], self.sensitive[first], none, counts, self.values, self.further)


def read_release(
    engine: Engine,
    path: Path,
    encoding: Encoding,
    *,
    escaped: bool = False,
    made_up: bool = False,
    labels: Mapping[str, Labelling] | None = None,
) -> ReleasedTable:
    """Counts the rows of a published data file by the taxonomies and codes of the original's encoding.

    escaped: the file was written with output.escape_formulas. made_up: its values need not be those of the original.
    labels: quasi-identifier -> how its groups are labelled, nodes where it is not told; None: as the encoding has it.
    """
    if not _has_rows(path):
        nothing = np.zeros(0, np.int32)
        return ReleasedTable(
            np.zeros((len(encoding.table.attributes), 0), np.int32), nothing, nothing, np.zeros(0, np.int64)
        )
    rows = load_table(engine, path, _RELEASED, fewest_rows=1, delimiters=",").rows
    if escaped:
        engine.unescape(_RELEASED)
    single: dict[str, dict[str, int]] = {}
    published = []
    for index, (attribute, taxonomy) in enumerate(
        zip(encoding.table.attributes, encoding.table.taxonomies, strict=True)
    ):
        labelling = encoding.table.labelling(index) if labels is None else labels.get(attribute, "nodes")
        texts = () if labelling == "nodes" else engine.distinct(attribute, _RELEASED)[0]
        values, codes = read_values(taxonomy, labelling, texts)
        single[attribute] = dict(codes)
        published.append(values)
    if encoding.class_column:
        single[encoding.class_column] = dict(encoding.codes[encoding.class_column])
    sensitive = {column: {**encoding.codes[column], STAR: SUPPRESSED} for column in encoding.joint.columns}
    if encoding.person:
        _refuse_strangers(engine, path.name, {**single, **sensitive})
    further: dict[str, tuple[str, ...]] = {}
    if made_up:
        further = _taken_in(engine, {**single, **sensitive}, encoding.class_column)
    joint = deepcopy(encoding.joint)
    records = count_records(engine, single, sensitive, encoding.person, joint, _RELEASED)
    # A row with a value that has no code is not counted; only where people are counted the numbers do not show it.
    if not encoding.person and records.counts.sum() < rows:
        _refuse_strangers(engine, path.name, {**single, **sensitive})
    if made_up and encoding.joint.columns:
        told = {column: (*encoding.codes[column], *further[column]) for column in encoding.joint.columns}
        further[encoding.joint.columns[0]] = joint.labels(told)[len(encoding.joint.sets) :]
    elif len(joint.sets) > len(encoding.joint.sets):
        raise InputError(
            f"{path.name}: a record says together in {encoding.sensitive} what none of the original does; has the "
            "release or the original been changed since?"
        )
    quasi = len(encoding.table.attributes)
    return ReleasedTable(
        nodes=records.single[:quasi],
        sensitive=records.sensitive,
        classes=records.single[-1] if encoding.class_column else np.zeros(len(records.counts), np.int32),
        counts=records.counts,
        values=tuple(published),
        further=further,
    )


def _taken_in(
    engine: Engine, codes: Mapping[str, dict[str, int]], class_column: str | None
) -> dict[str, tuple[str, ...]]:
    """Gives the values that the codes of a column lack the next ones; column -> these values."""
    further = {}
    for column, known in codes.items():
        if column != class_column:
            further[column] = tuple(value for value in engine.distinct(column, _RELEASED)[0] if value not in known)
            next_code = max(known.values(), default=-1) + 1
            known.update({value: next_code + place for place, value in enumerate(further[column])})
    return further


def _refuse_strangers(engine: Engine, name: str, codes: Mapping[str, Mapping[str, int]]) -> None:
    for column, known in codes.items():
        for value in engine.distinct(column, _RELEASED)[0]:
            if value not in known:
                raise InputError(
                    f"{name}: the column {column!r} holds {briefly(value)}, which the original's policy does not know; "
                    "has the release or the original been changed since?"
                )


def _has_rows(path: Path) -> bool:
    """Whether anything was published: a release may be empty, and the readers of tables refuse that."""
    if path.suffix == ".parquet":
        return bool(parquet.read_metadata(path).num_rows)
    with long_cells(), path.open(encoding="utf-8", newline="") as file:
        lines = iter(file)
        next(csv.reader(lines))  # the header may have line breaks within quotes
        return next(lines, None) is not None


def read_published(engine: Engine, policy: TablePolicy, encoding: Encoding, folder: Path) -> ReleasedTable:
    """The release as it can be read in the folder."""
    data = folder / f"data.{policy.output.format}"
    try:
        made_up = policy.search.declared().makes_numbers
        return read_release(engine, data, encoding, escaped=policy.output.escape_formulas, made_up=made_up)
    except RowError as error:  # a NUL byte, a row of many megabytes: things that Parquet and JSON can hold
        raise InputError(
            f"{data.name}, row {error.row}: {error.fault.partition(';')[0]}, which not every reader of CSV accepts; "
            "change the data, or set output.format: parquet."
        ) from error
