"""Attacks on releases whose groups have labels of their own, from the table to what is said."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import discreet
from discreet.cli import main
from discreet.errors import InputError

EXCESS = [("x", value) for value in "sssssabc"] + [("y", value) for value in "defghijklmno"]
"""Eight alike, of whom five have s, and twelve others."""


def published(tmp_path: Path, rows: list[tuple[str, str]], name: str = "out", **search: Any) -> discreet.Publication:
    policy = {
        "data": {"kind": "table", "path": str(tmp_path / "data.csv")},
        "attributes": {"town": {"role": "quasi-identifier"}, "illness": {"role": "sensitive"}},
        "privacy": [{"model": "k-anonymity", "k": 4}, {"model": "l-diversity", "l": 4}],
        "search": {"method": "k-member", **search},
        "report": {"without": ["charts"]},
    }
    with (tmp_path / "data.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("town", "illness"), *rows])
    return discreet.publish(discreet.Policy.parse(policy), tmp_path / name, seed=1)


def text_of(publication: discreet.Publication) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", publication.report.read_text(encoding="utf-8"))).split())


@pytest.fixture(scope="module")
def split(tmp_path_factory: pytest.TempPathFactory) -> Iterator[discreet.Publication]:
    yield published(tmp_path_factory.mktemp("split"), EXCESS, split=True)


def test_who_was_sent_away_has_s(split: discreet.Publication, capsys: pytest.CaptureFixture[str]) -> None:
    """The example of the method: each of the eight has s with 5/8, and the rows that fit say 1/4 at most."""
    attack = split.result["attack"]
    found = attack["expulsion"]
    assert (found["groups"], found["people_in_them"], found["sent_away"]) == (1, 8, 4)
    assert found["highest_confidence"] == 5 / 8
    assert (found["above_threshold"], found["above_by_linking"], found["excluded_truth"]) == (8, 0, 0)
    assert found["above_rightly"] == 8 and found["guesses"]["right"] == 4
    assert attack["linkage"]["after"]["above_threshold"] == 0
    assert attack["linkage"]["knowing_the_group"]["highest_confidence"] == 1 / 4
    known = attack["knowing_the_method"]
    assert (known["above_threshold"], known["by_choice"], known["untried"]) == (8, 8, ["minimality"])
    assert "how those who are alike were split: 8 of 20 people are above a threshold" in attack["unprotected"][0]
    text = text_of(split)
    assert "exceeds a threshold for 8 people" in text
    assert "The same for somebody who knows how those who are alike were split" in text
    assert main(["attack", str(split.folder)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "above one, knowing the splits 8" in said and "highest, by all that fit" in said


def test_copies_that_stay_together_say_nothing_of_who_left(tmp_path: Path) -> None:
    attack = published(tmp_path, EXCESS).result["attack"]
    assert not attack["expulsion"]["applies"] and not attack["expulsion"].get("untried")
    assert attack["minimality"]["untried"] and not attack["minimality"]["applies"]
    known = attack["knowing_the_method"]
    assert (known["above_threshold"], known["knows"]) == (0, "groups")
    assert any("each person's group, one is exceeded for nobody" in sentence for sentence in attack["reading"])
    assert any("; by all records that fit it is " in sentence for sentence in attack["reading"])
    assert "what minimality reveals was not tried" in attack["reading"][-1]


def test_people_in_a_file_fit_all_groups_above_them(split: discreet.Publication) -> None:
    """Somebody from x fits the four rows of x and the sixteen others; the town of z is not known."""
    rows = list(csv.DictReader((split.release / "data.csv").read_text(encoding="utf-8").splitlines()))
    assert sorted({row["town"] for row in rows}) == ["*", "x"]
    people = pa.table({"name": ["a", "b", "z"], "town": ["x", "y", ""], "illness": ["s", "d", ""]})
    found = discreet.attack(split.folder, known=people, seed=1)
    assert [person["after"]["records"] for person in found["persons"]] == [20, 16, 20]
    after = found["linkage"]["after"]
    assert (after["found"], after["unmatched"], after["above_threshold"]) == (0, 0, 0)
    assert after["guesses"]["of"] == 2 and "knowing_the_group" not in found["linkage"]
    risk = found["risk"]["after"]
    assert risk["prosecutor"]["highest"] == 1 / 16 and "among_all_that_fit" not in found["risk"]
    assert any("fewer than five records of the release fit 0% of the people" in told for told in found["reading"])
    assert found["knowing_the_method"] is None


def test_a_second_release_may_be_local_too(split: discreet.Publication, tmp_path: Path) -> None:
    other = published(tmp_path, EXCESS, method="mondrian")
    found = discreet.attack(split.folder, second=other.folder, original=tmp_path / "data.csv", seed=1)["intersection"]
    assert found["applies"] and found["determined"]["both"] == 0
    assert found["possible_values"]["both"] <= min(found["possible_values"][name] for name in ("first", "second"))


def test_another_original_is_noticed(split: discreet.Publication, tmp_path: Path) -> None:
    for rows in ([("y", value) for _, value in EXCESS], [*EXCESS[:-1], ("y", "s")]):
        with (tmp_path / "other.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("town", "illness"), *rows])
        with pytest.raises(InputError, match=r"does not know|records that the original does not have"):
            discreet.attack(split.folder, original=tmp_path / "other.csv")


def test_what_was_not_measured_says_why(split: discreet.Publication) -> None:
    assert set(split.result["not_measured"]) == {"Precision (Prec)", "Non-uniform entropy"}
    assert "Not measured:" in text_of(split) and "what became of each record" in text_of(split)


def test_sizes_alone_are_promised(tmp_path: Path) -> None:
    """Groups are made without sensitive values: there is nothing to conclude, and no threshold to exceed."""
    policy = {
        "data": {"kind": "table"},
        "attributes": {"town": {"role": "quasi-identifier"}, "illness": {"role": "sensitive"}},
        "privacy": {"model": "k-anonymity", "k": 4},
        "search": {"method": "k-member", "split": True},
    }
    table = pa.table({"town": [town for town, _ in EXCESS], "illness": [value for _, value in EXCESS]})
    attack = discreet.publish(discreet.Policy.parse(policy), tmp_path / "out", data=table, seed=1).result["attack"]
    assert not attack["expulsion"]["applies"] and "untried" not in attack["minimality"]
    assert attack["knowing_the_method"] is None and attack["unprotected"] == []
