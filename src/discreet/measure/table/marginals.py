"""The divergence of single columns: are the shares of the values still right?

Papers: Kullback and Leibler 1951; Kifer and Gehrke 2006. For each column p is the distribution of its values in the
original and q that which a reader of the release computes when a generalized value stands equally for each of its
leaves (all leaves of the taxonomy, whether they occur or not). The divergence is the sum of p ln(p / q). Suppressed
sensitive values are left out of q. A value that occurs in the original and that no published record can have (all its
records were deleted or starred) has q = 0: the divergence of its column is infinite, given as null, and the value is
named. The distance (total variation, half the sum of |p - q|, always finite) says the same as a share of records. It
is 1 when nothing is published. The figure is the average distance of the columns; their average divergence is among the
details, null when one of them is infinite.
"""

from __future__ import annotations

from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.encode.joint import SUPPRESSED
from discreet.measure.measurement import Measurement, Unit, percent
from discreet.measure.table.comparison import ANY_RECODING, Comparison, weighted_counts
from discreet.values.arrays import Floats

Numbers: TypeAlias = npt.NDArray[np.int64] | npt.NDArray[np.float64]

MOST_NAMED = 10


class MarginalDivergence:
    """How far the distributions of single columns are from the original's."""

    name: ClassVar[str] = "marginals"
    title: ClassVar[str] = "Distributions of single columns"
    paper: ClassVar[str] = "Kullback and Leibler 1951; Kifer and Gehrke 2006"
    definition: ClassVar[str] = (
        "Half the sum of the differences between the shares of a column's values in the original and in the release, "
        "where a generalized value counts equally as each of its leaves and stars are left out; averaged over the "
        "columns. The Kullback-Leibler divergence (natural logarithm) is given besides."
    )
    unit: ClassVar[Unit] = "share"
    needs_sensitive: ClassVar[bool] = False
    needs_class: ClassVar[bool] = False
    recodings: ClassVar[tuple[str, ...]] = ANY_RECODING

    def measure(self, comparison: Comparison, random: np.random.Generator) -> Measurement:
        original, release = comparison.original, comparison.release
        columns = []
        for index, (attribute, taxonomy) in enumerate(zip(original.attributes, original.taxonomies, strict=True)):
            after = comparison.published(index) @ comparison.spread(index)
            columns.append(_compared(attribute, taxonomy.leaf_labels, original.occurrences(index), after))
        coded = (
            (comparison.sensitive, original.sensitive_values, original.sensitive, release.sensitive),
            (comparison.class_column, original.class_values, original.classes, release.classes),
        )
        for name, values, codes, published in coded:
            if name is not None:
                shown = published != SUPPRESSED
                before = weighted_counts(codes, original.counts, len(values))
                rows = weighted_counts(published[shown], release.counts[shown], len(values))
                columns.append(_compared(name, values, before, rows))
        divergences = [column["divergence"] for column in columns]
        distance = sum(column["distance"] for column in columns) / len(columns)
        return Measurement.of(
            self,
            original=0.0,
            release=distance,
            reading=_reading(columns, distance),
            details={
                "divergence": None if None in divergences else sum(divergences) / len(divergences),
                "columns": columns,
            },
        )


def _compared(name: str, values: tuple[str, ...], before: Numbers, after: Numbers) -> dict[str, Any]:
    published = float(after.sum())
    p: Floats = before / before.sum()
    q: Floats = after / published if published else np.zeros(len(p))
    occurs = p > 0
    vanished = np.flatnonzero(occurs & (q == 0))
    divergence = None
    if not len(vanished):
        divergence = max(0.0, float(p[occurs] @ np.log(p[occurs] / q[occurs])))
    return {
        "column": name,
        "divergence": divergence,
        "distance": float(np.abs(p - q).sum() / 2) if published else 1.0,
        "vanished": len(vanished),
        "vanished_values": [values[value] for value in vanished[:MOST_NAMED]],
    }


def _reading(columns: list[dict[str, Any]], distance: float) -> str:
    worst = max(columns, key=lambda column: float(column["distance"]))
    text = (
        f"Read off the release, the average column has {percent(distance)} of its records on other values than in the "
        "original"
    )
    if worst["distance"] > 0:
        text += f", most of all {worst['column']} with {percent(worst['distance'])}"
    gone = [column for column in columns if column["vanished"]]
    if not gone:
        return f"{text}."
    number = sum(column["vanished"] for column in gone)
    named = " and ".join(f"{column['column']} ({_named(column)})" for column in gone[:3])
    more = " and others" if len(gone) > 3 else ""
    return f"{text}; {number:,} {'value has' if number == 1 else 'values have'} vanished altogether: {named}{more}."


def _named(column: dict[str, Any]) -> str:
    shown = [repr(value) if value else "missing" for value in column["vanished_values"][:3]]
    return ", ".join([*shown, "..."] if column["vanished"] > len(shown) else shown)
