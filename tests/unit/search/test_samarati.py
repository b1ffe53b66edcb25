"""samarati when it is stopped, and what it says meanwhile."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from discreet.encode.table import EncodedTable
from discreet.models.partition_limits import PartitionLimits
from discreet.search.events import SearchEvent
from discreet.search.limits import Limits
from discreet.search.table.problem import TableProblem, release_of
from discreet.search.table.samarati import samarati
from discreet.taxonomy import Cut, Taxonomy

RAGGED = Taxonomy.from_paths("t", [("a", "A", "*"), ("b", "A", "*"), ("c", "*"), ("d", "D", "E", "*")])


def problem(k: int) -> TableProblem:
    leaves = np.array([[0, 1, 2, 3, 0, 1, 2, 3], [0, 0, 0, 0, 1, 1, 1, 1]], np.int32)
    return TableProblem(
        EncodedTable(
            attributes=("t", "u"),
            taxonomies=(RAGGED, Taxonomy.from_paths("u", [("x", "*"), ("y", "*")])),
            leaves=leaves,
            sensitive=np.zeros(8, np.int32),
            classes=np.zeros(8, np.int32),
            counts=np.array([5, 5, 5, 5, 1, 1, 1, 1], np.int64),
            sensitive_values=("",),
            class_values=("",),
        ),
        PartitionLimits((Fraction(1),), k),
        "vio-rec",
        "lm",
    )


def test_a_level_leaves_what_lies_higher_as_it_is() -> None:
    labels = [set(Cut.at_depth(RAGGED, depth).labels) for depth in range(4)]
    assert labels == [{"*"}, {"A", "c", "E"}, {"a", "b", "c", "D"}, {"a", "b", "c", "d"}]


def test_the_least_height_and_there_the_least_loss() -> None:
    """Five people each, and one each beside them: with a sixth of the records deleted nothing need be generalized."""
    whole = samarati(problem(5))
    assert (whole.details["height"], whole.details["levels"]) == (1, "t 3 of 3, u 0 of 1")
    assert release_of(problem(5), whole.recoded).records == 0
    fewer = samarati(replace(problem(5), max_suppressed=Fraction(1, 6)))
    assert (fewer.details["height"], release_of(problem(5), fewer.recoded).records) == (0, 4)
    assert samarati(replace(problem(5), max_suppressed=Fraction(1, 7))).details["height"] == 1
    assert samarati(problem(7)).details["height"] == 4, "c alone has six, and y has four"


def test_out_of_time_it_has_the_roots_and_claims_no_least_height() -> None:
    stopped = samarati(problem(5), Limits(time_limit=0.0))
    assert stopped.details["height"] == stopped.details["greatest_height"] == 4
    assert stopped.details["proved_least"] is False
    assert [cut.labels for cut in stopped.recoded.cuts] == [("*",), ("*",)]


def test_it_says_where_it_is() -> None:
    events: list[SearchEvent] = []
    result = samarati(problem(5), listen=events.append)
    assert events[-1].incumbent == result.best.cost and events[-1].bound is None
    assert [event.examined for event in events] == sorted(event.examined for event in events)
    assert result.cuts_total == 8 and result.cuts_examined <= 8
