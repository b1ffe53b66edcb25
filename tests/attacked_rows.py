"""The oracle's rows as the attacks see them, and what both say of them: shared by the property tests of attacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from discreet.attacks.table.facts import Facts
from discreet.encode.joint import SUPPRESSED
from discreet.encode.released_table import ReleasedTable
from discreet.encode.table import EncodedTable
from discreet.models.k_anonymity import KAnonymity
from oracle import attacks as oracle
from oracle.tables import STAR, Cuts, Problem, release


def plain(table: EncodedTable) -> Facts:
    """The table's sensitive values as they are."""
    return Facts.of([KAnonymity(1)], table)


def read(table: EncodedTable, rows: list[oracle.Row]) -> ReleasedTable:
    """The oracle's rows as if they had been read from a file."""
    return ReleasedTable(
        nodes=np.array(
            [[taxonomy.node(labels[at]) for labels, _ in rows] for at, taxonomy in enumerate(table.taxonomies)],
            np.int32,
        ).reshape(len(table.taxonomies), len(rows)),
        sensitive=np.array(
            [SUPPRESSED if value == STAR else table.sensitive_values.index(value) for _, value in rows], np.int32
        ),
        classes=np.zeros(len(rows), np.int32),
        counts=np.ones(len(rows), np.int64),
    )


def rows_of(problem: Problem, cuts: Cuts) -> list[oracle.Row]:
    found = release(problem, cuts)
    assert found is not None
    return oracle.released_rows(found)


def promised(problem: Problem, table: EncodedTable) -> tuple[Fraction | None, ...]:
    shares = [problem.thresholds[value] for value in table.sensitive_values]
    return tuple(None if share >= 1 else share for share in shares)


def which_are_known(
    known: list[bool], number: int, draw: Callable[[st.SearchStrategy[Any]], Any]
) -> list[tuple[bool, ...]]:
    """For each person which attributes are known; not more than `known`, and of some people less."""
    told = st.tuples(*(st.booleans() if each else st.just(False) for each in known))
    some: list[tuple[bool, ...]] = draw(st.lists(told, min_size=number, max_size=number))
    return some if draw(st.booleans()) else [tuple(known)] * number


def hidden(person: Sequence[str], told: Sequence[bool]) -> oracle.Person:
    return tuple(value if known else None for value, known in zip(person, told, strict=True))


def assert_linkage(found: dict[str, Any], learned: oracle.Learned, thresholds: oracle.Thresholds) -> None:
    assert found["found"] == learned.found()
    assert found["unmatched"] == learned.unmatched()
    assert found["highest_confidence"] == pytest.approx(float(learned.highest()))
    assert found["certain"] == learned.certain()
    if all(share is None for share in thresholds.values()):
        assert found["above_threshold"] is None
    else:
        assert found["above_threshold"] == learned.above(thresholds)
    assert found["guesses"]["right"] == pytest.approx(float(learned.right))
    assert found["baseline"]["right"] == pytest.approx(float(learned.baseline))
    counted = Counter(learned.matches)
    for part in found["matches"]:
        last = part["to"] if part["to"] is not None else 10**9
        assert part["people"] == sum(n for size, n in counted.items() if part["from"] <= size <= last)


def assert_risk(found: dict[str, float], expected: oracle.Risk) -> None:
    assert found["highest"] == pytest.approx(float(expected.highest))
    assert found["average"] == pytest.approx(float(expected.average))
    assert found["share_at_risk"] == pytest.approx(float(expected.share_at_risk))
