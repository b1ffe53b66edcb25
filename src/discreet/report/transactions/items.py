"""What became of the items: the taxonomy with the cut where there is one, and every published item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from discreet.report.charts import figure
from discreet.report.hierarchy import Hierarchy, icicle
from discreet.report.page import Section
from discreet.report.tables import disclosed, table
from discreet.report.taxonomies import MOST_ENTRIES, finding_of, key, nested_list
from discreet.report.text import NOTHING, count, plural, share, value_html

MOST_SHOWN = 12
"""Published items that are shown at once; the others open."""


def section(result: Mapping[str, Any]) -> Section:
    items, published = result["items"], result["rows"]["published"]
    lead = (
        "The items that are not sensitive are what an adversary may know. They are published as they are, as something "
        "more general along the taxonomy, or not at all."
    )
    told = _taxonomy(items["taxonomy"]) if items["taxonomy"] is not None else _without_a_cut(result)
    parts = [_overview(result), told, _published(items, published)]
    return Section("items", "What happened to the items", lead, "".join(parts))


def _overview(result: Mapping[str, Any]) -> str:
    items, before, after = result["items"], result["transactions"]["original"], result["transactions"]["release"]
    left_out = result["suppressed"]
    general = items["generalized_count"]
    occurrences = before["occurrences"]
    rows = [
        ["Different items", count(before["items"]), count(items["published_count"])],
        ["of these, as they were", count(before["items"]), count(items["published_count"] - general)],
        ["of these, more general", "0", count(general)],
        ["Items of all transactions together", count(occurrences), count(after["occurrences"])],
    ]
    if left_out["occurrences"]:
        rows += [
            ["Different items left out everywhere", NOTHING, count(left_out["items"])],
            ["Items of all transactions that are left out", NOTHING, _part(left_out["occurrences"], occurrences)],
        ]
    return table("The items in figures", ["", "original", "release"], rows, numbers=(1, 2))


def _part(number: int, whole: int) -> str:
    return f"{count(number)} ({share(number / whole)})" if number and whole else count(number)


def _without_a_cut(result: Mapping[str, Any]) -> str:
    if result["items"]["generalized_count"]:
        return (
            "<p>There is no single cut of the taxonomy: an item may be published as one thing here and as another "
            "there, or be left out.</p>"
        )
    if result["suppressed"]["occurrences"]:
        return "<p>No item is made more general: an item is published as it is, or left out.</p>"
    return "<p>Every item is published as it is.</p>"


def _taxonomy(taxonomy: Mapping[str, Any]) -> str:
    hierarchy = Hierarchy.of(taxonomy, "time", "item")
    finding = finding_of(hierarchy)
    picture = icicle(hierarchy)
    listing = disclosed(
        "The whole taxonomy as a list, with counts", nested_list(hierarchy, {}, MOST_ENTRIES), printed=False
    )
    if picture is None:
        return (
            f"<h3>The taxonomy and where it was cut</h3><p>{finding}</p>"
            f'<p class="note">The taxonomy is too large to draw; the list has it all.</p>{listing}'
        )
    told = (
        f"{finding} The drawing reads from left to right, from the most general item to the finest. The cut runs "
        "through the thick boxes: an item is published, wherever it occurs, as the box that it is in. The numbers at "
        "the right say how many times the items occur in the original."
    )
    return (
        f"<h3>The taxonomy and where it was cut</h3>{key('item')}"
        f"{figure(picture, f'The taxonomy of the items: {finding}', told, '')}{listing}"
    )


def _published(items: Mapping[str, Any], transactions: int) -> str:
    entries: Sequence[Mapping[str, Any]] = items["published"]
    if not entries:
        return "<h3>The published items</h3><p>No item other than sensitive ones is published.</p>"
    if len(entries) <= MOST_SHOWN:
        return f"<h3>The published items</h3>{_items('The published items', entries, transactions)}"
    first = _items("The most frequent published items", entries[:MOST_SHOWN], transactions)
    rarer = _items("The less frequent published items", entries[MOST_SHOWN:], transactions)
    left = items["published_count"] - MOST_SHOWN
    return f"<h3>The published items</h3>{first}{disclosed(f'The {count(left)} others', rarer, printed=False)}"


def _items(caption: str, entries: Sequence[Mapping[str, Any]], transactions: int) -> str:
    rows = [
        [
            value_html(entry["item"]),
            "itself" if entry["stands_for"] == 1 else f"any of {plural(entry['stands_for'], 'item')}",
            _part(entry["transactions"], transactions),
        ]
        for entry in entries
    ]
    return table(caption, ["published item", "stands for", "transactions"], rows, numbers=(2,))
