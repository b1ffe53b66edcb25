"""The census table at its full size: 45,222 records, the optima known beforehand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import discreet

DATA = Path(os.environ.get("DISCREET_DATA", Path(__file__).resolve().parents[3] / "shared" / "data")) / "adult"
TABLE = DATA / "adult_clean_45222.csv.zst"

pytestmark = pytest.mark.skipif(not TABLE.exists(), reason=f"{TABLE} is not here")

QUASI = ("education", "native-country", "workclass", "marital-status", "sex", "race")
DROPPED = ("fnlwgt", "education-num", "relationship", "capital-gain", "capital-loss", "hours-per-week", "split")


def policy(l_value: int, loss: str, suppression: str) -> discreet.Policy:
    ages = {"intervals": [5, 10, 20, 40], "start": 17, "end": 97, "leaves": "intervals"}
    return discreet.Policy.parse(
        {
            "data": {"path": str(TABLE)},
            "attributes": {
                "age": {"role": "quasi-identifier", "taxonomy": ages},
                **{
                    name: {"role": "quasi-identifier", "taxonomy": str(DATA / f"taxonomies/{name}.csv")}
                    for name in QUASI
                },
                **{name: {"role": "identifier"} for name in DROPPED},
                "occupation": {"role": "sensitive"},
                "income": {"role": "class"},
            },
            "privacy": {"model": "l-diversity", "l": l_value},
            "search": {"loss": loss, "suppression": suppression},
        }
    )


@pytest.mark.parametrize(
    ("l_value", "loss", "suppression", "cost"),
    [
        (2, "lm", "vio-sa", 37811.917),
        (4, "lm", "vio-rec", 95489.983),
        (4, "dm", "all-rec", 141027241),
        (2, "cm", "vio-rec", 8032),
    ],
)
def test_the_known_optima(tmp_path: Path, l_value: int, loss: str, suppression: str, cost: float) -> None:
    publication = discreet.publish(policy(l_value, loss, suppression), tmp_path / "out")
    assert publication.result["status"] == "optimal"
    assert round(publication.result["loss"]["cost"], 3) == cost
    assert publication.result["search"]["cuts_total"] == 59_974_008_300
    assert publication.verdict.holds
    assert discreet.verify(tmp_path / "out").holds
