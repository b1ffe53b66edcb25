"""What each suppression scheme costs, and what it tells somebody who knows the method: one promise, every scheme."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import discreet
from benchmarks import markdown
from benchmarks.questions import report_progress
from benchmarks.sources import Source, write_columns
from discreet import NoReleaseError
from discreet.models.schemes import SCHEMES
from discreet.policy import TablePolicy

THRESHOLD = "1/4"
QUICK_ROWS = 500
CHOICES: dict[str, dict[str, object]] = {
    **{scheme: {"suppression": scheme} for scheme in SCHEMES},
    "vio-sa, guard_stars": {"suppression": "vio-sa", "guard_stars": True},
}
HEADER = (
    *("suppression", "loss", "deleted", "starred", "above, by linking", "above, knowing the scheme"),
    *("above, knowing the method", "highest confidence, knowing the scheme"),
)


def run(source: Source, quick: bool) -> str:
    rows, people, before = [], 0, 0
    with tempfile.TemporaryDirectory(prefix="discreet-benchmark-") as name:
        folder = Path(name)
        data = folder / "data.csv"
        write_columns(source.policy, data, QUICK_ROWS if quick else None)
        for choice, search in CHOICES.items():
            written = source.policy.as_dict() | {
                "data": {"path": str(data)},
                "privacy": {"model": "l-plus-diversity", "thresholds": THRESHOLD},
                "search": {"loss": "lm", **search},
            }
            try:
                result = discreet.publish(TablePolicy.parse(written), folder / choice, seed=0).result
            except NoReleaseError:
                rows.append([choice, "no release", *[""] * (len(HEADER) - 2)])
                continue
            rows.append(_row(choice, result))
            people, before = result["attack"]["people"], result["attack"]["linkage"]["before"]["above_threshold"]
            report_progress(f"schemes: {', '.join(rows[-1])}")
    return (
        f"Thresholds {THRESHOLD} for every value, loss lm, {people:,} people, of whom {before:,} are above a threshold "
        f"in the original.\n\n{markdown.table(HEADER, rows)}"
    )


def _row(choice: str, result: Mapping[str, Any]) -> list[str]:
    attack, suppressed = result["attack"], result["suppressed"]
    known, scheme = attack["knowing_the_method"], attack["scheme"]
    highest = scheme["highest_confidence"] if scheme["applies"] else attack["linkage"]["after"]["highest_confidence"]
    unknown = f", {known['not_known']:,} not known" if known["not_known"] else ""
    return [
        choice,
        f"{result['loss']['normalized']:.1%}",
        f"{suppressed['records']:,}",
        f"{suppressed['values']:,}",
        f"{attack['linkage']['after']['above_threshold']:,}",
        f"{known['by_suppression']:,}{unknown}",
        f"{known['above_threshold']:,}",
        f"{highest:.1%}",
    ]
