"""The section on utility for every kind of data: each measure with its reading, its definition and maybe a picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from discreet.report.charts import AFTER, INK, bar_rows, chart, named_rows, names_parameter
from discreet.report.details import all_figures
from discreet.report.page import Section
from discreet.report.pictures import Picture
from discreet.report.tables import disclosed, table
from discreet.report.text import measured, sentence

MOST_ROWS = 24


def section(result: Mapping[str, Any], charts: Mapping[str, Callable[[Mapping[str, Any]], str]]) -> Section | None:
    """Every measure; charts: by the measure's name, what draws it."""
    measures = result.get("utility")
    if not measures:
        return None
    lead = (
        "Each measure asks in its own way how much of the original the release still shows. Read the sentences; the "
        "definitions and sources are below the table."
    )
    rows = [
        [
            sentence(entry["title"], 120),
            measured(entry["original"], entry["unit"]),
            measured(entry["release"], entry["unit"]),
            sentence(entry["reading"]),
        ]
        for entry in measures
    ]
    heads = ["measure", "original", "release", "what it says"]
    body = table("Utility of the release", heads, rows, numbers=(1, 2), stacked=True)
    pictures = "".join(charts[entry["name"]](entry) for entry in measures if entry["name"] in charts)
    definitions = disclosed(
        "How each measure is defined, and where it comes from",
        "<dl class=terms>" + "".join(_definition(entry) for entry in measures) + "</dl>",
    )
    return Section(
        "utility",
        "What the release is still good for",
        lead,
        body + f'<div class="cards">{pictures}</div>' + _not_measured(result.get("not_measured")) + definitions,
    )


def _not_measured(reasons: Mapping[str, str] | Sequence[str] | None) -> str:
    """What was left out, and why; results written before it was known why have only the titles."""
    if not reasons:
        return ""
    told = [f"{title}: {reason}" for title, reason in reasons.items()] if isinstance(reasons, Mapping) else reasons
    return f"<p>Not measured:</p><ul>{''.join(f'<li>{sentence(each)}.</li>' for each in told)}</ul>"


def _definition(entry: Mapping[str, Any]) -> str:
    more = all_figures(entry["details"] or {})
    details = disclosed(f"Further figures of “{sentence(entry['title'], 60)}”", more, printed=False) if more else ""
    return (
        f"<div><dt>{sentence(entry['title'], 120)}</dt><dd>{sentence(entry['definition'])} "
        f'<span class="source">Source: {sentence(entry["paper"], 300)}.</span>{details}</dd></div>'
    )


def bars(names: Sequence[str], values: Sequence[Mapping[str, Any]], field: str, title: str) -> Picture:
    """Shares as bars; values: of each row its number, the share under `field`, and what is written beside it."""
    highest = max((value[field] for value in values), default=0)
    x = {
        "field": field,
        "type": "quantitative",
        "scale": {"domain": [0, max(0.05, highest * 1.15)], "nice": False},
        "axis": {"title": title, "format": "~%", "tickCount": 5},
    }
    return chart(
        {
            **bar_rows(names),
            "params": [names_parameter(names)],
            "data": {"values": list(values)},
            "encoding": {"y": named_rows(names), "x": x},
            "layer": [
                {"mark": {"type": "bar", "fill": AFTER, "height": {"band": 0.62}}},
                {
                    "mark": {"type": "text", "align": "left", "dx": 6, "fill": INK, "fontSize": 13},
                    "encoding": {"text": {"field": "told"}},
                },
            ],
        }
    )
