"""What the techniques of OG are worth: those of Liu 2010 (Tables 4.4 and 4.5), and those of discreet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks import markdown, sets_as_printed
from benchmarks.findings import Findings
from benchmarks.questions import report_progress
from benchmarks.sets_as_printed import Expanded
from benchmarks.sets_data import RETAIL, SEEDS, WEB_VIEW_1, WEB_VIEW_2, DataSet, missing
from benchmarks.sets_questions import Answer, Power, ask, prepare
from discreet.encode.transactions import EncodedTransactions
from discreet.search.limits import Limits
from discreet.search.transactions.locking import Locking
from discreet.taxonomy import Taxonomy

K = 5
M = 3
MOST_CUTS = 2_000_000
"""that a search as printed may derive; it has no clock"""
COMPARED = (WEB_VIEW_1, WEB_VIEW_2, RETAIL)
TIME_LIMIT = 30.0
QUICK_TIME_LIMIT = 2.0

FULL = "full"

Record = dict[str, object]


def printed(data: Path, quick: bool) -> Findings:
    """Tables 4.4 and 4.5, with what discreet takes on the same question, and both on larger data."""
    if not WEB_VIEW_1.is_in(data):
        return Findings(missing(data, [WEB_VIEW_1]))
    sets_as_printed.warm_up()
    prepare(["OG", "mOG"])
    transactions = WEB_VIEW_1.encoded(data, SEEDS[0], quick=quick)
    report_progress("sets_printed: Tables 4.4 and 4.5")
    expanded = Expanded.of(transactions)
    rounds = sets_as_printed.mog(transactions, K, M)
    mined = sets_as_printed.phase_1(expanded, K, M)
    phase_1 = sets_as_printed.phase_1_table(expanded, K, M, rounds)
    phase_2 = sets_as_printed.phase_2_table(expanded, mined, rounds, 20_000 if quick else MOST_CUTS)
    for method in ("OG", "mOG"):
        answer = ask(method, Power(M, k=K), transactions, repetitions=3)
        details, seconds = answer.result.details, markdown.duration(answer.seconds)
        itemsets, clauses = f"{details['itemsets_examined']:,}", f"{details['threats_kept']:,}"
        phase_1 += f"\n| discreet's {method}, both phases | {clauses} |  | {clauses} | {itemsets} |  | {seconds} |"
        phase_2 += f"\n| discreet's {method} |  | {answer.result.cuts_examined:,} |  |  |"
    there = [where for where in COMPARED if where.is_in(data)][: 1 if quick else None]
    compared = [record for where in there for record in _compared(where, data, quick)]
    text = (
        f"Phase 1 on {WEB_VIEW_1}, seed {SEEDS[0]}, (m,n,k,l) = ({M},0,{K},1):\n\n{phase_1}\n\n"
        f"Phase 2:\n\n{phase_2}\n\nThe same question on all data:\n\n{_side_by_side(compared)}"
    )
    return Findings(text, compared)


def _compared(where: DataSet, data: Path, quick: bool) -> Iterator[Record]:
    """OG as printed, and discreet's."""
    report_progress(f"sets_printed: {where}")
    transactions = where.encoded(data, SEEDS[0], quick=quick)
    found = sets_as_printed.og(transactions, K, M)
    ours = ask("OG", Power(M, k=K), transactions, repetitions=3)
    optimum = ours.result.best.cost
    if found.phase_2.is_complete and found.phase_2.cost != optimum:
        raise AssertionError(f"{where}: as printed {found.phase_2.cost}, but discreet finds {optimum}")
    yield {
        "data": where.name,
        "method": "as printed",
        "nodes": found.phase_1.nodes,
        "threats": found.phase_1.materialized,
        "cuts": found.phase_2.cuts_derived,
        "seconds": round(found.phase_1.seconds + found.phase_2.seconds, 4),
        "is_proved": found.phase_2.is_complete,
        "loss": _loss(found.phase_2.cost, transactions),
    }
    yield {
        "data": where.name,
        "method": "discreet",
        "nodes": ours.result.details["itemsets_examined"],
        "threats": ours.result.details["threats_kept"],
        "cuts": ours.result.cuts_examined,
        "seconds": round(ours.seconds, 4),
        "is_proved": ours.status == "optimal",
        "loss": _loss(optimum, transactions),
    }


def _loss(cost: Fraction | None, transactions: EncodedTransactions) -> float | None:
    return None if cost is None else float(cost / transactions.occurrences)


def _side_by_side(records: list[Record]) -> str:
    rows = [
        [
            str(record["data"]),
            str(record["method"]),
            f"{record['nodes']:,}",
            f"{record['threats']:,}",
            f"{record['cuts']:,}",
            markdown.duration(float(str(record["seconds"]))),
            "yes" if record["is_proved"] else "no",
            f"{record['loss']:.4f}",
        ]
        for record in records
    ]
    header = ("data", "OG", "itemsets examined", "threats materialized", "cuts", "seconds", "proved", "loss")
    return markdown.table(header, rows, text_columns=2)


# --- discreet's own parts --------------------------------------------------------------------------------------


Part = Callable[..., Any]


