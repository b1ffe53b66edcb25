"""The groups of a locally recoded table as boxes, two columns at a time.

Each group has labels of its own, so no cut of a taxonomy shows what is published. Two columns make a plane: the leaves
of one taxonomy in their order from left to right, those of the other from top to bottom. A label covers the leaves
below it, so a group covers a box; groups with the same two labels are one box. Two boxes that overlap are nested in
each column, as labels of a taxonomy are. Labels that were made for groups (ranges, sets, means) are drawn from the
first value that they may stand for to the last, and boxes may then overlap in any way.

Which columns: a label below which lie n of the N records of the original tells log2(N / n) bits about a record: that
somebody was born where nearly everybody was tells little, however fine the label. The columns are ordered by what their
labels tell on average, and two neighbours in that order make a picture; columns that tell nothing are not drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from discreet.encode.table import EncodedTable
from discreet.report.charts import LINE_HEIGHT, SIZE, WIDTH, drawing, figure
from discreet.report.page import Section
from discreet.report.pictures import Picture
from discreet.report.tables import table
from discreet.report.text import amount, broken, count, label, listed, plural, share, short, value_html
from discreet.taxonomy import PublishedValues, Taxonomy
from discreet.values.arrays import Bools, Int32s, Int64s
from discreet.values.partitions import Suppressed

MOST_BOXES = 300
"""The rest are counted and not drawn."""
MOST_PAIRS = 2
MOST_ROWS = 20
MOST_MARKS = (8, 14)
"""Names along the plane, and down it."""
SHADES = (0.04, 0.16, 0.34, 0.58, 0.9)
"""How strong the colour of a box is, from the emptiest fifth of what occurs, by ratio, to the fullest."""
_NAMES_WIDTH = 128
_HEIGHT = 330
_TOP = 42
_SWATCH = 20
_GAP = 0.7


def drawn_groups(original: EncodedTable, published: Sequence[PublishedValues], groups: Suppressed) -> dict[str, Any]:
    """What the pictures show, for the result document. published: for each attribute what the groups' codes mean."""
    kept = groups.sizes > 0
    codes, sizes = groups.nodes[kept], groups.sizes[kept]
    columns = dict(zip(original.attributes, published, strict=True))
    bits = {
        name: _bits(values, original.occurrences(place), codes[:, place], sizes)
        for place, (name, values) in enumerate(columns.items())
    }
    names = sorted((name for name in bits if bits[name] > 0), key=lambda name: -bits[name])
    # there is less room for a name below the plane than beside it
    pairs = [
        sorted(pair, key=lambda name: _longest_mark(columns[name].taxonomy))
        for pair in zip(names[0::2], names[1::2], strict=False)
    ]
    places = {name: place for place, name in enumerate(columns)}
    return {
        "count": len(sizes),
        "records": int(sizes.sum()),
        "bits": {name: round(told, 3) for name, told in bits.items()},
        "pairs": [
            _pair(pair, [columns[name] for name in pair], codes[:, [places[name] for name in pair]], sizes)
            for pair in pairs[:MOST_PAIRS]
        ],
    }


def _bits(values: PublishedValues, occurrences: Int64s, codes: Int32s, sizes: Int64s) -> float:
    """What the labels of a column tell about a record, on average."""
    if not len(sizes):
        return 0.0
    shown, number = np.unique(codes, return_inverse=True)
    below = values.covers(shown) @ occurrences
    return float(np.average(np.log2(occurrences.sum() / below)[number], weights=sizes))


def _pair(names: Sequence[str], columns: Sequence[PublishedValues], codes: Int32s, sizes: Int64s) -> dict[str, Any]:
    boxes, box_of, groups = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    records = np.bincount(box_of.ravel(), weights=sizes).astype(np.int64)
    first = np.stack([values.spans[0][boxes[:, side]] for side, values in enumerate(columns)], axis=1)
    stop = np.stack([values.spans[1][boxes[:, side]] for side, values in enumerate(columns)], axis=1)
    cells = (stop - first).prod(axis=1).astype(np.int64)
    by_records = np.lexsort((cells, -records))
    shown = by_records[:MOST_BOXES]
    by_cells = np.argsort(cells, kind="stable")
    half = by_cells[np.searchsorted(np.cumsum(records[by_cells]), sizes.sum() / 2)]
    return {
        "columns": list(names),
        "axes": [
            {"leaves": len(values.taxonomy.leaf_nodes), "marks": list(_marks(values.taxonomy, most))}
            for values, most in zip(columns, MOST_MARKS, strict=True)
        ],
        "boxes": [
            {
                "labels": [values.labels[code] for values, code in zip(columns, boxes[box], strict=True)],
                "from": first[box].tolist(),
                "to": stop[box].tolist(),
                "records": int(records[box]),
                "groups": int(groups[box]),
            }
            for box in shown.tolist()
        ],
        "boxes_in_all": len(boxes),
        "half_within": int(cells[half]),
    }


