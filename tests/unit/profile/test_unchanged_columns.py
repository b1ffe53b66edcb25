"""Warnings about columns that are published as they are."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import discreet


def warnings_of(tmp_path: Path, column: list[Any], role: str = "insensitive") -> list[str]:
    rows = len(column)
    table = pa.table({"q": ["a", "b"] * (rows // 2), "s": ["x", "x", "y", "y"] * (rows // 4), "extra": column})
    policy = discreet.Policy.parse(
        {
            "data": {},
            "attributes": {"q": {"role": "quasi-identifier"}, "s": {"role": "sensitive"}, "extra": {"role": role}},
            "privacy": {"model": "l-diversity", "l": 2},
        }
    )
    return discreet.publish(policy, tmp_path / "out", data=table).warnings


@pytest.mark.parametrize("role", ["insensitive", "class"])
def test_a_nearly_unique_column(tmp_path: Path, role: str) -> None:
    (warning,) = warnings_of(tmp_path, list(range(40)), role)
    assert f"extra has the role {role}" in warning
    assert "40 in 40 records" in warning and "identifier" in warning


def test_missing_values_do_not_hide_it(tmp_path: Path) -> None:
    (warning,) = warnings_of(tmp_path, [None] * 20 + list(range(20)))
    assert "20 in 20 records" in warning


def test_a_column_that_adds_to_the_quasi_identifiers(tmp_path: Path) -> None:
    (warning,) = warnings_of(tmp_path, [index // 2 for index in range(40)])
    assert "with it 40 more of 40 records are unique" in warning
    assert "quasi-identifiers alone (0)" in warning


def test_a_harmless_column(tmp_path: Path) -> None:
    assert warnings_of(tmp_path, ["red", "red", "blue", "blue"] * 10) == []
