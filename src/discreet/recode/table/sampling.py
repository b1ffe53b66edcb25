"""A release as counts, without writing its rows: for comparing many releases of one table.

Which records a scheme deletes is drawn as recoding draws it: at random among those of one group and one sensitive
value.
"""

from __future__ import annotations

import numpy as np

from discreet.encode.joint import SUPPRESSED
from discreet.encode.released_table import ReleasedTable
from discreet.encode.table import EncodedTable
from discreet.models.schemes import VALUE_SCHEMES
from discreet.taxonomy import Cut
from discreet.values.partitions import Suppressed


def draw_release(
    table: EncodedTable, cuts: tuple[Cut, ...], suppressed: Suppressed, scheme: str, random: np.random.Generator
) -> ReleasedTable:
    """The release that the cuts and the scheme give, with the classes of `table`.

    suppressed: what stays in each group, whether it was worked out with the classes or without.
    """
    partitions = table.partitions(cuts)
    if not np.array_equal(partitions.nodes, suppressed.nodes):
        raise ValueError("The groups are not those of the table.")
    rows = partitions.histogram
    if scheme not in VALUE_SCHEMES:
        rows = suppressed.kept if suppressed.kept.shape == rows.shape else _drawn(rows, suppressed.visible, random)
    group, value, label = (np.asarray(index, np.int32) for index in np.nonzero(rows))
    starred = suppressed.kept.sum(axis=2) > suppressed.visible
    return ReleasedTable(
        nodes=partitions.nodes[group].T,
        sensitive=np.where(starred[group, value], SUPPRESSED, value).astype(np.int32),
        classes=label,
        counts=rows[group, value, label],
    )


def _drawn(rows: np.ndarray, keep: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """rows[group, value, class] after only keep[group, value] of them stay."""
    kept = rows.copy()
    for group, value in zip(*np.nonzero(rows.sum(axis=2) > keep), strict=True):
        kept[group, value] = random.multivariate_hypergeometric(rows[group, value], keep[group, value])
    return kept
