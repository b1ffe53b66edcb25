"""What a comparison says about a setting, whatever the kind of data."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from discreet.report.document import known_bound, number
from discreet.search.solving import Solved


def common_row(solved: Solved[Any, Any, Any], worst: Fraction | int) -> dict[str, Any]:
    """worst: the loss that a normalized one is measured against."""
    search = solved.search
    assert search is not None
    bound = known_bound(search)
    return {
        "status": search.status,
        "cost": number(search.best.cost),
        "normalized": round(float(search.best.cost / worst), 6) if worst else 0.0,
        "bound": "" if bound is None else number(bound),
        "gap": "" if bound is None else search.gap,
        "cuts_examined": search.cuts_examined,
        "seconds": round(search.seconds, 3),
    }
