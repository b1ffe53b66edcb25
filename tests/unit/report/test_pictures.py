"""Pictures are drawn in a process of its own; where it fails, only pictures are missing, and that is said."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.commands.page import render_html
from discreet.report import pictures
from discreet.report.charts import chart
from discreet.report.frontier import write_frontier
from discreet.report.pictures import Picture, draw
from pages.outline import Outline
from pages.sample import sample_document

HOSPITAL = Path(__file__).parents[3] / "examples" / "hospital" / "policy.yaml"
BARS = chart({"data": {"values": [{"x": 1}]}, "mark": "bar", "encoding": {"x": {"field": "x", "type": "quantitative"}}})
MISSING = "This picture could not be drawn. Its figures are below."


def cannot_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "get_executable", lambda: str(Path(__file__).parent / "no-python"))


def is_not_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)


def is_aborted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "_PROGRAM", "import os; os.abort()")


def has_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "_PROGRAM", "raise ImportError")


def takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "_PROGRAM", "import time; time.sleep(600)")
    monkeypatch.setattr(pictures, "SECONDS", 0.2)


FAILURES = {
    cannot_start: "the process that draws cannot be started (No such file or directory)",
    is_not_python: "there is no Python to draw them with",
    is_aborted: "the process that draws was ended by SIGABRT; it may need more memory",
    has_no_library: "the process that draws ended with the code 1",
    takes_too_long: "it took longer than 0.2 seconds",
}


@pytest.mark.parametrize(("failure", "told"), FAILURES.items())
def test_a_page_without_its_pictures_is_whole(
    failure: Any, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failure(monkeypatch)
    outline = Outline(render_html(sample_document()))
    assert outline.faults == []
    assert outline.pictures == []
    missing = outline.text.count(MISSING)
    assert missing > 5
    warning = capsys.readouterr().err
    assert warning.startswith(f"Warning: {missing} of {missing} pictures could not be drawn: {told}")
    assert warning.count("\n") == 1


def test_a_publication_does_not_end_with_its_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    is_aborted(monkeypatch)
    publication = discreet.publish(HOSPITAL, tmp_path / "out")
    assert discreet.verify(tmp_path / "out").holds
    assert MISSING in publication.report.read_text(encoding="utf-8")
    assert "pictures could not be drawn" in capsys.readouterr().err


def test_a_comparison_says_where_the_figures_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    is_aborted(monkeypatch)
    write_frontier([{"privacy.k": 2, "cost": 1, "normalized": 0.5}], ["privacy.k"], tmp_path / "frontier.svg")
    written = (tmp_path / "frontier.svg").read_text(encoding="utf-8")
    assert written.startswith("<svg ") and "Its figures are in comparison.csv." in written
    assert "Warning: The picture could not be drawn" in capsys.readouterr().err


def test_what_was_drawn_before_the_end_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    asked = [BARS.as_json(), '["no language", {}]', BARS.as_json()]
    first, second, third = draw(asked)
    assert first is not None and first.startswith("<svg")
    assert (second, third) == (None, None)
    assert "2 of 3 pictures could not be drawn: the process that draws ended with the code 1" in capsys.readouterr().err


def test_what_the_renderer_refuses_is_missing_alone(capsys: pytest.CaptureFixture[str]) -> None:
    refused = Picture("vega-lite", {"mark": "no such mark", "data": {"values": [{}]}})
    first, second = draw([refused.as_json(), BARS.as_json()])
    assert first is None
    assert second is not None and second.startswith("<svg")
    assert "1 of 2 pictures could not be drawn: the renderer does not accept" in capsys.readouterr().err


def test_without_pictures_nothing_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(subprocess, "Popen")
    assert draw([]) == []


@pytest.mark.parametrize("stream", [None, "closed"])
def test_where_nobody_listens_nothing_is_said(stream: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    is_aborted(monkeypatch)
    nowhere = None if stream is None else io.StringIO()
    if nowhere is not None:
        nowhere.close()
    monkeypatch.setattr(sys, "stderr", nowhere)
    assert draw([BARS.as_json()]) == [None]


def test_neither_the_folder_nor_the_environment_change_what_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stranger's folder may have a json.py in it."""
    for name in ("json.py", "sitecustomize.py", "vl_convert.py"):
        (tmp_path / name).write_text("raise SystemExit('not this one')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    assert draw([BARS.as_json()]) != [None]
