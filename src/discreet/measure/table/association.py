"""How much of the association between two columns is left.

For each pair of columns (quasi-identifiers, sensitive, class) the evidence for their association is

    n I = sum over the pairs of values (x, y) of n_xy ln(n_xy n / (n_x n_y)),

n records times their mutual information I (Shannon 1948); 2 n I is the likelihood-ratio statistic G of independence
(Wilks 1938). Kept is the release's evidence, on the values as published, divided by the original's, on leaves.

Why not the change of Cramer's V: V is normalized by the number of categories, so merging categories may raise it
while information is lost, and V of 41 countries cannot be compared with V of 3 continents. Mutual information never
grows when values are merged, so without deletions kept lies between 0 and 1; and n I, unlike I, also shrinks when
records are gone. (Deleting records can create association, so with deletions kept may exceed 1.) What suppression
alone distorts is shown by V at one resolution: the original's values generalized as published against the release's.
V is not corrected for bias: sqrt(chi2 / (n (min(values x, values y) - 1))), 0 when one column has a single value.

Records whose sensitive value is suppressed are left out of the pairs with that column. Mutual information of a sample
is above 0 even for independent columns, and the more so the finer they are, so what is kept is, if anything,
understated. Pairs that may well be independent are listed as weak and left out of the figure, which is the release's
evidence over all other pairs divided by the original's: chi2 of independent columns with r and c values has the mean
f = (r - 1)(c - 1) and a variance of about 2 f, and a pair is weak when the original's chi2 is not above
f + 3 sqrt(2 f). (chi2 and not G, whose mean differs from this when records are few.)
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from discreet.encode.joint import SUPPRESSED
from discreet.measure.measurement import Measurement, Unit, percent
from discreet.measure.table.comparison import BY_CUTS, UNPUBLISHED, Comparison, cross_table, weighted_counts
from discreet.values.arrays import Int64s

Integers = npt.NDArray[np.integer]


@dataclass(frozen=True)
class Dependence:
    """What a cross table of two columns says about their association."""

    evidence: float
    """n I, with the natural logarithm"""
    chi_square: float
    freedom: int
    """(r - 1)(c - 1) for r and c values that occur"""
    cramers_v: float

    @property
    def is_weak(self) -> bool:
        return self.chi_square <= self.freedom + 3 * sqrt(2 * self.freedom)


class PairwiseAssociation:
    """The share of the evidence for associations of two columns that the release keeps."""

    name: ClassVar[str] = "association"
    title: ClassVar[str] = "Associations between two columns"
    paper: ClassVar[str] = "Shannon 1948; Wilks 1938; Cramer 1946"
    definition: ClassVar[str] = (
        "Records times the mutual information of two columns (half the likelihood-ratio statistic of independence) "
        "in the release, divided by the original's, over all pairs whose association in the original is beyond chance."
    )
    unit: ClassVar[Unit] = "share"
    needs_sensitive: ClassVar[bool] = False
    needs_class: ClassVar[bool] = False
    recodings: ClassVar[tuple[str, ...]] = BY_CUTS

    def measure(self, comparison: Comparison, random: np.random.Generator) -> Measurement:
        original, release = comparison.original, comparison.release
        before: dict[str, Integers] = dict(zip(original.attributes, original.leaves, strict=True))
        generalized: dict[str, Integers] = dict(zip(original.attributes, comparison.nodes - UNPUBLISHED, strict=True))
        after: dict[str, Integers] = dict(zip(original.attributes, release.nodes, strict=True))
        if comparison.sensitive is not None:
            before[comparison.sensitive] = generalized[comparison.sensitive] = original.sensitive
            after[comparison.sensitive] = release.sensitive
        if comparison.class_column is not None:
            before[comparison.class_column] = generalized[comparison.class_column] = original.classes
            after[comparison.class_column] = release.classes
        pairs = []
        for first, second in combinations(before, 2):
            then = dependence(before[first], before[second], original.counts)
            coarse = dependence(generalized[first], generalized[second], original.counts)
            shown = (after[first] != SUPPRESSED) & (after[second] != SUPPRESSED)
            now = dependence(after[first][shown], after[second][shown], release.counts[shown])
            pairs.append(
                {
                    "columns": [first, second],
                    "original": then.evidence,
                    "release": now.evidence,
                    "kept": None if then.is_weak else now.evidence / then.evidence,
                    "weak": then.is_weak,
                    "cramers_v": {
                        "original": then.cramers_v,
                        "original_as_published": coarse.cramers_v,
                        "release": now.cramers_v,
                    },
                }
            )
        return self._measurement(pairs)

    def _measurement(self, pairs: list[dict[str, Any]]) -> Measurement:
        strong = [pair for pair in pairs if not pair["weak"]]
        if not strong:
            return Measurement.of(
                self,
                original=None,
                release=None,
                reading="No two columns of the original are associated beyond chance, so there is nothing to keep.",
                details={"pairs": pairs},
            )
        kept = sum(pair["release"] for pair in strong) / sum(pair["original"] for pair in strong)
        worst = min(strong, key=lambda pair: float(pair["kept"]))
        reading = f"The release keeps {percent(kept)} of the evidence for associations between two columns"
        if len(strong) > 1:
            reading += f", least for {' and '.join(worst['columns'])} with {percent(worst['kept'])}"
        return Measurement.of(
            self, original=1.0, release=kept, reading=f"{reading}.", details={"pairs": pairs, "worst": worst["columns"]}
        )


def dependence(first: Integers, second: Integers, counts: Int64s) -> Dependence:
    """The association of two columns of values with counts."""
    (x, y), cells = cross_table(np.stack([first, second]), counts)
    total = int(cells.sum())
    if not total:
        return Dependence(0.0, 0.0, 0, 0.0)
    of_x, of_y = weighted_counts(x, cells), weighted_counts(y, cells)
    expected = of_x[x].astype(np.float64) * of_y[y] / total
    evidence = float(cells @ np.log(cells / expected))
    ways = (int((of_x > 0).sum()) - 1, int((of_y > 0).sum()) - 1)
    if not min(ways):
        return Dependence(0.0, 0.0, 0, 0.0)
    chi_square = max(0.0, float((cells / expected) @ cells) - total)
    return Dependence(max(0.0, evidence), chi_square, ways[0] * ways[1], sqrt(chi_square / (total * min(ways))))
