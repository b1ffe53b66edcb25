"""Prec and the generalization height: how far values climbed in their taxonomies.

Papers: Samarati 2001 (height); Sweeney 2002 (Prec). Prec is 1 - the average over all values of the quasi-identifiers of
steps climbed / height of the hierarchy. There all leaves have the same depth; here they need not, so the height is
that of the value's own path: a leaf of depth d published at a node of depth e climbed (d - e) / d of it. A value whose
leaf is the root itself climbs nothing. A deleted record counts as climbed all the way, 1 on each quasi-identifier.
A node and its only child have the same leaves, so going from one to the other is no step. Which records were
deleted is taken in expectation (see `comparison`).
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from discreet.measure.measurement import Measurement, Unit, percent
from discreet.measure.table.comparison import BY_CUTS, UNPUBLISHED, Comparison
from discreet.taxonomy import Taxonomy


class Precision:
    """How much of the path from the root to its leaf a published value still has."""

    name: ClassVar[str] = "precision"
    title: ClassVar[str] = "Precision (Prec)"
    paper: ClassVar[str] = "Samarati 2001; Sweeney 2002"
    definition: ClassVar[str] = (
        "1 minus the share of the path from its leaf to the root that a value climbed, averaged over all values of the "
        "quasi-identifiers; a value of a deleted record climbed all of it."
    )
    unit: ClassVar[Unit] = "share"
    needs_sensitive: ClassVar[bool] = False
    needs_class: ClassVar[bool] = False
    recodings: ClassVar[tuple[str, ...]] = BY_CUTS

    def measure(self, comparison: Comparison, random: np.random.Generator) -> Measurement:
        original = comparison.original
        kept = comparison.chances.kept * original.counts
        by_attribute, heights = {}, {}
        for index, (attribute, taxonomy) in enumerate(zip(original.attributes, original.taxonomies, strict=True)):
            level = _levels(taxonomy)
            depth = level[taxonomy.leaf_nodes]
            node = comparison.node_of_leaf[index]
            steps = np.where(node == UNPUBLISHED, 0, depth - level[node])
            kept_of_leaf = np.bincount(original.leaves[index], weights=kept, minlength=len(depth))
            climbed = float(kept_of_leaf @ (steps / np.maximum(depth, 1)))
            by_attribute[attribute] = 1 - (climbed + comparison.deleted) / comparison.rows
            heights[attribute] = (
                float(kept_of_leaf @ steps) / comparison.release.rows if comparison.release.rows else None
            )
        precision = sum(by_attribute.values()) / len(by_attribute)
        worst = min(by_attribute, key=by_attribute.__getitem__)
        reading = f"Published values keep {percent(precision)} of the levels of detail that the taxonomies have"
        if by_attribute[worst] < 1:
            reading += f"; {worst} keeps least, {percent(by_attribute[worst])}"
        return Measurement.of(
            self,
            original=1.0,
            release=precision,
            reading=f"{reading}.",
            details={"attributes": by_attribute, "steps_climbed": heights},
        )


def _levels(taxonomy: Taxonomy) -> npt.NDArray[np.int64]:
    """Node -> steps up to the root, a step being one to a node with more leaves."""
    leaves = (taxonomy.stop_leaf - taxonomy.first_leaf).tolist()
    levels = [0] * len(leaves)
    for node, parent in enumerate(taxonomy.parents.tolist()):
        if parent >= 0:
            levels[node] = levels[parent] + (leaves[parent] > leaves[node])
    return np.array(levels)
