"""A measure of tables that lives in this module alone."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import discreet
from demos import small_demo
from discreet.measure.measurement import Measurement, Unit
from discreet.measure.table import TABLE_MEASURES
from discreet.measure.table.comparison import ANY_RECODING, Comparison
from listed import is_listed


class RowsLeft:
    name: ClassVar[str] = "rows-left"
    title: ClassVar[str] = "Rows that are left"
    paper: ClassVar[str] = "none: a test"
    definition: ClassVar[str] = "The rows of the release, as a share of those of the original."
    unit: ClassVar[Unit] = "share"
    needs_sensitive: ClassVar[bool] = False
    needs_class: ClassVar[bool] = False
    recodings: ClassVar[tuple[str, ...]] = ANY_RECODING

    def measure(self, comparison: Comparison, random: np.random.Generator) -> Measurement:
        share = comparison.release.rows / comparison.rows
        return Measurement.of(self, original=1.0, release=share, reading=f"{share:.0%} of the rows are left.")


def test_it_goes_all_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = small_demo("table", tmp_path)
    before = discreet.publish(path, tmp_path / "before", seed=1).result["utility"]
    monkeypatch.setitem(TABLE_MEASURES, "rows-left", RowsLeft())
    publication = discreet.publish(path, tmp_path / "out", seed=1)
    *others, last = publication.result["utility"]
    assert (last["name"], last["release"]) == ("rows-left", 1.0)
    assert others == before, "a new measure changes no other"
    page = publication.report.read_text()
    assert "Rows that are left" in page and "100% of the rows are left." in page
    assert is_listed("rows-left", capsys)
