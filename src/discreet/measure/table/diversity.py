"""k, l, entropy l and t of the equivalence classes, as other tools compute them.

Papers: Sweeney 2002 (k-anonymity); Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam 2006 (distinct and entropy
l-diversity); Li, Li and Venkatasubramanian 2007 (t-closeness). These are figures of the table at hand, not promises:

    k          the records of the smallest equivalence class
    distinct l the different sensitive values of the class that has the fewest
    entropy l  exp of the least entropy of sensitive values in a class; pyCANON gives the whole part of it
    t          the greatest distance of a class's sensitive values from the table's own, where any two values are
               equally far: half the sum of |q - p| (the "equal distance" of Li et al.; pyCANON's for text)

The table is the original for "original" and the release, with its own distribution, for "release". A suppressed
sensitive value counts as a value `*`, as it does for every tool that reads the published file: a class of nothing but
stars has a distinct l of 1, though its stars give nothing away. No class, no figure: all are null for a release
without rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from discreet.encode.joint import SUPPRESSED
from discreet.measure.measurement import Measurement, Unit, amount, percent, records
from discreet.measure.table.comparison import ANY_RECODING, Comparison, cross_table, weighted_counts
from discreet.values.arrays import Floats, Int64s

NOTHING_PUBLISHED = "Nothing was published, so there is no group to look at."


@dataclass(frozen=True)
class ClassDiversity:
    """Equivalence class -> how diverse its sensitive values are."""

    distinct: Int64s
    entropy: Floats
    distance: Floats
    """from the table's distribution"""


def class_diversity(group: Int64s, sensitive: npt.NDArray[np.int32], counts: Int64s) -> ClassDiversity:
    """From combinations with the number of their class, their sensitive value and their count."""
    (groups, values), cells = cross_table(np.stack([group, sensitive - SUPPRESSED]), counts)
    sizes = weighted_counts(groups, cells)
    share = cells / sizes[groups]
    overall = weighted_counts(values, cells) / max(1, cells.sum())
    # Both distributions add up to 1, so what lies above sums to half of all differences.
    above = np.maximum(0.0, share - overall[values])
    return ClassDiversity(
        distinct=np.bincount(groups),
        entropy=np.maximum(0.0, -np.bincount(groups, weights=share * np.log(share))),
        distance=np.asarray(np.bincount(groups, weights=above), np.float64),
    )


def diversity_of_original(comparison: Comparison) -> ClassDiversity:
    original = comparison.original
    return class_diversity(comparison.class_of_original, original.sensitive, original.counts)


def diversity_of_release(comparison: Comparison) -> ClassDiversity | None:
    """None when nothing was published."""
    release = comparison.release
    if not len(release.counts):
        return None
    return class_diversity(comparison.class_of_release, release.sensitive, release.counts)


class SmallestClass:
    """k: the records of the smallest equivalence class."""

    name: ClassVar[str] = "k"
    title: ClassVar[str] = "Smallest class (k)"
    paper: ClassVar[str] = "Sweeney 2002"
    definition: ClassVar[str] = "The records of the smallest group with the same published quasi-identifiers."
    unit: ClassVar[Unit] = "records"
    needs_sensitive: ClassVar[bool] = False
    needs_class: ClassVar[bool] = False
    recodings: ClassVar[tuple[str, ...]] = ANY_RECODING

    def measure(self, comparison: Comparison, random: np.random.Generator) -> Measurement:
        before = int(comparison.sizes_of_original.min())
        sizes = comparison.sizes_of_release
        if not len(sizes):
            return Measurement.of(self, original=before, release=None, reading=NOTHING_PUBLISHED)
        after = int(sizes.min())
        reading = (
            f"Nobody is in a published group of fewer than {records(after)}; in the original the smallest group has "
            f"{before:,}."
        )
        if after == 1:
            reading = f"Some published groups have a single record; in the original the smallest group has {before:,}."
        return Measurement.of(self, original=before, release=after, reading=reading)


