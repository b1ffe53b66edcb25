"""Which frequent patterns of the original the release still shows, and how exact their supports are.

Papers: Liu 2010, 4.5.1.2; patterns over a taxonomy: Srikant and Agrawal 1995. With the patterns that at least 1% of the
transactions have, OFP in the original and AFP in the release, |AFP| says how much is retained, and
Error = sum of |support in OFP - support in AFP| / sum of support in OFP, over the patterns in both, how exact it is.
Patterns have at most 3 items, or fewer where there would be more than a million. Where sensitive items are published
apart, the release shows no pattern with one.
"""

from __future__ import annotations

from math import ceil
from typing import ClassVar

import numpy as np

from discreet.measure.measurement import Measurement, Unit, percent
from discreet.measure.transactions.comparison import TransactionComparison
from discreet.measure.transactions.mining import Pattern, frequent_patterns, mined_before_and_after

SUPPORT = 0.01
LONGEST = 3
MOST_PATTERNS = 1_000_000
MOST_NAMED = 10


class FrequentPatterns:
    """The number of generalized frequent patterns, and the error of their supports."""

    name: ClassVar[str] = "frequent-patterns"
    title: ClassVar[str] = "Frequent patterns"
    paper: ClassVar[str] = "Liu 2010, 4.5.1.2; Srikant and Agrawal 1995"
    definition: ClassVar[str] = (
        f"How many sets of at most {LONGEST} items, single or general, no two on one path of the taxonomy, "
        f"{SUPPORT:.0%} of the transactions or more have together."
    )
    unit: ClassVar[Unit] = "count"
    needs_sensitive: ClassVar[bool] = False

    def measure(self, comparison: TransactionComparison, random: np.random.Generator) -> Measurement:
        smallest = max(1, ceil(SUPPORT * comparison.original.transactions))
        longest, before, after = mined_before_and_after(comparison, frequent_patterns, smallest, LONGEST, MOST_PATTERNS)
        both = before.keys() & after.keys()
        supports = sum(before[pattern] for pattern in both)
        error = sum(abs(before[pattern] - after[pattern]) for pattern in both) / supports if supports else None
        reading = (
            f"Of {len(before):,} patterns that {SUPPORT:.0%} of the transactions or more have, the release shows "
            f"{len(both):,}"
        )
        if error is not None:
            reading += f", their supports {'exactly' if error == 0 else f'with an error of {percent(error)}'}"
        if new := len(after) - len(both):
            reading += f"; it shows {new:,} that the original does not have"
        lost = sorted((pattern for pattern in before if pattern not in after), key=lambda pattern: -before[pattern])
        return Measurement.of(
            self,
            original=float(len(before)),
            release=float(len(after)),
            reading=f"{reading}.",
            details={
                "support": SUPPORT,
                "transactions": smallest,
                "longest": longest,
                "both": len(both),
                "error": error,
                "by_length": [
                    {
                        "items": length,
                        "original": sum(len(pattern) == length for pattern in before),
                        "release": sum(len(pattern) == length for pattern in after),
                    }
                    for length in range(1, longest + 1)
                ],
                "lost": [
                    {"items": _labels(comparison, pattern), "transactions": before[pattern]}
                    for pattern in lost[:MOST_NAMED]
                ],
            },
        )


def _labels(comparison: TransactionComparison, pattern: Pattern) -> list[str]:
    labels = (*comparison.original.taxonomy.labels, *comparison.original.sensitive_items)
    return [labels[item] for item in pattern]
