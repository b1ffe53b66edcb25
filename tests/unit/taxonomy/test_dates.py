"""Dates by calendar periods."""

from datetime import date
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.taxonomy import Dates, MadeFrom
from discreet.taxonomy.dates import Level

ALL: tuple[Level, ...] = get_args(Level)


def test_all_levels() -> None:
    placement = Dates(ALL).build("born", ["2024-03-05", "2019-12-31", "2024-04-01"])
    taxonomy = placement.taxonomy
    assert taxonomy.path(taxonomy.node("2024-03-05")) == (
        "2024-03-05",
        "2024-03",
        "2024-Q1",
        "2024",
        "2020s",
        "*",
    )
    assert taxonomy.path(taxonomy.node("2019-12-31"))[2:] == ("2019-Q4", "2019", "2010s", "*")
    assert taxonomy.path(taxonomy.node("2024-04-01"))[2] == "2024-Q2"
    assert placement.leaf_of.tolist() == [1, 0, 2]
    assert placement.made_from is MadeFrom.EACH_VALUE


def test_the_first_level_is_the_leaf() -> None:
    placement = Dates(("month", "year")).build("born", ["2024-03-05", "2024-03-31", "2024-01-01"])
    assert placement.taxonomy.labels == ("*", "2024", "2024-01", "2024-03")
    assert placement.leaf_of.tolist() == [1, 1, 0]
    assert Dates(("decade",)).build("born", ["0987-01-01"]).taxonomy.labels == ("*", "0980s")


@pytest.mark.parametrize(
    "value",
    ["2024-03-05", " 2024-03-05 ", "2024-03-05T10:00", "2024-03-05 10:00:00", "2024-03-05T23:30:00.5Z"],
)
def test_dates_and_timestamps(value: str) -> None:
    assert Dates(("day",)).build("born", [value]).taxonomy.labels == ("*", "2024-03-05")


@pytest.mark.parametrize(
    "value",
    [
        *("2023-02-30", "2024-13-01", "0000-01-01", "2024-3-5", "20240305", "05.03.2024", "2024-03"),
        *("2024-03-05x", "2024-03-05T", "٢٠٢٤-03-05", "", "unknown"),
    ],
)
def test_what_is_no_date_has_no_place(value: str) -> None:
    placement = Dates(("day", "year")).build("born", ["2024-01-01", value])
    assert placement.leaf_of.tolist() == [0, -1]
    assert placement.taxonomy.labels == ("*", "2024", "2024-01-01")


def test_no_date_at_all() -> None:
    assert Dates(("day", "year")).build("born", ["?"]).taxonomy.labels == ("*",)


@pytest.mark.parametrize(
    ("levels", "sentence"),
    [
        ((), "must be some of day, month, quarter, year, decade"),
        (("day", "week"), "must be some of"),
        (("year", "month"), "must go from fine to coarse"),
        (("year", "year"), "must go from fine to coarse"),
    ],
)
def test_levels_are_known_and_grow(levels: tuple[Level, ...], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        Dates(levels)


@given(st.lists(st.dates()), st.sets(st.sampled_from(ALL), min_size=1))
@settings(deadline=None)
def test_any_dates_and_levels_give_a_tree(days: list[date], chosen: set[Level]) -> None:
    levels = tuple(level for level in ALL if level in chosen)
    placement = Dates(levels).build("born", [day.isoformat() for day in days])
    assert (placement.leaf_of >= 0).all()
    if days:
        assert (placement.taxonomy.depth[placement.taxonomy.leaf_nodes] == len(levels)).all()
