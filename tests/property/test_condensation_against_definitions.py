"""Groups that are condensed, and measures of made-up rows, against their definitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from discreet.encode.released_table import ReleasedTable
from discreet.encode.table import EncodedTable
from discreet.kernels.microaggregation import fill_groups
from discreet.losses.sse import within_groups
from discreet.measure.table.comparison import Comparison, MadeUpRows
from discreet.measure.table.correlation import correlations
from discreet.measure.table.reappearing import Reappearing
from discreet.search.table.condensed_groups import CondensedGroups, condensed, halves
from discreet.search.table.condensed_stream import GrowingGroups
from discreet.taxonomy import Taxonomy
from discreet.values.arrays import Floats, Int64s
from examples import examples
from oracle import condensation as oracle

EXAMPLES = 300
RECORDS = st.integers(1, 3).flatmap(
    lambda width: st.lists(st.tuples(*[st.integers(-4, 4)] * width), min_size=2, max_size=24)
)


def distinct(records: Sequence[oracle.Record]) -> tuple[Floats, Int64s]:
    counted = Counter(records)
    return np.array(list(counted), np.float64), np.array(list(counted.values()), np.int64)


@examples(EXAMPLES)
@given(RECORDS, st.integers(1, 6))
def test_static_groups_are_filled_by_definition(records: list[oracle.Record], k: int) -> None:
    assume(len(records) >= k)
    points, counts = distinct(records)
    sources, numbers, amounts = fill_groups(points, counts, k)
    groups: list[list[oracle.Record]] = [[] for _ in range(int(numbers.max()) + 1)]
    for source, group, amount in zip(sources.tolist(), numbers.tolist(), amounts.tolist(), strict=True):
        groups[group] += [tuple(int(value) for value in points[source])] * amount
    assert Counter(record for group in groups for record in group) == Counter(records), "everybody once"
    assert not list(oracle.faults_of_filling(groups, k))
    assert within_groups(points[sources], numbers, amounts) == pytest.approx(float(oracle.squared_errors(groups)))


@examples(EXAMPLES)
@given(RECORDS, st.integers(1, 6), st.integers(2, 9))
def test_what_is_kept_of_groups_is_by_definition(records: list[oracle.Record], k: int, most: int) -> None:
    assume(len(records) >= k)
    points, counts = distinct(records)
    labels = (points.sum(axis=1) > 0).astype(np.int64)
    found = condensed(points, labels, 2, counts, k)
    assert found.sizes.sum() == len(records) and k <= found.sizes.min() and found.sizes.max() < 2 * k
    assert found.labels.sum(axis=1).tolist() == found.sizes.tolist()
    assert found.labels[:, 1].sum() == counts[labels == 1].sum()
    numbers = np.array(records, np.float64)
    assert (found.sizes @ found.means) / len(records) == pytest.approx(numbers.mean(axis=0))
    between = found.means - numbers.mean(axis=0)
    total = found.moments.sum(axis=0) + (between * found.sizes[:, None]).T @ between
    assert total == pytest.approx(np.cov(numbers.T, bias=True) * len(records), abs=1e-9), "no variance is lost"


@examples(60)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), min_size=4, max_size=8), st.integers(2, 3))
def test_no_grouping_is_better_than_the_best(records: list[oracle.Record], k: int) -> None:
    points, counts = distinct(records)
    sources, numbers, amounts = fill_groups(points, counts, k)
    found = within_groups(points[sources], numbers, amounts)
    assert found >= float(oracle.least_squared_errors(records, k)) - 1e-9


@examples(EXAMPLES)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(2, 5), st.integers(1, 60))
def test_a_stream_does_what_its_definition_says(seed: int, width: int, k: int, number: int) -> None:
    """Of numbers that are never tied, so that there is one nearest mean and one longest eigenvector."""
    records = np.random.default_rng(seed).normal(size=(number, width))
    growing = GrowingGroups(width, 1, k)
    cut = number // 3
    growing.add(np.ascontiguousarray(records[:cut]), np.zeros(cut, np.int64))
    again = GrowingGroups.continued(growing.groups, k)
    again.add(np.ascontiguousarray(records[cut:]), np.zeros(number - cut, np.int64))
    found, expected = again.groups, oracle.streamed(records.tolist(), k)
    assert sorted(found.sizes.tolist()) == sorted(group.number for group in expected)
    order = sorted(range(len(expected)), key=lambda place: expected[place].mean.tolist())
    here = sorted(range(len(found.sizes)), key=lambda place: found.means[place].tolist())
    for one, other in zip(here, order, strict=True):
        assert found.means[one] == pytest.approx(expected[other].mean, rel=1e-6, abs=1e-6)
        covariances = found.moments[one] / found.sizes[one]
        assert covariances == pytest.approx(expected[other].covariances, rel=1e-6, abs=1e-6)


@examples(EXAMPLES)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 6))
def test_halves_together_are_what_they_were(seed: int, width: int, k: int) -> None:
    """Exercise 6: means at a quarter of the range to either side, and nothing of mean or covariance is lost."""
    random = np.random.default_rng(seed)
    points = random.normal(size=(2 * k, width)) @ random.normal(size=(width, width))
    mean, apart = points.mean(axis=0), points - points.mean(axis=0)
    moments = apart.T @ apart
    one, two, each = halves(mean, moments, 2 * k)
    assert (one + two) / 2 == pytest.approx(mean)
    step = (two - one) / 2
    assert 2 * each + 2 * k * np.outer(step, step) == pytest.approx(moments, abs=1e-9)
    longest = float(np.linalg.eigvalsh(moments / (2 * k))[-1])
    assert np.linalg.norm(step) == pytest.approx(np.sqrt(12 * max(longest, 0)) / 4)
    assert np.linalg.eigvalsh(each)[0] >= -1e-9, "no variance is negative"


@examples(EXAMPLES)
@given(RECORDS)
def test_correlations_are_pearsons(records: list[oracle.Record]) -> None:
    points, counts = distinct(records)
    found = correlations(points, counts)
    columns = list(zip(*records, strict=True))
    for one, values in enumerate(columns):
        for other, others in enumerate(columns):
            expected = oracle.correlation(values, others)
            if expected is None:
                assert not np.isfinite(found[one, other])
            else:
                assert found[one, other] == pytest.approx(expected, abs=1e-9)


def table_of(records: Sequence[oracle.Record]) -> EncodedTable:
    counted = Counter(records)
    columns = list(zip(*counted, strict=True))
    trees = [
        Taxonomy.from_paths(f"q{place}", [(str(value), "*") for value in range(-4, 5)]) for place in range(len(columns))
    ]
    return EncodedTable(
        attributes=tuple(tree.name for tree in trees),
        taxonomies=tuple(trees),
        leaves=np.array(
            [
                [tree.leaf_labels.index(str(value)) for value in column]
                for tree, column in zip(trees, columns, strict=True)
            ],
            np.int32,
        ),
        sensitive=np.zeros(len(counted), np.int32),
        classes=np.zeros(len(counted), np.int32),
        counts=np.array(list(counted.values()), np.int64),
        sensitive_values=("",),
        class_values=("",),
    )


@examples(EXAMPLES)
@given(RECORDS, st.integers(0, 2**32 - 1), st.data())
def test_unique_records_that_reappear_are_counted_inside_and_outside(
    records: list[oracle.Record], seed: int, data: st.DataObject
) -> None:
    table = table_of(records)
    rows = data.draw(st.lists(st.sampled_from(records), min_size=1, max_size=10))
    halves_seen: list[Int64s] = []

    def again(counts: Int64s, random: np.random.Generator) -> MadeUpRows:
        halves_seen.append(counts)
        return MadeUpRows(np.array(rows, np.float64), np.zeros(len(rows), np.int64))

    nothing = np.zeros(0, np.int32)
    release = ReleasedTable(np.zeros((len(table.attributes), 0), np.int32), nothing, nothing, np.zeros(0, np.int64))
    comparison = Comparison(table, release, None, None, "synthetic", again)
    found = Reappearing().measure(comparison, np.random.default_rng(seed))
    if not halves_seen:
        assert found.release is None
        return
    once = list(Counter(records))
    half = {record: bool(taken) for record, taken in zip(once, halves_seen[0].tolist(), strict=True)}
    inside, outside = oracle.shares_reappearing(records, [half[record] for record in records], rows)
    if inside is None or outside is None:
        assert found.release is None
    else:
        assert found.release == pytest.approx(max(0.0, float(inside - outside)))


def test_groups_together_are_all_of_them() -> None:
    one = CondensedGroups(np.array([3]), np.ones((1, 2)), np.ones((1, 2, 2)), np.full((1, 1), 3.0))
    both = CondensedGroups.together([one, one])
    assert both.sizes.tolist() == [3, 3] and both.within == 4.0
