"""The bounds on work; that the keys and counts are right is in tests/property."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.profile.table import combinations as module
from discreet.profile.table.combinations import CodedTable, all_pairs, minimal_keys, most_identifying


def table(rows: int, columns: int, width: int) -> CodedTable:
    random = np.random.default_rng(0)
    codes = random.integers(0, width, (columns, rows)).astype(np.int32)
    return CodedTable(tuple(f"c{column}" for column in range(columns)), tuple(codes))


def test_many_keys_are_counted_and_a_few_are_named() -> None:
    found = minimal_keys(table(100, 30, 100), most=5)
    assert len(found.columns) == 5
    assert found.total == found.more + 5 > 100
    assert found.complete_to == 4


def test_a_search_that_is_too_long_says_how_far_it_came(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_KEY_VISITS", 0)
    found = minimal_keys(table(2000, 8, 200))
    assert (found.complete_to, found.total) == (2, 0)  # pairs are refuted by known pairs of rows, without counting
    monkeypatch.setattr(module, "MOST_KEY_VISITS", 10**9)
    monkeypatch.setattr(module, "MOST_CANDIDATES", 30)
    assert minimal_keys(table(2000, 8, 200)).complete_to == 2


def test_two_equal_rows_leave_no_key() -> None:
    equal = np.zeros(2, np.int32)
    assert minimal_keys(CodedTable(("a", "b"), (equal, equal))).total == 0


def test_of_a_wide_table_the_most_distinct_columns_are_paired(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_PAIR_VISITS", 8 * module.VISITS_OF_A_COUNT)
    random = np.random.default_rng(0)
    codes = tuple(random.integers(0, 2 + column, 50).astype(np.int32) for column in range(12))
    pairs = all_pairs(CodedTable(tuple("abcdefghijkl"), codes))
    assert len(pairs) == 6
    assert {name for counted in pairs.values() for name in counted.columns} <= set("fghijkl")


def test_what_singles_out_everyone_is_not_extended() -> None:
    codes = (np.array([0, 0, 1, 1], np.int32), np.array([0, 1, 0, 1], np.int32), np.array([0, 1, 1, 1], np.int32))
    coded = CodedTable(("a", "b", "c"), codes)
    found = most_identifying(coded, all_pairs(coded), [0, 1, 2])
    assert found[2][0].columns == ("a", "b")
    assert found[2][0].unique == 4
    assert found[3] == []
