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

from discreet.methods.table import TABLE_METHODS
from discreet.policy.table import Role as PolicyRole
from discreet.profile.table import proposal
from discreet.profile.table.columns import Column, Days, Numbers, describe
from discreet.profile.table.proposal import MOST_QUASI_IDENTIFIERS, Proposal, intervals, periods, propose
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
    assert TABLE_METHODS["l-plus-optimize"].most_columns == MOST_QUASI_IDENTIFIERS
    # A person key is for the steward to name: the rows of one person may differ in quasi-identifiers.
    assert {*get_args(proposal.Role), "person"} == set(get_args(PolicyRole))


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


def proposals(**columns: list[str]) -> dict[str, Proposal]:
    return {found.column: found for found in propose([column(name, cells) for name, cells in columns.items()])}


def test_taxonomies_that_ship_with_discreet_are_proposed() -> None:
    countries = [
        f"{name}" for name in ("France", "Italy", "Spain", "Chile", "Peru", "Cuba", "Mali", "Togo", "Fiji", "Oman")
    ]
    found = proposals(country=[*countries * 6, "Atlantis"], plz=cycled("80331", "80339", "8049", rows=61))
    assert found["country"].taxonomy == {"ready": "countries"} and found["country"].suppress_others
    assert found["plz"].taxonomy == {"ready": "postcodes"} and not found["plz"].suppress_others


PEOPLE = ("Anna Meier", "Bob Frei", "Carla Rossi", "Dragan Ilic", "Elif Kaya", "Finn Berg")


def test_persons_with_several_rows_are_identifiers_all_the_same() -> None:
    found = roles(
        full_name=cycled(*PEOPLE),
        patient=cycled("p1", "p2", "p3"),
        patient_id=cycled("17", "4711", "12"),
        id=cycled("1", "2", "9"),
        ssn=cycled("374-14-1449", "983-17-2500"),
        odd=cycled("374-14-1449", "983-17-2500"),
        account=cycled("CH4505019009099780011", "CH9225305932111922342"),
        card=cycled("4759405089737688", "4747326194829846"),
        contact=cycled("a@x.org", "b@x.org"),
        dialled=cycled("5551234567", "5557654321"),
        seen_by=cycled(*PEOPLE),
        note=cycled("x" * 60, "y" * 70),
        remark=[f"said {'abcdefghijklmnopqrstuvwxyz'[row % 26]} twice" * (1 + row % 2) for row in range(60)],
        weekday=cycled("Mon", "Tue"),
        department=cycled("Human Resources", "Public Relations", "Data Science", "Car Park", "Night Watch"),
        employees=cycled("10", "20", "30", "40", "50", "60", "70"),
        member=cycled("yes", "no"),
        diagnosis=cycled("Heart disease", "Flu", "Hay fever"),
    )
    kept = {name: role for name, role in found.items() if role != "identifier"}
    assert kept == {
        "weekday": "quasi-identifier",
        "department": "quasi-identifier",
        "employees": "quasi-identifier",
        "member": "quasi-identifier",
        "diagnosis": "sensitive",
    }


def test_a_guess_by_looks_is_to_be_looked_at() -> None:
    found = proposals(seen_by=cycled(*PEOPLE), x=cycled("a", "b"), visit=[str(row) for row in range(60)])
    assert "quasi-identifier" in str(found["seen_by"].review)
    # Nobody shall be told to publish what is called a name and looks like one.
    [named, _] = propose([column("name", cycled(*PEOPLE)), column("x", cycled("a", "b"))])
    assert "quasi-identifier" not in str(named.review)


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("patient_id", cycled("1", "2", "7")),
        ("id", cycled("1", "2", "7")),
        ("x", cycled("a@x.org", "b@x.org")),
        ("seen", cycled(*PEOPLE)),
        ("name", cycled("Anna Meier")),
    ],
)
def test_rows_that_are_not_people(name: str, cells: list[str]) -> None:
    found = proposals(**{name: cells}, colour=cycled("red", "blue"))
    assert [proposal.repeats for proposal in found.values()] == [True, False]
    assert "rows are not people" in str(found[name].review)
    assert "one row for each person" in str(found[name].review)


def test_the_number_of_a_visit_does_not_hide_them() -> None:
    found = proposals(visit=[str(row) for row in range(60)], patient=cycled("p1", "p2"), x=cycled("a", "b"))
    assert [name for name, proposal in found.items() if proposal.repeats] == ["patient"]


