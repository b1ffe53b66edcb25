"""What is left of the items, in words: a loss in per cent does not tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from discreet.values.words import counted, percent


def left_in_words(result: Mapping[str, Any]) -> Iterator[str]:
    """`10 of 84 items as themselves, ...`; `of 10,827 times ...`; `44 of 20,895 association rules ...`."""
    left, items = result["left"], result["items"]
    general = items["generalized_count"]
    others = f", beside {counted(general, 'more general item')}" if general else ""
    yield f"{left['items_as_themselves']:,} of {counted(left['items'], 'item')} as themselves{others}"
    if left["occurrences"]:
        own = percent(left["occurrences_as_themselves"] / left["occurrences"])
        yield f"of all that transactions hold, {own} as itself{others_in_words(left)}"
    if rules := rules_left(result):
        kept, whole = rules
        yield f"{kept:,} of {counted(whole, 'association rule')} that can be mined from the original"


def others_in_words(left: Mapping[str, int]) -> str:
    """What is published otherwise, as the rest of a sentence."""
    whole, own, missing = (left[f"occurrences{part}"] for part in ("", "_as_themselves", "_left_out"))
    told = ((whole - own - missing, "as something more general"), (missing, "not at all"))
    return "".join(f", {percent(part / whole)} {how}" for part, how in told if part)


def rules_left(result: Mapping[str, Any]) -> tuple[int, int] | None:
    """How many association rules are left, of how many; nothing where that was not measured or there are none."""
    for entry in result.get("utility") or ():
        if entry["name"] == "rules-kept" and entry["details"].get("measured") and entry["details"]["rules"]["original"]:
            return entry["details"]["rules"]["both"], entry["details"]["rules"]["original"]
    return None
