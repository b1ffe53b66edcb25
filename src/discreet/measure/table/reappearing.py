"""How many records that are like no other come out of the making-up as they went in, and not by chance.

A row that equals a record of the original tells something only if the record had a part in it: where many records are
alike, rows equal some of them by chance, and a plain count would look alarming and mean little. So one random half of
the records is published in the same way, and of the records that are like no other the share that reappears exactly is
counted *inside* this half and *outside* it. What outside shows is chance; what inside has on top is what somebody
learns about those who took part. The half has half as many records in the same groups of k, so it stands for a release
of as many records as it has, and not exactly for the one that is published.
"""

from __future__ import annotations

from math import sqrt
from typing import ClassVar

import numpy as np

from discreet.measure.measurement import Measurement, Unit, percent
from discreet.measure.table.comparison import MADE_UP, Comparison
from discreet.values.arrays import Bools, Floats, Int64s


class Reappearing:
    """Unique records that reappear because they were there."""

    name: ClassVar[str] = "reappearing"
    title: ClassVar[str] = "Unique records that reappear, beyond chance"
    paper: ClassVar[str] = "none: a control group"
    definition: ClassVar[str] = (
        "A random half of the records is published in the same way. Of the records that are like no other, the share "
        "that reappears exactly within this half, less the share of those outside that does."
    )
    unit: ClassVar[Unit] = "share"
    needs_sensitive: ClassVar[bool] = False
    needs_class: ClassVar[bool] = False
    recodings: ClassVar[tuple[str, ...]] = MADE_UP

    def measure(self, comparison: Comparison, random: np.random.Generator) -> Measurement:
        counts = comparison.original.counts
        half = random.binomial(counts, 0.5)
        rows = comparison.again(half, random) if comparison.again is not None and half.any() else None
        unique = counts == 1
        inside, outside = unique & (half == 1), unique & (half == 0)
        if rows is None or not inside.any() or not outside.any():
            why = "no record is like no other" if not unique.any() else "half of the records are too few"
            return Measurement.of(self, original=None, release=None, reading=f"Not measured: {why}.", details={})
        there = occurs(
            np.column_stack((comparison.numbers, comparison.original.classes)),
            np.column_stack((rows.numbers, rows.classes)),
        )
        shares = [float(there[part].mean()) for part in (inside, outside)]
        error = sqrt(
            sum(share * (1 - share) / int(part.sum()) for share, part in zip(shares, (inside, outside), strict=True))
        )
        excess = shares[0] - shares[1]
        is_chance = abs(excess) <= 1.96 * error
        told = "that is no difference that shows" if is_chance else "that is more than chance, and a leak"
        reading = (
            f"When half of the records are published this way, {percent(shares[0])} of the records in it that are like "
            f"no other reappear exactly, and {percent(shares[1])} of those that are not in it: {told}."
        )
        details = {
            "inside": {"records": int(inside.sum()), "reappear": int(there[inside].sum())},
            "outside": {"records": int(outside.sum()), "reappear": int(there[outside].sum())},
            "standard_error": error,
        }
        return Measurement.of(self, original=None, release=max(0.0, excess), reading=reading, details=details)


def occurs(records: Floats, rows: Floats) -> Bools:
    """Whether each record is one of the rows."""
    number: Int64s = np.unique(np.concatenate((records, rows)), axis=0, return_inverse=True)[1].ravel()
    return np.asarray(np.isin(number[: len(records)], number[len(records) :]))
