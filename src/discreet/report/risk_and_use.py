"""Risk and use in one picture: the risks before and after, and below them what is left of the original."""

from __future__ import annotations

from collections.abc import Sequence

from discreet.report.charts import before_and_after, figure
from discreet.report.tables import table
from discreet.report.text import share

Risk = tuple[str, float, float]
"""what it is a share of, in the original and in the release"""
Left = tuple[str, float]
"""what is left, as a share of the original"""


def risk_and_use(risks: Sequence[Risk], left: Sequence[Left]) -> str:
    """Nothing where there is only one side to show."""
    if not risks or not left:
        return ""
    kept = [(name, min(1.0, max(0.0, part))) for name, part in left]
    names = [*(f"Risk: {name}" for name, _, _ in risks), *(f"Left: {name}" for name, _ in kept)]
    pairs = [*((before, after) for _, before, after in risks), *((1.0, part) for _, part in kept)]
    finding = (
        f"The risk ({risks[0][0]}) goes from {share(risks[0][1])} to {share(risks[0][2])}. What is left: "
        f"{', '.join(f'{name} {share(part)}' for name, part in kept)}."
    )
    data = table(
        "Risk and use",
        ["", "original", "release"],
        [[name, share(before), share(after)] for name, (before, after) in zip(names, pairs, strict=True)],
        numbers=(1, 2),
    )
    caption = (
        f"{finding} Circles: the original; diamonds: the release. A good release has the diamonds of the risks far to "
        "the left, and those of what is left far to the right."
    )
    picture = before_and_after(names, pairs, "share of people, or of the original")
    return f"<h3>Risk and use</h3>{figure(picture, finding, caption, data)}"
