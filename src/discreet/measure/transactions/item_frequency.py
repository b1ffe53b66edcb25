"""How far the frequencies of items, as a reader of the release estimates them, are from the true ones.

Papers: Lin 1991 (Jensen-Shannon divergence); Xiao and Tao 2006 (every leaf under a published value equally). An item's
frequency is its share of all items of all transactions. The reader spreads what they count of a published node evenly
over the leaves under it; an item that is not published anywhere gets nothing. The Jensen-Shannon divergence is defined
where one side has zeros, symmetric, and lies between 0 and ln 2 = 0.693; the total variation is the share of all items
that would have to become others. The figure is the latter; the divergence is among the details.
"""

from __future__ import annotations

from math import log
from typing import ClassVar

import numpy as np

from discreet.measure.measurement import Measurement, Unit, percent
from discreet.measure.transactions.comparison import TransactionComparison
from discreet.values.arrays import Floats

MOST_SHIFTED = 10
"""Items that are listed one by one, those with the most wrong frequency first."""


class ItemFrequency:
    """The distance between true frequencies of items and those read off the release."""

    name: ClassVar[str] = "item-frequency"
    title: ClassVar[str] = "Frequencies of items"
    paper: ClassVar[str] = "Lin 1991; Xiao and Tao 2006"
    definition: ClassVar[str] = (
        "Half the sum of the differences between the items' shares of all items in the original and those read off the "
        "release, where a generalized item counts equally as each of its leaves. Their Jensen-Shannon divergence "
        "(natural logarithm) is given besides."
    )
    unit: ClassVar[Unit] = "share"
    needs_sensitive: ClassVar[bool] = False

    def measure(self, comparison: TransactionComparison, random: np.random.Generator) -> Measurement:
        original, taxonomy = comparison.original, comparison.original.taxonomy
        estimated = comparison.spread
        if not original.occurrences or not estimated.sum():
            reason = "the release has no items" if original.occurrences else "the transactions have no items"
            reading = f"Not measured: {reason} whose frequency could be read."
            return Measurement.of(self, original=None, release=None, reading=reading, details={"measured": False})
        true, read = original.leaf_occurrences / original.occurrences, estimated / estimated.sum()
        variation = float(np.abs(true - read).sum() / 2)
        shifted = np.lexsort((np.arange(len(true)), -np.abs(true - read)))[:MOST_SHIFTED]
        return Measurement.of(
            self,
            original=0.0,
            release=variation,
            reading=(
                f"Anyone who reads the items' frequencies off the release puts {percent(variation)} of all items in "
                "the wrong place."
            ),
            details={
                "measured": True,
                "divergence": jensen_shannon(true, read),
                "shifted": [
                    {
                        "item": taxonomy.labels[taxonomy.leaf_nodes[leaf]],
                        "original": float(true[leaf]),
                        "release": float(read[leaf]),
                    }
                    for leaf in shifted.tolist()
                    if true[leaf] != read[leaf]
                ],
            },
        )


def jensen_shannon(first: Floats, second: Floats) -> float:
    """Of two distributions over the same values, with the natural logarithm."""
    middle = (first + second) / 2
    total = 0.0
    for side in (first, second):
        occurs = side > 0
        total += float(side[occurs] @ np.log(side[occurs] / middle[occurs])) / 2
    return min(log(2), max(0.0, total))
