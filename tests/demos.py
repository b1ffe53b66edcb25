"""The data that ship with discreet, a few records of each, for tests that need any data at all."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import discreet
from discreet.policy import Policy

DEMOS = Path(discreet.__file__).parent / "demo"


def small_demo(kind: str, folder: Path, records: int = 120) -> Path:
    """The policy of a demo whose data are its first records."""
    shutil.copytree(DEMOS / kind, folder / kind)
    path = folder / kind / "policy.yaml"
    data = Policy.load(path).data.path
    assert data is not None
    lines = data.read_text(encoding="utf-8").splitlines(keepends=True)
    data.write_text("".join(lines[: records + 1]), encoding="utf-8")
    return path


def with_sections(path: Path, **sections: Any) -> Policy:
    """The policy in a file with other sections in place of its own."""
    written = Policy.load(path).as_dict()
    return Policy.parse({**{key: value for key, value in written.items() if key != "search"}, **sections})
