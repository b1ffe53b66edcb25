"""What a steward may say about single columns, from the policy to the release: weights, bounds, a cap."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import discreet

DAYS = ["2023-12-30", "2023-12-31", "2024-01-01", "2024-01-02", "2024-02-01", "2024-02-02"]
CODES = ["80331", "80335", "80796", "79098", "79100", "79106"]
DISEASES = ["flu", "cold", "flu", "cold", "flu", "flu"]


def published(folder: Path, *, day: Any = None, code: Any = None, **sections: Any) -> discreet.Publication:
    quasi = {"role": "quasi-identifier"}
    attributes = {
        "day": {**quasi, "taxonomy": {"dates": ["day", "month", "year"]}, **(day or {})},
        "code": {**quasi, "taxonomy": {"prefixes": [3, 2]}, **(code or {})},
        "disease": {"role": "sensitive"},
    }
    policy = {"data": {}, "attributes": attributes, "privacy": {"model": "k-anonymity", "k": 2}, **sections}
    data = pa.table({"day": DAYS, "code": CODES, "disease": DISEASES})
    publication = discreet.publish(discreet.Policy.parse(policy), folder / "out", data=data, seed=1)
    assert discreet.verify(publication.folder).holds
    return publication


def values(publication: discreet.Publication, column: str) -> set[str]:
    with (publication.release / "data.csv").open(newline="", encoding="utf-8") as file:
        return {row[column] for row in csv.DictReader(file)}


def test_the_weight_decides_which_column_keeps_its_detail(tmp_path: Path) -> None:
    days = published(tmp_path / "days", day={"weight": 100}, search={"suppression": "none"})
    codes = published(tmp_path / "codes", code={"weight": 100}, search={"suppression": "none"})
    assert values(days, "day") == {"2023-12", "2024-01", "2024-02"} and "*" in values(days, "code")
    assert "*" not in values(codes, "code")


@pytest.mark.parametrize("method", ["l-plus-optimize", "samarati"])
def test_never_coarser(tmp_path: Path, method: str) -> None:
    search = {"method": method, "suppression": "none"}
    free = published(tmp_path / "free", search=search, code={"weight": 100, "at_least": 1})
    assert values(free, "day") == {"*"}
    bound = published(tmp_path / "bound", search=search, code={"weight": 100}, day={"at_least": "month"})
    assert values(bound, "day") == {"2023-12", "2024-01", "2024-02"} and values(bound, "code") == {"*"}


def test_never_more_detailed(tmp_path: Path) -> None:
    publication = published(tmp_path, privacy={"model": "k-anonymity", "k": 1}, day={"at_most": "year"})
    assert values(publication, "day") == {"2023", "2024"} and values(publication, "code") == set(CODES)
    assert publication.result["loss"]["cost"] == 0  # what the policy does not ask for is not lost
    taxonomy = (publication.release / "taxonomies" / "1-day.csv").read_text(encoding="utf-8")
    assert "2024-01" not in taxonomy


def test_labels_bound_their_part_of_the_taxonomy(tmp_path: Path) -> None:
    publication = published(tmp_path, privacy={"model": "k-anonymity", "k": 1}, code={"at_most": ["80*"]})
    assert values(publication, "code") == {"80*", "79098", "79100", "79106"}


def test_a_label_that_does_not_occur_is_told(tmp_path: Path) -> None:
    publication = published(tmp_path, privacy={"model": "k-anonymity", "k": 1}, code={"at_most": "81*"})
    assert any("attributes.code.at_most: '81*' is not in the taxonomy" in text for text in publication.warnings)


def test_bounds_that_contradict_each_other(tmp_path: Path) -> None:
    with pytest.raises(
        discreet.InputError, match=r"attributes.code: at_least asks for '803\*', which is more detailed"
    ):
        published(tmp_path, code={"at_least": "803*", "at_most": "80*"})


def test_no_more_is_suppressed_than_the_cap_allows(tmp_path: Path) -> None:
    """With three digits of the code, two of the six records have nobody beside them."""
    third = published(
        tmp_path / "third", search={"suppression": "vio-rec", "max_suppressed": "1/3"}, code={"at_least": 2}
    )
    assert third.result["suppressed"]["records"] == 2 and third.result["status"] == "optimal"
    with pytest.raises(discreet.NoReleaseError, match=r"at most 1/6 of the 6 records suppressed"):
        published(tmp_path / "none", search={"suppression": "vio-rec", "max_suppressed": "1/6"}, code={"at_least": 2})