def test_rows_that_are_people() -> None:
    found = proposals(
        record=[f"P{row:03}" for row in range(60)],
        surname=[f"Miller {row % 25}" for row in range(60)],
        doctor=cycled("Dr. A", "Dr. B"),
        email=[f"{row}@x.org" for row in range(58)] * 1 + ["0@x.org", "1@x.org"],
        x=cycled("a", "b"),
    )
    assert not any(proposal.repeats for proposal in found.values())


def test_the_gravest_secret_is_the_one_and_a_class_is_never_proposed() -> None:
    found = proposals(
        salary=cycled("1", "2", "3"), Diagnosis=cycled("a", "b"), outcome=cycled("yes", "no"), x=cycled("c", "d")
    )
    assert {name: proposal.role for name, proposal in found.items()} == {
        "salary": "quasi-identifier",
        "Diagnosis": "sensitive",
        "outcome": "quasi-identifier",
        "x": "quasi-identifier",
    }
    assert "role class" in str(found["outcome"].review)
    assert found["x"].review is None


def test_a_secret_that_nearly_everybody_has_alone_is_not_sensitive() -> None:
    rows = range(40)
    found = proposals(
        diagnosis=[f"note on case {'abcdefghij'[row % 10] * (row + 1)}" for row in rows],
        salary=[str(50000 + 731 * row) for row in rows],
        credit_card=[f"4759405089{row:06}" for row in rows],
        religion=["none" if row < 2 else f"r {'xyz'[row % 3] * row}" for row in rows],
        age=[str(20 + row % 9) for row in rows],
    )
    assert {name: proposal.role for name, proposal in found.items()} == {
        "diagnosis": "identifier",
        "salary": "quasi-identifier",
        "credit_card": "identifier",
        "religion": "identifier",
        "age": "quasi-identifier",
    }
    assert "intervals" in (found["salary"].taxonomy or {})
    assert "sensitive column" in str(found["diagnosis"].review)


def test_nothing_is_sensitive_by_its_values_alone() -> None:
    assert set(roles(colour=cycled("a", "b", "c"), shape=cycled("d", "e")).values()) == {"quasi-identifier"}


def test_only_what_is_the_same_everywhere_is_published_as_it_is() -> None:
    assert roles(a=cycled("x"), b=cycled("x", "y")) == {"a": "insensitive", "b": "quasi-identifier"}


def test_what_is_the_same_everywhere_may_still_be_somebody_or_a_secret() -> None:
    found = proposals(
        name=cycled("x"),
        email=cycled("anna@x.org"),
        contact=cycled("anna@x.org"),
        seen=cycled("Anna Meier"),
        patient_id=cycled("17"),
        id=cycled("17"),
        diagnosis=cycled("HIV"),
        site=cycled("Z"),
        b=cycled("x", "y"),
    )
    assert [name for name, proposal in found.items() if proposal.role != "identifier"] == ["site", "b"]
    assert "known to be in this table" in str(found["diagnosis"].review)


@pytest.mark.parametrize(
    "cells", [cycled("x"), [f"Name {row}" for row in range(60)], cycled("*", "x"), cycled("*"), cycled(*PEOPLE)]
)
def test_there_is_always_a_quasi_identifier_but_no_person_in_it(cells: list[str]) -> None:
    found = proposals(name=cells)["name"]
    assert (found.role, found.taxonomy, found.suppress_others) == ("quasi-identifier", proposal.HIDDEN, True)


def test_what_tells_nobody_from_others_is_the_first_choice_for_a_quasi_identifier() -> None:
    found = proposals(name=cycled(*PEOPLE), site=cycled("Z"))
    assert found["name"].role == "identifier"
    assert (found["site"].role, found["site"].taxonomy) == ("quasi-identifier", None)


def test_missing_values_do_not_hide_an_identifier() -> None:
    cells = [f"case{row:03}" for row in range(20)]
    encoded = pa.array([*[None] * 40, *cells], pa.large_string()).dictionary_encode()
    codes = np.asarray(encoded.indices.fill_null(20), np.int32)
    [found, _] = propose([describe("x", encoded.dictionary, codes), column("b", cycled("x", "y"))])
    assert (found.role, "20 different in the 20 rows" in found.reason) == ("identifier", True)


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
