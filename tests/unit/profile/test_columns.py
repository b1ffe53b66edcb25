from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

from discreet.profile.columns import Column, describe


def column(name: str, cells: Sequence[str | None]) -> Column:
    encoded = pa.array(cells, pa.large_string()).dictionary_encode()
    codes = encoded.indices.fill_null(len(encoded.dictionary))
    return describe(name, encoded.dictionary, np.asarray(codes, np.int32))


KINDS: dict[str, Sequence[str | None]] = {
    "empty": [None] * 4,
    "yes/no": ["Yes", "no", None, "Yes"],
    "whole": [str(row) for row in range(20)],
    "decimal": ["1.5", " 2", "-3e2", ".5", "+7."],
    "date": ["2024-03-05", "2023-01-01 10:00:00", "2020-02-29T10:00"],
    "category": ["red", "green"] * 5,
    "code": [f"A{row:03}" for row in range(90)],
    "text": [f"someone called {'abcdefgh'[row % 8] * (row + 1)}" for row in range(20)],
    "long text": ["word " * (30 + row) for row in range(20)],
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_kind(kind: str) -> None:
    assert column("x", KINDS[kind]).kind == kind


def test_counts() -> None:
    found = column("x", ["a", "a", "b", None, "c", "c"])
    assert (found.rows, found.distinct, found.missing, found.unique, found.largest) == (6, 3, 1, 2, 2)
    assert found.categories == (("a", 2), ("c", 2), ("", 1), ("b", 1))
    assert not found.constant
    assert column("x", ["a"] * 3).constant
    assert column("x", [None] * 3).constant
    assert not column("x", ["a", None]).constant


@pytest.mark.parametrize(
    ("cells", "name", "kind"),
    [
        (["80120", "80121"] * 5, "zip", "code"),
        (["80120", "80121"] * 5, "price", "whole"),
        (["007", "012", "100"], "price", "code"),
        ([f"{row:012}" for row in range(10**11, 10**11 + 40)], "x", "code"),
        (["1e15", "2"], "x", "text"),
        (["2023-02-30", "2023-13-01"], "x", "text"),
        (["inf", "nan", "infinity", "-inf", "1"], "x", "text"),
    ],
)
def test_what_only_looks_like_a_number_or_a_date(cells: list[str | None], name: str, kind: str) -> None:
    assert column(name, cells).kind == kind


def test_a_few_other_values_are_exceptions() -> None:
    found = column("age", [*(str(row) for row in range(50)), "?", "?", None])
    assert (found.kind, found.exceptions, found.missing) == ("whole", 2, 1)
    assert column("age", [*(str(row) for row in range(50)), "a", "b", "c", "d"]).kind != "whole"
    dates = column("born", [*(f"2024-01-{day:02}" for day in range(1, 29)), "2024-02-30"])
    assert (dates.kind, dates.exceptions) == ("date", 1)


@pytest.mark.parametrize(
    ("cell", "pattern"),
    [
        ("p{}@mail.example", "e-mail addresses"),
        ("+41 44 123 45 {:02}", "phone numbers"),
        ("https://example.org/{}", "web addresses"),
        ("10.0.0.{}", "network addresses"),
        ("123e4567-e89b-12d3-a456-4266141740{:02}", "UUIDs"),
        ("{:02}.12.1980", "dates"),
    ],
)
def test_patterns(cell: str, pattern: str) -> None:
    assert column("x", [cell.format(row) for row in range(10, 28)]).pattern == pattern


def test_prefixes_sort_codes_into_groups() -> None:
    assert column("zip", [f"{row:05}" for row in range(10000, 99999, 37)]).prefixes == (3, 2, 1)
    assert column("zip", [f"8{row:03}" for row in range(100)] + ["80*"]).prefixes == ()
