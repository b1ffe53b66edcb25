"""rho-uncertainty: what each method loses and keeps, its time and memory, and whether the verifier finds it safe.

permutation is among the methods because Jia et al. 2014 compare with it, at p = 1/rho. Its promise is another one: the
items are published as they are, by groups in which a sensitive item belongs to at most one in p, so that nothing is
left out and no share of an item changes. It limits what is inferred from a transaction's place in a group, not from
sensitive items that are known already, and p is a whole number, here the least from 1/rho on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean
from typing import Any, cast

import numpy as np

from benchmarks import markdown
from benchmarks.findings import Findings
from benchmarks.machine import peak_memory
from benchmarks.questions import report_progress
from benchmarks.rho_data import Source, Synthetic, encoded, there
from benchmarks.sets_data import QUICK_SEEDS, RETAIL, SEEDS, WEB_VIEW_2, missing, released
from benchmarks.sets_questions import make_ready
from discreet.encode.released_transactions import ReleasedTransactions
from discreet.encode.transactions import EncodedTransactions
from discreet.errors import NoReleaseError
from discreet.losses.lm import LossMetric
from discreet.measure.transactions.comparison import TransactionComparison
from discreet.measure.transactions.item_divergence import ItemDivergence
from discreet.measure.transactions.rules_kept import RulesKept
from discreet.methods.transactions import TRANSACTION_METHODS
from discreet.models.privacy_degree import PrivacyDegree
from discreet.models.rho_uncertainty import RhoUncertainty
from discreet.models.transactions import TransactionModel
from discreet.recode.transactions.recoded import Recoded
from discreet.search.events import ignore
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.transactions.problem import TransactionProblem
from discreet.values.sets import Sets
from discreet.verifier.transactions.itemsets import Incidence
from discreet.verifier.transactions.rho_uncertainty import unsafe_rules

TIME_LIMIT = 180.0
"""Seconds for a search; of one that they do not suffice for nothing is shown."""
RHOS = (Fraction(7, 10), Fraction(3, 10))
DATA = (WEB_VIEW_2, RETAIL)

Record = dict[str, object]


def _degree(rho: Fraction) -> PrivacyDegree:
    return PrivacyDegree(ceil(1 / rho))


@dataclass(frozen=True)
class Method:
    name: str
    """as in a policy"""
    options: Mapping[str, Any] = field(default_factory=dict)
    promise: Callable[[Fraction], TransactionModel] = RhoUncertainty


METHODS = {
    "insertion": Method("insertion"),
    "improved": Method("insertion", {"improve": 1}),
    "rules": Method("partial-suppression", {"aim": "rules"}),
    "distribution": Method("partial-suppression", {"aim": "distribution"}),
    "global": Method("global-suppression"),
    "td-control": Method("td-control"),
    "permutation": Method("permutation", promise=_degree),
    "trivial": Method("trivial-suppression"),
    "one item": Method("trivial-suppression", {"leave_out": "all-but-one"}),
}
"""By their names in tables and pictures.

