"""C_avg, the average size of an equivalence class.

Paper: LeFevre, DeWitt and Ramakrishnan 2006. The records of a table divided by its equivalence classes: the sets of
records with the same published quasi-identifiers. LeFevre et al. divide by k as well; a release need not promise a k,
so this is the plain average. Deleted records are in no class.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from discreet.measure.measurement import Measurement, Unit, amount
from discreet.measure.table.comparison import ANY_RECODING, Comparison


class AverageClassSize:
    """Records per group of look-alikes."""

    name: ClassVar[str] = "average_class_size"
    title: ClassVar[str] = "Average class size (C_avg)"
    paper: ClassVar[str] = "LeFevre et al. 2006"
    definition: ClassVar[str] = (
        "Records divided by equivalence classes, the groups of records with the same published quasi-identifiers."
    )
    unit: ClassVar[Unit] = "records"
    needs_sensitive: ClassVar[bool] = False
    needs_class: ClassVar[bool] = False
    recodings: ClassVar[tuple[str, ...]] = ANY_RECODING

    def measure(self, comparison: Comparison, random: np.random.Generator) -> Measurement:
        before, after = len(comparison.sizes_of_original), len(comparison.sizes_of_release)
        reading = "Nothing was published, so there are no groups."
        if after:
            reading = (
                f"The release distinguishes {after:,} {'group' if after == 1 else 'groups'} of people, with "
                f"{amount(comparison.release.rows / after)} records each on average; the original "
                f"distinguishes {before:,}, with {amount(comparison.rows / before)} each."
            )
        return Measurement.of(
            self,
            original=comparison.rows / before,
            release=comparison.release.rows / after if after else None,
            reading=reading,
            details={"classes": {"original": before, "release": after}},
        )
