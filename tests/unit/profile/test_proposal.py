from __future__ import annotations

from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import get_args

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.policy import Role as PolicyRole
from discreet.profile import proposal
from discreet.profile.columns import Column, Days, Numbers, describe
from discreet.profile.hints import KNOWN, PERSON, hint
from discreet.profile.proposal import MOST_QUASI_IDENTIFIERS, Proposal, intervals, periods, propose
from discreet.search.table.space import MOST_ATTRIBUTES
from discreet.taxonomy import Intervals


def column(name: str, cells: list[str]) -> Column:
    encoded = pa.array(cells, pa.large_string()).dictionary_encode()
    return describe(name, encoded.dictionary, np.asarray(encoded.indices, np.int32))


def cycled(*values: str, rows: int = 60) -> list[str]:
    return [values[row % len(values)] for row in range(rows)]


def roles(**columns: list[str]) -> dict[str, str]:
    proposals = propose([column(name, cells) for name, cells in columns.items()])
    assert all(found.reason for found in proposals)
    return {found.column: found.role for found in proposals}


def test_what_the_search_and_the_policy_know() -> None:
    assert MOST_QUASI_IDENTIFIERS == MOST_ATTRIBUTES
    assert set(get_args(proposal.Role)) == set(get_args(PolicyRole))


def test_identifiers_by_name_by_pattern_and_by_value() -> None:
    rows = range(60)
    found = roles(
        surname=[f"Miller {row % 25}" for row in rows],
        contact=[f"{row % 30}@x.org" for row in rows],
        order=[str(row) for row in rows],
        tag=[f"T{row * 7919 % 1000:04}" for row in rows],
        remark=["long winded " * (9 + row) for row in rows],
        country_name=cycled("Italy", "France"),
        age=[str(20 + row % 40) for row in rows],
        height=[str(150 + row / 7) for row in rows],
    )
    assert [name for name, role in found.items() if role == "identifier"] == [
        "surname",
        "contact",
        "order",
        "tag",
        "remark",
    ]
    assert {found[name] for name in ("country_name", "age", "height")} == {"quasi-identifier"}


def test_the_gravest_secret_is_the_one_and_a_class_needs_one() -> None:
    found = roles(
        salary=cycled("1", "2", "3"), Diagnosis=cycled("a", "b"), outcome=cycled("yes", "no"), x=cycled("c", "d")
    )
    assert found == {
        "salary": "quasi-identifier",
        "Diagnosis": "sensitive",
        "outcome": "class",
        "x": "quasi-identifier",
    }
    assert roles(outcome=cycled("yes", "no"), x=cycled("c", "d"))["outcome"] == "quasi-identifier"


def test_nothing_is_sensitive_by_its_values_alone() -> None:
    assert set(roles(colour=cycled("a", "b", "c"), shape=cycled("d", "e")).values()) == {"quasi-identifier"}


def test_only_what_is_the_same_everywhere_is_published_as_it_is() -> None:
    assert roles(a=cycled("x"), b=cycled("x", "y")) == {"a": "insensitive", "b": "quasi-identifier"}


@pytest.mark.parametrize("cells", [cycled("x"), [f"Name {row}" for row in range(60)], cycled("*", "x")])
def test_there_is_always_a_quasi_identifier(cells: list[str]) -> None:
    assert roles(name=cells) == {"name": "quasi-identifier"}


def test_words_of_a_name() -> None:
    assert hint("dateOfBirth", KNOWN) == "birth"
    assert hint("E-Mail", PERSON) == "email"
    assert hint("package", KNOWN) is None


def as_builder(found: object) -> Intervals:
    assert isinstance(found, dict)
    widths = tuple(map(Decimal, found["intervals"]))
    leaves = found.get("leaves", "values")
    return Intervals(widths, Decimal(found["start"]), Decimal(found["end"]), leaves)


@given(st.lists(st.floats(-1e14, 1e14, allow_subnormal=False), min_size=2, unique=True), st.booleans())
def test_intervals_hold_every_number_and_are_not_too_many(numbers: list[float], whole: bool) -> None:
    ordered = sorted({Fraction(int(number)) if whole else Fraction(number) for number in numbers})
    if len(ordered) < 2:
        return
    low, high = ordered[len(ordered) // 4], ordered[-1 - len(ordered) // 4]
    found = intervals(Numbers(ordered[0], ordered[-1], min(low, high), max(low, high), False), whole=whole)
    builder = as_builder(found)
    assert Fraction(builder.start) <= ordered[0]
    assert ordered[-1] < Fraction(builder.end)
    assert (Fraction(builder.end) - Fraction(builder.start)) / Fraction(builder.widths[0]) <= 2000


def test_intervals_are_round() -> None:
    found = intervals(Numbers(Fraction(17), Fraction(90), Fraction(18), Fraction(80), False), whole=True)
    assert found == {"intervals": ("5", "10", "20"), "start": "0", "end": "100"}


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (date(2024, 1, 1), date(2024, 2, 1), ("day", "month")),
        (date(2022, 1, 1), date(2024, 2, 1), ("month", "quarter", "year")),
        (date(1930, 1, 1), date(2010, 2, 1), ("month", "year", "decade")),
    ],
)
def test_periods(first: date, last: date, expected: tuple[str, ...]) -> None:
    assert periods(Days(first, last)) == expected


def test_a_flat_taxonomy_of_many_values_is_to_be_looked_at() -> None:
    [found] = propose([column("town", cycled(*(f"town {'abcdefghijklmn'[place]}" for place in range(14))))])
    assert isinstance(found, Proposal)
    assert found.taxonomy is None
    assert "14 values" in str(found.review)
