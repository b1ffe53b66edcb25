"""What a steward waits for besides the search: inspect, publish with its measures and report, attack, compare."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv as arrow_csv

import discreet
from benchmarks import markdown
from benchmarks.machine import peak_memory
from benchmarks.publish import SETTINGS
from benchmarks.questions import report_progress
from benchmarks.sources import Source, write_columns
from discreet.policy import TablePolicy
from discreet.search.table.warm_up import warm_up_method

WIDE_ROWS = 1_000_000
QUICK_ROWS = 2_000
GRID = {"privacy.0.l": ["2", "4", "6"], "search.suppression": ["vio-sa", "vio-rec"]}

Measured = tuple[float, float, str]
"""Seconds, MB at the peak, and what is worth saying."""


def run(source: Source, quick: bool) -> str:
    with tempfile.TemporaryDirectory(prefix="discreet-benchmark-") as name:
        folder = Path(name)
        wide = folder / "wide.csv"
        rows = QUICK_ROWS if quick else WIDE_ROWS
        arrow_csv.write_csv(wide_table(rows), wide)
        data = folder / "data.csv"
        write_columns(source.policy, data)
        policy = source.policy.with_settings({**SETTINGS, "data.path": str(data)}).as_dict()
        steps: list[tuple[str, Callable[..., Measured], tuple[Any, ...]]] = [
            (f"inspect {rows:,} rows x 20 columns", _inspect, (wide,)),
            ("publish, the search left out", _publish, (policy, folder / "out")),
            ("attack, the worst case", _attack, (folder / "out",)),
            ("compare 6 settings, one core", _compare, (policy, 1)),
            ("compare 6 settings, all cores", _compare, (policy, None)),
        ]
        lines = []
        for title, step, arguments in steps:
            report_progress(f"steward: {title}")
            # A fresh process each, so that its memory is its own.
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                seconds, peak, said = pool.submit(step, *arguments).result()
            lines.append([title, markdown.duration(seconds), f"{peak:,.0f}", said])
    return markdown.table(("step", "seconds", "peak MB", "found"), lines)


def _inspect(path: Path) -> Measured:
    began = time.monotonic()
    found = discreet.inspect(path)
    return time.monotonic() - began, peak_memory(), f"{found.keys.total:,} minimal keys"


def _publish(policy: dict[str, Any], out: Path) -> Measured:
    warm_up_method()
    began = time.monotonic()
    result = discreet.publish(TablePolicy.parse(policy), out, seed=0).result
    seconds = time.monotonic() - began - float(result["search"]["seconds"])
    return seconds, peak_memory(), f"{len(result['utility'])} measures, {result['status']}"


def _attack(out: Path) -> Measured:
    began = time.monotonic()
    linkage = discreet.attack(out, seed=0)["linkage"]
    before, after = (linkage[when]["above_threshold"] for when in ("before", "after"))
    return time.monotonic() - began, peak_memory(), f"above a threshold: {before:,} before, {after:,} after"


def _compare(policy: dict[str, Any], processes: int | None) -> Measured:
    warm_up_method()
    began = time.monotonic()
    rows = discreet.compare(TablePolicy.parse(policy), GRID, seed=0, processes=processes)
    found = sum(row["status"] == "optimal" for row in rows)
    return time.monotonic() - began, peak_memory(), f"{found} of {len(rows)} proved optimal"


def wide_table(rows: int) -> pa.Table:
    """Twenty columns as a registry has them, the same ones every time."""
    random = np.random.default_rng(0)

    def some(values: list[str], share: float = 1.0) -> Any:
        drawn = np.array(values, object)[random.integers(0, len(values), rows)]
        drawn[random.random(rows) > share] = None
        return drawn

    days = np.datetime64("1940-01-01") + random.integers(0, 25_000, rows).astype("timedelta64[D]")
    return pa.table(
        {
            "patient": [f"P{number:08}" for number in range(rows)],
            "name": [f"{a} {b}" for a, b in zip(some(_words(800, 1)), some(_words(9000, 2)), strict=True)],
            "born": days.astype(str),
            "admitted": (np.datetime64("2020-01-01") + random.integers(0, 1500, rows)).astype(str),
            "age": random.integers(0, 100, rows),
            "sex": some(["female", "male", "other"]),
            "postcode": random.integers(10_000, 99_999, rows).astype(str),
            "country": some(_words(90, 3), 0.97),
            "education": some(_words(16, 4)),
            "occupation": some(_words(120, 5)),
            "marital": some(_words(6, 6)),
            "height": np.round(random.normal(170, 10, rows), 1),
            "weight": np.round(random.normal(75, 14, rows), 1),
            "income": random.integers(0, 200, rows) * 500,
            "ward": some(_words(24, 7)),
            "doctor": some(_words(300, 8)),
            "diagnosis": some(_words(400, 9)),
            "stay": random.integers(0, 60, rows),
            "insured": some(["yes", "no"], 0.9),
            "outcome": some(["home", "moved", "died"]),
        }
    )


def _words(number: int, seed: int) -> list[str]:
    random = np.random.default_rng(seed)
    letters = random.integers(ord("a"), ord("z") + 1, (number, 8)).astype(np.uint8)
    return [bytes(row).decode() for row in letters]
