"""CM, the classification metric, of the published file.

Paper: Iyengar 2002; Liu 2010, 3.5.3. A published record costs 1 when it is not in the majority class of its
equivalence class, a deleted one costs 1; divided by the original's records. The original's figure is that of
publishing it as it is: the records that even the exact quasi-identifiers do not tell apart by class.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from discreet.losses.cm import Classification
from discreet.measure.measurement import Measurement, Unit, percent
from discreet.measure.table.comparison import ANY_RECODING, Comparison, cross_table
from discreet.values.arrays import Int64s


class PublishedClassification:
    """How many records the rule "the majority of its group" gets wrong."""

    name: ClassVar[str] = "cm"
    title: ClassVar[str] = "Classification metric (CM)"
    paper: ClassVar[str] = Classification.paper
    definition: ClassVar[str] = (
        "The share of the records that are deleted or not in the majority class among the records with the same "
        "published quasi-identifiers."
    )
    unit: ClassVar[Unit] = "share"
    needs_sensitive: ClassVar[bool] = False
    needs_class: ClassVar[bool] = True
    recodings: ClassVar[tuple[str, ...]] = ANY_RECODING

    def measure(self, comparison: Comparison, random: np.random.Generator) -> Measurement:
        rows = comparison.rows
        original, release = comparison.original, comparison.release
        before = rows - _in_majority(comparison.class_of_original, original.classes, original.counts)
        after = rows - _in_majority(comparison.class_of_release, release.classes, release.counts)
        deleted = ", deleted ones counted as wrong" if comparison.deleted else ""
        return Measurement.of(
            self,
            original=before / rows,
            release=after / rows,
            reading=(
                f"Guessing {comparison.class_column} by the majority of each published group is wrong for "
                f"{percent(after / rows)} of the records{deleted}; by the groups of the original it is "
                f"{percent(before / rows)}."
            ),
            details={"cost": {"original": before, "release": after}, "deleted_records": comparison.deleted},
        )


def _in_majority(group: Int64s, classes: npt.NDArray[np.int32], counts: Int64s) -> int:
    if not len(group):
        return 0
    (groups, _), sizes = cross_table(np.stack([group, classes]), counts)
    largest = np.zeros(int(group.max()) + 1, np.int64)
    np.maximum.at(largest, groups, sizes)
    return int(largest.sum())
