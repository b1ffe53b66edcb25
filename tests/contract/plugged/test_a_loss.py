"""A loss on items that lives in this module alone."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import pytest

import discreet
from demos import small_demo, with_sections
from discreet.losses.transactions import TRANSACTION_LOSSES
from discreet.taxonomy import Taxonomy
from listed import is_listed


class Steps:
    """How many steps an item went up, of all that lead to the root."""

    name: ClassVar[str] = "steps"
    paper: ClassVar[str] = "none: a test"

    def generalization(self, taxonomy: Taxonomy, node: int) -> Fraction:
        if taxonomy.is_leaf(node):
            return Fraction(0)
        deepest = int(taxonomy.depth.max())
        return Fraction(deepest - int(taxonomy.depth[node]), deepest)


def test_it_goes_all_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(TRANSACTION_LOSSES, "steps", Steps())
    path = small_demo("transactions", tmp_path)
    policy = with_sections(path, search={"loss": "steps"})
    publication = discreet.publish(policy, tmp_path / "out", seed=1)
    assert publication.result["loss"]["name"] == "steps" and publication.result["status"] == "optimal"
    assert discreet.verify(publication.folder).holds
    assert "by steps" in publication.report.read_text()
    assert discreet.attack(publication.folder, seed=1)["people"] > 0
    rows = discreet.compare(policy, {"search.loss": ["lm", "steps"]}, seed=1)
    assert [row["status"] for row in rows] == ["optimal", "optimal"]
    assert is_listed("steps", capsys)