def _longest_mark(taxonomy: Taxonomy) -> int:
    return max(len(mark["label"]) for mark in _marks(taxonomy, MOST_MARKS[0]))


def _marks(taxonomy: Taxonomy, most: int) -> Iterator[dict[str, Any]]:
    """Labels that divide an axis: the most detailed level with room; where even the first is too wide, some leaves."""
    level = next(filter(None, (_level(taxonomy, depth, most) for depth in range(int(taxonomy.depth.max()), 0, -1))), ())
    if not level:
        step = -(-len(taxonomy.leaf_nodes) // most)
        level = tuple(int(node) for node in taxonomy.leaf_nodes[::step])
    for node in level:
        ends = int(taxonomy.first_leaf[node]), int(taxonomy.stop_leaf[node])
        yield {"label": taxonomy.labels[node], "from": ends[0], "to": ends[1]}


def _level(taxonomy: Taxonomy, depth: int, most: int) -> tuple[int, ...]:
    is_leaf = taxonomy.stop_leaf - taxonomy.first_leaf == 1
    is_end: Bools = is_leaf & (taxonomy.end == np.arange(len(taxonomy.end)) + 1)
    nodes = np.flatnonzero((taxonomy.depth == depth) | ((taxonomy.depth < depth) & is_end))
    return tuple(nodes.tolist()) if len(nodes) <= most else ()


# --- The page -----------------------------------------------------------------------------------------------


def section(result: Mapping[str, Any]) -> Section | None:
    drawn = result.get("groups")
    if not drawn:
        return None
    lead = (
        "Each group has labels of its own, and the same value may be published finer in one record than in another. "
        "Here every group is the box of all that its labels stand for, in two columns at a time."
    )
    if not drawn["pairs"]:
        few = "Fewer than two columns tell anything about a record, so there is nothing to draw: all labels are *."
        return Section("boxes", "Groups as boxes", lead, f"<p>{few}</p>")
    return Section("boxes", "Groups as boxes", lead, "".join(_body(drawn)))


def _body(drawn: Mapping[str, Any]) -> Iterator[str]:
    told = [
        f"{value_html(name)} {amount(bits)}" for name, bits in sorted(drawn["bits"].items(), key=lambda item: -item[1])
    ]
    shown = sum(len(pair["columns"]) for pair in drawn["pairs"])
    rest = f"; the others are not drawn: {', '.join(told[shown:])}" if told[shown:] else ""
    yield (
        "<p>The columns are those whose labels tell most about a record, in bits on average: each bit halves the "
        f"records of the original that fit. {', '.join(told[:shown])}{rest}.</p>"
    )
    for pair in drawn["pairs"]:
        across, down = (value_html(name) for name in pair["columns"])
        yield f"<h3>{across} and {down}</h3>"
        finding = _finding(pair, [short(name) for name in pair["columns"]])
        yield figure(_picture(pair), finding, _caption(pair, drawn), _figures(pair, drawn), printed=False)


def _finding(pair: Mapping[str, Any], names: Sequence[str]) -> str:
    whole = pair["axes"][0]["leaves"] * pair["axes"][1]["leaves"]
    half = pair["half_within"]
    return (
        f"Half of the records are published in boxes that cover at most {plural(half, 'pair')} of values of "
        f"{listed(names)}, of {count(whole)} ({share(half / whole)})."
    )


def _caption(pair: Mapping[str, Any], drawn: Mapping[str, Any]) -> str:
    names = [value_html(name) for name in pair["columns"]]
    left_out = pair["boxes_in_all"] - len(pair["boxes"])
    rest = drawn["records"] - sum(box["records"] for box in pair["boxes"])
    limits = (
        f" Drawn are the {count(len(pair['boxes']))} boxes with most records; "
        f"{plural(left_out, 'other is', 'others are')} left out, with {share(rest / drawn['records'])} of the records."
        if left_out
        else ""
    )
    return (
        f"{_finding(pair, names)} {plural(drawn['count'], 'group')} {'make' if drawn['count'] > 1 else 'makes'} "
        f"{plural(pair['boxes_in_all'], 'box', 'boxes')}. The stronger the colour of a box, the more records it has "
        f"for each pair of values in it; small boxes lie on top of those around them.{limits}"
    )


def _figures(pair: Mapping[str, Any], drawn: Mapping[str, Any]) -> str:
    shown = pair["boxes"][:MOST_ROWS]
    rows = [
        [
            value_html(box["labels"][0]),
            value_html(box["labels"][1]),
            *(count(figure) for figure in (_cells(box), box["groups"], box["records"])),
        ]
        for box in shown
    ]
    if others := pair["boxes_in_all"] - len(shown):
        groups = drawn["count"] - sum(box["groups"] for box in shown)
        records = drawn["records"] - sum(box["records"] for box in shown)
        rows.append([plural(others, "other box", "other boxes"), "", "", count(groups), count(records)])
    heads = [*(value_html(name) for name in pair["columns"]), "pairs of values", "groups", "records"]
    return table("The boxes with most records", heads, rows, numbers=(2, 3, 4))


def _cells(box: Mapping[str, Any]) -> int:
    (left, top), (right, bottom) = box["from"], box["to"]
    return int((right - left) * (bottom - top))


def _picture(pair: Mapping[str, Any]) -> Picture:
    across, down = pair["axes"]
    wide, high = (WIDTH - _NAMES_WIDTH) / across["leaves"], _HEIGHT / down["leaves"]
    fullness = {id(box): box["records"] / _cells(box) for box in pair["boxes"]}
    edges = _edges(list(fullness.values()))
    boxes: list[dict[str, Any]] = []
    for box in sorted(pair["boxes"], key=_cells, reverse=True):  # the small ones on top
        (left, top), (right, bottom) = box["from"], box["to"]
        corners = {
            "x": round(_NAMES_WIDTH + left * wide + _GAP, 1),
            "y": round(_TOP + top * high + _GAP, 1),
            "width": round(max(1, (right - left) * wide - 2 * _GAP), 1),
            "height": round(max(1, (bottom - top) * high - 2 * _GAP), 1),
        }
        boxes += _shaded(corners, SHADES[sum(fullness[id(box)] > edge for edge in edges)])
    texts, lines, depth = [], [], 0
    every = (WIDTH - _NAMES_WIDTH) / len(across["marks"])
    step = next((step for step in range(1, len(across["marks"])) if _fits(across["marks"], step * every - 6)), 1)
    for place, mark in enumerate(across["marks"]):
        begin, end = (round(_NAMES_WIDTH + mark[side] * wide, 1) for side in ("from", "to"))
        lines.append({"x": begin, "y": _TOP, "x2": begin, "y2": _TOP + _HEIGHT})
        if place % step:
            continue
        names = broken(label(mark["label"]), step * every - 6, most=2)
        depth = max(depth, len(names))
        for line, name in enumerate(names):
            y = _TOP + _HEIGHT + 12 + line * LINE_HEIGHT
            texts.append(_text((begin + end) / 2, y, name, "center"))
    for mark in down["marks"]:
        begin, end = (round(_TOP + mark[side] * high, 1) for side in ("from", "to"))
        lines.append({"x": _NAMES_WIDTH, "y": begin, "x2": WIDTH, "y2": begin})
        room = max(1, int((end - begin) / LINE_HEIGHT))
        names = broken(label(mark["label"]), _NAMES_WIDTH - 10, most=room) if end - begin >= LINE_HEIGHT - 3 else []
        for line, name in enumerate(names):
            y = (begin + end) / 2 + (line - (len(names) - 1) / 2) * LINE_HEIGHT
            texts.append(_text(_NAMES_WIDTH - 7, y, name, "right"))
    bottom = _TOP + _HEIGHT + 12 + depth * LINE_HEIGHT
    names_of = [label(name, 40) for name in pair["columns"]]
    texts.append(_text(_NAMES_WIDTH + (WIDTH - _NAMES_WIDTH) / 2, bottom + 4, names_of[0], "center", axis=True))
    texts.append(_text(_NAMES_WIDTH - 7, _TOP - 10, names_of[1], "right", axis=True))
    swatches = list(_legend(edges, list(fullness.values()), texts))
    return drawing(_spec(bottom + 14, boxes, lines, swatches, texts))


def _fits(marks: Sequence[Mapping[str, Any]], room: float) -> bool:
    """Whether no word has to be broken."""
    return all(broken(word, room) == [word] for mark in marks for word in label(mark["label"]).split(" "))


def _edges(fullness: Sequence[float]) -> list[float]:
    """Where one shade ends and the next begins: equal ratios between the emptiest box and the fullest."""
    low, high = min(fullness), max(fullness)
    return [low * (high / low) ** (place / len(SHADES)) for place in range(1, len(SHADES))] if high > low else []


def _legend(edges: Sequence[float], fullness: Sequence[float], texts: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The shades that occur; each of their names is one of the texts."""
    bounds = [min(fullness), *edges, max(fullness)]
    texts.append(_text(WIDTH, 8, "records for each pair of values", "right", axis=True))
    step = (WIDTH - _NAMES_WIDTH) / len(SHADES)
    for place, (low, high) in enumerate(pairwise(bounds)):
        left = _NAMES_WIDTH + place * step
        yield from _shaded({"x": left, "y": 18, "width": _SWATCH, "height": 13}, SHADES[place])
        told = _short(high) if not place else _short(low) + "+"
        texts.append(_text(left + _SWATCH + 4, 25, f"≤ {told}" if not place else told, "left"))


def _shaded(place: Mapping[str, float], shade: float) -> Iterator[dict[str, Any]]:
    """A box that covers what lies below it, and its shade on top: so there is no dark spot where boxes overlap."""
    yield {**place, "fill": "var(--page)", "stroke": "var(--after)", "opacity": 1}
    yield {**place, "fill": "var(--after)", "stroke": "transparent", "opacity": shade}


def _short(number: float) -> str:
    return count(round(number)) if number >= 10 else f"{number:.2g}" if number >= 0.1 else f"{number:.1g}"


def _text(x: float, y: float, text: str, align: str, *, axis: bool = False) -> dict[str, Any]:
    return {
        "x": round(min(x, WIDTH - 20), 1) if align == "center" else round(x, 1),
        "y": round(y, 1),
        "text": text,
        "align": align,
        "fill": _INKS[axis],
    }


_INKS = {False: "var(--ink)", True: "var(--muted)"}


def _spec(height: float, boxes: list[Any], lines: list[Any], swatches: list[Any], texts: list[Any]) -> dict[str, Any]:
    plane = [{"x": _NAMES_WIDTH, "y": _TOP, "width": WIDTH - _NAMES_WIDTH, "height": _HEIGHT}]
    place = {side: {"field": side} for side in ("x", "y", "width", "height")}
    look = {side: {"field": side} for side in ("fill", "stroke", "opacity")}
    return {
        "width": WIDTH,
        "height": height,
        "data": [
            {"name": "plane", "values": plane},
            {"name": "lines", "values": lines},
            {"name": "boxes", "values": boxes},
            {"name": "swatches", "values": swatches},
            {"name": "texts", "values": texts},
        ],
        "marks": [
            {
                "type": "rule",
                "from": {"data": "lines"},
                "encode": {
                    "enter": {
                        **{side: {"field": side} for side in ("x", "y", "x2", "y2")},
                        "stroke": {"value": "var(--line)"},
                    }
                },
            },
            {
                "type": "rect",
                "from": {"data": "plane"},
                "encode": {"enter": {**place, "stroke": {"value": "var(--line)"}}},
            },
            *(
                {
                    "type": "rect",
                    "from": {"data": data},
                    "encode": {"enter": {**place, **look, "strokeWidth": {"value": 0.6}}},
                }
                for data in ("boxes", "swatches")
            ),
            {
                "type": "text",
                "from": {"data": "texts"},
                "encode": {
                    "enter": {
                        **{side: {"field": side} for side in ("x", "y", "text", "align", "fill")},
                        "fontSize": {"value": SIZE - 1},
                        "baseline": {"value": "middle"},
                        "font": {"value": "sans-serif"},
                    }
                },
            },
        ],
    }
