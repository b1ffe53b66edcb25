"""Takes the pictures of the tutorials: runs their commands with a seed and photographs parts of the steward's page.

    python docs/make_pictures.py

Needs Chromium (the name of the program can be given in DISCREET_CHROMIUM). Part of a page is taken from a copy that
holds this part alone; a first visit measures how high it is, a second one takes the picture. The page warns of the
seed, which nobody who follows a tutorial gives; that line is left out. Of the summary, only what it begins with and its
warnings are shown.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import discreet
from discreet.cli.options import variations_of

HOME = Path(__file__).resolve().parents[1]
TUTORIAL = HOME / "docs" / "tutorial.md"
TUTORIAL_OF_SETS = HOME / "docs" / "tutorial-sets.md"
PICTURES = HOME / "docs" / "pictures"
DEMOS = HOME / "src" / "discreet" / "demo"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SEED = 1
WIDTHS = {"summary": 900, "taxonomy": 680, "confidence": 820, "risk": 820, "items": 820}


def make_pictures() -> None:
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="discreet-pictures-") as name:
        folder = Path(name)
        policy = prepared("table", TUTORIAL, folder / "hospital")
        take_parts(policy, parts, folder)
        discreet.compare(policy, variations(), folder / "comparison", seed=SEED)
        shutil.copy(folder / "comparison" / "frontier.svg", PICTURES / "frontier.svg")
        take_parts(prepared("transactions", TUTORIAL_OF_SETS, folder / "shop"), parts_of_sets, folder)


def prepared(demo: str, tutorial: Path, folder: Path) -> Path:
    """The data, and the first policy that the tutorial shows, in a folder of the name that it has there."""
    shutil.copytree(DEMOS / demo, folder)
    mark = rf"<!-- saved as {folder.name}/policy.yaml -->"
    shown = re.search(rf"{mark}\n```yaml\n(.*?)^```$", tutorial.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert shown is not None
    policy = folder / "policy.yaml"
    policy.write_text(shown[1], encoding="utf-8")
    return policy


def variations() -> dict[str, list[object]]:
    """What the tutorial's comparison varies."""
    told = TUTORIAL.read_text(encoding="utf-8")
    command = re.search(r"^discreet compare .*?(?=^```$)", told, re.MULTILINE | re.DOTALL)
    assert command is not None
    return variations_of(re.findall(r"--vary (\S+)", command[0]))


def take_parts(policy: Path, shown: Callable[[str], dict[str, str]], folder: Path) -> None:
    """Publishes by the policy, and takes the pictures of the parts of the page that are to be shown."""
    report = discreet.publish(policy, policy.with_name("draft"), seed=SEED).report.read_text(encoding="utf-8")
    for picture, part in shown(report).items():
        take(page_of(report, part), WIDTHS[picture], PICTURES / f"{picture}.png", folder / picture)


def parts(report: str) -> dict[str, str]:
    """Name of a picture -> the part of the page that it shows, HTML."""
    columns, risk = section(report, "columns"), section(report, "risk")
    [taxonomy] = [figure for figure in figures(columns) if 'aria-label="country of birth:' in figure]
    return {
        "summary": re.sub(
            r"<li>A seed was given.*?</li>|<h3>Risk and use</h3><figure>.*?</figure>|<p>Beyond what is promised.*?</p>",
            "",
            section(report, "summary"),
            flags=re.DOTALL,
        ),
        "taxonomy": f"<section>{taxonomy}</section>",
        "confidence": section(report, "confidence"),
        "risk": re.sub(
            r"<ul[^>]*>.*?</ul>", "", "<h3".join(risk.split("<h3")[:2]) + "</section>", count=1, flags=re.DOTALL
        ),
    }


def parts_of_sets(report: str) -> dict[str, str]:
    """The same for transactions."""
    [taxonomy] = figures(section(report, "items"))[:1]
    return {"items": f"<section>{taxonomy}</section>"}


def section(page: str, anchor: str) -> str:
    [found] = re.findall(rf'<section id="{anchor}".*?</section>', page, re.DOTALL)
    return str(found)


def figures(page: str) -> list[str]:
    return re.findall(r"<figure.*?</figure>", page, re.DOTALL)


def page_of(report: str, part: str) -> str:
    """The page with one part only, in daylight, and with a script that tells its height."""
    head = re.search(r"<head>(.*?)</head>", report, re.DOTALL)
    assert head is not None
    kept = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", head[1])
    tell = "<script>document.title = document.querySelector('main').getBoundingClientRect().bottom</script>"
    style = "<style>main > section { margin: 0 !important; border: 0 !important } :root { color-scheme: light }</style>"
    return f'<!doctype html><html lang="en"><head>{kept}{style}</head><body><main>{part}</main>{tell}</body></html>'


def take(page: str, width: int, picture: Path, folder: Path) -> None:
    folder.mkdir()
    file = folder / "page.html"
    file.write_text(page, encoding="utf-8")
    visited = visit(file, f"--window-size={width},4000", "--dump-dom")
    height = re.search(r"<title>([\d.]+)</title>", visited)
    assert height is not None, f"{picture.name}: the page did not tell its height"
    visit(file, f"--window-size={width},{int(float(height[1])) + 1}", f"--screenshot={picture}")


def visit(file: Path, *options: str) -> str:
    chromium = os.environ.get("DISCREET_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    assert chromium is not None, "no Chromium is installed; install it or name it in DISCREET_CHROMIUM"
    command = [
        chromium,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--hide-scrollbars",
        f"--user-data-dir={file.parent / 'profile'}",
        *options,
        file.as_uri(),
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


if __name__ == "__main__":
    make_pictures()
