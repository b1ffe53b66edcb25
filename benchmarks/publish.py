"""Ten million rows from a CSV file to a verified release, in a process of their own."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import discreet
from benchmarks import markdown
from benchmarks.machine import peak_memory
from benchmarks.questions import report_progress
from benchmarks.sources import Source, rows_of
from discreet.engine.sql_text import quoted
from discreet.policy import TablePolicy
from discreet.search.events import SearchEvent
from discreet.search.table.warm_up import warm_up_method

ROWS = 10_000_000
QUICK_ROWS = 20_000
SETTINGS = {"privacy": {"model": "l-diversity", "l": 4}, "search": {"loss": "lm", "suppression": "vio-sa"}}


@dataclass(frozen=True)
class Run:
    """Seconds of every stage, and what came out."""

    stages: Mapping[str, float]
    verifying: float
    """seconds of a second look by `discreet verify`"""
    peak: float
    """MB, until the release was there"""
    status: str
    holds: bool

    @property
    def seconds(self) -> float:
        return sum(self.stages.values())


def run(source: Source, quick: bool) -> str:
    rows = QUICK_ROWS if quick else ROWS
    with tempfile.TemporaryDirectory(prefix="discreet-benchmark-") as name:
        folder = Path(name)
        data = folder / "data.csv"
        _write_sample(source.policy, rows, data)
        size = data.stat().st_size
        report_progress(f"publish: {rows:,} rows are written, {size / 1e6:,.0f} MB")
        policy = source.policy.with_settings({**SETTINGS, "data.path": str(data)})
        # A fresh process, so that nothing but publishing counts in its memory.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            done = pool.submit(_publish, policy.as_dict(), folder / "out").result()
    if not done.holds:
        raise AssertionError("the release does not keep its promise")
    table = markdown.table(
        ("stage", "seconds"), ([stage, markdown.duration(seconds)] for stage, seconds in done.stages.items())
    )
    return (
        f"{rows:,} rows, {size / 1e6:,.0f} MB of CSV, lm with vio-sa at l = 4: {markdown.duration(done.seconds)} s, "
        f"peak memory {done.peak:,.0f} MB. The release is {done.status}, and `discreet verify`, run once more, says in "
        f"{markdown.duration(done.verifying)} s that it keeps its promise.\n\n{table}"
    )


def _publish(policy: Mapping[str, Any], out: Path) -> Run:
    """Publishes in this process; the search's events tell when it began."""
    search_began: list[float] = []

    def listen(event: SearchEvent) -> None:
        search_began.append(time.monotonic() - event.seconds)

    began = time.monotonic()
    warm_up_method()
    loaded = time.monotonic()
    publication = discreet.publish(TablePolicy.parse(policy), out, seed=0, listen=listen)
    published, peak = time.monotonic(), peak_memory()
    holds = publication.verdict.holds and discreet.verify(out).holds
    verified = time.monotonic()
    searched = float(publication.result["search"]["seconds"])
    stages = {
        "load the compiled kernels": loaded - began,
        "read, encode, count": search_began[0] - loaded,
        "search": searched,
        "recode, write, verify": published - search_began[0] - searched,
    }
    return Run(stages, verified - published, peak, publication.result["status"], holds)


def _write_sample(policy: TablePolicy, rows: int, path: Path) -> None:
    """So many rows of a policy's data, drawn with replacement, the same ones every time."""
    columns = ", ".join(f"original.{quoted(name)}" for name in policy.attributes)
    with rows_of(policy) as database:
        [[count]] = database.execute("SELECT count(*) FROM original").fetchall()
        database.execute(
            f"COPY (SELECT {columns} FROM range({rows}) AS drawn(number) JOIN original "
            f"ON original.rowid = CAST(hash(drawn.number) % {count} AS BIGINT)) TO '{path}' (FORMAT csv, HEADER)"
        )
