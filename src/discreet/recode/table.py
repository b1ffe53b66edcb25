"""A recoding applied to the rows of a table: generalized, suppressed, in random order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from discreet.encode.reading import Encoding
from discreet.engine import Decisions, DuckDBEngine, Labels
from discreet.recode.schemes import VALUE_SCHEMES
from discreet.recode.suppression import Suppressed
from discreet.taxonomy import Cut


def write_rows(
    engine: DuckDBEngine,
    encoding: Encoding,
    cuts: tuple[Cut, ...],
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
    for attribute, cut in zip(encoding.table.attributes, cuts, strict=True):
        node_of_leaf = cut.value_of_leaf()
        values = list(encoding.leaf_of[attribute])
        nodes = node_of_leaf[[encoding.leaf_of[attribute][value] for value in values]]
        labels[attribute] = Labels(values, nodes, [cut.taxonomy.labels[node] for node in nodes])
    decisions = _decisions(suppressed, scheme, encoding.sensitive, encoding.class_column)
    engine.write_release(path, columns, labels, encoding.codes, decisions, random, escape_formulas=escape_formulas)


def _decisions(suppressed: Suppressed, scheme: str, sensitive: str | None, class_column: str | None) -> Decisions:
    """One decision for each partition, sensitive value and class of which something is suppressed."""
    if scheme in VALUE_SCHEMES:
        partition, value = np.nonzero(suppressed.kept.sum(axis=2) > suppressed.visible)
        codes = {sensitive: value.astype(np.int32)} if sensitive else {}
        return Decisions(suppressed.nodes[partition], codes, keep=None, starred=sensitive)
    partition, value, label = np.nonzero(suppressed.kept < suppressed.original)
    codes = {column: code.astype(np.int32) for column, code in ((sensitive, value), (class_column, label)) if column}
    return Decisions(suppressed.nodes[partition], codes, suppressed.kept[partition, value, label])