def _all_occurring(unlocked_nodes: Part) -> Part:
    """In place of locking: everything above an item may be specialized."""

    def replaced(rows: Any, taxonomy: Taxonomy, limits: Any, may_be_specialized: Any, clock: Limits) -> Locking | None:
        nothing = np.zeros(len(taxonomy.labels), bool)
        tested: Locking | None = unlocked_nodes(rows, taxonomy, limits, nothing, clock)
        if tested is None:
            return None
        free = nothing.copy()
        nodes = np.unique(rows.sets.items)
        while len(nodes):
            nodes = np.unique(taxonomy.parents[nodes])
            nodes = nodes[nodes >= 0]
            free[nodes] = True
        return Locking(free & may_be_specialized, tested.tests, tested.examined, True)

    return replaced


def _no_room(most_cells: int) -> int:
    """In place of the cells that a table of itemsets may have: none, so they are enumerated."""
    return 0


def _none_settled(settle_short_rows: Part) -> Part:
    """In place of settling short transactions by one itemset each: it sees no transactions."""
    return lambda data, *others: settle_short_rows(data._replace(weights=data.weights[:0]), *others)


def _up_to(most_nodes: int) -> Callable[[Part], Part]:
    """The programme after so many nodes of the cut enumeration tree."""
    return lambda cheapest_locks: partial(cheapest_locks, most_nodes=most_nodes)


VARIANTS: dict[str, tuple[str, Callable[[Any], Any]] | None] = {
    FULL: None,
    "without locking": ("optimal_cut.unlocked_nodes", _all_occurring),
    "without settling short transactions": ("view.settle_short_rows", _none_settled),
    "without the table": ("view.MOST_CELLS", _no_room),
    "without the programme": ("optimal_cut.cheapest_locks", _up_to(10**9)),
    "programme at once": ("optimal_cut.cheapest_locks", _up_to(1)),
}
"""What of discreet is replaced by what; there is no switch for it."""
QUESTIONS = (
    (WEB_VIEW_1, Power(3)),
    (WEB_VIEW_1, Power(3, 3)),
    (WEB_VIEW_2, Power(3)),
    (WEB_VIEW_2, Power(6)),
    (RETAIL, Power(2)),
)


def ablation(data: Path, quick: bool) -> Findings:
    """The product's OG with one part taken out at a time."""
    questions = [question for question in QUESTIONS if question[0].is_in(data)][: 1 if quick else None]
    time_limit = QUICK_TIME_LIMIT if quick else TIME_LIMIT
    prepare(["OG"])
    records: list[Record] = []
    seconds: dict[str, list[str]] = {variant: [] for variant in VARIANTS}
    work: dict[str, list[str]] = {variant: [] for variant in VARIANTS}
    for where, power in questions:
        transactions = where.encoded(data, SEEDS[0], quick=quick)
        full: Answer | None = None
        for variant, replacement in VARIANTS.items():
            with _in_place(replacement):
                answer = ask("OG", power, transactions, time_limit=time_limit, repetitions=1 if quick else 3)
            full = full or answer
            report_progress(
                f"sets_ablation: {where} {power}, {variant}: {markdown.duration(answer.processor_seconds)} s"
            )
            search, details = answer.result, answer.result.details
            if search.status == full.status == "optimal" and search.best.cost != full.result.best.cost:
                raise AssertionError(f"{where} {power}, {variant}: another cost than the full search has")
            is_proved, took = search.status == "optimal", answer.processor_seconds
            seconds[variant].append(
                f"{markdown.duration(took)} ({took / full.processor_seconds:,.1f}x)"
                if is_proved
                else f"> {time_limit:g} (gap {search.gap:.1%})"
            )
            work[variant].append(
                f"{details['nodes_open']:,} / {details['itemsets_examined']:,} / {details['threats_kept']:,} / "
                f"{search.cuts_examined:,}"
            )
            records.append(
                {
                    "data": where.name,
                    "power": str(power),
                    "variant": variant,
                    "seconds": round(answer.seconds, 4),
                    "processor_seconds": round(answer.processor_seconds, 4),
                    "status": search.status,
                    "nodes_open": details["nodes_open"],
                    "itemsets_examined": details["itemsets_examined"],
                    "threats_kept": details["threats_kept"],
                    "cuts_examined": search.cuts_examined,
                }
            )
    if not questions:
        return Findings(missing(data, [where for where, _ in QUESTIONS]))
    header = ["", *(f"{where} {power}" for where, power in questions)]
    text = (
        f"Seconds of the processor (and how many times those of the full search), or what was left after "
        f"{time_limit:g} s:\n\n"
        f"{markdown.table(header, [[variant, *cells] for variant, cells in seconds.items()])}\n\n"
        "Nodes left open / itemsets examined / threats kept / cuts examined:\n\n"
        f"{markdown.table(header, [[variant, *cells] for variant, cells in work.items()])}"
    )
    return Findings(text, records)


@contextmanager
def _in_place(replacement: tuple[str, Callable[[Any], Any]] | None) -> Iterator[None]:
    if replacement is None:
        yield
        return
    place, replaced_by = replacement
    module, _, name = place.partition(".")
    home = import_module(f"discreet.search.transactions.{module}")
    with patch.object(home, name, replaced_by(getattr(home, name))):
        yield
