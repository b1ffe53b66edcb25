"""Publications without data, told apart by a number; and whether what is in a place is a whole one."""

from __future__ import annotations

import json
from pathlib import Path

from discreet.commands.publication import CERTIFICATE_FORMAT, strange_in
from discreet.report.document import FORMAT as RESULT_FORMAT


def write_publication(folder: Path, number: int) -> None:
    """Fills a folder as publish does; the number is in the data and in the result."""
    (folder / "release" / "taxonomies").mkdir(parents=True)
    (folder / "steward").mkdir(mode=0o700)
    certificate = {
        "format": CERTIFICATE_FORMAT,
        "kind": "table",
        "data": "data.csv",
        "columns": {"age": {"role": "quasi-identifier", "taxonomy": "taxonomies/1-age.csv"}},
    }
    (folder / "release" / "certificate.json").write_text(json.dumps(certificate))
    (folder / "release" / "data.csv").write_text(f"age\n{number}\n")
    (folder / "release" / "taxonomies" / "1-age.csv").write_text(f"{number};*\n")
    (folder / "steward" / "result.json").write_text(
        json.dumps({"format": RESULT_FORMAT, "policy": {}, "number": number})
    )
    for name in ("report.html", "recoding.json", "mapping.csv"):
        (folder / "steward" / name).write_text(f"{number}\n")


def number_of(folder: Path) -> int | None:
    """Of the whole publication in a place; None where there is nothing."""
    if not folder.exists():
        return None
    assert strange_in(folder) is None
    number: int = json.loads((folder / "steward" / "result.json").read_text())["number"]
    expected = {"data.csv": f"age\n{number}\n", "taxonomies/1-age.csv": f"{number};*\n"}
    assert {name: (folder / "release" / name).read_text() for name in expected} == expected
    for name in ("report.html", "recoding.json", "mapping.csv"):
        assert (folder / "steward" / name).read_text() == f"{number}\n"
    return number
