"""The minimality attack on tables small enough to think through."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.attacks.table import minimality as module
from discreet.attacks.table.facts import Facts
from discreet.attacks.table.minimality import Method, _Table, completed_cuts, minimality
from discreet.attacks.table.people import released_groups
from discreet.attacks.table.worlds import arrangements, histograms
from discreet.encode.joint import SUPPRESSED
from discreet.encode.released_table import ReleasedTable
from discreet.encode.table import EncodedTable
from discreet.models.k_anonymity import KAnonymity
from discreet.models.partition_limits import PartitionLimits
from discreet.recode.table.recoded import ByCuts
from discreet.search.table.problem import TableProblem, exact_cost, release_of
from discreet.taxonomy import Cut
from oracle.encoding import encode
from oracle.tables import Problem

PLACES = ("any", ("x", "y"))


def plain(table: EncodedTable) -> Facts:
    """The table's sensitive values as they are."""
    return Facts.of([KAnonymity(1)], table)


def problem(*records: tuple[str, str], scheme: str = "none", loss: str = "lm", threshold: str = "1/2") -> TableProblem:
    return encode(
        Problem(
            taxonomies=(PLACES,),
            records=tuple(((place,), value, "u") for place, value in records),
            thresholds={value: Fraction(threshold) for _, value in records},
            scheme=scheme,  # type: ignore[arg-type]
            loss=loss,  # type: ignore[arg-type]
        )
    )


def released(problem: TableProblem, cuts: tuple[Cut, ...]) -> ReleasedTable:
    found = release_of(problem, ByCuts(cuts))
    rows = [
        (nodes, value, count)
        for nodes, shown, size in zip(found.nodes, found.visible, found.sizes, strict=True)
        for value, count in [*enumerate(shown), (SUPPRESSED, size - shown.sum())]
        if count
    ]
    return ReleasedTable(
        nodes=np.array([nodes for nodes, _, _ in rows], np.int32).T,
        sensitive=np.array([value for _, value, _ in rows], np.int32),
        classes=np.zeros(len(rows), np.int32),
        counts=np.array([count for _, _, count in rows], np.int64),
    )


def attacked(problem: TableProblem, cuts: tuple[Cut, ...], top_h: int = 1) -> dict[str, Any]:
    table = problem.table
    groups = released_groups(released(problem, cuts), range(len(table.attributes)), plain(table))
    thresholds = [None if share >= 1 else share for share in problem.limits.shares]
    return minimality(Method(problem, top_h), cuts, groups, thresholds, np.random.default_rng(0))


def test_a_group_coarser_than_needed_betrays_why() -> None:
    # x and y have two people each, and a and b are two each. Were it one a and one b in both, x and y would have
    # been published apart. They were not, so both in x are the same: all of a or all of b.
    coarse = problem(("x", "a"), ("x", "a"), ("y", "b"), ("y", "b"))
    found = attacked(coarse, (Cut.root(coarse.table.taxonomies[0]),))
    assert found["checked_against"] == "all 2 cuts"
    assert found["worlds"] == {"before": 3, "after": 2}
    assert found["highest_confidence"] == {"before": 0.5, "after": 0.5}  # who is who, he cannot tell
    assert found["excluded_truth"] == 0


def test_a_rare_value_is_given_away() -> None:
    # One a, one b and two c: with a threshold of 1/2 apart is lawful unless both c are in the same place. As the
    # release is coarse, they are: nobody has a or b beside a c.
    coarse = problem(("x", "c"), ("x", "c"), ("y", "a"), ("y", "b"))
    found = attacked(coarse, (Cut.root(coarse.table.taxonomies[0]),))
    assert found["worlds"]["after"] == 2
    # With one more person in y the two c can only be in x, for in y they would be two of three: not lawful either.
    larger = problem(("x", "c"), ("x", "c"), ("y", "a"), ("y", "b"), ("y", "d"))
    found = attacked(larger, (Cut.root(larger.table.taxonomies[0]),))
    assert found["highest_confidence"]["after"] > found["highest_confidence"]["before"]
    assert found["rises"] > 0


def test_drawing_from_the_two_best_takes_the_clue_away() -> None:
    coarse = problem(("x", "a"), ("x", "a"), ("y", "b"), ("y", "b"))
    found = attacked(coarse, (Cut.root(coarse.table.taxonomies[0]),), top_h=2)
    assert found["worlds"] == {"before": 3, "after": 3}


def test_the_loss_cm_is_not_followed_and_that_is_said() -> None:
    found = attacked(
        classed := problem(("x", "a"), ("y", "b"), scheme="all-rec", loss="cm"),
        (Cut.root(classed.table.taxonomies[0]),),
    )
    assert not found["applies"]
    assert "says nothing about the risk" in found["reading"]


def test_groups_left_out_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    records = [("x", "a"), ("x", "b"), ("y", "a"), ("y", "b")]
    apart = problem(*records)
    leaves = (Cut.leaves(apart.table.taxonomies[0]),)
    assert attacked(apart, leaves)["groups"] == 2
    monkeypatch.setattr(module, "MOST_GROUPS", 1)
    found = attacked(apart, leaves)
    assert (found["groups"], found["left_out"]["groups_not_drawn"]) == (1, 1)
    monkeypatch.setattr(module, "MOST_MEMBERS", 1)
    assert not attacked(apart, leaves)["applies"]
    monkeypatch.setattr(module, "MOST_MEMBERS", 12)
    monkeypatch.setattr(module, "MOST_WORLDS", 0)
    assert "more than 0 originals" in attacked(apart, leaves)["reading"]


@pytest.mark.parametrize(("scheme", "loss"), [("vio-sa", "lm"), ("vio-rec", "lm"), ("all-rec", "dm")])
def test_prices_add_up_to_the_loss(scheme: str, loss: str) -> None:
    one = problem(("x", "a"), ("x", "a"), ("x", "b"), ("y", "a"), ("y", "c"), scheme=scheme, loss=loss)
    for cuts in ((Cut.root(one.table.taxonomies[0]),), (Cut.leaves(one.table.taxonomies[0]),)):
        table = _Table(one, cuts)
        assert Fraction(table.total, table.unit) == exact_cost(one, ByCuts(cuts))


def test_worlds_are_counted_with_their_arrangements() -> None:
    worlds, weights = arrangements(np.array([2, 1]), np.array([[1, 1, 1]]), 100) or pytest.fail("too many")
    assert len(worlds) == 3
    assert weights.sum() == 6  # 3!
    assert arrangements(np.array([2, 1]), np.array([[1, 1, 1]]), 2) is None


def test_deleted_records_may_have_been_what_the_scheme_deletes() -> None:
    limits = PartitionLimits((Fraction(1, 2),) * 3)
    # One a and one b are published of three people: the third was an a or a b too many, not a c.
    found = histograms(np.array([1, 1, 0]), 2, 3, limits, "vio-rec", False, 1000)
    assert found is not None
    assert sorted(found.tolist()) == [[1, 2, 0], [2, 1, 0]]


def test_cuts_are_completed_from_what_is_published() -> None:
    one = problem(("x", "a"), ("y", "b"))
    taxonomy = one.table.taxonomies[0]
    (cut,) = completed_cuts(one.table, np.array([[taxonomy.node("x")]], np.int32))
    assert cut.labels == ("x", "y")
    (empty,) = completed_cuts(one.table, np.zeros((1, 0), np.int32))
    assert empty.labels == ("any",)
