"""What a policy says about dirty cells, and what is said about a policy that cannot be meant."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import InputError
from discreet.policy import TablePolicy
from discreet.policy.file import read_yaml
from discreet.values.cleaning import Cleaning


def policy(clean: str = "{}", everywhere: str = "{}", **data: Any) -> TablePolicy:
    return TablePolicy.parse(
        {
            "data": {"path": "patients.csv", **data, "clean": read_yaml(everywhere, "everywhere")},
            "attributes": {
                "age": {"role": "quasi-identifier", "clean": read_yaml(clean, "column")},
                "disease": {"role": "sensitive"},
            },
            "privacy": {"model": "l-diversity", "l": 2},
        }
    )


def fault(*written: str, **data: Any) -> str:
    with pytest.raises(InputError) as raised:
        policy(*written, **data)
    return str(raised.value)


def test_all_steps() -> None:
    written = "{trim: true, case: lower, missing: [NULL, n/a, 9999], map: {a: b, 7: null}, date: d.m.Y}"
    assert policy(written).cleanings() == {
        "age": Cleaning(True, "lower", ("null", "n/a", "9999"), {"a": "b", "7": ""}, ("d.m.Y",))
    }


def test_nothing_is_done_where_nothing_is_said() -> None:
    assert policy().cleanings() == {}


def test_what_holds_for_every_column() -> None:
    found = policy("{trim: false, missing: ['?']}", "{trim: true, missing: [n/a]}").cleanings()
    assert found == {"age": Cleaning(missing=("n/a", "?")), "disease": Cleaning(trim=True, missing=("n/a",))}


@pytest.mark.parametrize("written", ["{trim: false, date: [d.m.Y, Y-m-d]}", "{decimal: comma}"])
def test_it_is_written_as_it_was_read(written: str) -> None:
    before = policy(written, "{trim: true}")
    for as_dict in (before.as_dict(), before.located()):
        assert TablePolicy.parse(as_dict).cleanings() == before.cleanings()


def test_settings_reach_it() -> None:
    changed = policy().with_settings({"attributes.age.clean.date": "d.m.Y", "data.clean.trim": "true"})
    assert changed.cleanings()["age"] == Cleaning(trim=True, date=("d.m.Y",))


def test_it_is_explained() -> None:
    assert "Before anything else, the cells of age are cleaned." in policy("{trim: true}").explain()


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("{date: d.m.y}", "'d.m.y' is not a format of dates"),
        ("{date: d.d.Y}", "is not a format of dates"),
        ("{date: d.m-Y}", "is not a format of dates"),
        ("{date: d.m.Y, decimal: comma}", "a column has dates or numbers"),
        ("{decimal: semicolon}", "attributes.age.clean.decimal: 'semicolon' is not allowed here"),
        ("{on_unreadable: suppress}", "it goes with date or decimal"),
        ("{trim: yes}", "'yes' is neither true nor false"),
        ("{trimm: true}", "there is no such key; the nearest is 'trim'"),
        ("{map: [a, b]}", "is not a mapping"),
        ("{map: {a: [b]}}", "attributes.age.clean.map.a: "),
        ("{missing: {a: b}}", "is not a list"),
    ],
)
def test_what_cannot_be_meant(written: str, said: str) -> None:
    assert said in fault(written)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"encoding": "latin-99"}, "data.encoding: 'latin-99' is not an encoding"),
        ({"encoding": "rot13"}, "is not an encoding"),
        ({"table": "t"}, "only a database has tables"),
        ({"database": "a.sqlite"}, "remove path or database"),
        ({"path": None, "database": "postgresql://me:secret@host/db"}, "a policy is no place for a password"),
        ({"path": None, "database": "postgresql://host/db?password=x"}, "a policy is no place for a password"),
    ],
)
def test_where_data_cannot_be(data: Mapping[str, Any], said: str) -> None:
    assert said in fault(**data)


def test_where_data_are() -> None:
    found = TablePolicy.parse({**policy().as_dict(), "data": {"database": "a.sqlite", "table": "t"}}, "folder")
    assert (found.data.database, found.data.table) == (Path("folder/a.sqlite"), "t")
    assert "Publishes t of folder/a.sqlite" in found.explain()
    address = "postgresql://me@host/db"
    assert TablePolicy.parse({**policy().as_dict(), "data": {"database": address}}, "x").data.database == address
    assert TablePolicy.parse({**policy().as_dict(), "data": {"path": "-"}}, "x").data.path == Path("-")
