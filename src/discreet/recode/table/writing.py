"""A recoding applied to the rows of a table: generalized, suppressed, in random order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from discreet.encode.table import Encoding
from discreet.engine import Assignments, Decisions, Engine, Labels
from discreet.models.schemes import VALUE_SCHEMES
from discreet.recode.table.recoded import ByCuts, ByRegions
from discreet.values.partitions import Suppressed


def write_cuts(
    engine: Engine,
    encoding: Encoding,
    recoded: ByCuts,
    suppressed: Suppressed,
    scheme: str,
    columns: Sequence[str],
    random: np.random.Generator,
    path: Path,
    *,
    escape_formulas: bool = False,
) -> None:
    """Writes the published columns of all rows that stay."""
    labels = {}
    for attribute, cut in zip(encoding.table.attributes, recoded.cuts, strict=True):
        node_of_leaf = cut.value_of_leaf()
        values = list(encoding.leaf_of[attribute])
        nodes = node_of_leaf[[encoding.leaf_of[attribute][value] for value in values]]
        labels[attribute] = Labels(values, nodes, [cut.taxonomy.labels[node] for node in nodes])
    decisions = (
        _whole_groups(suppressed, scheme, encoding.joint.columns)
        if encoding.table.is_joint
        else _decisions(suppressed, scheme, encoding.sensitive, encoding.class_column)
    )
    engine.write_release(
        path,
        columns,
        labels,
        encoding.codes,
        decisions,
        random,
        escape_formulas=escape_formulas,
        pseudonyms=encoding.person,
    )


def _whole_groups(suppressed: Suppressed, scheme: str, sensitive: tuple[str, ...]) -> Decisions:
    """One decision for each partition in which something is suppressed, which is then all of it."""
    concerned = suppressed.visible.sum(axis=1) < suppressed.original.sum(axis=(1, 2))
    if suppressed.visible[concerned].any():
        raise TypeError("Where a record has several sensitive values, groups are suppressed as a whole.")
    nodes = suppressed.nodes[concerned]
    if scheme in VALUE_SCHEMES:
        return Decisions(nodes, {}, keep=None, starred=sensitive)
    return Decisions(nodes, {}, np.zeros(len(nodes), np.int64))


def _decisions(suppressed: Suppressed, scheme: str, sensitive: str | None, class_column: str | None) -> Decisions:
    """One decision for each partition, sensitive value and class in which something is suppressed."""
    if scheme in VALUE_SCHEMES:
        partition, value = np.nonzero(suppressed.kept.sum(axis=2) > suppressed.visible)
        codes = {sensitive: value.astype(np.int32)} if sensitive else {}
        return Decisions(suppressed.nodes[partition], codes, keep=None, starred=(sensitive,) if sensitive else ())
    partition, value, label = np.nonzero(suppressed.kept < suppressed.original)
    codes = {column: code.astype(np.int32) for column, code in ((sensitive, value), (class_column, label)) if column}
    return Decisions(suppressed.nodes[partition], codes, suppressed.kept[partition, value, label])


def write_regions(
    engine: Engine,
    encoding: Encoding,
    recoded: ByRegions,
    columns: Sequence[str],
    random: np.random.Generator,
    path: Path,
    *,
    escape_formulas: bool = False,
) -> None:
    """Writes every record with the labels of the region for which it is drawn."""
    table = encoding.table
    codes = {name: table.leaves[index][recoded.sources] for index, name in enumerate(table.attributes)}
    if encoding.sensitive:
        codes[encoding.sensitive] = table.sensitive[recoded.sources]
    if encoding.class_column:
        codes[encoding.class_column] = table.classes[recoded.sources]
    labels = {
        name: [values.labels[code] or None for code in recoded.nodes[recoded.regions, index].tolist()]
        for index, (name, values) in enumerate(zip(table.attributes, recoded.published_values(table), strict=True))
    }
    engine.write_assigned(
        path,
        columns,
        {**encoding.leaf_of, **encoding.codes},
        Assignments(codes, recoded.counts, labels),
        random,
        escape_formulas=escape_formulas,
    )


def write_new_rows(
    engine: Engine,
    rows: Mapping[str, Sequence[str | None]],
    random: np.random.Generator,
    path: Path,
    *,
    escape_formulas: bool = False,
) -> None:
    """Writes rows that were made up, given as columns, in random order like any others."""
    order = random.permutation(len(next(iter(rows.values())))).tolist()
    shuffled = {name: [values[place] for place in order] for name, values in rows.items()}
    engine.write_table(path, shuffled, escape_formulas=escape_formulas)
