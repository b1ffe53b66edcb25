"""A setting of a table's policy, measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from discreet.encode.table import EncodedTable, Encoding
from discreet.measure.table import TABLE_MEASURES
from discreet.measure.table.comparison import Comparison
from discreet.recode.table.recoded import ByCuts, NewNumbers
from discreet.recode.table.sampling import draw_release
from discreet.report.row import common_row
from discreet.search.table.problem import release_of
from discreet.search.table.solve import SolvedTable
from discreet.taxonomy import PublishedValues
from discreet.values.partitions import PublishedPartitions, Suppressed


def row_of(solved: SolvedTable, encoding: Encoding, random: np.random.Generator) -> dict[str, Any]:
    problem, table, recoded = solved.problem, solved.encoding.table, solved.chosen.recoded
    row = common_row(solved, problem.loss.worst(table.rows, problem.weights))
    release = release_of(problem, recoded)
    as_searched = encoding.collapsed() if solved.policy.search.declared().merges_chains else encoding
    return {
        **row,
        "records_deleted": release.records,
        "values_suppressed": release.values,
        "partitions": int((release.sizes > 0).sum()),
        "values_unchanged": _unchanged(recoded.published_values(table), release),
        **({} if isinstance(recoded, NewNumbers) else _risk(release.published, table)),
        **_learning(solved, release, as_searched, random),
    }


def _unchanged(columns: Sequence[PublishedValues], release: Suppressed) -> float:
    """The share of the quasi-identifiers' values that are published as they were; those of deleted records are not."""
    kept = sum(
        int(release.sizes[values.is_original[codes]].sum())
        for values, codes in zip(columns, release.nodes.T, strict=True)
    )
    return round(kept / (release.rows * len(columns)), 6)


def _risk(published: PublishedPartitions, table: EncodedTable) -> dict[str, Any]:
    """How likely a record is somebody's who is known to be in its group, and how sure a value of a sensitive column."""
    sizes = published.sizes
    if not len(sizes):
        return {}
    shown = np.hstack([column.counted(published.shown) for column in table.told] or [published.shown])
    sensitive = shown.shape[1] > 1
    return {
        "risk_highest": round(float(1 / sizes.min()), 6),
        "risk_average": round(float(len(sizes) / sizes.sum()), 6),
        "confidence_highest": round(float((shown.max(axis=1) / sizes).max()), 6) if sensitive else "",
    }


def _learning(
    solved: SolvedTable, suppressed: Suppressed, encoding: Encoding, random: np.random.Generator
) -> dict[str, Any]:
    """How well a classifier trained on the release predicts the class, where there is one to predict."""
    recoded = solved.chosen.recoded
    if encoding.class_column is None or not isinstance(recoded, ByCuts):
        return {}
    release = draw_release(encoding.table, recoded.cuts, suppressed, solved.problem.scheme, random)
    comparison = Comparison(encoding.table, release, encoding.sensitive, encoding.class_column)
    # One seed for all rows: the same records are held out, so accuracies differ by the releases alone.
    measured = TABLE_MEASURES["classifier"].measure(comparison, np.random.default_rng(0))
    if measured.original is None:
        return {}
    return {
        "accuracy": "" if measured.release is None else round(measured.release, 4),
        "accuracy_original": round(measured.original, 4),
        "accuracy_majority": round(measured.details["majority"], 4),
    }
