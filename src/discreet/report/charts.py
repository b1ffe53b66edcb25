"""What the page's pictures have in common: their style, the charts that several sections use, and their place.

The colours are the page's CSS variables, so a picture follows light, dark and paper. Shapes, outlines and labels say
what the colours say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from discreet.report.pictures import Picture, undrawn
from discreet.report.tables import disclosed
from discreet.report.text import broken, share

WIDTH = 520
SIZE = 14
BEFORE = "var(--before)"
AFTER = "var(--after)"
INK = "var(--ink)"
MUTED = "var(--muted)"
LINE = "var(--line)"
PAGE = "var(--page)"
SERIES = ("original", "release")
TICK = "M0,-1.3L0,1.3"
WIDEST_NAME = 190
LINE_HEIGHT = 16
MOST_LETTERS = 54
"""Letters that fit side by side under a chart."""

_AXIS = {
    "labelColor": INK,
    "titleColor": MUTED,
    "labelFontSize": SIZE,
    "titleFontSize": SIZE,
    "titleFontWeight": "normal",
    "titlePadding": 8,
    "domainColor": LINE,
    "tickColor": LINE,
    "gridColor": LINE,
    "labelPadding": 6,
    "labelOverlap": "greedy",
    "labelFlush": False,
}
CONFIG: dict[str, Any] = {
    "aria": False,
    "background": "transparent",
    "font": "sans-serif",
    "view": {"stroke": "transparent"},
    "axis": _AXIS,
    "axisY": {"domain": False, "ticks": False},
    "legend": {
        "orient": "top",
        "direction": "horizontal",
        "title": None,
        "labelColor": INK,
        "labelFontSize": SIZE,
        "labelLimit": 300,
        "symbolSize": 110,
        "symbolStrokeWidth": 2,
        "columnPadding": 30,
        "offset": 10,
    },
}


def chart(spec: Mapping[str, Any]) -> Picture:
    """A Vega-Lite specification, all in the page's style."""
    return Picture(
        "vega-lite",
        {
            "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
            "width": WIDTH,
            "autosize": {"type": "fit-x", "contains": "padding"},
            "padding": 2,
            **spec,
            "config": CONFIG,
        },
    )


def drawing(spec: Mapping[str, Any]) -> Picture:
    """A Vega specification."""
    return Picture(
        "vega",
        {
            "$schema": "https://vega.github.io/schema/vega/v5.json",
            "autosize": "none",
            "background": "transparent",
            **spec,
            "config": {"aria": False},
        },
    )


def figure(picture: Picture, finding: str, caption: str, data: str, *, printed: bool = True) -> str:
    """The picture with its text alternative, its caption and its figures.

    finding: plain text, what the picture shows; caption: HTML, how to read it; data: a table of the figures, or
    nothing where they are given right below; printed: whether they are open on paper.
    """
    details = disclosed("The figures of this picture", data, printed=printed) if data else ""
    return f"<figure>{undrawn(picture, finding)}<figcaption>{caption}</figcaption>{details}</figure>"


def bar_rows(names: Sequence[str], step: int = 26) -> dict[str, int]:
    """The height of a chart with a row for each name, so that the longest of them has room."""
    most = max((len(lines) for lines in _in_lines(names)), default=1)
    return {"height": max(1, len(names)) * max(step, LINE_HEIGHT * most + 8)}


def named_rows(names: Sequence[str]) -> dict[str, Any]:
    """The vertical axis of a chart whose rows are numbered; two rows may have the same name.

    Needs `"params": [names_parameter(names)]` beside it.
    """
    lines = _in_lines(names)
    several = range(2, max(map(len, lines), default=1) + 1)
    longest = max((len(line) for name in lines for line in name), default=0)
    return {
        "field": "row",
        "type": "ordinal",
        "scale": {"domain": list(range(len(names)))},
        "axis": {
            "labelExpr": "names[datum.value]",
            "title": None,
            "labelLimit": 0,
            "labelLineHeight": LINE_HEIGHT,
            # a label of several lines begins where one of a single line would be
            "labelOffset": {
                "condition": [
                    {"test": f"length(names[datum.value]) == {number}", "value": -(number - 1) * LINE_HEIGHT / 2}
                    for number in several
                ],
                "value": 0,
            },
            "labelOverlap": False,
            # the reader's font may be wider than the one the renderer measures with
            "minExtent": min(WIDEST_NAME, 7 * longest) * 1.12 + 8,
        },
    }


def names_parameter(names: Sequence[str]) -> dict[str, Any]:
    return {"name": "names", "value": _in_lines(names)}


def _in_lines(names: Sequence[str]) -> list[list[str]]:
    return [broken(name, WIDEST_NAME) for name in names]


