"""What published transactions are still good for: the section of all measures with pictures of those about items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from discreet.report import utility
from discreet.report.charts import before_and_after, bins_before_and_after, figure
from discreet.report.page import Section
from discreet.report.tables import table
from discreet.report.text import count, label, plural, sentence, share, value_html

MOST_ROWS = 10
MOST_LOST = 10


def section(result: Mapping[str, Any]) -> Section | None:
    def lost(entry: Mapping[str, Any]) -> str:
        return _lost(entry, _least_lost(result, entry))

    return utility.section(result, {**PICTURES, "items-lost": lost})


def _least_lost(result: Mapping[str, Any], entry: Mapping[str, Any]) -> int | float | None:
    """The occurrences that must go, where the search proved a limit and its loss counts them and nothing else."""
    counts_occurrences = result["loss"]["cost"] == entry["details"].get("lost")
    return result["bound"] if counts_occurrences and result["bound"] else None


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
    if not branches or not any(branch["share"] for branch in branches):
        return ""
    drawn = branches[: utility.MOST_ROWS]
    values = [
        {"row": row, "share": branch["share"], "told": share(branch["share"])} for row, branch in enumerate(drawn)
    ]
    worst = branches[0]
    finding = f"An item under {label(worst['branch'])} lost most: {share(worst['share'])} of its meaning on average."
    data = table(
        "Loss by branch of the taxonomy",
        ["branch", "items in transactions", "lost of an item"],
        [[value_html(branch["branch"]), count(branch["items"]), share(branch["share"])] for branch in branches],
        numbers=(1, 2),
    )
    names = [label(branch["branch"]) for branch in drawn]
    caption = sentence(finding)
    picture = utility.bars(names, values, "share", "lost of an item, normalized certainty penalty")
    return figure(picture, finding, caption, data, printed=False)


def _shifted(entry: Mapping[str, Any]) -> str:
    shifted = entry["details"].get("shifted")
    if not shifted:
        return ""
    finding = (
        f"The frequency of {label(shifted[0]['item'])} is furthest off: {share(shifted[0]['original'])} of all items "
        f"in the original, {share(shifted[0]['release'])} according to the release."
    )
    names = [label(item["item"]) for item in shifted]
    return _pairs(entry, shifted, names, "item", "share of all items", finding)


def _rules(entry: Mapping[str, Any]) -> str:
    worst = entry["details"].get("worst")
    if not worst:
        return ""
    first = worst[0]
    finding = (
        f"The rule furthest off: anyone with an item of {label(first['branch'])} has {label(first['sensitive'])}, "
        f"{share(first['original'])} in the original and {share(first['release'])} according to the release."
    )
    names = [f"{label(rule['branch'])} → {label(rule['sensitive'])}" for rule in worst]
    return _pairs(entry, worst, names, "rule", "confidence of a rule", finding)


def _lost(entry: Mapping[str, Any], least: int | float | None = None) -> str:
    details = entry["details"]
    if not details["measured"] or not details["lost"]:
        return ""
    whole = details["occurrences"]
    told = [("this release", details["lost"])]
    if least is not None:
        told.insert(0, ("at least, proved", least))
    if details["trivial"]:
        told.append(("without sensitive ones", details["trivial"]))
    finding = f"The release lacks {share(details['lost'] / whole)} of all occurrences of items."
    if details["trivial"]:
        finding += f" Without any sensitive one it would lack {share(details['trivial_share'])}."
    if least is not None:
        finding += f" No release that only leaves items out lacks less than {share(least / whole)}."
    data = table(
        "Occurrences of items that are left out",
        ["", "occurrences", "share of all"],
        [
            *([name, count(number), share(number / whole)] for name, number in told),
            ["of this release: sensitive", count(details["lost_sensitive"]), share(details["lost_sensitive"] / whole)],
            ["of this release: others", count(details["lost_other"]), share(details["lost_other"] / whole)],
        ],
        numbers=(1, 2),
    )
    values = [
        {"row": row, "share": number / whole, "told": share(number / whole)} for row, (_, number) in enumerate(told)
    ]
    picture = utility.bars([name for name, _ in told], values, "share", "occurrences that are left out")
    return figure(picture, finding, finding, data, printed=False)


def _frequent(entry: Mapping[str, Any]) -> str:
    frequent = entry["details"].get("frequent")
    if not frequent:
        return ""
    sensitive = entry["details"]["sensitive_share"]
    finding = (
        f"The most frequent item, {label(frequent[0]['item'])}, is {share(frequent[0]['original'])} of all items in "
        f"the original and {share(frequent[0]['release'])} in the release; sensitive items are "
        f"{share(sensitive['original'])} and {share(sensitive['release'])}."
    )
    names = [f"{label(item['item'])}{' (sensitive)' if item['sensitive'] else ''}" for item in frequent]
    return _pairs(entry, frequent, names, "item", "share of all items, sensitive ones too", finding, utility.MOST_ROWS)


def _rules_kept(entry: Mapping[str, Any]) -> str:
    details = entry["details"]
    if not details["measured"]:
        return ""
    rules = details["rules"]
    finding = (
        f"Of {plural(rules['original'], 'association rule')} the release keeps {count(rules['both'])} and loses "
        f"{count(details['lost'])}; {count(details['spurious'])} of its own are spurious."
    )
    names = ["kept", "lost", "spurious"]
    numbers = [rules["both"], details["lost"], details["spurious"]]
    either = sum(numbers)
    values = [{"row": row, "share": number / either, "told": count(number)} for row, number in enumerate(numbers)]
    data = table(
        "Association rules",
        ["", "rules"],
        [[*each] for each in zip(names, map(count, numbers), strict=True)],
        numbers=(1,),
    )
    for told, found in (("that the release lacks", "lost_rules"), ("that only the release has", "spurious_rules")):
        if details[found]:
            data += table(
                f"The most frequent rules {told}",
                ["rule", "transactions", "confidence"],
                [
                    [
                        f"{', '.join(value_html(item, 40) for item in rule['antecedent'])} → "
                        f"{value_html(rule['consequent'], 40)}",
                        count(rule["transactions"]),
                        share(rule["confidence"]),
                    ]
                    for rule in details[found][:MOST_LOST]
                ],
                numbers=(1, 2),
            )
    caption = (
        f"{finding} A rule says that anyone who has some items has another one: at least "
        f"{count(details['transactions'])} transactions have all of them, and {sentence(details['confidence'], 40)} or "
        "more of those that have the first ones. The most frequent rules lost and spurious are below; result.json has "
        "ten thousand of each."
    )
    picture = utility.bars(names, values, "share", "share of the rules of either")
    return figure(picture, finding, caption, data, printed=False)


def _pairs(
    entry: Mapping[str, Any],
    found: list[Mapping[str, Any]],
    names: list[str],
    head: str,
    axis: str,
    finding: str,
    most: int = MOST_ROWS,
) -> str:
    """Shares as the release shows them, joined with the true ones."""
    drawn = found[:most]
    pairs = [(float(each["original"]), float(each["release"])) for each in drawn]
    highest = min(1.0, 1.1 * max(max(pair) for pair in pairs))
    data = table(
        entry["title"],
        [head, "original", "release"],
        [[sentence(name), share(before), share(after)] for name, (before, after) in zip(names, pairs, strict=False)],
        numbers=(1, 2),
    )
    caption = f"{sentence(finding)} Circles: the original; diamonds: what the release says."
    return figure(before_and_after(names[:most], pairs, axis, highest or 1.0), finding, caption, data, printed=False)


PICTURES: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "frequent-patterns": _patterns,
    "rules-kept": _rules_kept,
    "items-lost": _lost,
    "ncp": _branches,
    "item-frequency": _shifted,
    "item-divergence": _frequent,
    "sensitive": _rules,
}
