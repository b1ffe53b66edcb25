"""Warnings about columns that are published as they are, and about rows that are not people."""

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


def test_a_secret_that_nearly_every_record_has_alone(tmp_path: Path) -> None:
    table = pa.table({"q": ["a", "b"] * 20, "s": [f"x{row}" for row in range(40)]})
    policy = discreet.Policy.parse(
        {
            "data": {},
            "attributes": {"q": {"role": "quasi-identifier"}, "s": {"role": "sensitive"}},
            "privacy": {"model": "l-diversity", "l": 2},
        }
    )
    (warning,) = discreet.publish(policy, tmp_path / "out", data=table).warnings
    assert "s is sensitive" in warning and "40 in 40 records" in warning


def identifiers_warned_of(tmp_path: Path, **identifiers: list[Any]) -> list[str]:
    table = pa.table({"q": ["a", "b"] * 20, **identifiers})
    roles = {name: {"role": "identifier"} for name in identifiers}
    policy = discreet.Policy.parse(
        {
            "data": {},
            "attributes": {"q": {"role": "quasi-identifier"}, **roles},
            "privacy": {"model": "k-anonymity", "k": 2},
        }
    )
    return discreet.publish(policy, tmp_path / "out", data=table).warnings


@pytest.mark.parametrize(
    "identifiers",
    [
        {"token": [row // 4 for row in range(40)]},
        {"token": [None] * 20 + [row // 2 for row in range(20)]},
        {"patient": ["p"] * 39 + ["r"]},
        {"patient_id": [row // 20 for row in range(40)], "visit": list(range(40))},
    ],
)
def test_people_with_several_records(tmp_path: Path, identifiers: dict[str, list[Any]]) -> None:
    (warning,) = identifiers_warned_of(tmp_path, **identifiers)
    assert next(iter(identifiers)) in warning
    assert "people have several records" in warning and "Give it the role person" in warning


@pytest.mark.parametrize(
    "identifiers",
    [
        {"record": list(range(40)), "ward": ["x", "y"] * 20, "surname": [row // 4 for row in range(40)]},
        {"record": [*range(39), 0]},
        {"record": [None] * 20 + list(range(20))},
        {"ward": ["x", "y"] * 20},
        {"postcode": [row // 4 for row in range(40)]},
        {"employees": [row // 20 for row in range(40)]},
        {"nothing": [None] * 40},
    ],
)
def test_people_with_one_record_and_columns_that_nobody_needs(
    tmp_path: Path, identifiers: dict[str, list[Any]]
) -> None:
    assert identifiers_warned_of(tmp_path, **identifiers) == []