improved: insertion with one improvement. rules, distribution: the two aims of partial-suppression. trivial: without any
sensitive item; one item: with one item a record.
"""
BY_OCCURRENCE = ("insertion", "rules", "distribution")
"""Those that leave out single occurrences."""
WITH_ALL_DRAWS = ("improved", *BY_OCCURRENCE)
"""Those that are measured with several draws; for a comparison one will do."""


@dataclass(frozen=True)
class Question:
    where: Source
    method: str
    rho: Fraction
    seed: int = SEEDS[0]
    options: tuple[tuple[str, int], ...] = ()
    """of the method, with their values"""

    def __str__(self) -> str:
        options = "".join(f", {name} {value:,}" for name, value in self.options)
        return f"{self.where.name}, rho {self.rho}, draw {self.seed}, {self.method}{options}"


# --- one measurement ------------------------------------------------------------------------------------------


def measured(question: Question, data: Path, quick: bool) -> Record:
    """The keys are the same for all methods; what cannot be said is None."""
    transactions = encoded(question.where, data, question.seed, quick)
    sensitive = int(transactions.sensitive_occurrences.sum())
    occurrences = transactions.occurrences + sensitive
    record: Record = {
        "data": question.where.name,
        "records": transactions.transactions,
        "rho": str(question.rho),
        "draw": question.seed,
        "method": question.method,
        **dict(question.options),
        "outcome": "done",
        **dict.fromkeys(("seconds", "processor_seconds", "loss", "of_trivial", "bound", "parts")),
        **dict.fromkeys(("is_safe", "verifier_seconds", "divergence", "rules_kept")),
        **dict.fromkeys(("rules_before", "rules_after", "rules_in_both", "peak_mb")),
    }
    method = METHODS[question.method]
    make_ready(method.name, method.options)
    problem = TransactionProblem(transactions, method.promise(question.rho), LossMetric())
    began = time.process_time()
    try:
        result: SearchResult = TRANSACTION_METHODS[method.name].function(
            problem,
            Limits(TIME_LIMIT),
            np.random.default_rng(question.seed),
            ignore,
            **{**method.options, **dict(question.options)},
        )
    except NoReleaseError:
        return {**record, "outcome": "no release"}
    if result.seconds >= TIME_LIMIT:
        return {**record, "outcome": "stopped"}
    record["processor_seconds"] = round(time.process_time() - began, 3)
    record["seconds"] = round(result.seconds, 3)
    record["loss"] = float(result.best.cost) / occurrences
    record["of_trivial"] = float(result.best.cost) / sensitive
    record["bound"] = float(result.bound) / occurrences or None
    record["parts"] = result.details.get("parts")
    began = time.perf_counter()
    record["is_safe"] = is_safe(result.recoded, transactions, problem.model)
    record["verifier_seconds"] = round(time.perf_counter() - began, 3)
    comparison = TransactionComparison(
        transactions, _published(result.recoded, transactions), result.recoded, rho=question.rho
    )
    random = np.random.default_rng(question.seed)
    record["divergence"] = ItemDivergence().measure(comparison, random).details.get("divergence")
    rules = RulesKept().measure(comparison, random)
    record["rules_kept"] = rules.release
    record["rules_before"], record["rules_after"], record["rules_in_both"] = rules.details["rules"].values()
    return record


def in_a_process(question: Question, data: Path, quick: bool) -> Record:
    """In a fresh one, so that its memory is its own; a quick look does without."""
    if quick:
        return measured(question, data, quick)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        record = pool.submit(measured, question, data, quick).result()
        return {**record, "peak_mb": round(pool.submit(peak_memory).result())}


def is_safe(recoded: Recoded, transactions: EncodedTransactions, promise: TransactionModel) -> bool:
    """Whether a release keeps its promise: rho-uncertainty by the verifier's search, a privacy degree by counting."""
    if isinstance(promise, PrivacyDegree):
        return _keeps_degree(recoded, transactions, promise.p)
    assert isinstance(promise, RhoUncertainty)
    each = np.repeat(np.arange(len(recoded.counts)), recoded.counts)
    nodes, sensitive = recoded.nodes.take(each), recoded.sensitive(transactions).take(each)
    first_sensitive = len(transactions.taxonomy.labels)
    rows = np.concatenate((nodes.rows, sensitive.rows))
    items = np.concatenate((nodes.items, sensitive.items + first_sensitive)).astype(np.int64)
    order = np.lexsort((items, rows))
    width = first_sensitive + len(transactions.sensitive_items)
    records = Incidence(rows[order], items[order], len(each), width)
    return next(unsafe_rules(records, first_sensitive, promise.rho), None) is None


