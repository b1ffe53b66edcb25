"""The benchmarks run, at a small size: on Adult where it is at hand, and on the table that ships."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from examples import TIMES

ROOT = Path(__file__).resolve().parents[3]
DATA = Path(os.environ.get("DISCREET_DATA", ROOT.parent / "shared" / "data"))
TABLES = ("grid", "ablation", "scaling", "publish", "steward")


def benchmarks(*arguments: str | Path) -> str:
    command = [sys.executable, "-m", "benchmarks", "--quick", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def section(output: str, name: str) -> str:
    return re.split(r"^## ", output.partition(f"## {name}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]


def table_rows(text: str) -> list[str]:
    """The lines of Markdown tables, without headers and rules."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    rules = {number for number, line in enumerate(lines) if line.startswith("| ---")}
    return [line for number, line in enumerate(lines) if not {number, number + 1} & rules]


@pytest.mark.skipif(TIMES == 1, reason="every benchmark on Adult is run by make sweep")
@pytest.mark.skipif(not (DATA / "adult").is_dir(), reason=f"no Adult data in {DATA} (set DISCREET_DATA)")
def test_every_table_on_adult() -> None:
    output = benchmarks("--data", DATA)
    assert "59,974,008,300 cuts" in section(output, "grid")
    assert "keeps its promise" in section(output, "publish")
    counted = {name: len(table_rows(section(output, name))) for name in TABLES}
    assert counted == {"grid": 11, "ablation": 20, "scaling": 14, "publish": 4, "steward": 5}


def test_the_shipped_table_where_there_is_no_other_and_the_page_updated(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text("before\n<!-- grid -->\nold\n<!-- /grid -->\nafter\n<!-- publish --><!-- /publish -->\n")
    output = benchmarks("grid", "publish", "--data", tmp_path, "--update-readme", page)
    assert f"There is no adult/ in {tmp_path}" in output
    updated = page.read_text()
    assert "old" not in updated
    assert updated.startswith("before\n<!-- grid -->\n\n11 problems")
    assert "<!-- /grid -->\nafter\n<!-- publish -->" in updated
    assert table_rows(updated) == table_rows(output) != []


def test_an_unknown_table_gets_a_sentence() -> None:
    done = subprocess.run([sys.executable, "-m", "benchmarks", "speed"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert "there is no table 'speed'; the tables are grid, ablation, scaling, publish, steward" in done.stderr
