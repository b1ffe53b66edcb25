"""How long transactions take: the questions of OG and AA on real data, and more and more transactions."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean
from typing import cast

import numpy as np

from benchmarks import markdown
from benchmarks.findings import Findings
from benchmarks.machine import peak_memory
from benchmarks.questions import report_progress
from benchmarks.sets_data import (
    QUICK_SEEDS,
    RETAIL,
    SEEDS,
    WEB_VIEW_1,
    WEB_VIEW_2,
    DataSet,
    amplify,
    missing,
)
from benchmarks.sets_questions import Answer, Power, ask, prepare

TIME_LIMIT = 60.0
QUICK_TIME_LIMIT = 5.0
FIFTH = Fraction(1, 5)


@dataclass(frozen=True)
class Question:
    data: DataSet
    power: Power
    sensitive: int = 0
    """how many items are"""
    target: float | None = None
    """seconds that the search shall take at most"""


TIMES = (
    Question(WEB_VIEW_1, Power(3), target=0.5),
    Question(WEB_VIEW_2, Power(3), target=2),
    Question(RETAIL, Power(3), target=5),
    Question(WEB_VIEW_2, Power(6), target=5),
    Question(WEB_VIEW_1, Power(3, 3), target=2),
    Question(WEB_VIEW_1, Power(3, 3, share=FIFTH), 60, 0.5),
    Question(RETAIL, Power(3, 3, share=FIFTH), 60, 25),
    Question(RETAIL, Power(2), target=5),
    Question(WEB_VIEW_1, Power(6)),
    Question(WEB_VIEW_1, Power(10, 10)),
    Question(WEB_VIEW_1, Power(30, 30)),
    Question(WEB_VIEW_1, Power(10, 10, share=FIFTH), 60),
    Question(WEB_VIEW_1, Power(30, 30, share=FIFTH), 60),
)
QUICK_TIMES = (TIMES[0], TIMES[5])


@dataclass(frozen=True)
class Rival:
    """A question for AA, with the seconds and the loss (ncp) of the public code that is known."""

    data: DataSet
    power: Power
    seconds: float
    loss: float


RIVALS = (
    Rival(WEB_VIEW_1, Power(2), 3.5, 0.045),
    Rival(WEB_VIEW_1, Power(3), 3.9, 0.108),
    Rival(WEB_VIEW_2, Power(2), 18.9, 0.020),
)

SIZES = (100_000, 200_000, 500_000, 1_000_000)
QUICK_SIZES = (1_000, 2_000)

Record = dict[str, object]


def run(data: Path, quick: bool) -> Findings:
    """OG on the questions of TIMES, and beside AA on those of RIVALS."""
    times = QUICK_TIMES if quick else TIMES
    rivals = RIVALS[:1] if quick else RIVALS
    asked = [("OG", question.data, question.power, question.sensitive, "lm") for question in times]
    asked += [(method, rival.data, rival.power, 0, "ncp") for rival in rivals for method in ("AA", "OG")]
    records: list[Record] = []
    for method, where, power, sensitive, loss in asked:
        if where.is_in(data):
            report_progress(f"sets: {method}, {where} {power}, {sensitive} sensitive items")
            records += _in_a_process(method, where, power, sensitive, loss, data, quick)
    parts = [missing(data, [question.data for question in times])]
    if records:
        parts += [_times(times, records), _rivals(rivals, records)]
    return Findings("\n\n".join(filter(None, parts)), records)


def scaling(data: Path, quick: bool) -> Findings:
    """(3,0,5,1) on ever more transactions."""
    if not RETAIL.is_in(data):
        return Findings(missing(data, [RETAIL]))
    records = [_scaled(size, data, quick) for size in (QUICK_SIZES if quick else SIZES)]
    rows = [
        [
            f"{record['transactions']:,}",
            f"{record['occurrences']:,}",
            markdown.duration(cast(float, record["seconds"]))
            + ("" if record["status"] == "optimal" else " (not done)"),
            markdown.duration(cast(float, record["processor_seconds"])),
            markdown.duration(cast(float, record["seconds"]) * 1e5 / cast(int, record["transactions"])),
            f"{record['loss']:.4f}",
            f"{record['peak_mb']:,.0f}",
        ]
        for record in records
    ]
    header = ("transactions", "items in all", "seconds", "processor", "seconds per 100,000", "loss", "peak MB")
    return Findings(markdown.table(header, rows, text_columns=0), records)


def _in_a_process(
    method: str, where: DataSet, power: Power, sensitive: int, loss: str, data: Path, quick: bool
) -> list[Record]:
    # A fresh process each, so that its memory is its own.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(measured, method, where, power, sensitive, loss, data, quick).result()


def measured(
    method: str, where: DataSet, power: Power, sensitive: int, loss: str, data: Path, quick: bool
) -> list[Record]:
    """One record for each seed."""
    prepare([method])
    records: list[Record] = []
    for seed in QUICK_SEEDS if quick else SEEDS:
        transactions = where.encoded(data, seed, sensitive=sensitive, quick=quick)
        time_limit = QUICK_TIME_LIMIT if quick else TIME_LIMIT
        answer = ask(method, power, transactions, loss=loss, time_limit=time_limit, repetitions=1 if quick else 3)
        records.append(
            {
                "method": method,
                "data": where.name,
                "power": str(power),
                "sensitive": sensitive,
                "searched_by": loss,
                "seed": seed,
                **_told(answer),
                "ncp": answer.losses["ncp"],
            }
        )
    return records


def _scaled(size: int, data: Path, quick: bool) -> Record:
    report_progress(f"sets_scaling: {size:,} transactions")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(measured_scaled, size, data, quick).result()


def measured_scaled(size: int, data: Path, quick: bool) -> Record:
    """Retail with perturbed copies, up to this size."""
    prepare(["OG"])
    transactions = amplify(RETAIL.encoded(data, SEEDS[0], quick=quick), size, np.random.default_rng(0))
    answer = ask("OG", Power(3), transactions, time_limit=QUICK_TIME_LIMIT if quick else 600.0)
    return {"transactions": size, "occurrences": transactions.occurrences, **_told(answer)}


def _told(answer: Answer) -> Record:
    details = answer.result.details
    return {
        "seconds": round(answer.seconds, 4),
        "processor_seconds": round(answer.processor_seconds, 4),
        "status": answer.status if answer.is_done else "stopped",
        "loss": answer.losses["lm"],
        **{
            name: details.get(name, "")
            for name in ("nodes_tested", "nodes_open", "threats_kept", "itemsets_examined", "rounds", "by_programme")
        },
        "cuts_examined": answer.result.cuts_examined,
        "peak_mb": round(peak_memory()),
    }


def _times(times: Sequence[Question], records: Sequence[Record]) -> str:
    header = (
        "data",
        "(m,n,k,l)",
        "sensitive",
        "seconds",
        "processor",
        "wanted",
        "optimal",
        "loss",
        "nodes tested",
        "open",
        "itemsets",
        "threats",
        "rounds",
        "peak MB",
    )
    rows = []
    for question in times:
        found = _matching(records, "OG", question.data, question.power, question.sensitive, "lm")
        proved = [record for record in found if record["status"] == "optimal"]
        if found and not proved:
            start = [question.data.name, str(question.power), str(question.sensitive or "")]
            rows.append([*start, "stopped", *[""] * (len(header) - 4)])
        if proved:
            rows.append(
                [
                    question.data.name,
                    str(question.power),
                    str(question.sensitive or ""),
                    markdown.duration(_mean(proved, "seconds")),
                    markdown.duration(_mean(proved, "processor_seconds")),
                    "" if question.target is None else f"{question.target:g}",
                    f"{len(proved)} of {len(found)}",
                    f"{_mean(proved, 'loss'):.4f}",
                    *(
                        f"{_mean(proved, name):,.0f}"
                        for name in ("nodes_tested", "nodes_open", "itemsets_examined", "threats_kept")
                    ),
                    f"{_mean(proved, 'rounds'):.1f}",
                    f"{max(cast(int, record['peak_mb']) for record in found):,}",
                ]
            )
    return markdown.table(header, rows, text_columns=2)


def _rivals(rivals: Sequence[Rival], records: Sequence[Record]) -> str:
    header = (
        "data",
        "m",
        "AA, seconds",
        "public code",
        "AA, ncp",
        "public code",
        "AA, peak MB",
        "OG, seconds",
        "OG, ncp",
    )
    rows = []
    for rival in rivals:
        aa, og = (_matching(records, method, rival.data, rival.power, 0, "ncp") for method in ("AA", "OG"))
        if aa and og:
            rows.append(
                [
                    rival.data.name,
                    str(rival.power.m),
                    markdown.duration(_mean(aa, "seconds")),
                    f"{rival.seconds:g}",
                    f"{_mean(aa, 'ncp'):.4f}",
                    f"{rival.loss:.3f}",
                    f"{max(cast(int, record['peak_mb']) for record in aa):,}",
                    markdown.duration(_mean(og, "seconds")),
                    f"{_mean(og, 'ncp'):.4f}",
                ]
            )
    return markdown.table(header, rows) if rows else ""


def _matching(
    records: Sequence[Record], method: str, where: DataSet, power: Power, sensitive: int, loss: str
) -> list[Record]:
    wanted = {"method": method, "data": where.name, "power": str(power), "sensitive": sensitive, "searched_by": loss}
    return [record for record in records if wanted.items() <= record.items()]


def _mean(records: Sequence[Record], name: str) -> float:
    return fmean(float(cast(float, record[name])) for record in records)
