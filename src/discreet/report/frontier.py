"""The frontier of a comparison: what each step of privacy costs, and what it leaves to learn from.

A picture by itself, so it brings its colours with it (those of Okabe and Ito, which colour-blind readers can tell
apart); shapes say the same as colours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet.report import pictures
from discreet.report.pictures import Picture

Row = Mapping[str, Any]

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
SERIES = "/"
"""A field name that no policy key can have."""
MISSING = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="520" height="40" viewBox="0 0 520 40">'
    '<rect width="520" height="40" fill="white"/><text x="12" y="25" font-family="sans-serif" font-size="14">'
    "This picture could not be drawn. Its figures are in comparison.csv.</text></svg>\n"
)
"""instead of the picture"""


def write_frontier(rows: Sequence[Row], vary: Sequence[str], path: Path) -> None:
    """Draws the loss, and where it was measured the accuracy of a classifier, against the first number that varies."""
    svg = pictures.draw([Picture("vega-lite", frontier(rows, vary)).as_json()])[0]
    path.write_text(MISSING if svg is None else svg, encoding="utf-8")


def frontier(rows: Sequence[Row], vary: Sequence[str]) -> dict[str, Any]:
    """The Vega-Lite specification."""
    across = next((key for key in vary if all(_number(row[key]) is not None for row in rows)), vary[0])
    numeric = all(_number(row[across]) is not None for row in rows)
    others = [key for key in vary if key != across]
    found = [row for row in rows if row["cost"] != ""]
    values = [
        {
            "x": float(_number(row[across]) or 0) if numeric else str(row[across]),
            "shown": str(row[across]),
            SERIES: ", ".join(str(row[key]) for key in others) or "loss",
            "loss": row["normalized"],
            "accuracy": None if row.get("accuracy", "") == "" else row["accuracy"],
        }
        for row in found
    ]
    panels: list[dict[str, Any]] = [
        _panel("loss", "loss, as a share of publishing nothing but *", across, values, numeric, [])
    ]
    learned = [row for row in found if row.get("accuracy", "") != ""]
    if learned:
        marks = [
            {"y": learned[0]["accuracy_original"], "text": "trained on the original"},
            {"y": learned[0]["accuracy_majority"], "text": "always the commonest class"},
        ]
        panels.append(_panel("accuracy", "accuracy of a classifier", across, values, numeric, marks))
    if not found:
        panels = [{"data": {"values": [{}]}, "mark": {"type": "text", "text": "Nothing to draw", "align": "left"}}]
    left_out = len(rows) - len(found)
    note = f"{left_out} of {len(rows)} combinations have no release and are left out" if left_out else ""
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "title": {"text": "What privacy costs", "subtitle": note, "anchor": "start"},
        "background": "white",
        "padding": 12,
        "vconcat": panels,
        "config": {"font": "sans-serif", "axis": {"labelFontSize": 12, "titleFontSize": 12}},
    }


def _panel(
    field: str,
    title: str,
    across: str,
    values: list[dict[str, Any]],
    numeric: bool,
    marks: list[dict[str, Any]],
) -> dict[str, Any]:
    series = {
        "field": SERIES,
        "type": "nominal",
        "title": None,
        "sort": None,
        "legend": None if len({value[SERIES] for value in values}) == 1 else {"orient": "right"},
    }
    x: dict[str, Any] = {"field": "x", "type": "quantitative" if numeric else "ordinal", "title": across}
    if numeric:
        # Fractions are labelled as they were written: 1/3, not 0.333.
        names = {value["x"]: value["shown"] for value in values}
        texts = " : ".join(f"datum.value == {place!r} ? {name!r}" for place, name in names.items())
        x["axis"] = {"values": sorted(names), "labelExpr": f"{texts} : ''", "grid": True, "labelOverlap": True}
        x["scale"] = {"zero": False, "nice": False, "padding": 18}
    else:
        x["sort"] = None
    encoding = {
        "x": x,
        "y": {
            "field": field,
            "type": "quantitative",
            "title": title,
            "axis": {"format": "%"},
            "scale": {"zero": field == "loss"},
        },
    }
    colour = {**series, "scale": {"range": list(COLOURS)}}
    layers: list[dict[str, Any]] = [
        # Stroke and not colour, or the legend would come twice, for the lines and for the shapes.
        {
            "data": {"values": values},
            "mark": {"type": "line", "strokeWidth": 1.5},
            "encoding": {**encoding, "stroke": {**colour, "legend": None}},
        },
        {
            "data": {"values": values},
            "mark": {"type": "point", "size": 70, "filled": True, "opacity": 1},
            "encoding": {**encoding, "color": colour, "shape": series},
        },
    ]
    if marks:
        rule = {"y": {"field": "y", "type": "quantitative"}}
        layers += [
            {"data": {"values": marks}, "mark": {"type": "rule", "strokeDash": [4, 4]}, "encoding": rule},
            {
                "data": {"values": marks},
                "mark": {"type": "text", "align": "left", "x": 4, "dy": -6},
                "encoding": {**rule, "text": {"field": "text"}},
            },
        ]
    return {"width": 460, "height": 240, "layer": layers}


def _number(value: object) -> Fraction | None:
    try:
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        return None
