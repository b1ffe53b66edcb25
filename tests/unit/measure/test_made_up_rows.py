"""Measures of rows that were made up, on data of which the answer is known."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet
from discreet import Policy
from discreet.measure.table import TABLE_MEASURES
from discreet.measure.table.comparison import MADE_UP


def measures(folder: Path, data: dict[str, Any], k: int = 5, **search: object) -> dict[str, dict[str, Any]]:
    attributes = {name: {"role": "class" if name == "c" else "quasi-identifier"} for name in data}
    policy = Policy.parse(
        {
            "data": {"kind": "table"},
            "attributes": attributes,
            "privacy": {"model": "condensed-groups", "k": k},
            "search": {"method": "condensation", **search},
        }
    )
    result = discreet.publish(policy, folder / "out", data=data, seed=2, force=True).result
    assert "classes" not in result and set(result["not_measured"]) == {
        measure.title for measure in TABLE_MEASURES.values() if measure.recodings != MADE_UP
    }
    return {entry["name"]: entry for entry in result["utility"]}


def two_clouds(number: int) -> dict[str, list[str]]:
    random = np.random.default_rng(1)
    high = random.random(number) < 0.4
    x = np.where(high, 40, 10) + random.normal(0, 3, number)
    y = x / 2 + random.normal(0, 1, number)
    return {
        "x": [f"{value:.1f}" for value in x],
        "y": [f"{value:.1f}" for value in y],
        "c": ["high" if label else "low" for label in high],
    }


@pytest.mark.parametrize("stream", [False, True])
def test_classes_far_apart_are_learnt_from_made_up_rows(tmp_path: Path, stream: bool) -> None:
    found = measures(tmp_path, two_clouds(400), stream=stream)
    for name in ("neighbours", "tree"):
        assert found[name]["release"] > 0.97 and found[name]["original"] > 0.97
        assert 0.5 < found[name]["details"]["majority"] < 0.7
        assert "made-up rows" in found[name]["reading"]
    assert found["correlation"]["release"] < 0.02
    assert found["correlation"]["details"]["pairs"][0]["columns"] == ["x", "y"]


def test_records_that_are_published_as_they_are_reappear_inside_and_not_outside(tmp_path: Path) -> None:
    """Pairs of equal records far from all others come out as they went in; a unique one only beside its own like."""
    random = np.random.default_rng(4)
    spread = [str(value) for value in random.choice(10**9, 400, replace=False)]
    found = measures(tmp_path, {"x": spread, "y": ["0"] * 400}, k=2)["reappearing"]
    inside, outside = found["details"]["inside"], found["details"]["outside"]
    assert inside["records"] + outside["records"] == 400
    assert outside["reappear"] == 0 and inside["reappear"] < 10
    assert found["original"] is None and 0 <= found["release"] < 0.05
    assert "no difference that shows" in found["reading"]


def test_where_nobody_is_alone_there_is_nothing_to_find(tmp_path: Path) -> None:
    found = measures(tmp_path, {"x": ["1", "2"] * 20, "y": ["3", "4"] * 20})
    assert found["reappearing"]["release"] is None
    assert found["reappearing"]["reading"] == "Not measured: no record is like no other."
    assert found["correlation"]["release"] == pytest.approx(0)


def test_columns_that_do_not_vary_have_no_correlation(tmp_path: Path) -> None:
    found = measures(tmp_path, {"x": ["1"] * 20, "y": ["3", "4"] * 10})
    assert found["correlation"]["release"] is None and "no correlation to keep" in found["correlation"]["reading"]


def test_too_few_records_are_not_measured(tmp_path: Path) -> None:
    data = {"x": [str(value) for value in range(8)], "c": ["a"] * 4 + ["b"] * 4}
    found = measures(tmp_path, data, k=4)
    assert found["neighbours"]["reading"] == "Not measured: there are too few records to hold some out for the test."
    assert found["reappearing"]["reading"] == "Not measured: half of the records are too few."


def test_without_scikit_learn_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    found = measures(tmp_path, two_clouds(60))
    assert "pip install 'discreet[learn]'" in found["tree"]["reading"] and found["tree"]["release"] is None
