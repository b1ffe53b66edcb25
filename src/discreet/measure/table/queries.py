"""The error of random counting queries.

Papers: LeFevre, DeWitt and Ramakrishnan 2006; Xiao and Tao 2006. A query counts the records that satisfy a condition on
each of 1 to 3 columns, drawn at random from the quasi-identifiers and the sensitive column: first how many columns,
then which. The condition on a quasi-identifier is a range of neighbouring leaves of its taxonomy, that on the
sensitive column a set of values. With d conditions each admits a share 0.1^(1/d) of its column's values, rounded up,
so that a query admits a tenth of all combinations of values (Xiao and Tao's expected selectivity; 0.1 is ours).

The release's answer counts each row with the product of the shares of its published values that lie inside the
conditions: every leaf under a published value counts equally, as does every sensitive value behind a star. It knows
nothing about deleted records. The error is |answer - truth| / max(truth, 0.1% of the records), the sanity bound keeping
queries that nearly nobody satisfies from deciding everything. The figure is the median over 1,000 queries.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from discreet.encode.joint import SUPPRESSED
from discreet.measure.measurement import Measurement, Unit, percent
from discreet.measure.table.comparison import ANY_RECODING, Comparison, cross_table
from discreet.values.arrays import Floats

QUERIES = 1_000
MOST_CONDITIONS = 3
SELECTIVITY = 0.1
SANITY_BOUND = 0.001


@dataclass(frozen=True)
class Query:
    """Conditions on some columns, numbered as the quasi-identifiers are; the sensitive column comes after them."""

    columns: tuple[int, ...]
    admitted: tuple[npt.NDArray[np.bool_], ...]
    """for each of the columns: leaf or sensitive value -> does it satisfy the condition?"""


class CountingQueries:
    """How wrong counts read off the release are."""

    name: ClassVar[str] = "queries"
    title: ClassVar[str] = "Error of counting queries"
    paper: ClassVar[str] = "LeFevre et al. 2006; Xiao and Tao 2006"
    definition: ClassVar[str] = (
        f"The median relative error of {QUERIES:,} random counts with conditions on 1 to {MOST_CONDITIONS} columns, "
        "where a generalized value counts equally as each of its leaves."
    )
    unit: ClassVar[Unit] = "share"
    needs_sensitive: ClassVar[bool] = False
    needs_class: ClassVar[bool] = False
    recodings: ClassVar[tuple[str, ...]] = ANY_RECODING

    def measure(self, comparison: Comparison, random: np.random.Generator) -> Measurement:
        queries = draw_queries(comparison, random)
        errors = relative_errors(comparison, queries)
        median, upper = (float(figure) for figure in np.quantile(errors, [0.5, 0.9]))
        by_conditions = {}
        for number in sorted({len(query.columns) for query in queries}):
            chosen = [error for error, query in zip(errors, queries, strict=True) if len(query.columns) == number]
            by_conditions[str(number)] = {"queries": len(chosen), "median": float(np.median(chosen))}
        return Measurement.of(
            self,
            original=0.0,
            release=median,
            reading=(
                f"Of {len(queries):,} random counts read off the release, half are off by {percent(median)} or less "
                f"and nine in ten by {percent(upper)} or less."
            ),
            details={
                "queries": len(queries),
                "median": median,
                "mean": float(errors.mean()),
                "percentile_90": upper,
                "deciles": [float(error) for error in np.quantile(errors, np.linspace(0, 1, 11))],
                "by_conditions": by_conditions,
                "selectivity": SELECTIVITY,
                "sanity_bound": SANITY_BOUND,
            },
        )


def draw_queries(comparison: Comparison, random: np.random.Generator, number: int = QUERIES) -> list[Query]:
    original = comparison.original
    sizes = [len(taxonomy.leaf_nodes) for taxonomy in original.taxonomies]
    quasi = len(sizes)
    if comparison.sensitive is not None:
        sizes.append(len(original.sensitive_values))
    queries = []
    for _ in range(number):
        conditions = int(random.integers(1, min(MOST_CONDITIONS, len(sizes)) + 1))
        columns = tuple(sorted(int(column) for column in random.choice(len(sizes), conditions, replace=False)))
        admitted = []
        for column in columns:
            size = sizes[column]
            width = ceil(size * SELECTIVITY ** (1 / conditions))
            if column < quasi:
                values = np.arange(width) + random.integers(size - width + 1)
            else:
                values = random.choice(size, width, replace=False)
            condition = np.zeros(size, np.bool_)
            condition[values] = True
            admitted.append(condition)
        queries.append(Query(columns, tuple(admitted)))
    return queries


def relative_errors(comparison: Comparison, queries: Sequence[Query]) -> Floats:
    """The relative error of each query."""
    original, release = comparison.original, comparison.release
    before = np.vstack([original.leaves, original.sensitive])
    # A star is the last sensitive value here: every value behind it counts equally.
    star = len(original.sensitive_values)
    published = np.where(release.sensitive == SUPPRESSED, star, release.sensitive)
    after = np.vstack([release.nodes, published])
    by_columns: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for number, query in enumerate(queries):
        by_columns[query.columns].append(number)
    errors = np.empty(len(queries))
    least = SANITY_BOUND * comparison.rows
    for columns, numbers in by_columns.items():
        # Few columns have few combinations, so they are counted once for all queries on them.
        there, truths = cross_table(before[list(columns)], original.counts)
        here, answers = cross_table(after[list(columns)], release.counts)
        for number in numbers:
            admitted = queries[number].admitted
            truth = float(_matching([condition.astype(np.float64) for condition in admitted], there) @ truths)
            shares = [
                _shares(comparison, column, condition) for column, condition in zip(columns, admitted, strict=True)
            ]
            answer = float(_matching(shares, here) @ answers)
            errors[number] = abs(answer - truth) / max(truth, least)
    return errors


def _shares(comparison: Comparison, column: int, condition: npt.NDArray[np.bool_]) -> Floats:
    """Published value -> the share of what it stands for that satisfies the condition."""
    if column == len(comparison.original.taxonomies):
        return np.append(condition.astype(np.float64), condition.mean())
    return np.asarray(comparison.spread(column) @ condition.astype(np.float64))


def _matching(weights: Sequence[Floats], values: npt.NDArray[np.integer]) -> Floats:
    product = np.ones(values.shape[1])
    for weight, row in zip(weights, values, strict=True):
        product *= weight[row]
    return product
