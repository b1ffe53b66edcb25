"""The steward's page in a real browser: it asks for nothing, complains of nothing and shows the result's figures.

Chromium writes what the console says to its standard error and what is requested to a log of the network; both are
read here, so that no driver is needed. The browser's own requests (for the time, for updates) have no page as their
initiator and resolve to nothing.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.commands.page import render_html
from pages.baskets import publish_baskets
from pages.outline import Outline
from pages.sample import known_attack, sample_document

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM = os.environ.get("DISCREET_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
HOSPITAL = Path(__file__).resolve().parents[2] / "examples" / "hospital" / "policy.yaml"
NO_PAGE = "not an origin"

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium is installed; install it or name it in DISCREET_CHROMIUM"
)


@dataclass(frozen=True)
class Visit:
    """What came of opening a page."""

    page: str
    console: list[str]
    requests: list[str]


def visit(page: Path, *options: str) -> Visit:
    assert CHROMIUM is not None
    log = page.parent / "net.json"
    ran = subprocess.run(
        [
            CHROMIUM,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-extensions",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--user-data-dir={page.parent / 'profile'}",
            "--enable-logging=stderr",
            f"--log-net-log={log}",
            *options,
            "--dump-dom",
            page.as_uri(),
        ],
        capture_output=True,
        timeout=120,
        check=True,
    )
    console = re.findall(r"CONSOLE[:(]\d+\)?\] (.*)", ran.stderr.decode(errors="replace"))
    return Visit(ran.stdout.decode("utf-8"), console, requests(json.loads(log.read_text(encoding="utf-8"))))


def requests(log: dict[str, Any]) -> list[str]:
    """The addresses that the page asked for."""
    started = log["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"]
    asked = [
        event["params"] for event in log["events"] if event["type"] == started and "url" in event.get("params", {})
    ]
    return [request["url"] for request in asked if request["initiator"] != NO_PAGE]


def test_the_check_sees_what_a_page_logs_and_asks_for(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        "<!doctype html><title>x</title><img src='http://127.0.0.1:9/x.png'><script>console.error('oh no')</script>",
        encoding="utf-8",
    )
    found = visit(page)
    assert any("oh no" in line for line in found.console)
    assert found.requests == ["http://127.0.0.1:9/x.png"]


def test_nothing_put_into_the_page_can_run_or_ask(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    put = "<script>document.title='ran'</script><img src='http://127.0.0.1:9/x.png'></main>"
    page.write_text(render_html(sample_document()).replace("</main>", put), encoding="utf-8")
    found = visit(page)
    assert "<title>ran</title>" not in found.page
    assert found.requests == []
    assert any("Content Security Policy" in line for line in found.console)


def test_the_full_page_is_quiet_and_sound_in_the_browser(tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text(render_html(sample_document(), known_attack()), encoding="utf-8")
    found = visit(tmp_path / "report.html")
    outline = Outline(found.page)
    assert (found.console, found.requests, outline.faults) == ([], [], [])
    assert len(outline.pictures) == 20


def test_the_page_of_a_real_release_shows_the_figures_of_its_result(tmp_path: Path) -> None:
    publication = discreet.publish(HOSPITAL, tmp_path / "out")
    result = json.loads((tmp_path / "out/steward/result.json").read_text(encoding="utf-8"))
    # a folder of its own: the browser leaves its profile beside the page
    page = tmp_path / "visit" / "report.html"
    page.parent.mkdir()
    shutil.copy(publication.report, page)
    found = visit(page)
    outline = Outline(found.page)
    assert (found.console, found.requests, outline.faults) == ([], [], [])
    linkage, known = result["attack"]["linkage"], result["attack"]["knowing_the_method"]
    told = [
        f"Records published {result['rows']['published']} ",
        f"{result['loss']['normalized']:.1%}",
        "Yes, proved",
        f"before: {linkage['before']['above_threshold']} → after: {known['above_threshold']}",
        f"Cuts looked at {result['search']['cuts_examined']} (",
        f"Possible cuts {result['search']['cuts_total']}",
        *(entry["reading"] for entry in result["utility"]),
        *result["attack"]["reading"],
        *(f"{value} published" for cut in result["cuts"].values() for value in cut),
    ]
    assert [text for text in told if text not in outline.text] == []


@pytest.mark.parametrize("method", ["og", "partition"])
def test_the_page_of_baskets_is_quiet_and_sound_in_the_browser(tmp_path: Path, method: str) -> None:
    (tmp_path / "report.html").write_text(render_html(publish_baskets(tmp_path, method)), encoding="utf-8")
    found = visit(tmp_path / "report.html")
    outline = Outline(found.page)
    assert (found.console, found.requests, outline.faults) == ([], [], [])
    assert "The release keeps this promise." in outline.text
