"""What published transactions are still good for: the section of all measures with pictures of those about items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from discreet.report.charts import before_and_after, bins_before_and_after, figure
from discreet.report.page import Section
from discreet.report.sections import utility
from discreet.report.tables import table
from discreet.report.words import count, label, plural, sentence, share, value_html

MOST_ROWS = 10
MOST_LOST = 10


def section(result: Mapping[str, Any]) -> Section | None:
    return utility.section(result, PICTURES)


def _patterns(entry: Mapping[str, Any]) -> str:
    details = entry["details"]
    lengths = details["by_length"]
    if not entry["original"]:
        return ""
    error = f"; the supports of these are off by {share(details['error'])}" if details["error"] else ""
    finding = (
        f"Of {plural(int(entry['original']), 'frequent pattern')} of the original the release shows "
        f"{count(details['both'])}{error}."
    )
    names = [str(length["items"]) for length in lengths]
    pairs = [(length["original"], length["release"]) for length in lengths]
    data = table(
        "Frequent patterns by their number of items",
        ["items", "original", "release"],
        [[name, *map(count, pair)] for name, pair in zip(names, pairs, strict=True)],
        numbers=(1, 2),
    )
    if details["lost"]:
        data += table(
            "The most frequent patterns that the release does not show",
            ["pattern", "transactions"],
            [
                [", ".join(value_html(item, 40) for item in pattern["items"]), count(pattern["transactions"])]
                for pattern in details["lost"][:MOST_LOST]
            ],
            numbers=(1,),
        )
    caption = (
        f"{finding} A pattern is a set of items, single or general, that at least {count(details['transactions'])} "
        "transactions have together. Outlined bars: the original; filled bars: the release."
    )
    return figure(
        bins_before_and_after(names, pairs, "items of a pattern", "patterns"), finding, caption, data, printed=False
    )


def _branches(entry: Mapping[str, Any]) -> str:
    branches = entry["details"].get("branches")
    if not branches:
        return ""
    drawn = branches[: utility.MOST_ROWS]
    values = [
        {"row": row, "share": branch["share"], "told": share(branch["share"])} for row, branch in enumerate(drawn)
    ]
    worst = max(branches, key=lambda branch: float(branch["share"]))
    finding = (
        f"A single item lost most under {label(worst['branch'])}: {share(worst['share'])} of its meaning on average."
        if worst["share"]
        else "No item lost anything."
    )
    data = table(
        "Loss by branch of the taxonomy",
        ["branch", "items in transactions", "lost of an item"],
        [[value_html(branch["branch"]), count(branch["items"]), share(branch["share"])] for branch in branches],
        numbers=(1, 2),
    )
    names = [label(branch["branch"], 24) for branch in drawn]
    caption = f"{sentence(finding)} The branches are ordered by how much they lost in all."
    picture = utility.bars(names, values, "share", "lost of an item, normalized certainty penalty")
    return figure(picture, finding, caption, data, printed=False)


def _shifted(entry: Mapping[str, Any]) -> str:
    shifted = entry["details"].get("shifted")
    if not shifted:
        return ""
    finding = (
        f"The frequency of {label(shifted[0]['item'])} is read most wrongly: {share(shifted[0]['original'])} of all "
        f"items in truth, {share(shifted[0]['release'])} by the release."
    )
    names = [label(item["item"], 24) for item in shifted]
    return _pairs(entry, shifted, names, "item", "share of all items", finding)


def _rules(entry: Mapping[str, Any]) -> str:
    worst = entry["details"].get("worst")
    if not worst:
        return ""
    first = worst[0]
    finding = (
        f"The rule that is off most: who has an item of {label(first['branch'])} has {label(first['sensitive'])}, "
        f"{share(first['original'])} in the original and {share(first['release'])} by the release."
    )
    names = [f"{label(rule['branch'], 12)} → {label(rule['sensitive'], 12)}" for rule in worst]
    return _pairs(entry, worst, names, "rule", "confidence of a rule", finding)


def _pairs(
    entry: Mapping[str, Any], found: list[Mapping[str, Any]], names: list[str], head: str, axis: str, finding: str
) -> str:
    """Shares that the release gets most wrong, joined with the true ones."""
    drawn = found[:MOST_ROWS]
    pairs = [(float(each["original"]), float(each["release"])) for each in drawn]
    highest = min(1.0, 1.1 * max(max(pair) for pair in pairs))
    data = table(
        entry["title"],
        [head, "original", "release"],
        [[sentence(name), share(before), share(after)] for name, (before, after) in zip(names, pairs, strict=False)],
        numbers=(1, 2),
    )
    caption = f"{sentence(finding)} Circles: the original; diamonds: what the release says."
    return figure(
        before_and_after(names[:MOST_ROWS], pairs, axis, highest or 1.0), finding, caption, data, printed=False
    )


PICTURES: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "frequent-patterns": _patterns,
    "ncp": _branches,
    "item-frequency": _shifted,
    "sensitive": _rules,
}
