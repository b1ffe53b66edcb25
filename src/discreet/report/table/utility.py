"""What the release is still good for: every measure with its reading, its definition and its source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from discreet.report.charts import (
    AFTER,
    chart,
    figure,
    rates_with_intervals,
)
from discreet.report.page import Section
from discreet.report.tables import table
from discreet.report.text import amount, count, interval, label, sentence, share, value_html
from discreet.report.utility import MOST_ROWS, bars, section

MOST_PAIRS = 8


def of_table(result: Mapping[str, Any]) -> Section | None:
    return section(result, CHARTS)


def _marginals(entry: Mapping[str, Any]) -> str:
    columns = sorted(entry["details"]["columns"], key=lambda column: -float(column["distance"]))
    drawn = columns[:MOST_ROWS]
    names = [label(column["column"]) for column in drawn]
    values = [
        {"row": row, "distance": column["distance"], "told": f"{share(column['distance'])}"}
        for row, column in enumerate(drawn)
    ]
    worst = columns[0]
    finding = (
        f"Of the single columns, {label(worst['column'])} is furthest from the original: {share(worst['distance'])} "
        "of its records would have to change their value."
        if worst["distance"] > 0
        else "Every single column has the same distribution as in the original."
    )
    data = table(
        "Distance and divergence of single columns",
        ["column", "distance", "divergence (Kullback-Leibler)", "values vanished"],
        [
            [
                value_html(column["column"]),
                share(column["distance"]),
                "infinite" if column["divergence"] is None else amount(column["divergence"]),
                count(column.get("vanished", 0)),
            ]
            for column in columns
        ],
        numbers=(1, 2, 3),
    )
    caption = f"{sentence(finding)} A bar of no length: the column’s distribution is intact."  # noqa: RUF001
    return figure(
        bars(names, values, "distance", "distance from the original’s distribution"),  # noqa: RUF001
        finding,
        caption,
        data,
        printed=False,
    )


def _queries(entry: Mapping[str, Any]) -> str:
    details = entry["details"]
    if entry["release"] is None:
        return ""
    # the worst query of all says little and would flatten the rest
    deciles = details["deciles"][:-1]
    values = [{"part": index / 10, "error": error} for index, error in enumerate(deciles)]
    spec = {
        "height": 210,
        "data": {"values": values},
        "mark": {"type": "line", "stroke": AFTER, "strokeWidth": 2.5, "point": {"fill": AFTER, "size": 60}},
        "encoding": {
            "x": {
                "field": "part",
                "type": "quantitative",
                "axis": {"title": "share of the counts, from the most exact on", "format": ".0%", "grid": False},
                "scale": {"domain": [0, 0.9], "nice": False},
            },
            "y": {
                "field": "error",
                "type": "quantitative",
                "axis": {"title": "relative error up to", "format": "~%", "tickCount": 5},
            },
        },
    }
    finding = (
        f"Of {count(details['queries'])} random counts, half are off by at most {share(details['median'])}, nine in "
        f"ten by at most {share(details['percentile_90'])}."
    )
    data = table(
        "Relative error of random counts",
        ["share of the counts", "relative error up to"],
        [[share(index / 10), share(error)] for index, error in enumerate(details["deciles"])],
        numbers=(1,),
    )
    return figure(chart(spec), finding, f"{finding} The lower the line, the more exact.", data, printed=False)


def _classifier(entry: Mapping[str, Any]) -> str:
    details = entry["details"]
    if entry["release"] is None or not details.get("ran"):
        return ""
    errors = details["standard_error"]
    rates = [
        ("always the commonest", details["majority"], errors["majority"]),
        ("learnt from the release", entry["release"], errors["release"]),
        ("learnt from the original", entry["original"], errors["original"]),
    ]
    points = [(name, rate, max(0.0, rate - 1.96 * error), min(1.0, rate + 1.96 * error)) for name, rate, error in rates]
    finding = (
        f"A classifier learnt from the release is right for {share(entry['release'])} of new records, learnt from the "
        f"original for {share(entry['original'])}; always naming the commonest class, for {share(details['majority'])}."
    )
    data = table(
        "Accuracy of classification",
        ["", "accuracy", "95% interval"],
        [[name, share(rate), interval((low, high))] for name, rate, low, high in points],
        numbers=(1, 2),
    )
    picture = rates_with_intervals(points, "records classified correctly")
    return figure(
        picture, finding, f"{finding} The bars are 95% intervals; the axis does not begin at 0.", data, printed=False
    )


def _association(entry: Mapping[str, Any]) -> str:
    pairs = [pair for pair in entry["details"]["pairs"] if pair.get("kept") is not None]
    if not pairs:
        return ""
    strongest = sorted(pairs, key=lambda pair: -float(pair["original"]))[:MOST_PAIRS]
    names = [" and ".join(label(column) for column in pair["columns"]) for pair in strongest]
    values = [{"row": row, "kept": pair["kept"], "told": share(pair["kept"])} for row, pair in enumerate(strongest)]
    finding = f"The release keeps {share(entry['release'])} of the evidence that columns go together."
    data = table(
        "Evidence for associations between two columns",
        ["columns", "evidence, original", "evidence, release", "kept"],
        [
            [
                " and ".join(value_html(column, 40) for column in pair["columns"]),
                amount(pair["original"]),
                amount(pair["release"]),
                share(pair["kept"]),
            ]
            for pair in strongest
        ],
        numbers=(1, 2, 3),
    )
    told = f"{finding} Shown are the {len(strongest)} strongest associations of the original, strongest first."
    return figure(bars(names, values, "kept", "evidence kept"), finding, told, data, printed=False)


CHARTS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "classifier": _classifier,
    "queries": _queries,
    "association": _association,
    "marginals": _marginals,
}
