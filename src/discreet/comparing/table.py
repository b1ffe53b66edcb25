"""A setting of a table's policy, measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from discreet.encode.reading import Encoding, encode_table
from discreet.errors import InputError
from discreet.loading import load, workspace
from discreet.measure import MEASURES, Comparison
from discreet.policy import TablePolicy
from discreet.recode.drawing import draw_release
from discreet.report.document import number
from discreet.search.table.l_plus_optimize import release_of
from discreet.solving.table import Solved, search

COLUMNS = (
    "status",
    "cost",
    "normalized",
    "bound",
    "gap",
    "records_deleted",
    "values_suppressed",
    "partitions",
    "accuracy",
    "accuracy_original",
    "accuracy_majority",
    "cuts_examined",
    "seconds",
)

Row = dict[str, Any]


@dataclass(frozen=True)
class _Encoded:
    columns: tuple[str, ...]
    encoding: Encoding


def encoded(
    base: TablePolicy, policies: Mapping[int, TablePolicy], data: object
) -> Iterator[tuple[int, _Encoded | InputError]]:
    known: dict[str, Encoding] = {}
    with workspace() as engine:
        columns = load(engine, base, data)
        for place, policy in policies.items():
            key = repr(policy.attributes)
            try:
                if key not in known:
                    known[key] = encode_table(engine, policy)
            except InputError as error:
                yield place, error
            else:
                yield place, _Encoded(columns, known[key])


def files(policy: TablePolicy) -> Iterator[Path]:
    return (attribute.taxonomy for attribute in policy.attributes.values() if isinstance(attribute.taxonomy, Path))


def measured(policy: TablePolicy, encoded: _Encoded, random: np.random.Generator) -> Row:
    solved = search(policy, encoded.columns, encoded.encoding, random)
    assert solved.search is not None
    if solved.search.interrupted:  # whoever interrupts means the whole comparison
        raise KeyboardInterrupt
    best, problem, table = solved.search.best, solved.problem, solved.encoding.table
    release = release_of(problem, best.cuts)
    worst = problem.loss.worst(table.rows, len(table.attributes))
    return {
        "status": solved.search.status,
        "cost": number(best.cost),
        "normalized": round(float(best.cost / worst), 6) if worst else 0.0,
        "bound": number(solved.search.bound),
        "gap": solved.search.gap,
        "records_deleted": release.records,
        "values_suppressed": release.values,
        "partitions": int((release.sizes > 0).sum()),
        **_learning(solved, encoded.encoding.collapsed(), random),
        "cuts_examined": solved.search.cuts_examined,
        "seconds": round(solved.search.seconds, 3),
    }


def _learning(solved: Solved, encoding: Encoding, random: np.random.Generator) -> Row:
    """How well a classifier trained on the release predicts the class, where there is one to predict."""
    if encoding.class_column is None:
        return {}
    cuts = solved.found[0].cuts
    suppressed = release_of(solved.problem, cuts)
    release = draw_release(encoding.table, cuts, suppressed, solved.problem.scheme, random)
    comparison = Comparison(encoding.table, release, encoding.sensitive, encoding.class_column)
    # One seed for all rows: the same records are held out, so accuracies differ by the releases alone.
    measured = MEASURES["classifier"].measure(comparison, np.random.default_rng(0))
    if measured.original is None:
        return {}
    return {
        "accuracy": "" if measured.release is None else round(measured.release, 4),
        "accuracy_original": round(measured.original, 4),
        "accuracy_majority": round(measured.details["majority"], 4),
    }
