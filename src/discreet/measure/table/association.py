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

Where groups have labels of their own, or rows were made up, labels are no categories: they overlap, and which label a
value gets in one column goes with the group, as those of all other columns do, so labels would seem associated that
values are not. There the evidence is that of the leaves, each row spread equally over all pairs of leaves below its two
labels. Where labels exclude one another this is the same figure, as leaves that are spread equally add nothing to the
ratio n_xy n / (n_x n_y) of their labels. (Kept may exceed 1 there.) V of the original's values generalized as published
does not exist, and pairs of more than MOST_PAIRS_OF_LEAVES are not computed.

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
from scipy.sparse import csr_array

from discreet.encode.joint import SUPPRESSED
from discreet.measure.measurement import Measurement, Unit, percent
from discreet.measure.table.comparison import ANY_RECODING, UNPUBLISHED, Comparison, cross_table
from discreet.values.arrays import Floats, Int64s

MOST_PAIRS_OF_LEAVES = 1 << 24

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
    recodings: ClassVar[tuple[str, ...]] = ANY_RECODING

    def measure(self, comparison: Comparison, random: np.random.Generator) -> Measurement:
        original, release = comparison.original, comparison.release
        by_cuts = comparison.recoding == "global"
        before: dict[str, Integers] = dict(zip(original.attributes, original.leaves, strict=True))
        after: dict[str, Integers] = dict(zip(original.attributes, release.nodes, strict=True))
        generalized: dict[str, Integers] = {}
        spread: dict[str, csr_array] = {}
        if by_cuts:
            generalized |= zip(original.attributes, comparison.nodes - UNPUBLISHED, strict=True)
        else:
            spread |= {name: comparison.spread(index) for index, name in enumerate(original.attributes)}
        if comparison.sensitive is not None:
            before[comparison.sensitive] = generalized[comparison.sensitive] = original.sensitive
            after[comparison.sensitive] = release.sensitive
            spread[comparison.sensitive] = identity(len(original.sensitive_values))
        if comparison.class_column is not None:
            before[comparison.class_column] = generalized[comparison.class_column] = original.classes
            after[comparison.class_column] = release.classes
            spread[comparison.class_column] = identity(len(original.class_values))
        pairs = []
        for first, second in combinations(before, 2):
            then = dependence(before[first], before[second], original.counts)
            coarse: Dependence | None = None
            now: Dependence | None = None
            shown = (after[first] != SUPPRESSED) & (after[second] != SUPPRESSED)
            rows = (after[first][shown], after[second][shown], release.counts[shown])
            if by_cuts:
                coarse = dependence(generalized[first], generalized[second], original.counts)
                now = dependence(*rows)
            elif spread[first].shape[1] * spread[second].shape[1] <= MOST_PAIRS_OF_LEAVES:
                now = spread_dependence(*rows, spread[first], spread[second])
            pairs.append(
                {
                    "columns": [first, second],
                    "original": then.evidence,
                    "release": None if now is None else now.evidence,
                    "kept": None if then.is_weak or now is None else now.evidence / then.evidence,
                    "weak": then.is_weak,
                    "cramers_v": {
                        "original": then.cramers_v,
                        "original_as_published": None if coarse is None else coarse.cramers_v,
                        "release": None if now is None else now.cramers_v,
                    },
                }
            )
        return self._measurement(pairs)

    def _measurement(self, pairs: list[dict[str, Any]]) -> Measurement:
        strong = [pair for pair in pairs if pair["kept"] is not None]
        if not strong:
            return Measurement.of(
                self,
                original=None,
                release=None,
                reading="No two columns of the original are associated beyond chance, so there is nothing to keep."
                if all(pair["weak"] for pair in pairs)
                else "Not measured: the columns that are associated have too many different values.",
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


def identity(size: int) -> csr_array:
    """Values that stand for themselves."""
    return csr_array((np.ones(size), np.arange(size), np.arange(size + 1)), shape=(size, size))


def dependence(first: Integers, second: Integers, counts: Int64s) -> Dependence:
    """The association of two columns of values with counts."""
    (x, y), cells = cross_table(np.stack([first, second]), counts)
    return _dependence(x, y, cells)


def spread_dependence(
    first: Integers, second: Integers, counts: Int64s, of_first: csr_array, of_second: csr_array
) -> Dependence:
    """The same of what the values stand for: of_first, value x leaf -> its share."""
    rows = csr_array((counts, (first, second)), shape=(of_first.shape[0], of_second.shape[0]))
    leaves = (of_first.T @ rows @ of_second).tocoo()
    return _dependence(leaves.row, leaves.col, leaves.data)


def _dependence(x: Integers, y: Integers, cells: Int64s | Floats) -> Dependence:
    total = float(cells.sum())
    if not total:
        return Dependence(0.0, 0.0, 0, 0.0)
    of_x, of_y = np.bincount(x, weights=cells), np.bincount(y, weights=cells)
    expected = of_x[x] * of_y[y] / total
    evidence = float(cells @ np.log(cells / expected))
    ways = (int((of_x > 0).sum()) - 1, int((of_y > 0).sum()) - 1)
    if not min(ways):
        return Dependence(0.0, 0.0, 0, 0.0)
    chi_square = max(0.0, float((cells / expected) @ cells) - total)
    return Dependence(max(0.0, evidence), chi_square, ways[0] * ways[1], sqrt(chi_square / (total * min(ways))))
