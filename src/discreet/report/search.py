"""How the release was found: what the search had in hand and what it could rule out, over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from discreet.report.charts import AFTER, BEFORE, chart, figure
from discreet.report.page import Section
from discreet.report.summary import proves_nothing
from discreet.report.tables import table
from discreet.report.text import amount, count, part_of, sentence, share

MOST_TABLE_ROWS = 60
BEST, LIMIT = "best release so far", "no release can lose less"


@dataclass(frozen=True)
class SearchWords:
    """What a kind of data calls the things that its searches deal with."""

    cut_says: str
    """what a cut of its taxonomies says"""
    looked_at: str
    """what a search looks at"""


def section(result: Mapping[str, Any], words: SearchWords, labels: Mapping[str, str]) -> Section:
    """labels: what the details of the method are called."""
    search = result["search"]
    title = "How it was found"
    if search is None:
        text = (
            "<p>Nothing was searched: the choice of an earlier release was applied to these records, and the result "
            "was verified like any other. Whether another choice would lose less is not known.</p>"
        )
        return Section("search", title, "", text)
    picture = "" if proves_nothing(result) else _picture(search["events"], words.looked_at)
    return Section("search", title, _lead(result, words), _words(result, labels) + picture)


def _lead(result: Mapping[str, Any], words: SearchWords) -> str:
    if proves_nothing(result):
        return "The method keeps the promise with little loss. It proves nothing about what another release would lose."
    if _has_no_cuts(result):
        return (
            "The method keeps the promise with little loss. What no release that leaves out single items can go below "
            "is proved separately."
        )
    return (
        f"A cut says {words.cut_says}. The search looks for the cut that keeps the promise and loses the least, and "
        "rules out by bounds what cannot be better."
    )


def _has_no_cuts(result: Mapping[str, Any]) -> bool:
    return not result["search"]["cuts_total"]


def _words(result: Mapping[str, Any], labels: Mapping[str, str]) -> str:
    search = result["search"]
    total, examined = search["cuts_total"], search["cuts_examined"]
    part = part_of(examined, total)
    rows = [["Outcome", _status(result)], ["Method", sentence(search["method"])]]
    if total:
        rows += [
            ["Possible cuts", count(total)],
            ["Cuts looked at", count(examined) + (f" ({part})" if part else "")],
        ]
        if not proves_nothing(result):
            rows.append(["Ruled out without looking", _pruned(examined, total)])
    rows += [
        [labels.get(name, sentence(name.replace("_", " "), 80)), _detail(value)]
        for name, value in (search.get("details") or {}).items()
        if not isinstance(value, list)
    ]
    rows += [
        ["Seconds", amount(search["seconds"])],
        ["Loss of this release", f"{amount(result['loss']['cost'])} ({sentence(result['loss']['name'])})"],
    ]
    if not proves_nothing(result):
        rows += [
            ["Least loss that is still possible", amount(result["bound"])],
            ["Gap between the two", share(result["gap"], 2)],
        ]
    if drawn := result.get("top_h"):
        rows.append(["Releases to draw from", f"{count(drawn['found'])} of {count(drawn['asked'])} asked for"])
    lists = [
        _list(labels.get(name, name), value)
        for name, value in (search.get("details") or {}).items()
        if isinstance(value, list) and value
    ]
    return "".join([table("The search in figures", ["", ""], rows), *lists])


def _list(label: str, records: Sequence[Mapping[str, Any]]) -> str:
    """Several things with the same parts that a method has found."""
    heads = list(records[0])
    return table(
        label,
        [sentence(head) for head in heads],
        [[_detail(record[head]) for head in heads] for record in records],
        numbers=[place for place, head in enumerate(heads) if isinstance(records[0][head], int | float)],
        most=MOST_TABLE_ROWS,
    )


def _detail(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return count(value)
    return amount(value) if isinstance(value, float) else sentence(value, 200)


def _status(result: Mapping[str, Any]) -> str:
    if result["status"] == "optimal":
        return (
            f"<strong>Optimal:</strong> proved that no other {'release' if _has_no_cuts(result) else 'cut'} loses less."
        )
    interrupted = result["search"]["interrupted"]
    kind = "Interrupted" if interrupted else "Feasible"
    if proves_nothing(result):
        return (
            f"<strong>{kind}:</strong> the release keeps the promise; nothing is proved about what another release "
            "could save."
        )
    gap = (
        f"at most {share(result['gap'], 2)} of its loss could be saved"
        if result["gap"] is not None
        else "how much could be saved is not known"
    )
    if _has_no_cuts(result) and not interrupted:
        return f"<strong>{kind}:</strong> the release keeps the promise, and {gap}."
    ended = "interrupted" if interrupted else "ended before the proof was complete"
    return f"<strong>{kind}:</strong> the release keeps the promise; the search was {ended}, and {gap}."


def _pruned(examined: int, total: int | str) -> str:
    if isinstance(total, str):
        return "practically all of them"
    left = total - examined
    if left <= 0:
        return "none"
    # rounding must not make it all of them
    part = min(left / total, 1 - 1e-12) if examined else 1
    return f"{count(left)} ({share(part, 2)})"


def _picture(events: Sequence[Mapping[str, Any]], examined: str) -> str:
    """Steps, as each figure holds until the next event; examined: what the search looks at, in a word or two."""
    points = [
        {"seconds": max(event["seconds"], 0.001), "series": series, "loss": event[key]}
        for event in events
        for series, key in ((BEST, "incumbent"), (LIMIT, "bound"))
        if event[key] is not None
    ]
    if len({point["seconds"] for point in points}) < 2:
        return "<p>The search was over before there was a course to draw.</p>" if events else ""
    first, last = min(point["seconds"] for point in points), max(point["seconds"] for point in points)
    logarithmic = last > 30 * first
    spec = {
        "height": 220,
        "data": {"values": points},
        "mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 2.5, "point": False},
        "encoding": {
            "x": {
                "field": "seconds",
                "type": "quantitative",
                "scale": {"type": "log" if logarithmic else "linear", "nice": False, "domain": [first, last]},
                "axis": {
                    "title": "seconds, logarithmic" if logarithmic else "seconds",
                    "tickCount": 5,
                    "format": "~g",
                    "grid": False,
                },
            },
            "y": {
                "field": "loss",
                "type": "quantitative",
                "scale": {"zero": False, "nice": True},
                "axis": {"title": "loss", "tickCount": 5, "format": "~s"},
            },
            "stroke": {
                "field": "series",
                "type": "nominal",
                "scale": {"domain": [BEST, LIMIT], "range": [AFTER, BEFORE]},
            },
            "strokeDash": {
                "field": "series",
                "type": "nominal",
                "scale": {"domain": [BEST, LIMIT], "range": [[1, 0], [6, 4]]},
                "legend": {"symbolType": "stroke", "symbolSize": 400},
            },
        },
    }
    finding = _finding(points, last)
    step = max(1, -(-len(events) // MOST_TABLE_ROWS))
    picked = [event for index, event in enumerate(events) if index % step == 0 or index == len(events) - 1]
    data = table(
        "The search over time",
        ["seconds", BEST, LIMIT, f"{examined} looked at"],
        [
            [amount(event["seconds"]), amount(event["incumbent"]), amount(event["bound"]), count(event["examined"])]
            for event in picked
        ],
        numbers=(0, 1, 2, 3),
    )
    caption = (
        f"{finding} Solid: the loss of the best release found so far; dashed: the loss that no release can undercut. "
        "Where they meet, the search is done."
    )
    return figure(chart(spec), finding, caption, data, printed=False)


def _finding(points: Sequence[Mapping[str, Any]], last: float) -> str:
    best = [point for point in points if point["series"] == BEST]
    limits = [point["loss"] for point in points if point["series"] == LIMIT]
    if not best:
        return f"No release was found within {amount(last)} seconds."
    lowest = min(point["loss"] for point in best)
    found = min(point["seconds"] for point in best if point["loss"] == lowest)
    text = f"The best loss, {amount(lowest)}, was reached after {amount(found)} seconds"
    return f"{text}; the lower limit ended at {amount(limits[-1])}." if limits else f"{text}."
