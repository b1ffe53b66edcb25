"""Rates with their uncertainty: how often a guess is right, and between which rates the truth plausibly lies.

Paper: Wilson 1927. The interval is the set of rates that a two-sided test at 95 % would not reject. It stays within
[0, 1], and says something even when nothing, or everything, was right. Where ties are broken at random, `right` is the
expected number and may be a fraction.
"""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from typing import Any

MATCH_BINS = (0, 1, 2, 3, 5, 10, 20, 50, 100, 1000)
"""Where the bins of the number of fitting records begin; the last one has no end."""
QUANTILE = 1.959963984540054
"""of the normal distribution, two-sided 95 %"""


def wilson(right: Fraction | int, of: int) -> tuple[float, float]:
    """The 95 % interval of a rate; [0, 1] when nothing was tried."""
    if of == 0:
        return 0.0, 1.0
    rate, squared = float(Fraction(right) / of), QUANTILE**2
    centre = rate + squared / (2 * of)
    spread = QUANTILE * sqrt(rate * (1 - rate) / of + squared / (4 * of**2))
    scale = 1 + squared / of
    low = 0.0 if right == 0 else max(0.0, (centre - spread) / scale)
    high = 1.0 if right == of else min(1.0, (centre + spread) / scale)
    return low, high


def rate(right: Fraction | int, of: int) -> dict[str, Any] | None:
    """R of the attack's document; None when there is nobody to guess about."""
    if of == 0:
        return None
    right = Fraction(right)
    return {
        "right": int(right) if right.denominator == 1 else float(right),
        "of": of,
        "rate": float(right / of),
        "interval": list(wilson(right, of)),
    }
