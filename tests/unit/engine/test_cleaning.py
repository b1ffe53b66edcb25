"""Cleaning: every cell by itself, by the steps that are asked for, with a count of what each of them changed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.engine import ENGINES, Engine
from discreet.values.cleaning import Cleaned, Cleaning
from examples import examples


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    made = ENGINES[request.param](tmp_path)
    yield made
    made.close()


def cleaned(engine: Engine, values: list[Any], **asked: Any) -> tuple[list[str], Cleaned]:
    engine.store(pa.table({"column": values}))
    (found,) = engine.clean({"column": Cleaning(**asked)})
    return [text for (text,) in engine.rows("original", ["column"], 1000)], found


def test_trim(engine: Engine) -> None:
    texts = ["  a ", "a  b", "a\u00a0\tb", "a\u200bb", "\ufeffa", "   ", None, "as it is"]
    values, found = cleaned(engine, texts, trim=True)
    assert values == ["a", "a b", "a b", "ab", "a", "", "", "as it is"]
    assert found.cells == {"trim": 6}


@pytest.mark.parametrize(
    ("case", "after"),
    [
        ("lower", ["köln am rhein", "o'neil-smith", "a1b"]),
        ("upper", ["KÖLN AM RHEIN", "O'NEIL-SMITH", "A1B"]),
        ("title", ["Köln Am Rhein", "O'neil-Smith", "A1B"]),
    ],
)
def test_case(engine: Engine, case: str, after: list[str]) -> None:
    assert cleaned(engine, ["Köln am RHEIN", "o'neil-smith", "a1b"], case=case)[0] == after


def test_missing_markers_whatever_their_case(engine: Engine) -> None:
    values, found = cleaned(engine, ["N/A", " n/a", "na", "x", None], missing=("n/a",))
    assert values == ["", " n/a", "na", "x", ""]
    assert found.cells == {"missing": 1}
    assert cleaned(engine, ["N/A", " n/a", "x"], trim=True, missing=(" n/a ",))[0] == ["", "", "x"]


def test_map_knows_values_as_they_are_after_trim_and_case(engine: Engine) -> None:
    mapped = {" Femal": "female", "?": "", "": "none"}
    values, found = cleaned(engine, ["FEMAL ", "female", "?", None, ""], trim=True, case="lower", map=mapped)
    assert values == ["female", "female", "", "none", "none"]
    assert found.cells == {"trim": 1, "case": 1, "map": 4}
    assert cleaned(engine, ["it's", "a"], map={"it's": "that's"})[0] == ["that's", "a"]


@pytest.mark.parametrize(
    ("formats", "text", "day"),
    [
        (("d.m.Y",), "1.2.1980", "1980-02-01"),
        (("d.m.Y",), " 01. 02. 1980 ", "1980-02-01"),
        (("d.m.Y",), "31.12.1999 23:59:59", "1999-12-31"),
        (("Y-m-d",), "2024-3-5T14:30:00Z", "2024-03-05"),
        (("m/d/Y",), "2/1/1980", "1980-02-01"),
        (("d/m/Y", "m/d/Y"), "2/1/1980", "1980-01-02"),
        (("d/m/Y", "m/d/Y"), "2/13/1980", "1980-02-13"),
        (("Ymd",), "19800201", "1980-02-01"),
        (("d.m.Y",), "30.2.1980", None),
        (("d.m.Y",), "1.2.0000", None),
        (("d.m.Y",), "1.2.80", None),
        (("d.m.Y",), "1/2/1980", None),
        (("d.m.Y",), "1.2.1980 in the morning", None),
        (("d.m.Y",), "1980-02-01", None),
    ],
)
def test_dates(engine: Engine, formats: tuple[str, ...], text: str, day: str | None) -> None:
    values, found = cleaned(engine, [text], date=formats)
    assert values == [day or ""]
    assert (found.unreadable, found.unreadable_cells) == (((), 0) if day else ((text,), 1))


@examples(20)
@given(st.lists(st.dates(), min_size=1, max_size=20))
def test_every_date_comes_back(days: list[date]) -> None:
    engine = next(iter(ENGINES.values()))(Path())
    try:
        texts = [f"{day.day}.{day.month:02}.{day.year:04}" for day in days]
        assert cleaned(engine, texts, date=("Y-m-d", "d.m.Y"))[0] == [day.isoformat() for day in days]
    finally:
        engine.close()


@pytest.mark.parametrize(
    ("decimal", "text", "number"),
    [
        ("comma", "1.234.567,89", "1234567.89"),
        ("comma", "12,5", "12.5"),
        ("comma", "-1 234,5", "-1234.5"),
        ("comma", "1'234", "1234"),
        ("comma", "1.234", "1234"),
        ("comma", "12.5", "12.5"),
        ("comma", " 7 ", "7"),
        ("comma", "1,234.5", None),
        ("comma", "1,2,3", None),
        ("comma", "twelve", None),
        ("point", "1,234,567.89", "1234567.89"),
        ("point", "1,234", "1234"),
        ("point", "12.5", "12.5"),
        ("point", "12,5", None),
    ],
)
def test_numbers(engine: Engine, decimal: str, text: str, number: str | None) -> None:
    values, found = cleaned(engine, [text], decimal=decimal)
    assert values == [number or ""]
    assert found.unreadable == (() if number else (text,))


def test_what_has_a_type_keeps_it_where_values_are_only_taken_for_missing(engine: Engine) -> None:
    engine.store(pa.table({"age": [30, 9999, None], "name": ["a ", "b", "c"]}))
    cleaning = Cleaning(trim=True, missing=("9999",))
    age, name = engine.clean({"age": cleaning, "name": cleaning, "not there": cleaning})
    assert (age.cells, name.cells) == ({"missing": 1}, {"trim": 1, "missing": 0})
    assert engine.shape().types == ("BIGINT", "VARCHAR")
    assert engine.rows("original", ["age", "name"], 9) == [("30", "a"), ("", "b"), ("", "c")]


def test_columns_may_have_any_name(engine: Engine) -> None:
    names = ["cell_0", "cells", 'say "hi"', "column"]
    engine.store(pa.table({name: [" a", "b"] for name in names}))
    assert [found.column for found in engine.clean({name: Cleaning(trim=True) for name in names})] == names
    assert engine.rows("original", names, 9) == [("a",) * 4, ("b",) * 4]


def test_rows_stay_in_their_order_and_their_number(engine: Engine) -> None:
    many = [f" {number} " for number in range(300_000)]
    engine.store(pa.table({"column": many}))
    (found,) = engine.clean({"column": Cleaning(trim=True)})
    assert found.changed == len(many)
    assert engine.rows("original", ["column"], 3) == [("0",), ("1",), ("2",)]
    assert engine.rows("original", ["column"], 300_001)[-1] == ("299999",)
