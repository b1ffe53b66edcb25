"""Table 3.1 of Liu 2010 attacked with its own external table: what the introduction of chapter 3 is about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.commands.attack import attack

HOSPITAL = Path(__file__).resolve().parents[2] / "examples" / "hospital"
NAMES = ["Ahmed", "Brook", "Clair", "Dave", "Evelyn", "Jane", "Tom"]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    out = tmp_path_factory.mktemp("attack") / "out"
    discreet.publish(HOSPITAL / "policy.yaml", out)
    return attack(out, HOSPITAL / "voters.csv")


def person(found: dict[str, Any], name: str) -> dict[str, Any]:
    return next(entry for entry in found["persons"] if entry["person"]["name"] == name)


def test_ahmed_is_found_in_the_original_and_his_illness_with_him(found: dict[str, Any]) -> None:
    ahmed = person(found, "Ahmed")
    assert ahmed["person"] == {"name": "Ahmed", "education": "Junior", "country": "France"}
    assert ahmed["before"] == {"records": 1, "hidden": 0, "values": [{"value": "Flu", "confidence": 1.0}]}


def test_in_the_release_it_may_be_the_one_or_the_other(found: dict[str, Any]) -> None:
    assert person(found, "Ahmed")["after"] == {
        "records": 2,
        "hidden": 0,
        "values": [{"value": "Asthma", "confidence": 0.5}, {"value": "Flu", "confidence": 0.5}],
    }
    assert person(found, "Dave")["after"] == {"records": 1, "hidden": 1, "values": []}


def test_everybody_on_the_voter_list_in_its_order(found: dict[str, Any]) -> None:
    assert [entry["person"]["name"] for entry in found["persons"]] == NAMES
    before, after = found["linkage"]["before"], found["linkage"]["after"]
    # Jane and Tom fit two records, and both of these say Cancer.
    assert (before["found"], before["certain"], before["above_threshold"]) == (5, 7, 7)
    assert (after["found"], after["certain"], after["above_threshold"]) == (1, 0, 0)
    assert (before["highest_confidence"], after["highest_confidence"]) == (1.0, 0.5)
    assert before["guesses"] is None  # the voter list does not say who is ill of what
    assert found["people"] == 7


def test_the_worst_case_knows_all_ten(found: dict[str, Any], tmp_path: Path) -> None:
    discreet.publish(HOSPITAL / "policy.yaml", tmp_path / "out")
    worst = attack(tmp_path / "out")
    before, after = worst["linkage"]["before"], worst["linkage"]["after"]
    assert (worst["people"], before["found"], before["certain"]) == (10, 8, 10)
    assert (before["guesses"]["right"], before["guesses"]["of"]) == (10, 10)
    assert (after["certain"], after["above_threshold"]) == (0, 0)
    # By lot between two in the three small groups, a third of a chance for the star, two of five in the last group.
    assert after["guesses"]["right"] == pytest.approx(1 + 1 + 1 / 3 + 2)
    assert after["baseline"]["right"] == pytest.approx((4 + 3 + 3) / 3)
    assert worst["risk"]["before"]["prosecutor"]["average"] == pytest.approx(9 / 10)
    assert worst["risk"]["after"]["prosecutor"]["average"] == pytest.approx(4 / 10)
    assert worst["stars"]["stars"] == 1
    assert worst["stars"]["told"] == 0


def test_whoever_knows_the_method_and_all_other_records_learns_more(found: dict[str, Any]) -> None:
    attacked = found["minimality"]
    assert attacked["checked_against"] == "all 25 cuts"
    assert (attacked["groups"], attacked["people"], attacked["excluded_truth"]) == (4, 10, 0)
    assert attacked["highest_confidence"] == {"before": 0.5, "after": 1.0}


def test_the_reading_is_short(found: dict[str, Any]) -> None:
    assert 3 <= len(found["reading"]) <= 7
    assert "In the original, 5 of 7 people fit exactly one record; in the release, 1 of 7 people." in found["reading"]
