"""Each column before and after, risk and use, and whom the report names first."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import discreet
from discreet.report.risk_and_use import risk_and_use
from discreet.report.table.distributions import before_and_after
from discreet.report.text import broken
from pages.outline import Outline


def column(**others: object) -> dict[str, object]:
    return {"name": "country", "taxonomy": None, "distribution": None, **others}


def told(*columns: dict[str, object]) -> str:
    return Outline(f"<main><h2>x</h2>{before_and_after(columns)}</main>").text


def test_a_coarser_value_counts_equally_as_all_that_it_stands_for() -> None:
    taxonomy = {
        "labels": ["*", "Europe", "France", "Italy", "Asia"],
        "parents": [-1, 0, 1, 1, 0],
        "records": [10, 8, 6, 2, 2],
        "values": [3, 2, 1, 1, 1],
        "cut": [1, 4],
        "complete": True,
        "published": [8, 2],
    }
    text = told(column(taxonomy=taxonomy))
    assert "France Europe 60% 40%" in text
    assert "Italy Europe 20% 40%" in text
    assert "Asia itself 20% 20%" in text


def test_a_long_flat_taxonomy_shows_the_most_frequent_values_and_the_rest_together() -> None:
    number = 40
    taxonomy = {
        "labels": ["*", *(f"v{value}" for value in range(number))],
        "parents": [-1, *[0] * number],
        "records": [number + 60, 61, *[1] * (number - 1)],
        "values": [number, *[1] * number],
        "cut": list(range(1, number + 1)),
        "complete": True,
        "published": [61, *[1] * (number - 1)],
    }
    text = told(column(taxonomy=taxonomy))
    assert "v0 itself 61% 61%" in text
    assert "16 others 16% 16%" in text


def test_suppressed_values_are_shown_as_such() -> None:
    distribution = {"values": ["flu", "cold"], "original": [6, 4], "published": [3, 4], "starred": 3}
    text = told(column(distribution=distribution))
    assert "flu itself 60% 30%" in text
    assert "suppressed * 0% 30%" in text


def test_a_column_that_is_not_known_on_both_sides_is_left_out() -> None:
    assert before_and_after([column()]) == ""


def test_risk_and_use_needs_both_sides() -> None:
    assert risk_and_use([], [("information", 0.5)]) == risk_and_use([("found", 1.0, 0.0)], []) == ""
    text = Outline(f"<main><h2>x</h2>{risk_and_use([('found', 0.9, 0.1)], [('information', -1.0)])}</main>").text
    assert "The risk (found) goes from 90% to 10%. What is left: information 0%." in text


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("short", 100, ["short"]),
        ("Balkans and Turkey", 100, ["Balkans and", "Turkey"]),
        ("unbreakable" * 3, 100, ["unbreakableu", "nbreakableun", "breakable"]),
        ("a b c d e f g h", 8, ["a", "b", "c", "…"]),
        ("漢字漢字", 32, ["漢字", "漢字"]),
    ],
)
def test_labels_break_into_lines(text: str, width: float, lines: list[str]) -> None:
    assert broken(text, width) == lines


def test_the_column_that_sets_somebody_apart_is_named(tmp_path: Path) -> None:
    data = pa.table({"sex": ["f", "f", "m", "m"], "code": ["1", "2", "3", "3"], "s": ["a", "b", "a", "b"]})
    policy = discreet.Policy.parse(
        {
            "data": {},
            "attributes": {
                "sex": {"role": "quasi-identifier"},
                "code": {"role": "quasi-identifier"},
                "s": {"role": "sensitive"},
            },
            "privacy": {"model": "l-diversity", "l": 2},
        }
    )
    publication = discreet.publish(policy, tmp_path / "out", data=data)
    stands_out = {
        (person["person"]["code"], person["stands_out"]["column"], person["stands_out"]["records"])
        for person in publication.result["attack"]["persons"]
    }
    assert stands_out == {("1", "code", 1), ("2", "code", 1), ("3", "sex", 2)}
    (code,) = [column for column in publication.result["columns"] if column["name"] == "code"]
    assert sum(code["taxonomy"]["published"]) == 4
    assert "which 1 record shares" in Outline(publication.report.read_text(encoding="utf-8")).text
    assert publication.result["gone"] == ["Nothing is left of code: all records show the same."]
