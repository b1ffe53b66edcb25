"""The compiled passes over rows of items against plain Python."""

from collections import Counter

import numpy as np
import numpy.typing as npt
import pytest

from discreet.kernels.row_sets import (
    children_by_row,
    generalize_rows,
    group_rows,
    have_in_common,
    node_supports,
    places_in,
    rows_of_items,
    rows_with_above,
)
from discreet.values.sets import Sets

PARENTS = np.array([-1, 0, 1, 1, 0, 4, 4, 4], np.int32)
"""0(1(2, 3), 4(5, 6, 7))"""
LEAVES = [2, 3, 5, 6, 7]


@pytest.fixture(params=range(40))
def rows(request: pytest.FixtureRequest) -> Sets:
    random = np.random.default_rng(request.param)
    return Sets.of(
        [[leaf for leaf in LEAVES if random.random() < 0.4] for _ in range(int(random.integers(0, 30)))],
    )


def as_lists(offsets: npt.NDArray[np.int64], items: npt.NDArray[np.int32]) -> list[list[int]]:
    return [items[offsets[row] : offsets[row + 1]].tolist() for row in range(len(offsets) - 1)]


def above(node: int) -> set[int]:
    return {node} | (above(int(PARENTS[node])) if PARENTS[node] >= 0 else set())


def test_generalized_rows_merge_what_becomes_equal(rows: Sets) -> None:
    node_of = np.array([0, 1, 1, 1, 4, 4, 6, 6], np.int32)
    expected = [sorted({int(node_of[item]) for item in row}) for row in rows]
    assert as_lists(*generalize_rows(rows.offsets, rows.items, node_of)) == expected


def test_rows_with_all_nodes_above(rows: Sets) -> None:
    expected = [sorted(set().union(*(above(int(item)) for item in row))) for row in rows]
    assert as_lists(*rows_with_above(rows.offsets, rows.items, PARENTS)) == expected


def test_rows_by_item_and_what_items_have_in_common(rows: Sets) -> None:
    offsets, of_item = rows_of_items(rows.offsets, rows.items, len(PARENTS))
    assert as_lists(offsets, of_item) == [
        [number for number, row in enumerate(rows) if item in row] for item in range(len(PARENTS))
    ]
    weights = np.arange(1, len(rows) + 1)
    both = sum(number + 1 for number, row in enumerate(rows) if 2 in row and 6 in row)
    for smallest in (1, 5, max(both, 1), both + 1):
        nodes = np.array([2, 6], np.int64)
        assert have_in_common(nodes, smallest, offsets, of_item, weights) == (both >= smallest)


def test_supports_of_nodes(rows: Sets) -> None:
    weights = np.arange(1, len(rows) + 1)
    expected: Counter[int] = Counter()
    for weight, row in zip(weights, rows, strict=True):
        for node in set().union(*(above(int(item)) for item in row)):
            expected[node] += int(weight)
    supports = node_supports(rows.offsets, rows.items, PARENTS, weights)
    assert supports.tolist() == [expected[node] for node in range(len(PARENTS))]


def test_rows_that_are_alike(rows: Sets) -> None:
    before = np.arange(len(rows)) % 2
    first, group = group_rows(rows.offsets, rows.items, before)
    keys = [(int(before[number]), tuple(row.tolist())) for number, row in enumerate(rows)]
    assert [keys[index] for index in first] == list(dict.fromkeys(keys))
    assert [keys[first[kind]] for kind in group] == keys


def test_places_among_rows() -> None:
    rows, wanted = np.array([2, 3, 5, 8, 9]), np.array([3, 8, 9])
    assert places_in(rows, wanted).tolist() == [1, 3, 4]


def test_children_of_each_row_and_the_scratch_left_clean() -> None:
    scratch = np.zeros(6, np.int64)
    rows, children = np.array([1, 4, 1, 1, 4], np.int32), np.array([0, 0, 0, 1, 1], np.int32)
    concerned, offsets, found = children_by_row(rows, children, scratch)
    assert concerned.tolist() == [1, 4]
    assert as_lists(offsets, found) == [[0, 1], [0, 1]]
    assert not scratch.any()
