"""What the groups of a table consist of: records or, where a column says whose rows they are, people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.values.words import counted


def members(result: Mapping[str, Any]) -> str:
    roles = (column.get("role") for column in result["policy"]["attributes"].values())
    return "people" if "person" in roles else "records"


def members_in_words(result: Mapping[str, Any], number: int) -> str:
    """So many of them."""
    if members(result) == "people":
        return "1 person" if number == 1 else f"{number:,} people"
    return counted(number, "record")
