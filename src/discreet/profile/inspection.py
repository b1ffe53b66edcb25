"""What an inspection of any kind of data is asked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FORMAT = "discreet-inspection/1"


@dataclass(frozen=True)
class Asked:
    """What to look at, and what its starter policy is to say."""

    data: object
    """a path, or data in memory"""
    path: str | None
    """the data as the policy names them; None for data in memory"""
    called: str
    """what the policy file is called"""
    out: Path | None
    """where it will be written"""
    separator: str | None = None
    seed: int | None = None
