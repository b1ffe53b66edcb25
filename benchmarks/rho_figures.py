"""The figures of Jia et al. 2014 again: over rho, records cut short, more records, t_max and b_max, and permutation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import cast

from benchmarks import markdown
from benchmarks.findings import Findings
from benchmarks.questions import report_progress
from benchmarks.rho import BY_OCCURRENCE, RHOS, Question, Record, measured, shown
from benchmarks.rho_data import CutShort, PartOf, there
from benchmarks.sets_data import RETAIL, WEB_VIEW_1, WEB_VIEW_2, DataSet, missing
from benchmarks.sets_plots import Panel, drawn

CURVE = tuple(Fraction(tenths, 10) for tenths in (1, 3, 5, 7, 9))
AIMS = ("rules", "distribution")
CUT_METHODS = (*BY_OCCURRENCE, "global", "td-control", "trivial")
PERMUTED = (*BY_OCCURRENCE, "permutation")
CUTOFF = 5
DEGREES = (4, 6, 8, 10)
COLUMNS = 3
"""of panels, at least"""
T_MAX, T_MAXES = 500, (125, 250, 500, 2_000)
B_MAX, B_MAXES = 1_000_000, (1_000, 10_000, 100_000, 1_000_000)


@dataclass(frozen=True)
class Axis:
    """What is drawn upwards: a key of the records."""

    key: str
    title: str
    form: Callable[[float], str]
    logarithmic: bool = False


SECONDS = Axis("seconds", "seconds", markdown.duration)
LOSS = Axis("loss", "items lost", "{:.1%}".format)
DIVERGENCE = Axis("divergence", "divergence", "{:.4f}".format, logarithmic=True)
RULES = Axis("rules_kept", "similarity of rules", "{:.1%}".format)
PARTS = Axis("parts", "parts", "{:.0f}".format)


@dataclass(frozen=True)
class Curve:
    """Lines over one thing that is varied, a line for each method."""

    title: str
    varied: str
    points: Sequence[tuple[float, Sequence[Question]]]
    """where on the axis, and a question for each method"""
    axes: Sequence[Axis]

    def measured(self, name: str, data: Path, quick: bool) -> list[Record]:
        records: list[Record] = []
        for at, questions in self.points[:2] if quick else self.points:
            for question in questions:
                record = measured(question, data, quick)
                records.append({"curve": self.title, "varied": self.varied, "at": at, **record})
                took = shown([record], "seconds", markdown.duration)
                report_progress(f"{name}: {question}: {record['outcome']} {took}")
        return records

    def panels(self, records: Sequence[Record]) -> list[Panel]:
        return [
            Panel(self.title, self.varied, axis.title, self._lines(records, axis), axis.logarithmic)
            for axis in self.axes
        ]

    def tables(self, records: Sequence[Record]) -> list[str]:
        points = list(dict.fromkeys(record["at"] for record in self._own(records)))
        methods = list(dict.fromkeys(str(record["method"]) for record in self._own(records)))
        return [
            markdown.table(
                [f"{self.title}: {axis.title} by {self.varied}", *(f"{point:,}" for point in points)],
                [
                    [method, *(shown(self._own(records, at=at, method=method), axis.key, axis.form) for at in points)]
                    for method in methods
                ],
            )
            for axis in self.axes
        ]

    def _own(self, records: Sequence[Record], **key: object) -> list[Record]:
        wanted = {"curve": self.title, "varied": self.varied, **key}
        return [record for record in records if wanted.items() <= record.items()]

    def _lines(self, records: Sequence[Record], axis: Axis) -> dict[str, list[tuple[float, float]]]:
        lines: dict[str, list[tuple[float, float]]] = {}
        for record in self._own(records):
            if record[axis.key] is not None:
                point = cast(float, record["at"]), cast(float, record[axis.key])
                lines.setdefault(str(record["method"]), []).append(point)
        return lines


def curve(data: Path, quick: bool) -> Findings:
    """Figure 2, with seconds: over rho."""
    curves = [
        Curve(
            source.name,
            "rho",
            [(float(rho), [Question(source, method, rho) for method in BY_OCCURRENCE]) for rho in CURVE],
            (LOSS, DIVERGENCE, RULES, SECONDS),
        )
        for source in there([WEB_VIEW_2], data, quick)
    ]
    return _drawn("rho_curve", curves, [WEB_VIEW_2], data, quick)


def scaling(data: Path, quick: bool) -> Findings:
    """Figure 6: over the fifths of Retail."""
    curves = [
        Curve(
            RETAIL.name,
            "fifths of the records",
            [
                (fifths, [Question(PartOf(RETAIL, fifths), method, RHOS[0]) for method in BY_OCCURRENCE])
                for fifths in range(1, 6)
            ],
            (SECONDS, LOSS, PARTS),
        )
        for _ in there([RETAIL], data, quick)
    ]
    return _drawn("rho_scaling", curves, [RETAIL], data, quick)


def cutoff(data: Path, quick: bool) -> Findings:
    """Figure 5: the rules of records cut to 5 items, over rho, and at two of them for all methods."""
    wanted = (WEB_VIEW_1, WEB_VIEW_2)
    curves = [
        Curve(
            source.name,
            "rho",
            [
                (
                    float(rho),
                    [Question(source, method, rho) for method in (CUT_METHODS if rho in RHOS else BY_OCCURRENCE)],
                )
                for rho in CURVE
            ],
            (RULES,),
        )
        for source in there([CutShort(whole, CUTOFF) for whole in wanted], data, quick)
    ]
    found = _drawn("rho_cutoff", curves, wanted, data, quick)
    header = ("data", "rho", "method", "seconds", "loss", "rules before", "after", "in both", "similarity")
    rows = [
        [
            *(str(record[name]) for name in ("data", "rho", "method")),
            shown([record], "seconds", markdown.duration),
            shown([record], "loss", "{:.1%}".format),
            *(shown([record], name, "{:,.0f}".format) for name in ("rules_before", "rules_after", "rules_in_both")),
            shown([record], "rules_kept", "{:.1%}".format),
        ]
        for record in cast(Sequence[Record], found.records)
        if Fraction(str(record["rho"])) in RHOS
    ]
    return replace(found, text=f"{found.text}\n\n{markdown.table(header, rows, 3)}") if rows else found


def permuted(data: Path, quick: bool) -> Findings:
    """Figure 9: permutation at p, the others at rho = 1/p."""
    curves = [
        Curve(
            source.name,
            "p",
            [(p, [Question(source, method, Fraction(1, p)) for method in PERMUTED]) for p in DEGREES],
            (DIVERGENCE, RULES, SECONDS),
        )
        for source in there([WEB_VIEW_2], data, quick)
    ]
    return _drawn("rho_permutation", curves, [WEB_VIEW_2], data, quick)


def knobs(data: Path, quick: bool) -> Findings:
    """Figures 7 and 8: over t_max and over b_max."""
    curves = [
        Curve(
            source.name,
            varied,
            [
                (value, [Question(source, aim, RHOS[0], options=((varied, value), other)) for aim in AIMS])
                for value in values
            ],
            axes,
        )
        for source in there([WEB_VIEW_2], data, quick)
        for varied, values, other, axes in (
            ("t_max", T_MAXES, ("b_max", B_MAX), (SECONDS, LOSS, PARTS)),
            ("b_max", B_MAXES, ("t_max", T_MAX), (SECONDS, LOSS)),
        )
    ]
    return _drawn("rho_knobs", curves, [WEB_VIEW_2], data, quick, with_picture=False)


def _drawn(
    name: str,
    curves: Sequence[Curve],
    wanted: Sequence[DataSet],
    data: Path,
    quick: bool,
    with_picture: bool = True,
) -> Findings:
    """The curves as tables and as a picture: a row of panels for each, or one for all that have a single panel."""
    records = [record for one in curves for record in one.measured(name, data, quick)]
    parts, picture = [missing(data, wanted)], ""
    if curves and with_picture:
        panels = [panel for one in curves for panel in one.panels(records)]
        picture = drawn(panels, max(COLUMNS, len(curves[0].axes)))
        parts.append(f"![The same as curves](pictures/{name}.svg)")
    parts += [table for one in curves for table in one.tables(records)]
    return Findings("\n\n".join(filter(None, parts)), records, picture)
