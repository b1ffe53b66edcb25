"""Curves as SVG: a row of panels, a line for each method."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Line = Sequence[tuple[float, float]]

STYLES = {
    "OG": ("#1b4f8a", "o"),
    "mOG": ("#4fa3d9", "s"),
    "AA": ("#d98a2b", "^"),
    "LG": ("#4b8f4b", "D"),
    "MM": ("#a33b3b", "v"),
    "insertion": ("#1b4f8a", "o"),
    "rules": ("#d98a2b", "^"),
    "distribution": ("#4b8f4b", "D"),
    "global": ("#a33b3b", "v"),
    "td-control": ("#7a4fa3", "s"),
    "permutation": ("#a33b3b", "v"),
    "trivial": ("#777777", "x"),
    "original": ("#777777", ""),
}
"""A line's color and marker, the same in all pictures."""


@dataclass(frozen=True)
class Panel:
    title: str
    below: str
    """what the horizontal axis shows"""
    beside: str
    lines: Mapping[str, Line]
    logarithmic: bool = False
    """from 0.0001 to 1, the same in all panels"""


def drawn(panels: Sequence[Panel], columns: int) -> str:
    """SVG of the panels, row by row; its text stays text, and the same numbers give the same file."""
    import matplotlib

    with matplotlib.rc_context({"svg.hashsalt": "discreet", "svg.fonttype": "none", "font.size": 9}):
        from matplotlib.figure import Figure

        rows = -(-len(panels) // columns)
        figure = Figure(figsize=(3.3 * columns, 2.6 * rows + 0.5), layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False).flat
        labels: dict[str, Any] = {}
        for panel, axis in zip(panels, axes, strict=False):
            for name, points in panel.lines.items():
                color, marker = STYLES[name]
                style = "--" if name == "original" else "-"
                ordered = sorted(points)
                (line,) = axis.plot(
                    [x for x, _ in ordered],
                    [y for _, y in ordered],
                    style,
                    color=color,
                    marker=marker,
                    markersize=6 if name == "OG" else 4,
                    linewidth=1.3,
                    # Where lines coincide both are seen.
                    fillstyle="none" if name == "OG" else "full",
                    zorder=3 if name == "OG" else 2,
                )
                labels.setdefault(name, line)
            axis.set_title(panel.title, fontsize=9)
            axis.set_xlabel(panel.below)
            axis.set_xticks(sorted({x for points in panel.lines.values() for x, _ in points}))
            axis.set_ylabel(panel.beside)
            if panel.logarithmic:
                axis.set_yscale("log")
                axis.set_ylim(1e-4, 1)
            else:
                axis.set_ylim(bottom=0)
            axis.grid(color="#dddddd", linewidth=0.6)
            axis.spines[["top", "right"]].set_visible(False)
        for axis in axes:
            axis.set_visible(False)
        figure.legend(labels.values(), labels.keys(), loc="outside upper center", ncols=len(labels), frameon=False)
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()
