"""For all tests."""

from __future__ import annotations

import json
import signal
from collections.abc import Sequence

import pytest

from discreet.report import pictures

# A shell that runs tests in the background has them ignore Ctrl-C, and then none of those about it can be true.
signal.signal(signal.SIGINT, signal.default_int_handler)

LOOKED_AT = (
    *("unit/report", "unit/commands/test_compare", "test_report_in_browser"),
    *("test_hostile_data", "test_releases_give_nothing_away"),
)
"""Tests of what is in pictures; elsewhere they would take half of the time of every publication."""
DRAWN_ELSEWHERE = ("test_pictures",)
"""Tests of the process that draws. The others draw in their own, where starting the renderer counts only once."""


@pytest.fixture(autouse=True)
def _quick_pictures(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if any(name in str(request.path) for name in DRAWN_ELSEWHERE):
        return
    is_looked_at = any(name in str(request.path) for name in LOOKED_AT)
    monkeypatch.setattr(pictures, "draw", _drawn_here if is_looked_at else _undrawn)


def _drawn_here(asked: Sequence[str]) -> list[str | None]:
    from discreet.report.renderer import RENDERERS, svg

    return [svg(RENDERERS[language], specification) for language, specification in map(json.loads, asked)]


def _undrawn(asked: Sequence[str]) -> list[str | None]:
    return ['<svg xmlns="http://www.w3.org/2000/svg"><title>not drawn in this test</title></svg>' for _ in asked]