def shared_scale(series: Sequence[str], *, points: bool = False) -> dict[str, Any]:
    """Encodings by which original, release and threshold differ in fill, colour and, as points, shape and size."""
    domain = list(series)
    looks = {"fill": [PAGE, AFTER, INK], "stroke": [BEFORE, AFTER, INK]}
    if not points:
        looks["fill"] = ["transparent", AFTER]
    encoding: dict[str, Any] = {
        channel: {"field": "series", "type": "nominal", "scale": {"domain": domain, "range": look[: len(domain)]}}
        for channel, look in looks.items()
    }
    if points:
        shapes = ["circle", "diamond", TICK][: len(domain)]
        # where both lie on one spot the circle still shows around the diamond
        sizes = [190, 80, 130][: len(domain)]
        encoding["shape"] = {"field": "series", "type": "nominal", "scale": {"domain": domain, "range": shapes}}
        encoding["size"] = {"field": "series", "type": "nominal", "scale": {"domain": domain, "range": sizes}}
    return encoding


def rates_with_intervals(rates: Sequence[tuple[str, float, float, float]], title: str) -> Picture:
    """name, rate, lower and upper end of its interval, a row for each"""
    names = [name for name, *_ in rates]
    values: list[dict[str, Any]] = [
        {"row": row, "rate": rate, "low": low, "high": high, "told": share(rate)}
        for row, (_, rate, low, high) in enumerate(rates)
    ]
    lowest, highest = min(value["low"] for value in values), max(value["high"] for value in values)
    room = max(0.02, (highest - lowest) * 0.12)
    x = {
        "type": "quantitative",
        "scale": {"domain": [max(0, lowest - room), min(1, highest + room)], "zero": False, "nice": False},
        "axis": {"title": title, "format": "~%", "tickCount": 5},
    }
    return chart(
        {
            **bar_rows(names, 44),
            "params": [names_parameter(names)],
            "data": {"values": values},
            "encoding": {"y": named_rows(names)},
            "layer": [
                {
                    "mark": {"type": "rule", "stroke": MUTED, "strokeWidth": 3},
                    "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}},
                },
                {
                    "mark": {
                        "type": "point",
                        "shape": "diamond",
                        "size": 130,
                        "fill": AFTER,
                        "stroke": AFTER,
                        "opacity": 1,
                    },
                    "encoding": {"x": {**x, "field": "rate"}},
                },
                {
                    "mark": {"type": "text", "dy": -15, "fill": INK, "fontSize": 13},
                    "encoding": {"x": {**x, "field": "rate"}, "text": {"field": "told"}},
                },
            ],
        }
    )


def before_and_after(
    names: Sequence[str], pairs: Sequence[tuple[float, float]], title: str, highest: float = 1.0
) -> Picture:
    """Shares in the original and in the release, joined by a line; a row for each name. The axis ends at `highest`."""
    values = [
        {"row": row, "series": series, "x": value}
        for row, pair in enumerate(pairs)
        for series, value in zip(SERIES, pair, strict=True)
    ]
    spans = [{"row": row, "x": min(pair), "x2": max(pair)} for row, pair in enumerate(pairs)]
    x = {
        "field": "x",
        "type": "quantitative",
        "scale": {"domain": [0, highest], "nice": False},
        "axis": {"title": title, "format": "~%", "tickCount": 5},
    }
    return chart(
        {
            **bar_rows(names, 28),
            "params": [names_parameter(names)],
            "layer": [
                {
                    "data": {"values": spans},
                    "mark": {"type": "rule", "stroke": LINE, "strokeWidth": 3},
                    "encoding": {"y": named_rows(names), "x": x, "x2": {"field": "x2"}},
                },
                {
                    "data": {"values": values},
                    "mark": {"type": "point", "strokeWidth": 2, "opacity": 1},
                    "encoding": {
                        "y": named_rows(names),
                        "x": x,
                        **shared_scale(SERIES, points=True),
                    },
                },
            ],
        }
    )


def bins_before_and_after(names: Sequence[str], pairs: Sequence[tuple[int, int]], bins: str, counted: str) -> Picture:
    """How many fall into each bin in the original and in the release: two bars side by side for each name.

    bins, counted: the titles of the two axes.
    """
    values = [
        {"bin": place, "series": series, "number": number}
        for place, pair in enumerate(pairs)
        for series, number in zip(SERIES, pair, strict=True)
    ]
    return chart(
        {
            "height": 200,
            "params": [names_parameter(names)],
            "data": {"values": values},
            "mark": {"type": "bar", "strokeWidth": 1.5},
            "encoding": {
                "x": {
                    "field": "bin",
                    "type": "ordinal",
                    "scale": {"paddingInner": 0.25},
                    "axis": {
                        "title": bins,
                        "labelExpr": "names[datum.value]",
                        "labelOverlap": False,
                        "labelAngle": 0 if len(names) * max(map(len, names), default=0) <= MOST_LETTERS else -45,
                        "grid": False,
                    },
                },
                "xOffset": {"field": "series", "type": "nominal", "sort": list(SERIES)},
                "y": {
                    "field": "number",
                    "type": "quantitative",
                    "axis": {"title": counted, "tickCount": 4, "format": "~s"},
                },
                **shared_scale(SERIES),
            },
        }
    )
