"""A file as the readers know it: where it is, what sentences call it, how its text is encoded."""

from __future__ import annotations

import codecs
import glob
from dataclasses import dataclass
from pathlib import Path

UTF_8 = "utf-8"
_PATTERN = "*?["


@dataclass(frozen=True)
class SourceFile:
    """A file to read. What was unpacked or came through standard input lies elsewhere than its name says."""

    path: Path
    name: str
    encoding: str = UTF_8

    @classmethod
    def at(cls, path: Path, encoding: str | None = None) -> SourceFile:
        return cls(path, str(path), encoding or UTF_8)

    def __str__(self) -> str:
        return self.name

    @property
    def is_utf_8(self) -> bool:
        return codecs.lookup(self.encoding).name in ("utf-8", "utf-8-sig")


def files_of(path: Path) -> list[Path]:
    """The files that a path means: itself, or those that it is a pattern of."""
    if path.exists() or not any(sign in str(path) for sign in _PATTERN):
        return [path]
    found = sorted(glob.glob(str(path), recursive=True))  # noqa: PTH207 - a path of any form, as it is written
    return [file for file in map(Path, found) if file.is_file()]
