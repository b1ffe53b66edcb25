"""More rows: amplified as in the thesis (3.6.3.4), and replicated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from benchmarks import markdown
from benchmarks.questions import Question, report_progress
from benchmarks.sources import Source, selected
from discreet.encode.table import EncodedTable
from discreet.search.results import SearchResult
from discreet.values.arrays import Int64s, column_codes

# The thesis's own choice; lm vio-sa, which examines ten times as many cuts, only where rows are replicated.
AMPLIFIED = (Question("dm", "none", 4), Question("dm", "vio-rec", 4), Question("dm", "all-rec", 4))
REPLICATED = (*AMPLIFIED, Question("lm", "vio-sa", 4))
ROWS = (50_000, 100_000, 200_000, 500_000, 1_000_000)
QUICK_ROWS = (1_000, 2_000)
TIME_LIMIT = 300.0
QUICK_TIME_LIMIT = 0.2
HEADER = ("problem", "rows", "distinct combinations", "cuts examined", "seconds", "seconds per million rows")


def run(source: Source, quick: bool) -> str:
    rows = QUICK_ROWS if quick else ROWS
    time_limit = QUICK_TIME_LIMIT if quick else TIME_LIMIT
    table = source.plain
    amplified = (amplify(table, count, np.random.default_rng(0)) for count in rows)
    replicated = (replicate(table, round(count / table.rows)) for count in rows)
    return (
        "Variants of the records, so that the combinations grow with the rows:\n\n"
        f"{_measured(amplified, AMPLIFIED, time_limit)}\n\n"
        "The same records over and over, so that the combinations stay the same:\n\n"
        f"{_measured(replicated, REPLICATED, time_limit)}"
    )


def amplify(table: EncodedTable, rows: int, random: np.random.Generator) -> EncodedTable:
    """The table with variants of its records, of each as many, up to so many rows.

    In a variant q quasi-identifiers, q uniform in [1, |QI|], have a value drawn from all leaves of the taxonomy.
    """
    records = np.repeat(np.arange(len(table.counts)), table.counts)
    originals = random.permutation(records)[np.arange(max(0, rows - len(records))) % len(records)]
    leaves = table.leaves[:, originals]
    q = random.integers(1, len(leaves), size=len(originals), endpoint=True)
    # The first q attributes in an order of their own for every variant.
    is_replaced = random.random(leaves.shape).argsort(axis=0).argsort(axis=0) < q
    domains = np.array([[len(taxonomy.leaf_nodes)] for taxonomy in table.taxonomies])
    variants = np.where(is_replaced, random.integers(0, domains, size=leaves.shape), leaves)
    every = np.concatenate((records, originals))
    amplified = replace(
        table,
        leaves=np.hstack((table.leaves[:, records], variants)).astype(np.int32),
        sensitive=table.sensitive[every],
        classes=table.classes[every],
    )
    return counted(amplified, np.ones(len(every), np.int64))


def replicate(table: EncodedTable, times: int) -> EncodedTable:
    """Every record so many times."""
    return replace(table, counts=table.counts * max(1, times))


def counted(table: EncodedTable, counts: Int64s) -> EncodedTable:
    """A table whose combinations may stand there several times, each with a count, as its distinct ones."""
    codes = column_codes(np.vstack((table.leaves, table.sensitive, table.classes)))
    _, first, place = np.unique(codes, return_index=True, return_inverse=True)
    return selected(table, first, np.bincount(place, weights=counts).astype(np.int64))


def _measured(tables: Iterable[EncodedTable], questions: Sequence[Question], time_limit: float) -> str:
    rows: dict[Question, list[list[str]]] = {question: [] for question in questions}
    for table in tables:
        for question in questions:
            answer = question.answer(table, time_limit)
            report_progress(f"scaling: {question}, {table.rows:,} rows: {markdown.duration(answer.seconds)} s")
            rows[question].append(_row(question, table, answer, time_limit))
    return markdown.table(HEADER, (row for by_rows in rows.values() for row in by_rows))


def _row(question: Question, table: EncodedTable, answer: SearchResult, time_limit: float) -> list[str]:
    start = [str(question), f"{table.rows:,}", f"{len(table.counts):,}", f"{answer.cuts_examined:,}"]
    if answer.status != "optimal":
        return [*start, f"> {time_limit:g} (gap {answer.gap:.1%})", ""]
    return [*start, markdown.duration(answer.seconds), markdown.duration(answer.seconds * 1e6 / table.rows)]
