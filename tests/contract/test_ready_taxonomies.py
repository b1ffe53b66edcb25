"""Taxonomies that need no work: those of ARX as they are, those that ship with discreet; all the way to a release."""

from __future__ import annotations

import csv
from itertools import cycle, islice
from pathlib import Path

import pytest

import discreet
from discreet.taxonomy import READY

VALUES = {
    "icd-10": ["A00", "A00.1", "a001", "B20.0", "F32.1", "F33", "S72.01"],
    "countries": ["FR", "France", "DEU", "Italy", "us", "Chile"],
    "nuts": ["DE212", "DE213", "DE21", "FR101", "FR102"],
    "postcodes": ["80331", "D-80339", "8049", "SW1A 1AA", "SW1A 2AB"],
}
STATUS = "Divorced;Single;*\nSingle;Single;*\nMarried;Married;*\nDivorced;Single;*\nWidowed;Single;*\n"


def table(values: list[str], rows: int = 42) -> list[dict[str, str]]:
    diseases = ("flu", "cold", "ulcer", "cough")
    return [{"known": value, "disease": diseases[place % 4]} for place, value in enumerate(islice(cycle(values), rows))]


def policy(taxonomy: object) -> discreet.Policy:
    return discreet.Policy.parse(
        {
            "data": {},
            "attributes": {
                "known": {"role": "quasi-identifier", "taxonomy": taxonomy},
                "disease": {"role": "sensitive"},
            },
            "privacy": {"model": "k-anonymity", "k": 10},
        }
    )


def test_all_that_ship_are_tried() -> None:
    assert VALUES.keys() == READY.keys()


@pytest.mark.parametrize("ready", READY)
def test_a_release_by_a_ready_taxonomy(ready: str, tmp_path: Path) -> None:
    publication = discreet.publish(policy({"ready": ready}), tmp_path / "out", data=table(VALUES[ready]))
    assert publication.verdict.holds
    assert discreet.verify(tmp_path / "out").holds
    taxonomy = (publication.release / "taxonomies" / "1-known.csv").read_text(encoding="utf-8")
    labels = {label for row in csv.reader(taxonomy.splitlines(), delimiter=";") for label in row}
    assert set(publication.data["known"].to_pylist()) <= labels
    assert publication.warnings == []


def test_a_hierarchy_of_arx_is_published_without_doubt_about_what_a_value_means(tmp_path: Path) -> None:
    (tmp_path / "status.csv").write_text(STATUS)
    data = table(["Single", "Divorced", "Widowed", "Married"], 40)
    rule = policy(str(tmp_path / "status.csv")).with_settings({"privacy.k": 20, "search.suppression": "none"})
    publication = discreet.publish(rule, tmp_path / "out", data=data)
    assert discreet.verify(tmp_path / "out").holds
    assert set(publication.data["known"].to_pylist()) == {"*"}
    rule = rule.with_settings({"privacy.k": 10})
    finest = discreet.publish(rule, tmp_path / "finest", data=data)
    assert set(finest.data["known"].to_pylist()) == {"Single", "Divorced", "Widowed", "Married"}
    few = [row for row in data if row["known"] != "Widowed"] + table(["Widowed"], 2)
    coarser = discreet.publish(rule, tmp_path / "coarser", data=few)
    assert set(coarser.data["known"].to_pylist()) == {"Single (level 1)", "Married"}
    assert discreet.verify(tmp_path / "coarser").holds
    assert any("'Single' is published as 'Single (level 1)'" in warning for warning in coarser.warnings)
    assert any("1 row repeated another one" in warning for warning in coarser.warnings)


def test_a_ready_taxonomy_for_sets(tmp_path: Path) -> None:
    rule = discreet.Policy.parse(
        {
            "data": {"kind": "transactions"},
            "taxonomy": {"ready": "icd-10"},
            "sensitive": ["B20"],
            "privacy": {"model": "km-anonymity", "k": 3, "m": 1},
        }
    )
    assert "The taxonomy of the items is icd-10, which ships with discreet" in rule.explain()
    sets = [["A00.1", "F32.1"], ["A00.2", "F33"], ["A00.1", "B20"], ["F32.1"], ["F33.0", "A01"], ["F32", "A02"]] * 2
    publication = discreet.publish(rule, tmp_path / "out", data=sets)
    assert publication.verdict.holds and len(publication.data) == len(sets)


def test_an_unknown_name_is_told_the_nearest() -> None:
    with pytest.raises(discreet.InputError, match=r"'icd10' is not a taxonomy that ships .* 'icd-10'"):
        policy({"ready": "icd10"})


def test_inspect_proposes_them_and_the_proposal_is_published(tmp_path: Path) -> None:
    rows = [
        {"country": country, "plz": plz, "disease": disease}
        for country, plz, disease in islice(
            zip(cycle(["FR", "DE", "IT"]), cycle(["80331", "80339", "8049", "8050"]), cycle("abcde"), strict=False), 120
        )
    ]
    inspection = discreet.inspect(rows)
    written = inspection.policy.as_dict()["attributes"]
    assert written["country"]["taxonomy"] == {"ready": "countries"}
    assert written["plz"]["taxonomy"] == {"ready": "postcodes"}
    assert discreet.publish(inspection.policy, tmp_path / "out").verdict.holds
