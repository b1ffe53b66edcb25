"""A method for tables that makes rows up, in this module alone: each as often as it has to be to keep the promise."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet
from demos import small_demo, with_sections
from discreet.methods.table import TABLE_METHODS, TableMethod
from discreet.recode.table.recoded import NewRows
from discreet.search.events import Listener, SearchEvent, ignore
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.table.problem import TableProblem


def invented(
    problem: TableProblem, limits: Limits, random: np.random.Generator, listen: Listener = ignore
) -> SearchResult:
    """Two combinations of leaves that occur, k times each; nothing is said of what that loses."""
    table, k = problem.table, problem.demand.smallest
    columns: dict[str, list[str | None]] = {
        name: [taxonomy.leaf_labels[leaf] for leaf in leaves[:2] for _ in range(k)]
        for name, taxonomy, leaves in zip(table.attributes, table.taxonomies, table.leaves, strict=True)
    }
    columns["diagnosis"] = [table.sensitive_values[value % len(table.sensitive_values)] for value in range(2 * k)]
    columns["ward"] = ["North" for _ in range(2 * k)]
    columns["discharged home"] = ["yes" for _ in range(2 * k)]
    event = SearchEvent(limits.seconds, Fraction(0), None, 1)
    listen(event)
    return SearchResult.ended(NewRows(columns, "diagnosis"), Fraction(0), limits, [event], {})


INVENTED = TableMethod(
    name="invented",
    paper="none: a test",
    summary="Rows that were made up.",
    function=invented,
    keeps=lambda model: model.about_size,
    rule=False,
    proves=False,
    schemes=("none",),
    any_loss=True,
    relies_on_monotony=False,
    merges_chains=False,
)


@pytest.fixture
def policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setitem(TABLE_METHODS, "invented", INVENTED)
    privacy = {"model": "k-anonymity", "k": 4}
    return with_sections(small_demo("table", tmp_path), privacy=privacy, search={"method": "invented"})


def test_it_goes_all_the_way(policy: Any, tmp_path: Path) -> None:
    publication = discreet.publish(policy, tmp_path / "out", seed=1)
    verdict = discreet.verify(publication.folder)
    assert verdict.holds and verdict.rows == 8 and any("made up" in note for note in verdict.notes)
    certificate = json.loads((publication.release / "certificate.json").read_text())
    assert certificate["recoding"] == "synthetic"
    result = publication.result
    assert (result["partitions"]["count"], result["partitions"]["smallest"]) == (2, 4)
    assert result["rows"] == {"original": 120, "published": 8}
    assert sum(result["published_values"]["sex"].values()) == 8
    assert {column["fate"] for column in result["columns"] if column["role"] == "quasi-identifier"} == {"made up"}
    assert result["attack"]["applies"] is False
    assert not any(result["attack"][name]["applies"] for name in ("linkage", "risk", "minimality", "intersection"))
    nearest = result["attack"]["nearest"]
    assert nearest["applies"] and nearest["columns"] == ["age"] and "is not known" in nearest["reading"]
    found = discreet.attack(publication.folder, known=policy.data.path)
    assert found["nearest"]["guesses"]["of"] == 120
    with pytest.raises(discreet.InputError, match="the rows of this one were made up"):
        discreet.attack(publication.folder, second=publication.folder)
    assert "No record was linked" in publication.report.read_text()
