"""How far the shares of all items, sensitive ones too, are from those of the original.

Paper: Jia et al. 2014, 4.1 (symmetric Kullback-Leibler divergence): S(H1, H2) = 1/2 KL(H1 || M) + 1/2 KL(H2 || M)
with H1 and H2 the items' shares of all occurrences before and after. The paper calls M the union of the two and does
not define it. It is read as their mean, (H1 + H2) / 2. Then S is the Jensen-Shannon divergence: defined where one side
has zeros, which is what the paper needs M for, 0 only for equal shares, and at most ln 2 (natural logarithm). The
figure is its share of that; the divergence itself is among the details.

The occurrences of a published node are spread evenly over the leaves under it. Unlike the divergence of item
frequencies, which looks at the items that are not sensitive, this one sees that sensitive occurrences are left out.
"""

from __future__ import annotations

from math import log
from typing import Any, ClassVar

import numpy as np

from discreet.measure.measurement import Measurement, Unit, percent
from discreet.measure.transactions.comparison import TransactionComparison
from discreet.measure.transactions.item_frequency import jensen_shannon

MOST_NAMED = 20
"""Items that are listed one by one, the most frequent first."""


class ItemDivergence:
    """The divergence between the shares of items in the original and in the release."""

    name: ClassVar[str] = "item-divergence"
    title: ClassVar[str] = "Shares of all items"
    paper: ClassVar[str] = "Jia et al. 2014, 4.1; Lin 1991"
    definition: ClassVar[str] = (
        "Half the Kullback-Leibler divergence of the items' shares of all occurrences in the original from the mean of "
        "these and those in the release, plus half that of the latter, as a share of the most possible (ln 2); "
        "sensitive items are among them."
    )
    unit: ClassVar[Unit] = "share"
    needs_sensitive: ClassVar[bool] = True

    def measure(self, comparison: TransactionComparison, random: np.random.Generator) -> Measurement:
        original, taxonomy = comparison.original, comparison.original.taxonomy
        before = np.concatenate((original.leaf_occurrences, original.sensitive_occurrences)).astype(np.float64)
        after = np.concatenate((comparison.spread, comparison.published_sensitive))
        if not before.sum() or not after.sum():
            reason = "the release has no items" if before.sum() else "the transactions have no items"
            reading = f"Not measured: {reason} whose share could be read."
            return Measurement.of(self, original=None, release=None, reading=reading, details={"measured": False})
        true, read = before / before.sum(), after / after.sum()
        divergence = jensen_shannon(true, read)
        first_sensitive = len(taxonomy.leaf_nodes)
        vanished = int(((before > 0) & (after == 0)).sum())
        reading = (
            "The shares of all items, sensitive ones among them, differ from those of the original by "
            f"{percent(divergence / log(2))} of the most possible"
        )
        if vanished:
            reading += f"; {vanished:,} of {np.count_nonzero(before):,} items no longer occur"
        labels = (*taxonomy.leaf_labels, *original.sensitive_items)

        def told(item: int) -> dict[str, Any]:
            return {
                "item": labels[item],
                "sensitive": item >= first_sensitive,
                "original": float(true[item]),
                "release": float(read[item]),
            }

        return Measurement.of(
            self,
            original=0.0,
            release=divergence / log(2),
            reading=f"{reading}.",
            details={
                "measured": True,
                "divergence": divergence,
                "items": int(np.count_nonzero(before)),
                "vanished": vanished,
                "sensitive_share": {
                    "original": float(true[first_sensitive:].sum()),
                    "release": float(read[first_sensitive:].sum()),
                },
                "frequent": [told(item) for item in np.argsort(-before, kind="stable")[:MOST_NAMED].tolist()],
            },
        )
