"""The original that a release was made from, as an attack looks for it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from discreet.errors import InputError
from discreet.policy import Policy
from discreet.read.source import files_of


def original_source(policy: Policy, original: object, what: str) -> object:
    """What to read: the original as it is given, or None for the policy's own file. what: `a table`."""
    if original is not None:
        return Path(original) if isinstance(original, str) else original
    path = policy.data.path
    if path is None and policy.data.elsewhere is not None:
        return None
    if path is None:
        raise InputError(
            f"The release was made from {what} in memory, which is gone; give the original with --original FILE."
        )
    if not any(file.exists() for file in files_of(path)):
        raise InputError(
            f"{path}: the original is no longer there, and without it nobody can say what an attack finds; say "
            "where it is with --original FILE."
        )
    return None


def check_size(found: int, result: Mapping[str, Any], source: object, records: str) -> None:
    """Checks that it is as large as what was published. source: what was read; records: what it has, in a word."""
    expected = result.get("rows", {}).get("original")
    if expected is not None and found != expected:
        raise InputError(
            f"{source if isinstance(source, str | Path) else 'The original'} has {found:,} {records} and the release "
            f"was made from {expected:,}; give what was published with --original FILE."
        )
