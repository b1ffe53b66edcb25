"""The largest error of a correlation between two columns of numbers that were made up.

Of each pair of columns Pearson's correlation in the original and in the release; the largest difference says how wrong
somebody may be who correlates two columns of the release. (The correlation between all covariances of the two, with
which Aggarwal and Yu 2004 compare, is .9999 for nearly everything, so it tells nothing.) A column in which all records
are alike has no correlation and is left out.
"""

from __future__ import annotations

from itertools import combinations
from typing import ClassVar

import numpy as np

from discreet.measure.measurement import Measurement, Unit
from discreet.measure.table.comparison import MADE_UP, Comparison
from discreet.values.arrays import Floats, Int64s


class CorrelationError:
    """How far the worst correlation of two columns is off."""

    name: ClassVar[str] = "correlation"
    title: ClassVar[str] = "Correlations between two columns"
    paper: ClassVar[str] = "Pearson 1895"
    definition: ClassVar[str] = (
        "The largest difference, over all pairs of columns, between their correlation in the release and in the "
        "original."
    )
    unit: ClassVar[Unit] = "share"
    needs_sensitive: ClassVar[bool] = False
    needs_class: ClassVar[bool] = False
    recodings: ClassVar[tuple[str, ...]] = MADE_UP

    def measure(self, comparison: Comparison, random: np.random.Generator) -> Measurement:
        names = [*comparison.original.attributes, *([comparison.sensitive] if comparison.sensitive else [])]
        before = correlations(comparison.numbers, comparison.original.counts)
        after = correlations(comparison.released_numbers, comparison.release.counts)
        varying = [
            (names[one], names[other], float(before[one, other]), float(after[one, other]))
            for one, other in combinations(range(len(names)), 2)
            if np.isfinite(before[one, other]) and np.isfinite(after[one, other])
        ]
        pairs = [{"columns": [one, other], "original": then, "release": now} for one, other, then, now in varying]
        if not varying:
            reading = "There are no two columns of numbers that vary, so there is no correlation to keep."
            return Measurement.of(self, original=None, release=None, reading=reading, details={"pairs": []})
        one, other, then, now = max(varying, key=lambda pair: abs(pair[3] - pair[2]))
        error = abs(now - then)
        reading = (
            f"No correlation of two columns is off by more than {error:.3f}; that of {one} and {other} is "
            f"{now:.3f} in the release and {then:.3f} in the original."
        )
        return Measurement.of(self, original=0.0, release=error, reading=reading, details={"pairs": pairs})


def correlations(numbers: Floats, counts: Int64s) -> Floats:
    """column x column; nan where a column does not vary. Row i of the numbers is there counts[i] times."""
    apart = numbers - np.average(numbers, axis=0, weights=counts)
    products = (apart * counts[:, None]).T @ apart
    spreads = np.sqrt(np.diag(products))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(products / np.outer(spreads, spreads))
