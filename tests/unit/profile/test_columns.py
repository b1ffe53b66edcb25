from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

from discreet.profile.table.columns import Column, describe


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
        (["2023-02-30", "2023-02-31"], "x", "text"),
        (["2023-02-30", "2023-13-01"], "x", "code"),
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
        ("12/{:02}/80 10:30", "dates"),
        ("374-{:02}-1449", "social security numbers"),
        ("756.1234.5678.{:02}", "social security numbers"),
        ("CH45050190090997800{:02}", "bank accounts"),
        ("NO93 8601 1117 9{:02}", "bank accounts"),
        ("47594050897376{:02}", "card numbers"),
        ("4759 4050 8973 76{:02}", "card numbers"),
        ("3714496353984{:02}", "card numbers"),
        ("(555) 123-45{:02}", "phone numbers"),
        ("07912345{:02}", "phone numbers"),
    ],
)
@pytest.mark.parametrize("times", [1, 40])
def test_patterns(cell: str, pattern: str, times: int) -> None:
    assert column("x", [cell.format(row) for row in range(10, 28)] * times).pattern == pattern


@pytest.mark.parametrize("cell", ["374-14-{}", "40.12.19{}", "12.13.14{}", "0000-12-{}", "1.2.3{}.4"])
def test_what_is_no_day_of_a_calendar_is_no_date(cell: str) -> None:
    assert column("x", [cell.format(row) for row in range(40, 58)]).pattern != "dates"


def test_placeholders_and_mixtures_do_not_hide_a_pattern() -> None:
    assert column("x", ["a@x.org", "b@x.org", "unknown", "-"] * 9).pattern == "e-mail addresses"
    assert column("x", ["a@x.org", "+41 44 123 45 67", "+41 44 123 45 68", "none"] * 9).pattern == "phone numbers"


@pytest.mark.parametrize(
    ("cells", "pattern"),
    [
        (["Anna Meier", "Bob Frei", "Carla Rossi"], "full names"),
        (["Meier, Anna", "Frei, Bob"], "full names"),
        (["Anna Meier"], "full names"),
        (["Özlem Çelik", "Şule van der Berg", "Ngozi O'Hara", "Bcclf Xzvjit", "Gtbsv Fnumzx"], "full names"),
        (["anna", "bob", "carla"], "names"),
        (["Heart disease", "Lung cancer", "Flu", "Hay fever", "Broken leg"], None),
        (["North Ward", "South Ward", "East Ward", "West Ward", "Old Ward"], None),
        (["Never Smoked", "Formerly Smoked", "Current Smoker"], None),
        (["Adm-clerical", "Exec-managerial", "Sales", "Craft-repair", "Tech-support"], None),
    ],
)
def test_names_by_their_looks(cells: list[str | None], pattern: str | None) -> None:
    found = column("x", cells * 10)
    assert (found.kind, found.pattern) == ("category", pattern)


def test_notes_are_no_categories_unless_they_are_secrets() -> None:
    said: list[str | None] = [f"said {'abcdefghijklm'[row % 13]} twice" for row in range(60)]
    assert column("note", said).kind == "text"
    assert column("diagnosis", said).kind == "category"
    assert column("note", said[:12] * 5).kind == "category"
    notes: list[str | None] = ["came in the morning with a headache, her mother was with her, sent home", "b" * 90] * 9
    assert column("note", notes).kind == "long text"
    assert column("diagnosis", notes).kind == "category"


def test_nearly_unique() -> None:
    assert column("x", [str(row) for row in range(20)]).nearly_unique
    assert column("x", [None] * 80 + [str(row) for row in range(20)]).nearly_unique
    assert not column("x", ["a", "b"] * 10).nearly_unique
    assert not column("x", [None, None, "a"]).nearly_unique


@pytest.mark.parametrize(
    ("name", "values", "ready"),
    [
        ("x", ["A00.1", "B20.0", "C50", "F32.1"], "icd-10"),
        ("diagnosis", ["A00", "B20", "C50", "F32"], "icd-10"),
        ("ward", ["A00", "B20", "C50", "F32"], None),
        ("x", ["France", "Germany", "USA", "Italy"], "countries"),
        ("country_code", ["FR", "DE", "US", "IT"], "countries"),
        ("state", ["CA", "DE", "GA", "PA"], None),
        ("nuts3", ["DE212", "FR101", "ITC4C"], "nuts"),
        ("tag", ["DE212", "FR101", "ITC4C"], None),
        ("plz", ["80331", "8049", "01067"], "postcodes"),
        ("zip", ["501", "90210", "10001"], "postcodes"),
        ("amount", ["80331", "80339", "01067"], None),
        ("country", ["Atlantis", "Narnia", "France"], None),
    ],
)
def test_a_taxonomy_that_ships_with_discreet(name: str, values: list[str], ready: str | None) -> None:
    found = column(name, values * 5)
    assert (found.ready, found.exceptions) == (ready, 0)


def test_a_few_values_may_have_no_place_in_it() -> None:
    found = column("country", ["France", "Italy", "Spain", "Chile"] * 10 + ["Atlantis", "n/a"])
    assert (found.ready, found.exceptions) == (None, 0)
    countries = ["France", "Italy", "Spain", "Chile", "Peru", "Cuba", "Mali", "Togo", "Fiji", "Oman"]
    found = column("country", countries * 10 + ["Atlantis"])
    assert (found.kind, found.ready, found.exceptions) == ("category", "countries", 1)


def test_prefixes_sort_codes_into_groups() -> None:
    assert column("zip", [f"{row:05}" for row in range(10000, 99999, 37)]).prefixes == (3, 2, 1)
    assert column("zip", [f"8{row:03}" for row in range(100)] + ["80*"]).prefixes == ()