def _keeps_degree(recoded: Recoded, transactions: EncodedTransactions, p: int) -> bool:
    assert recoded.groups is not None
    sensitive, width = recoded.sensitive(transactions), len(transactions.sensitive_items)
    codes, places = np.unique(recoded.groups[sensitive.rows] * np.int64(width) + sensitive.items, return_inverse=True)
    holders = np.bincount(places, weights=recoded.counts[sensitive.rows])
    sizes = np.bincount(recoded.groups, weights=recoded.counts)
    return bool((holders * p <= sizes[codes // width]).all())


def _published(recoded: Recoded, transactions: EncodedTransactions) -> ReleasedTransactions:
    """As a reader counts it; of groups, in how many transactions each sensitive item is in all of them together."""
    release = released(recoded, transactions)
    if recoded.groups is None:
        return release
    nothing = Sets(np.zeros(len(release.counts) + 1, np.int64), np.zeros(0, np.int32))
    return replace(release, sensitive=nothing, group_sensitive=transactions.sensitive_occurrences[np.newaxis])


# --- tables ---------------------------------------------------------------------------------------------------


def losses(data: Path, quick: bool) -> Findings:
    """Every method on two data sets at two rhos."""
    draws = {method: SEEDS if method in WITH_ALL_DRAWS else SEEDS[:1] for method in METHODS}
    return _compared("rho", there(DATA, data, quick), RHOS, draws, data, quick)


def synthetic(data: Path, quick: bool) -> Findings:
    """Many records in which all items are equally likely, so that one draw of the sensitive ones is like any other."""
    draws = dict.fromkeys(BY_OCCURRENCE, SEEDS[:1])
    return _compared("rho_synthetic", [Synthetic()], RHOS[:1], draws, data, quick)


def _compared(
    name: str,
    sources: Sequence[Source],
    rhos: Sequence[Fraction],
    draws: Mapping[str, Sequence[int]],
    data: Path,
    quick: bool,
) -> Findings:
    """draws: method -> the draws of the sensitive items that it is measured with."""
    records: list[Record] = []
    rows = []
    for source in sources:
        for rho in rhos[:1] if quick else rhos:
            for method, seeds in draws.items():
                found = [
                    asked(name, Question(source, method, rho, seed), data, quick)
                    for seed in (QUICK_SEEDS if quick else seeds)
                ]
                records += found
                rows.append(_row(found))
    header = (
        *("data", "rho", "method", "seconds", "loss", "of the trivial", "bound", "divergence", "rules kept"),
        *("safe", "verifier, s", "peak MB"),
    )
    parts = (missing(data, DATA) if name == "rho" else "", markdown.table(header, rows, 3) if rows else "")
    return Findings("\n\n".join(filter(None, parts)), records)


def asked(name: str, question: Question, data: Path, quick: bool) -> Record:
    """A measurement in a process of its own, with a line about it."""
    record = in_a_process(question, data, quick)
    report_progress(f"{name}: {question}: {record['outcome']} {shown([record], 'seconds', markdown.duration)}")
    return record


def shown(
    records: Sequence[Record],
    name: str,
    form: Callable[[float], str],
    one_of: Callable[[Sequence[float]], float] = fmean,
) -> str:
    """The mean, or what else shall stand for them, of what could be said; nothing where nothing could."""
    values = [cast(float, record[name]) for record in records if record[name] is not None]
    return form(one_of(values)) if values else ""


def _row(found: Sequence[Record]) -> list[str]:
    releases = [record for record in found if record["is_safe"] is not None]
    return [
        *(str(found[0][name]) for name in ("data", "rho", "method")),
        shown(found, "seconds", markdown.duration),
        shown(found, "loss", "{:.1%}".format),
        shown(found, "of_trivial", "{:.3f}".format),
        shown(found, "bound", "{:.1%}".format),
        shown(found, "divergence", "{:.4f}".format),
        shown(found, "rules_kept", "{:.1%}".format),
        f"{sum(bool(record['is_safe']) for record in releases)} of {len(releases)}",
        shown(found, "verifier_seconds", markdown.duration, max),
        shown(found, "peak_mb", "{:,.0f}".format, max),
    ]
