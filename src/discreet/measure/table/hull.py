"""The certainty penalty by hull: how far apart the ends of what a published value may stand for lie.

Paper: Xu, Wang, Pei, Wang, Shi and Fu 2006. For a column of numbers their normalized certainty penalty (NCP) is the
width of a published range beside that of the column: from the lowest to the highest number that the value may stand
for, whatever its label is, a node, a range, a set or a mean. Other columns have an order, that of the leaves of their
taxonomies, and places in it instead of numbers. A set may have gaps, which its hull does not see. A value is 0 wide
where it stands for one leaf, and 1 where it may be missing or not; so is each value of a deleted record.

Beside gcp and lm, which count leaves: 0 and 99,999 of a capital gain may be neighbours among its leaves, and are as far
apart as two of them can be.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from discreet.measure.measurement import Measurement, Unit, percent
from discreet.measure.table.comparison import ANY_RECODING, Comparison
from discreet.taxonomy import PublishedValues
from discreet.values.arrays import Floats


class HullWidth:
    """How wide a published value is beside its column."""

    name: ClassVar[str] = "hull"
    title: ClassVar[str] = "Width of published values (NCP by hull)"
    paper: ClassVar[str] = "Xu et al. 2006"
    definition: ClassVar[str] = (
        "From the lowest to the highest value that a published one may stand for, as a share of that of its column, by "
        "number where all values are numbers and otherwise by their places in the taxonomy; 1 in a deleted record, "
        "averaged over all values of the quasi-identifiers."
    )
    unit: ClassVar[Unit] = "share"
    needs_sensitive: ClassVar[bool] = False
    needs_class: ClassVar[bool] = False
    recodings: ClassVar[tuple[str, ...]] = ANY_RECODING

    def measure(self, comparison: Comparison, random: np.random.Generator) -> Measurement:
        original = comparison.original
        by_attribute = {
            attribute: (float(comparison.published(index) @ _widths(values)) + comparison.deleted) / comparison.rows
            for index, (attribute, values) in enumerate(zip(original.attributes, comparison.values, strict=True))
        }
        share = sum(by_attribute.values()) / len(by_attribute)
        worst = max(by_attribute, key=by_attribute.__getitem__)
        reading = f"On average a published value is {percent(share)} as wide as its column"
        if by_attribute[worst] > 0:
            reading += f"; the widest attribute is {worst} with {percent(by_attribute[worst])}"
        return Measurement.of(
            self, original=0.0, release=share, reading=f"{reading}.", details={"attributes": by_attribute}
        )


def _widths(values: PublishedValues) -> Floats:
    """Value -> how wide it is."""
    scale = values.scale
    low, high = values.ends()
    if not scale.values:
        return np.zeros(len(low))
    at = np.arange(scale.values, dtype=float) if scale.numbers is None else np.array(list(map(float, scale.numbers)))
    last = scale.values - 1
    width = (at[np.minimum(high, last)] - at[np.minimum(low, last)]) / ((at[-1] - at[0]) or 1.0)
    return np.asarray(np.where((low <= last) & (high > last), 1.0, width))
