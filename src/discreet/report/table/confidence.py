"""The highest confidence for each sensitive value against its threshold, before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from discreet.report.charts import LINE, bar_rows, chart, figure, named_rows, names_parameter, shared_scale
from discreet.report.page import Section
from discreet.report.tables import table
from discreet.report.text import count, label, plural, share, value_html

MOST_ROWS = 24
ORIGINAL, RELEASE, THRESHOLD = "original", "release", "threshold"


def section(result: Mapping[str, Any]) -> Section | None:
    values = (result.get("attack") or {}).get("values")
    if not values:
        return None
    lead = (
        "An adversary who knows a person’s quasi-identifiers takes the share of a sensitive value among the records "  # noqa: RUF001
        "that fit as the confidence that the person has it. The highest confidence for anyone is shown."
    )
    if "knowing_the_group" in result["attack"]["linkage"]:
        lead += " Groups have labels of their own here; the worst case, who knows the group of each person, is shown."
    return Section("confidence", "Confidence in each sensitive value", lead, picture(values))


def picture(values: Sequence[Mapping[str, Any]]) -> str:
    ordered = sorted(values, key=lambda entry: (-(entry["above_before"] or 0), -entry["before"], str(entry["value"])))
    drawn = ordered[:MOST_ROWS]
    series = [ORIGINAL, RELEASE, THRESHOLD]
    if all(entry["threshold"] is None for entry in drawn):
        series = [ORIGINAL, RELEASE]
    names = [label(entry["value"]) for entry in drawn]
    points = [
        {"row": row, "series": kind, "x": entry[key]}
        for kind, key in zip(series, ("before", "after", "threshold"), strict=False)
        for row, entry in enumerate(drawn)
        if entry[key] is not None
    ]
    spans = [
        {"row": row, "x": min(entry["before"], entry["after"]), "x2": max(entry["before"], entry["after"])}
        for row, entry in enumerate(drawn)
    ]
    rows = named_rows(names)
    scale = {"domain": [0, 1], "nice": False}
    axis = {"title": "highest confidence", "format": ".0%", "tickCount": 5}
    spec = {
        **bar_rows(names),
        "params": [names_parameter(names)],
        "layer": [
            {
                "data": {"values": spans},
                "mark": {"type": "rule", "stroke": LINE, "strokeWidth": 3},
                "encoding": {
                    "y": rows,
                    "x": {"field": "x", "type": "quantitative", "scale": scale, "axis": axis},
                    "x2": {"field": "x2"},
                },
            },
            {
                "data": {"values": points},
                "mark": {"type": "point", "strokeWidth": 2, "opacity": 1},
                "encoding": {
                    "y": rows,
                    "x": {"field": "x", "type": "quantitative", "scale": scale, "axis": axis},
                    **shared_scale(series, points=True),
                },
            },
        ],
    }
    data = table(
        "Highest confidence and people above the threshold, by sensitive value",
        [
            "sensitive value",
            "share of all",
            "threshold",
            "highest, original",
            "highest, release",
            "people above, original",
            "people above, release",
        ],
        [
            [
                value_html(entry["value"]),
                share(entry["share"]),
                share(entry["threshold"]),
                share(entry["before"]),
                share(entry["after"]),
                count(entry["above_before"]),
                count(entry["above_after"]),
            ]
            for entry in ordered
        ],
        numbers=(1, 2, 3, 4, 5, 6),
    )
    finding = _finding(values)
    drawn_of = (
        f" The {MOST_ROWS} most at risk of {count(len(values))} values are drawn." if len(values) > MOST_ROWS else ""
    )
    caption = (
        f"{finding}{drawn_of} Circles: the original; diamonds: the release; upright strokes: the threshold. A diamond "
        "right of its stroke would break the promise."
        if THRESHOLD in series
        else f"{finding}{drawn_of} Circles: the original; diamonds: the release. The promise sets no threshold."
    )
    return figure(chart(spec), finding, caption, data)


def _finding(values: Sequence[Mapping[str, Any]]) -> str:
    limited = [entry for entry in values if entry["threshold"] is not None]
    if not limited:
        before, after = max(entry["before"] for entry in values), max(entry["after"] for entry in values)
        return (
            f"The highest confidence in any sensitive value is {share(before)} in the original, {share(after)} in the "
            "release."
        )
    before = sum(bool(entry["above_before"]) for entry in limited)
    after = sum(bool(entry["above_after"]) for entry in limited)
    return (
        f"In the original {plural(before, 'value')} of {count(len(limited))} "
        f"{'exceeds its' if before == 1 else 'exceed their'} threshold for somebody; in the release "
        f"{'none does' if not after else f'{count(after)} still' + (' does' if after == 1 else ' do')}."
    )
