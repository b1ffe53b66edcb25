"""The data that ship with discreet, a few records of each, for tests that need any data at all; and hard ones."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import discreet
from discreet.methods.method import Method
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


def going_with(method: Method, written: dict[str, Any]) -> dict[str, Any]:
    """The policy of a demo with the columns that a method can take: where it makes numbers up, those of numbers."""
    if not getattr(method, "makes_numbers", False):
        return written
    numbers = {"age", "postcode"}
    attributes = {
        name: {"role": "quasi-identifier" if name in numbers else "identifier"} if entry["role"] != "class" else entry
        for name, entry in written["attributes"].items()
    }
    return {**written, "attributes": attributes}


def with_sections(path: Path, **sections: Any) -> Policy:
    """The policy in a file with other sections in place of its own."""
    written = Policy.load(path).as_dict()
    return Policy.parse({**{key: value for key, value in written.items() if key != "search"}, **sections})


def write_hard_table(folder: Path, rows: int, columns: str = "abcdefghijkl") -> Path:
    """A table of so many quasi-identifiers that hardly any record is like another, with its policy."""
    draw = random.Random(5)
    lines = [",".join([*(str(draw.randrange(40)) for _ in columns), draw.choice("vwxyz")]) for _ in range(rows)]
    (folder / "hard.csv").write_text("\n".join([",".join([*columns, "s"]), *lines]) + "\n")
    taxonomy = "{intervals: [5, 10, 20], start: 0, end: 40, leaves: intervals}"
    attributes = "".join(f"  {name}: {{role: quasi-identifier, taxonomy: {taxonomy}}}\n" for name in columns)
    policy = folder / "hard.yaml"
    policy.write_text(
        f"data: {{path: hard.csv}}\nattributes:\n{attributes}  s: {{role: sensitive}}\n"
        "privacy: {model: l-plus-diversity, thresholds: 3/10}\nsearch: {suppression: vio-sa}\n"
    )
    return policy
