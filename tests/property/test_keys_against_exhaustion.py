"""Counts and minimal keys against twins written from the definitions, which import nothing of discreet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.profile.table import combinations as module
from discreet.profile.table.combinations import CodedTable, all_pairs, minimal_keys
from examples import examples

Row = tuple[int, ...]


@st.composite
def tables(draw: st.DrawFn) -> list[Row]:
    columns = draw(st.integers(1, 7))
    widths = draw(st.lists(st.integers(1, 6), min_size=columns, max_size=columns))
    row = st.tuples(*(st.integers(0, width) for width in widths))
    return draw(st.lists(row, min_size=2, max_size=24))


def keys_by_trying(rows: Sequence[Row]) -> list[Row]:
    """The minimal combinations of up to four columns in which all rows differ."""
    found: list[Row] = []
    for size in range(1, 5):
        for columns in combinations(range(len(rows[0])), size):
            if any(set(key) <= set(columns) for key in found):
                continue
            if len({tuple(row[column] for column in columns) for row in rows}) == len(rows):
                found.append(columns)
    return found


def coded(rows: Sequence[Row]) -> CodedTable:
    array = np.array(rows, np.int32)
    return CodedTable(tuple(f"c{column}" for column in range(array.shape[1])), tuple(array.T))


def named(keys: Sequence[Row]) -> list[tuple[str, ...]]:
    return [tuple(f"c{column}" for column in key) for key in keys]


@examples(200)
@given(rows=tables(), knows_pairs=st.booleans())
@pytest.mark.parametrize("all_pairs_up_to", [0, 400], ids=["by counting", "from all pairs of rows"])
def test_the_minimal_keys_are_those_of_exhaustion(all_pairs_up_to: int, rows: list[Row], knows_pairs: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "ALL_PAIRS_UP_TO", all_pairs_up_to)
        patch.setattr(module, "SAMPLED_ROWS", 3)
        patch.setattr(module, "WITNESSES", 2)
        table = coded(rows)
        found = minimal_keys(table, all_pairs(table) if knows_pairs else None)
    assert list(found.columns) == named(keys_by_trying(rows))
    assert found.total == len(found.columns)
    assert found.complete_to == 4


@examples(200)
@given(rows=tables(), data=st.data())
def test_the_counts_of_a_combination_are_those_of_the_definition(rows: list[Row], data: st.DataObject) -> None:
    columns = tuple(sorted(data.draw(st.sets(st.sampled_from(range(len(rows[0]))), min_size=1))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LARGEST_CODE", data.draw(st.sampled_from([8, 1 << 62])))
        found = coded(rows).combination(columns)
    seen = Counter(tuple(row[column] for column in columns) for row in rows)
    assert dict(coded(rows).extensions(columns[:-1], columns[-1:])) == {columns: found}
    assert found.distinct == len(seen)
    assert found.unique == sum(size == 1 for size in seen.values())
    assert found.small == sum(size for size in seen.values() if size < 5)
    projected = [tuple(row[column] for column in columns) for row in rows]
    differing = sum(one != other for one, other in combinations(projected, 2))
    pairs = len(rows) * (len(rows) - 1) // 2
    assert found.alike_pairs == pairs - differing
    assert found.separation == pytest.approx(differing / pairs)
    assert found.distinction == pytest.approx(len(seen) / len(rows))


@examples(25)
@given(seed=st.integers(0, 10**6), width=st.integers(2, 60), columns=st.integers(2, 9))
def test_larger_tables_go_by_samples_and_counting(seed: int, width: int, columns: int) -> None:
    random = np.random.default_rng(seed)
    array = random.integers(0, random.integers(1, width + 1, columns), (random.integers(401, 1500), columns))
    rows = [tuple(row) for row in array.tolist()]
    assert list(minimal_keys(coded(rows)).columns) == named(keys_by_trying(rows))