class DistinctDiversity:
    """l: the different sensitive values of the class that has the fewest."""

    name: ClassVar[str] = "distinct_l"
    title: ClassVar[str] = "Distinct l-diversity (l)"
    paper: ClassVar[str] = "Machanavajjhala et al. 2006"
    definition: ClassVar[str] = (
        "The number of different sensitive values in the group that has the fewest, suppressed values together "
        "counting as one."
    )
    unit: ClassVar[Unit] = "count"
    needs_sensitive: ClassVar[bool] = True
    needs_class: ClassVar[bool] = False
    recodings: ClassVar[tuple[str, ...]] = ANY_RECODING

    def measure(self, comparison: Comparison, random: np.random.Generator) -> Measurement:
        before = int(diversity_of_original(comparison).distinct.min())
        found = diversity_of_release(comparison)
        if found is None:
            return Measurement.of(self, original=before, release=None, reading=NOTHING_PUBLISHED)
        after = int(found.distinct.min())
        least = f"Every published group has at least {after} different values"
        if after == 1:
            least = "Some published groups have a single value"
        return Measurement.of(
            self,
            original=before,
            release=after,
            reading=(
                f"{least} of {comparison.sensitive}{_with_stars(comparison)}; in the original the fewest are {before}."
            ),
            details={"classes_with_fewest": int((found.distinct == after).sum())},
        )


class EntropyDiversity:
    """exp of the least entropy of sensitive values in a class."""

    name: ClassVar[str] = "entropy_l"
    title: ClassVar[str] = "Entropy l-diversity"
    paper: ClassVar[str] = "Machanavajjhala et al. 2006"
    definition: ClassVar[str] = (
        "exp of the entropy of the sensitive values in the group where it is least: how many equally frequent values "
        "would be as uncertain. Other tools give its whole part."
    )
    unit: ClassVar[Unit] = "count"
    needs_sensitive: ClassVar[bool] = True
    needs_class: ClassVar[bool] = False
    recodings: ClassVar[tuple[str, ...]] = ANY_RECODING

    def measure(self, comparison: Comparison, random: np.random.Generator) -> Measurement:
        before = _equally_frequent(diversity_of_original(comparison))
        found = diversity_of_release(comparison)
        if found is None:
            return Measurement.of(self, original=before, release=None, reading=NOTHING_PUBLISHED)
        after = _equally_frequent(found)
        values = f"{comparison.sensitive}{_with_stars(comparison)}"
        reading = (
            f"In every published group {values} is at least as uncertain as among {amount(after)} equally frequent "
            f"values; in the original it is {amount(before)}."
        )
        if after == 1:
            reading = f"Some published groups show a single value of {values}; in the original it is {amount(before)}."
        return Measurement.of(self, original=before, release=after, reading=reading)


class Closeness:
    """t: the greatest distance of a class's sensitive values from the table's own."""

    name: ClassVar[str] = "t"
    title: ClassVar[str] = "Closeness to the whole table (t)"
    paper: ClassVar[str] = "Li et al. 2007"
    definition: ClassVar[str] = (
        "The greatest distance between the sensitive values of a group and those of its whole table, half the sum of "
        "the differences of shares (earth mover's distance with all values equally far apart)."
    )
    unit: ClassVar[Unit] = "share"
    needs_sensitive: ClassVar[bool] = True
    needs_class: ClassVar[bool] = False
    recodings: ClassVar[tuple[str, ...]] = ANY_RECODING

    def measure(self, comparison: Comparison, random: np.random.Generator) -> Measurement:
        before = float(diversity_of_original(comparison).distance.max())
        found = diversity_of_release(comparison)
        if found is None:
            return Measurement.of(self, original=before, release=None, reading=NOTHING_PUBLISHED)
        after = float(found.distance.max())
        return Measurement.of(
            self,
            original=before,
            release=after,
            reading=(
                f"The published group least like the whole release differs from it in {percent(after)} of its values "
                f"of {comparison.sensitive}{_with_stars(comparison)}; in the original it is {percent(before)}."
            ),
        )


def _equally_frequent(diversity: ClassDiversity) -> float:
    # Rounded, as six equally frequent values would otherwise be 5.999999999999998.
    return round(float(np.exp(diversity.entropy.min())), 12)


def _with_stars(comparison: Comparison) -> str:
    return " (suppressed ones counted as one value)" if comparison.stars else ""
