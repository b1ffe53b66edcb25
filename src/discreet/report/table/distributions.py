"""Each column before and after: how often its values occur in the original, and how often according to the release.

Whoever reads the release knows of a coarser value only how often it is published, and can do no better than to take
each of its values for equally frequent. That is what is shown beside the truth; the measure of single columns is the
distance between the two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from discreet.report.hierarchy import Hierarchy
from discreet.report.tables import table
from discreet.report.text import count, plural, share, value_html

MOST_ROWS = 24
Row = tuple[str, str, float, float]
"""value and what it is published as, as HTML; records in the original and according to the release"""


def before_and_after(columns: Sequence[Mapping[str, Any]]) -> str:
    """A card for each column whose values are known before and after."""
    cards = []
    for column in columns:
        if column["taxonomy"] is not None and "published" in column["taxonomy"]:
            rows = _of_taxonomy(column["taxonomy"])
        elif column.get("distribution"):
            rows = _of_values(column["distribution"])
        else:
            continue
        cards.append(
            f'<article class="card"><h4>{value_html(column["name"])}</h4>{_table(column["name"], rows)}</article>'
        )
    if not cards:
        return ""
    return (
        "<h3>Each column before and after</h3><p>How frequent values are in the original, and how frequent somebody "
        "finds them who has the release alone: of a coarser value, all that it stands for count as equally frequent."
        f'</p><div class="cards distributions">{"".join(cards)}</div>'
    )


def _of_taxonomy(taxonomy: Mapping[str, Any]) -> list[Row]:
    hierarchy = Hierarchy.of(taxonomy)
    published = dict(zip(taxonomy["cut"], taxonomy["published"], strict=True))
    above: dict[int, int] = {}
    for node in hierarchy.order:
        parent = hierarchy.parents[node]
        above[node] = node if node in published else above.get(parent, -1)
    total = [0.0] * len(hierarchy.labels)
    for node in reversed(hierarchy.order):
        total[node] = published.get(node) or sum(total[child] for child in hierarchy.children[node])
    nodes, others = _shown(hierarchy)

    def row(node: int) -> Row:
        own = above[node]
        if own < 0:
            finer = sum(other in hierarchy.cut for other in hierarchy.under(node))
            return (
                value_html(hierarchy.labels[node]),
                plural(finer, "finer value"),
                hierarchy.records[node],
                total[node],
            )
        part = hierarchy.leaves_under[node] / hierarchy.leaves_under[own]
        told = "itself" if own == node else value_html(hierarchy.labels[own])
        return value_html(hierarchy.labels[node]), told, hierarchy.records[node], published[own] * part

    rows = [row(node) for node in nodes]
    if others:
        rest = [row(node) for node in others]
        rows.append((f"{count(len(others))} others", "", sum(each[2] for each in rest), sum(each[3] for each in rest)))
    return rows


def _shown(hierarchy: Hierarchy) -> tuple[list[int], list[int]]:
    """The finest level that is not too long; where none is, the most frequent values, and the others."""
    finest: list[int] = []
    for depth in range(max(hierarchy.depths), 0, -1):
        level = [
            node
            for node in hierarchy.order
            if hierarchy.depths[node] == depth or (hierarchy.depths[node] < depth and not hierarchy.children[node])
        ]
        finest = finest or level
        if len(level) <= MOST_ROWS:
            return level, []
    if not finest:
        return [hierarchy.root], []
    kept = set(sorted(finest, key=lambda node: -hierarchy.records[node])[:MOST_ROWS])
    return [node for node in finest if node in kept], [node for node in finest if node not in kept]


def _of_values(distribution: Mapping[str, Any]) -> list[Row]:
    each = list(zip(distribution["values"], distribution["original"], distribution["published"], strict=True))
    rows: list[Row] = [(value_html(value), "itself", before, after) for value, before, after in each[:MOST_ROWS]]
    if rest := each[MOST_ROWS:]:
        rows.append((f"{count(len(rest))} others", "", sum(one[1] for one in rest), sum(one[2] for one in rest)))
    if distribution["starred"]:
        rows.append(("suppressed", "*", 0, distribution["starred"]))
    return rows


def _table(name: str, rows: Sequence[Row]) -> str:
    before, after = sum(row[2] for row in rows) or 1, sum(row[3] for row in rows) or 1
    longest = max((max(row[2] / before, row[3] / after) for row in rows), default=0) or 1
    return table(
        f"{name}: before and after",
        ["value", "published as", "original", "release"],
        [
            [
                value,
                told,
                _bar("before", records / before, longest),
                _bar("after", left / after, longest),
            ]
            for value, told, records, left in rows
        ],
    )


def _bar(look: str, part: float, longest: float) -> str:
    """A share with a bar; the longest bar of a table fills its cell."""
    width = f"{100 * part / longest:.1f}%"
    return f'<span class="track"><span class="bar {look}" style="width:{width}"></span></span>{share(part)}'
