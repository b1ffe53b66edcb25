"""For all tests."""

from __future__ import annotations

import signal
from collections.abc import Sequence

import pytest

from discreet.report import pictures

# A shell that runs tests in the background has them ignore Ctrl-C, and then none of those about it can be true.
signal.signal(signal.SIGINT, signal.default_int_handler)

LOOKED_AT = ("unit/report", "test_report_in_browser", "test_hostile_data", "test_releases_give_nothing_away")
"""Tests of what is in the report's pictures; elsewhere they would take half of the time of every publication."""


@pytest.fixture(autouse=True)
def _quick_pictures(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if not any(name in str(request.path) for name in LOOKED_AT):
        monkeypatch.setattr(pictures, "draw", _undrawn)


def _undrawn(asked: Sequence[str]) -> list[str | None]:
    return ['<svg xmlns="http://www.w3.org/2000/svg"><title>not drawn in this test</title></svg>' for _ in asked]
