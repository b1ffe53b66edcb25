"""The schemes on whole tables against the oracle's, partition by partition."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discreet.models.partition_limits import PartitionLimits
from discreet.recode.table.suppression import suppress
from discreet.values.partitions import Partitions
from examples import examples
from oracle.tables import least_deletion

HALF = PartitionLimits((Fraction(1, 2),) * 3)


def table(*histograms: list[int]) -> Partitions:
    by_class = np.array(histograms, np.int64)[:, :, None]
    return Partitions(np.arange(len(histograms), dtype=np.int32)[:, None], by_class)


def test_vio_sa_hides_every_occurrence_of_a_violating_value() -> None:
    release = suppress(table([3, 1, 1], [1, 1, 0]), HALF, "vio-sa")
    assert release.visible.tolist() == [[0, 1, 1], [1, 1, 0]]
    assert (release.values, release.records) == (3, 0)


def test_stars_betray_the_only_value_that_does_not_show() -> None:
    assert suppress(table([3, 1, 1]), HALF, "vio-sa").betrayed == 3
    guarded = suppress(table([3, 1, 1]), HALF, "vio-sa", guard_stars=True)
    assert guarded.betrayed == 0
    assert guarded.visible.sum() == 0


def test_all_sa_and_all_rec_take_the_partition_as_a_whole() -> None:
    values = suppress(table([3, 1, 1], [1, 1, 0]), HALF, "all-sa")
    assert values.visible.tolist() == [[0, 0, 0], [1, 1, 0]]
    records = suppress(table([3, 1, 1], [1, 1, 0]), HALF, "all-rec")
    assert (records.records, records.values, records.sizes.tolist()) == (5, 0, [0, 2])


def test_none_says_when_it_is_not_lawful() -> None:
    assert suppress(table([1, 1, 0]), HALF, "none").lawful
    assert not suppress(table([2, 1, 0]), HALF, "none").lawful
    assert not suppress(table([1, 1, 0]), PartitionLimits((Fraction(1),) * 3, smallest=3), "none").lawful


def test_vio_rec_deletes_what_leaves_the_largest_majority() -> None:
    by_class = np.array([[[2, 1], [0, 1]]], np.int64)  # three records of a value of which one may stay
    partitions = Partitions(np.zeros((1, 1), np.int32), by_class)
    release = suppress(partitions, PartitionLimits((Fraction(1, 2),) * 2), "vio-rec", prefer_classes=True)
    assert release.kept.tolist() == [[[0, 1], [0, 1]]]


@examples(120)
@given(
    st.lists(st.integers(0, 9), min_size=3, max_size=3),
    st.lists(st.fractions(0, 1, max_denominator=1000), min_size=3, max_size=3),
)
def test_vio_rec_deletes_the_least_fixed_point(histogram: list[int], shares: list[Fraction]) -> None:
    names = "abc"
    keep = least_deletion(Counter(dict(zip(names, histogram, strict=True))), dict(zip(names, shares, strict=True)))
    release = suppress(table(histogram), PartitionLimits(tuple(shares)), "vio-rec")
    assert release.kept[0, :, 0].tolist() == [keep[name] for name in names]
