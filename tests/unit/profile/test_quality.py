"""What is dirty in a column: what is safe to mend, what is only likely, and what is left alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from discreet.profile.table.columns import CodedColumn, describe
from discreet.profile.table.quality import ColumnQuality, judge, judge_table


def judged(values: Sequence[str], name: str = "column") -> ColumnQuality:
    counts = Counter(values)
    return judge(name, list(counts), list(counts.values()))


def coded(name: str, values: Sequence[str]) -> CodedColumn:
    array = pa.array(values).dictionary_encode()
    codes = np.asarray(array.indices, np.int32)
    return CodedColumn(describe(name, array.dictionary, codes), array.dictionary, codes)


TOWNS = ["Ulm"] * 50 + ["Freiburg"] * 50 + ["Köln"] * 50


@pytest.mark.parametrize(
    ("values", "safe"),
    [
        (TOWNS, {}),
        ([*TOWNS, " Ulm"], {"trim": True}),
        ([*TOWNS, "ULM", "ulm"], {"map": {"ULM": "Ulm", "ulm": "Ulm"}}),
        ([*TOWNS, "N/A", "?", "unbekannt"], {"missing": ["?", "N/A", "unbekannt"]}),
        (["?"] * 5, {}),
        (["DE", "FR", "NA", "CH"], {}),
        (["1.2.1980", "13.12.1999"], {"date": "d.m.Y"}),
        (["1/2/1980", "13/12/1999"], {"date": "d/m/Y"}),
        (["1/2/1980", "12/13/1999"], {"date": "m/d/Y"}),
        (["1980-02-01", "1980-02-02", "3.2.1980"], {"date": ["Y-m-d", "d.m.Y"]}),
        (["1980-02-01", "1980-02-02"], {}),
        (["1980-02-01 10:00", "1980-02-02"], {}),
        (["1.2.1980"] * 30 + ["yesterday"], {"date": "d.m.Y", "on_unreadable": "suppress"}),
        (["1.2.80", "3.4.81"], {}),
        (["1,5", "2,75", "3"], {"decimal": "comma"}),
        (["1.234,5", "2,75"], {"decimal": "comma"}),
        (["1,234.5", "2,750"], {"decimal": "point"}),
        (["1,234", "2,750"], {}),
        (["1.5", "2.75"], {}),
        ([str(age) for age in range(20, 90)] + ["9999"] * 3, {"missing": ["9999"]}),
        ([str(age) for age in range(20, 90)] + ["-99"] * 3, {}),
        ([str(age) for age in range(20, 101)] + ["99"], {}),
        (["0", "7688", "15024", "5178", "41310", "3103"] * 9 + ["99999"] * 3, {}),
        (["79100", "79102", "79104"] * 20 + ["D-79106"], {"map": {"D-79106": "79106"}}),
        (["79100", "79102", "79104"] * 20 + ["79106.0"], {"map": {"79106.0": "79106"}}),
        (["79100", "79102", "79104"] * 40 + ["D-79106", "F-67000"], {}),
        (["A10.1", "A10.2", "B20.0"] * 20, {}),
    ],
)
def test_what_is_safe(values: list[str], safe: dict[str, Any]) -> None:
    assert judged(values).safe == safe


@pytest.mark.parametrize(
    ("values", "doubtful"),
    [
        ([*TOWNS, "Freibrug"], {"map": {"Freibrug": "Freiburg"}}),
        ([*TOWNS, "Freibug"], {"map": {"Freibug": "Freiburg"}}),
        ([*TOWNS, "Koln"], {"map": {"Koln": "Köln"}}),
        (TOWNS + ["Freibarg"] * 20, {}),
        (["type A", "type B"] * 30 + ["type C"], {}),
        (["ward 1"] * 30 + ["ward 2"], {}),
        (["male"] * 30 + ["female"], {}),
        ([*TOWNS, "none"], {"missing": ["none"]}),
        (["1/2/1980", "3/4/1999"], {"date": "d/m/Y"}),
        (["1,234", "2,750"], {"decimal": "point"}),
        ([str(age) for age in range(20, 90)] + ["80 kg"], {"map": {"80 kg": "80"}}),
        (["0", "7688", "15024", "5178", "41310", "3103"] * 9 + ["99999"] * 3, {"missing": ["99999"]}),
        (["79100", "79102", "79104"] * 40 + ["D-79106", "F-67000"], {"map": {"D-79106": "79106", "F-67000": "67000"}}),
    ],
)
def test_what_is_doubtful(values: list[str], doubtful: dict[str, Any]) -> None:
    assert judged(values).doubtful == doubtful


def test_many_spellings_become_a_case() -> None:
    words = [f"word {'abcdefgh'[first]}{'abcdefgh'[second]}" for first in range(8) for second in range(8)]
    found = judged([*words * 3, *map(str.upper, words)])
    assert found.safe == {"case": "lower"}


def test_eight_digits_are_a_date_by_their_name_only() -> None:
    values = ["19800201", "19991231"]
    assert judged(values, "date_of_birth").safe == {"date": "Ymd"}
    assert judged(values, "number").safe == {}


def test_everything_is_told_with_examples_and_counts() -> None:
    (found,) = judged([*TOWNS, "ULM"]).findings
    assert (found.topic, found.column) == ("spellings", "column")
    assert found.text == "differ in case or characters that look alike: 'Ulm' (50) and 'ULM' (1)"
    (short,) = judged(["1.2.80", "3.4.81"]).findings
    assert short.advice == "write the years with four digits in the data"


def test_what_several_columns_have_is_proposed_once() -> None:
    quality = judge_table(
        [coded("town", [*TOWNS, "n/a"]), coded("ward", [*TOWNS, "n/a"]), coded("b", ["x ", *["?"] * 150])]
    )
    assert quality.everywhere == {"trim": True, "missing": ["n/a"]}
    assert [quality.safe(name) for name in ("town", "ward", "b")] == [{}, {}, {"missing": ["?"]}]
    assert quality.of({"town"}).everywhere == {}
    assert quality.of({"town"}).safe("town") == {"missing": ["n/a"]}


def test_rows_that_are_nearly_equal() -> None:
    names = ["Anna Ott", "anna  OTT", "Anna Ott", "Ben Ott"]
    quality = judge_table([coded("id", ["1", "2", "3", "4"]), coded("name", names), coded("town", ["Ulm"] * 4)])
    (found,) = quality.rows
    assert found.text == "1 row would be equal to another one but for case, blanks or characters that look alike"
    assert judge_table([coded("name", ["a", "a", "b"])]).rows == ()


def test_six_odd_codes_among_thousands_do_not_make_the_prefixes() -> None:
    codes = [f"{area}{street:03}" for area in range(70, 80) for street in range(0, 1000, 10)] * 3
    odd = [f"D-79{number}00" for number in range(6)]
    usual = describe("postcode", *_coded(codes))
    assert usual.prefixes == (3, 2)
    with_odd = describe("postcode", *_coded([*codes, *odd]))
    assert (with_odd.kind, with_odd.prefixes) == ("code", usual.prefixes)


def _coded(values: Sequence[str]) -> tuple[Any, Any]:
    found = coded("postcode", values)
    return found.values, found.codes
