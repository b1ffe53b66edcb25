"""What a benchmark hands over: the text of its section, its numbers, and its picture."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Findings:
    text: str
    """Markdown"""
    records: Sequence[Mapping[str, object]] = ()
    """one for each measurement, all with the same keys"""
    picture: str = ""
    """SVG"""

    def keep(self, folder: Path, name: str) -> None:
        """Writes them into files of this name."""
        (folder / f"{name}.md").write_text(f"{self.text}\n", encoding="utf-8")
        if self.records:
            with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, list(self.records[0]), lineterminator="\n")
                writer.writeheader()
                writer.writerows(self.records)
        if self.picture:
            (folder / f"{name}.svg").write_text(self.picture, encoding="utf-8")

    def show(self, page: Path, name: str) -> None:
        """Puts the picture where the text has its link, from a page that holds the text."""
        if self.picture:
            pictures = page.parent / "pictures"
            pictures.mkdir(exist_ok=True)
            (pictures / f"{name}.svg").write_text(self.picture, encoding="utf-8")
