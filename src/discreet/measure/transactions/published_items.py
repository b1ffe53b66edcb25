"""How many different items there are to read, and how many of them in a transaction."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from discreet.measure.measurement import Measurement, Unit, amount
from discreet.measure.transactions.comparison import TransactionComparison


class PublishedItems:
    """The number of different non-sensitive items, generalized ones counted as they are published."""

    name: ClassVar[str] = "items"
    title: ClassVar[str] = "Different items"
    paper: ClassVar[str] = "Terrovitis, Mamoulis and Kalnis 2008"
    definition: ClassVar[str] = (
        "How many different non-sensitive items occur, and how many of them a transaction has on average."
    )
    unit: ClassVar[Unit] = "count"
    needs_sensitive: ClassVar[bool] = False

    def measure(self, comparison: TransactionComparison, random: np.random.Generator) -> Measurement:
        original, release = comparison.original, comparison.release
        before = int(np.count_nonzero(original.leaf_occurrences))
        published = np.flatnonzero(comparison.published)
        exact = int(np.isin(published, original.taxonomy.leaf_nodes).sum())
        length_before = original.occurrences / max(1, original.transactions)
        length_after = int(comparison.published.sum()) / max(1, release.transactions)
        return Measurement.of(
            self,
            original=float(before),
            release=float(len(published)),
            reading=(
                f"The release distinguishes {len(published):,} items, {exact:,} of them exact, where the "
                f"original has {before:,}; a transaction has {amount(length_after)} on average instead of "
                f"{amount(length_before)}."
            ),
            details={
                "exact": exact,
                "average_length": {"original": length_before, "release": length_after},
                "transactions": {"original": original.transactions, "release": release.transactions},
            },
        )
