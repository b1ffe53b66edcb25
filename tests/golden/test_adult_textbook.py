"""The census table under the promises of the textbook: optima and losses known beforehand, found and verified.

The references are exact, as they were where these figures were found.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

import discreet

DATA = Path(os.environ.get("DISCREET_DATA", Path(__file__).resolve().parents[3] / "shared" / "data")) / "adult"
TABLE = DATA / "adult_clean_45222.csv.zst"

pytestmark = pytest.mark.skipif(not TABLE.exists(), reason=f"{TABLE} is not here")

QUASI = ("education", "native-country", "workclass", "marital-status", "sex", "race")
DROPPED = ("fnlwgt", "education-num", "relationship", "capital-gain", "capital-loss", "hours-per-week", "split")
PROMISES: dict[str, list[dict[str, object]]] = {
    "k": [],
    "entropy": [{"model": "entropy-l-diversity", "l": 3}],
    "recursive": [{"model": "recursive-l-diversity", "c": 2, "l": 3}],
    "equal": [{"model": "t-closeness", "t": "1/5", "reference": "exact"}],
    "ordered": [{"model": "t-closeness", "t": "1/5", "distance": "ordered", "reference": "exact"}],
    "quarter": [{"model": "l-diversity", "l": 4}],
}


def published(tmp_path: Path, promise: str, search: Mapping[str, object]) -> discreet.Publication:
    ages = {"intervals": [5, 10, 20, 40], "start": 17, "end": 97, "leaves": "intervals"}
    policy = discreet.Policy.parse(
        {
            "data": {"path": str(TABLE)},
            "attributes": {
                "age": {"role": "quasi-identifier", "taxonomy": ages},
                **{
                    name: {"role": "quasi-identifier", "taxonomy": str(DATA / f"taxonomies/{name}.csv")}
                    for name in QUASI
                },
                **{name: {"role": "identifier"} for name in (*DROPPED, "income")},
                "occupation": {"role": "sensitive"},
            },
            "privacy": [*PROMISES[promise], {"model": "k-anonymity", "k": 5}],
            "search": dict(search),
            "report": {"without": ["attack", "measures", "charts"]},
        }
    )
    publication = discreet.publish(policy, tmp_path / "out", seed=1)
    assert publication.verdict.holds
    return publication


@pytest.mark.parametrize(
    ("promise", "costs"),
    [
        ("entropy", {"none": 154538.767, "all-rec": 60345.567, "vio-rec": 57369.192}),
        ("recursive", {"none": 159669.067, "all-rec": 71397.3, "vio-rec": 59243.075}),
        ("equal", {"none": 240797.45, "all-rec": 203307.625, "vio-rec": 174797.5}),
        ("ordered", {"none": 149790.567, "all-rec": 60688.45, "vio-rec": 55427.408}),
    ],
)
def test_the_least_loss_over_all_cuts(tmp_path: Path, promise: str, costs: Mapping[str, float]) -> None:
    for suppression, cost in costs.items():
        result = published(tmp_path / suppression, promise, {"suppression": suppression}).result
        assert result["status"] == "optimal"
        assert round(result["loss"]["cost"], 3) == cost


@pytest.mark.parametrize(
    ("promise", "unsuppressed", "capped"),
    [
        ("k", 0.5073, 0.2673),
        ("entropy", 0.5073, 0.2922),
        ("recursive", 0.5551, 0.3429),
        ("equal", 0.8136, 0.7045),
    ],
)
def test_the_least_loss_over_all_levels(tmp_path: Path, promise: str, unsuppressed: float, capped: float) -> None:
    searches = {
        unsuppressed: {"suppression": "none"},
        capped: {"suppression": "all-rec", "max_suppressed": "1/100"},
    }
    for loss, search in searches.items():
        result = published(tmp_path / search["suppression"], promise, {"method": "full-domain", **search}).result
        assert result["status"] == "optimal"
        assert round(result["loss"]["normalized"], 4) == loss


@pytest.mark.parametrize(
    ("promise", "greedy", "with_look_ahead"),
    [("k", 0.0280, 0.0250), ("entropy", 0.0402, 0.0360), ("quarter", 0.32, 0.30)],
)
def test_local_recoding_loses_a_tenth(tmp_path: Path, promise: str, greedy: float, with_look_ahead: float) -> None:
    for look_ahead, most in ((False, greedy), (True, with_look_ahead)):
        search = {"method": "mondrian", "suppression": "none", "look_ahead": look_ahead}
        result = published(tmp_path / str(look_ahead), promise, search).result
        assert round(result["loss"]["normalized"], 4) <= most
