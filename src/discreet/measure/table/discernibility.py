"""DM, the discernibility metric, of the published file.

Paper: Bayardo and Agrawal 2005; Liu 2010, 3.5.2. A published record costs the size of its equivalence class, a deleted
one the size of the original; here divided by the original's records, so that it reads as the class size that the
average record sees. The original's figure is that of publishing it as it is.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from discreet.losses.dm import Discernibility
from discreet.measure.measurement import Measurement, Unit, amount, records
from discreet.measure.table.comparison import ANY_RECODING, Comparison


class PublishedDiscernibility:
    """How many records the average record cannot be told apart from."""

    name: ClassVar[str] = "dm"
    title: ClassVar[str] = "Discernibility metric (DM)"
    paper: ClassVar[str] = Discernibility.paper
    definition: ClassVar[str] = (
        "The number of records with the same published quasi-identifiers, itself included, averaged over all records; "
        "a deleted record counts as the whole table."
    )
    unit: ClassVar[Unit] = "records"
    needs_sensitive: ClassVar[bool] = False
    needs_class: ClassVar[bool] = False
    recodings: ClassVar[tuple[str, ...]] = ANY_RECODING

    def measure(self, comparison: Comparison, random: np.random.Generator) -> Measurement:
        rows = comparison.rows
        before = int((comparison.sizes_of_original**2).sum())
        after = int((comparison.sizes_of_release**2).sum()) + rows * comparison.deleted
        reading = (
            f"The average record looks like {amount(after / rows)} records, itself included, where in the original it "
            f"looks like {amount(before / rows)}"
        )
        if comparison.deleted:
            reading += f"; the {records(comparison.deleted)} deleted count as the whole table"
        return Measurement.of(
            self,
            original=before / rows,
            release=after / rows,
            reading=f"{reading}.",
            details={
                "cost": {"original": before, "release": after},
                "worst": int(Discernibility().worst(rows, ())),
                "deleted_records": rows * comparison.deleted,
            },
        )
