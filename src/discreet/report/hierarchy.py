"""A taxonomy as the result document gives it: its tree, and the drawing of it with the cut.

The drawing is an icicle from left to right: each box is a value, its children are to its right. It is given row by
row, so that every label can be read: a row is a leaf where the taxonomy is small, and a published value otherwise.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from discreet.report.charts import LINE_HEIGHT, SIZE, WIDTH, drawing
from discreet.report.pictures import Picture
from discreet.report.text import broken, count, label, plural

MOST_LEAVES = 24
"""Up to this many leaves, all are drawn; beyond that, the drawing ends at the cut."""
MOST_ROWS = 40
MOST_LEVELS = 8
ROW = 24
_TOP = 26
_RECORDS_WIDTH = 78
_GAP = 3
WIDEST_ROOT = 110


@dataclass(frozen=True)
class Hierarchy:
    """labels, parents, records, values: of each node; cut: the nodes that are published.

    record, value: what is counted and what the leaves are, in a word; items are counted in times.
    """

    labels: list[str]
    parents: list[int]
    records: list[int]
    values: list[int]
    cut: frozenset[int]
    complete: bool
    record: str = "record"
    value: str = "value"

    @classmethod
    def of(cls, taxonomy: Mapping[str, Any], record: str = "record", value: str = "value") -> Hierarchy:
        return cls(
            taxonomy["labels"],
            taxonomy["parents"],
            taxonomy["records"],
            taxonomy["values"],
            frozenset(taxonomy["cut"]),
            taxonomy["complete"],
            record,
            value,
        )

    @cached_property
    def children(self) -> list[list[int]]:
        children: list[list[int]] = [[] for _ in self.labels]
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                children[parent].append(node)
        return children

    @cached_property
    def root(self) -> int:
        return self.parents.index(-1)

    @cached_property
    def order(self) -> list[int]:
        """The nodes, each before its children, from top to bottom."""
        order, waiting = [], [self.root]
        while waiting:
            node = waiting.pop()
            order.append(node)
            waiting.extend(reversed(self.children[node]))
        return order

    @cached_property
    def depths(self) -> list[int]:
        depths = [0] * len(self.labels)
        for node in self.order[1:]:
            depths[node] = depths[self.parents[node]] + 1
        return depths

    @cached_property
    def below(self) -> frozenset[int]:
        """The nodes below the cut."""
        below: set[int] = set()
        for node in self.order[1:]:
            parent = self.parents[node]
            if parent in self.cut or parent in below:
                below.add(node)
        return frozenset(below)

    @cached_property
    def leaves_under(self) -> list[int]:
        leaves = [0] * len(self.labels)
        for node in reversed(self.order):
            leaves[node] = sum(leaves[child] for child in self.children[node]) or 1
        return leaves

    def under(self, node: int) -> list[int]:
        """A node and all below it."""
        found, waiting = [], [node]
        while waiting:
            found.append(waiting.pop())
            waiting.extend(self.children[found[-1]])
        return found

    @property
    def unchanged(self) -> bool:
        """Whether every value is published as it was."""
        return self.complete and not self.below


def icicle(hierarchy: Hierarchy) -> Picture | None:
    """The drawing, or nothing where it would be too large to be read."""
    under_cut = _levels_under_the_cut(hierarchy)
    for most in range(max(under_cut), -1, -1):
        drawn = [node for node in hierarchy.order if under_cut[node] <= most]
        shown = set(drawn)
        ends = [node for node in drawn if not any(child in shown for child in hierarchy.children[node])]
        levels = max(hierarchy.depths[node] for node in drawn)
        if len(ends) <= (MOST_LEAVES if most else MOST_ROWS) and levels <= MOST_LEVELS:
            return _draw(hierarchy, drawn, ends, levels)
    return None


def _levels_under_the_cut(hierarchy: Hierarchy) -> list[int]:
    levels = [0] * len(hierarchy.labels)
    for node in hierarchy.order[1:]:
        if node in hierarchy.below:
            levels[node] = levels[hierarchy.parents[node]] + 1
    return levels


def _draw(hierarchy: Hierarchy, drawn: list[int], ends: list[int], levels: int) -> Picture:
    rows = {node: (index, index + 1) for index, node in enumerate(ends)}
    for node in reversed(drawn):
        if node not in rows:
            spans = [rows[child] for child in hierarchy.children[node] if child in rows]
            rows[node] = (min(first for first, _ in spans), max(last for _, last in spans))
    folded = {node for node in ends if hierarchy.children[node] or hierarchy.values[node] > 1}
    # the note of a folded value is where its children would be; only after the last level does it need its own room
    note_width = 92 if any(hierarchy.depths[node] == levels for node in folded) else 0
    edges = _edges(hierarchy, drawn, levels, WIDTH - _RECORDS_WIDTH - note_width)
    names: dict[int, list[str]] = {}
    noted: set[int] = set()
    heights = [float(ROW)] * len(ends)
    for node in reversed(drawn):
        first, last = rows[node]
        depth = hierarchy.depths[node]
        across = edges[depth + 1] - edges[depth] - _GAP
        is_published = node in hierarchy.cut
        names[node] = broken(label(hierarchy.labels[node]), across - 11, bold=is_published)
        if is_published and last - first > 1 and across > 90:
            noted.add(node)
        missing = (len(names[node]) + (node in noted)) * LINE_HEIGHT + _GAP + 5 - sum(heights[first:last])
        if missing > 0:
            heights[last - 1] += missing
    tops = [float(_TOP), *(_TOP + height for height in itertools.accumulate(heights))]
    boxes: list[dict[str, Any]] = []
    texts = [_text(WIDTH - 5, _TOP / 2 - 2, f"{hierarchy.record}s", "head")]
    bars: list[dict[str, Any]] = []
    most = max(hierarchy.records[node] for node in ends) or 1
    for node in drawn:
        first, last = rows[node]
        depth = hierarchy.depths[node]
        left, across = edges[depth], edges[depth + 1] - edges[depth] - _GAP
        top, height = tops[first], tops[last] - tops[first] - _GAP
        kind = "published" if node in hierarchy.cut else "below" if node in hierarchy.below else "above"
        boxes.append({"x": left, "y": top, "width": across, "height": height, "kind": kind})
        middle = top + height / 2
        lines = [(line, kind) for line in names[node]]
        if node in noted:
            lines.append((plural(hierarchy.records[node], hierarchy.record), "note"))
        for place, (line, look) in enumerate(lines):
            texts.append(_text(left + 6, middle + (place - (len(lines) - 1) / 2) * LINE_HEIGHT, line, look))
        if node in ends:
            length = hierarchy.records[node] / most * (_RECORDS_WIDTH - 8)
            bars.append({"x": WIDTH - length, "y": top + 2, "width": length, "height": height - 4})
            texts.append(_text(WIDTH - 5, middle, count(hierarchy.records[node]), "figure"))
        if node in folded:
            values = max(hierarchy.values[node], hierarchy.leaves_under[node] if hierarchy.complete else 0)
            texts.append(_text(left + across + 8, middle, plural(values, hierarchy.value), "note"))
    return drawing(_spec(tops[-1], boxes, bars, texts))


def _edges(hierarchy: Hierarchy, drawn: list[int], levels: int, room: float) -> list[float]:
    """Where each level begins, and where the last one ends: as wide as its longest label asks for, all together as
    wide as there is room."""
    if not levels:
        return [0, room]
    wanted = [0.0] * (levels + 1)
    for node in drawn:
        text = len(label(hierarchy.labels[node])) * (9 if node in hierarchy.cut else 8.2)
        noted = node != hierarchy.root and node in hierarchy.cut and hierarchy.children[node]
        figures = len(count(hierarchy.records[node])) + 7 if noted else 0
        wanted[hierarchy.depths[node]] = max(wanted[hierarchy.depths[node]], text + 16, 7 * figures + 16)
    # the root says little; it is mostly a star
    wanted[0] = min(wanted[0], WIDEST_ROOT)
    edges = [0.0]
    for width in [wanted[0], *_shared(wanted[1:], room - wanted[0])]:
        edges.append(edges[-1] + width)
    return edges


def _shared(wanted: list[float], room: float) -> list[float]:
    """Each as much as it wants, or all more; where there is too little, the widest give way first."""
    if sum(wanted) <= room:
        return [width * room / sum(wanted) for width in wanted]
    left, widest = room, 0.0
    for place, width in enumerate(sorted(wanted)):
        widest = left / (len(wanted) - place)
        if width >= widest:
            break
        left -= width
    return [min(width, widest) for width in wanted]


def _spec(height: float, boxes: list[Any], bars: list[Any], texts: list[Any]) -> dict[str, Any]:
    return {
        "width": WIDTH,
        "height": height,
        "data": [
            {"name": "boxes", "values": boxes},
            {"name": "bars", "values": bars},
            {"name": "texts", "values": texts},
        ],
        "scales": [
            _by_kind("filling", above="transparent", published="var(--after-soft)", below="transparent"),
            _by_kind("border", above="var(--muted)", published="var(--after)", below="var(--line)"),
            _by_kind("thickness", above=1, published=2.5, below=1),
            _by_kind("dash", above=[3, 3], published=[1, 0], below=[1, 0]),
        ],
        "marks": [
            _rectangle("bars", {"fill": {"value": "var(--soft)"}}),
            _rectangle(
                "boxes",
                {
                    "fill": {"scale": "filling", "field": "kind"},
                    "stroke": {"scale": "border", "field": "kind"},
                    "strokeWidth": {"scale": "thickness", "field": "kind"},
                    "strokeDash": {"scale": "dash", "field": "kind"},
                    "cornerRadius": {"value": 2},
                },
            ),
            {
                "type": "text",
                "from": {"data": "texts"},
                "encode": {
                    "enter": {
                        "x": {"field": "x"},
                        "y": {"field": "y"},
                        "text": {"field": "text"},
                        "align": {"field": "align"},
                        "fill": {"field": "fill"},
                        "fontWeight": {"field": "weight"},
                        "fontSize": {"field": "size"},
                        "baseline": {"value": "middle"},
                        "font": {"value": "sans-serif"},
                    }
                },
            },
        ],
    }


def _text(x: float, y: float, text: str, kind: str) -> dict[str, Any]:
    return {
        "x": x,
        "y": y,
        "text": text,
        "align": "right" if kind in {"figure", "head"} else "left",
        "weight": "bold" if kind == "published" else "normal",
        "fill": "var(--ink)" if kind in {"published", "figure"} else "var(--muted)",
        "size": SIZE - 1 if kind in {"note", "head"} else SIZE,
    }


def _by_kind(name: str, **kinds: object) -> dict[str, Any]:
    return {"name": name, "type": "ordinal", "domain": list(kinds), "range": list(kinds.values())}


def _rectangle(data: str, look: dict[str, Any]) -> dict[str, Any]:
    place = {side: {"field": side} for side in ("x", "y", "width", "height")}
    return {"type": "rect", "from": {"data": data}, "encode": {"enter": {**place, **look}}}
