"""Neither caches nor pictures can stop a publication: without memory for them, or a place, they are missing."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import discreet

resource = pytest.importorskip("resource", reason="Windows has no such limits")

HOSPITAL = Path(__file__).parents[2] / "examples" / "hospital" / "policy.yaml"
GB = 1 << 30
LIMITED = (
    "import resource, sys; most = int(sys.argv.pop(1)); resource.setrlimit(resource.RLIMIT_AS, (most, most)); "
    "from discreet.cli import main; sys.exit(main())"
)


def publish(
    out: Path, *options: str, limit: int | None = None, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Publishes the hospital's table from a process of its own, in another environment, and checks what it wrote."""
    most = resource.RLIM_INFINITY if limit is None else limit
    ran = subprocess.run(
        [sys.executable, "-c", LIMITED, str(most), "publish", str(HOSPITAL), "--out", str(out), *options],
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr
    assert discreet.verify(out).holds
    return ran


@pytest.mark.parametrize("limit", [4 * GB, 8 * GB, 64 * GB])
def test_where_memory_is_limited_only_pictures_are_missing(tmp_path: Path, limit: int) -> None:
    """The renderer reserves more addresses than it ever uses, and ends its process where it does not get them."""
    ran = publish(tmp_path / "out", limit=limit)
    report = (tmp_path / "out" / "steward" / "report.html").read_text(encoding="utf-8")
    missing = report.count("This picture could not be drawn. Its figures are below.")
    drawn = report.count('role="img"')
    assert missing + drawn > 5
    assert (f"Warning: {missing} of {missing + drawn} pictures could not be drawn" in ran.stderr) == (missing > 0)


NOWHERE = "/dev/null/nowhere"
"""a place that root cannot make, either"""


@pytest.mark.parametrize(
    "environment",
    [
        {"HOME": NOWHERE},
        {"HOME": NOWHERE, "XDG_CACHE_HOME": NOWHERE, "XDG_CONFIG_HOME": NOWHERE, "XDG_DATA_HOME": NOWHERE},
        {"HOME": "", "XDG_CACHE_HOME": "/proc/self"},
        {"DISCREET_CACHE": "/dev/full"},
        {"XDG_CACHE_HOME": str(HOSPITAL), "DISCREET_CACHE": ""},
        {"TMPDIR": NOWHERE, "JOBLIB_TEMP_FOLDER": NOWHERE},
    ],
    ids=lambda environment: " ".join(environment),
)
def test_without_a_place_for_caches_all_is_published(tmp_path: Path, environment: dict[str, str]) -> None:
    ran = publish(
        tmp_path / "out", "--set", "search.method=samarati", "--set", "search.suppression=none", environment=environment
    )
    said = ("Warning: ", "Compiling the search for this machine")
    assert all(line.startswith(said) for line in ran.stderr.splitlines())
    assert "could not be drawn" not in ran.stderr


def test_without_a_place_for_temporary_files_the_way_out_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile._candidate_tempdir_list", list)
    monkeypatch.setattr("tempfile.tempdir", None)
    with pytest.raises(discreet.InputError, match="There is no folder for temporary files that can be written to; set"):
        discreet.publish(HOSPITAL, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []
