"""samarati against the whole lattice, tried node by node by a twin that imports nothing of discreet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.encode.table import EncodedTable
from discreet.errors import NoReleaseError
from discreet.models.partition_limits import PartitionLimits
from discreet.search.results import SearchResult
from discreet.search.table.problem import TableProblem, exact_cost, release_of
from discreet.search.table.samarati import samarati
from discreet.taxonomy import Taxonomy
from examples import examples
from oracle.encoding import uncollapsed
from oracle.lattice import Holds, least_height, thresholds_hold
from oracle.random_problems import problems
from oracle.tables import Problem, Scheme

SHARES = tuple(map(Fraction, ("0", "1/10", "1/4", "1/2", "1")))


def found(problem: TableProblem, max_suppressed: Fraction) -> SearchResult | None:
    try:
        return samarati(replace(problem, max_suppressed=max_suppressed))
    except NoReleaseError:
        return None


def agree(result: SearchResult | None, expected: tuple[int, Fraction] | None, problem: TableProblem) -> None:
    if expected is None:
        assert result is None
        return
    assert result is not None
    assert (result.details["height"], result.best.cost) == expected
    assert result.best.cost == exact_cost(problem, result.best.recoded)
    assert release_of(problem, result.best.recoded).lawful
    assert result.status == "feasible" and result.details["proved_least"]
    assert result.details["nodes_tested"] <= result.details["nodes_total"]


@pytest.mark.parametrize("scheme", ["none", "vio-rec"])
def test_the_least_height_is_that_of_the_whole_lattice(scheme: Scheme) -> None:
    @examples(120)
    @given(problems(combinations=[(scheme, "lm")]), st.sampled_from(SHARES))
    def check(problem: Problem, share: Fraction) -> None:
        encoded = uncollapsed(problem)
        agree(found(encoded, share), least_height(problem, share, thresholds_hold(problem)), encoded)

    check()


@examples(120)
@given(problems(combinations=[("all-rec", "lm")]), st.sampled_from(SHARES), st.integers(1, 5))
def test_whole_groups_may_go_where_only_sizes_are_promised(problem: Problem, share: Fraction, k: int) -> None:
    problem = replace(problem, k=k, thresholds=dict.fromkeys(problem.thresholds, Fraction(1)))
    encoded = uncollapsed(problem)
    agree(found(encoded, share), least_height(problem, share, thresholds_hold(problem)), encoded)


def test_deleting_whole_groups_that_break_a_promise_about_values_is_not_monotone() -> None:
    """{a, b} and {a, a} under "at most half": two records go below, all four above."""
    problem = Problem(
        taxonomies=(("*", ("x", "y")),),
        records=((("x",), "a", None), (("x",), "b", None), (("y",), "a", None), (("y",), "a", None)),
        thresholds=dict.fromkeys("ab", Fraction(1, 2)),
        scheme="all-rec",
    )
    holds = thresholds_hold(problem)
    assert least_height(problem, Fraction(1, 2), holds) == (0, Fraction(4))
    assert least_height(replace(problem, records=problem.records[1:]), Fraction(1, 2), holds) is None
    # The binary search looks at the top first and takes it for granted that it is the safest.
    assert found(uncollapsed(problem), Fraction(1, 2)) is None


@dataclass(frozen=True)
class AtLeastDistinct:
    """A demand that no limit on shares can state: so many different values in every group."""

    number: int
    values: int
    says_nothing: bool = False

    @property
    def shares(self) -> tuple[Fraction, ...]:
        return (Fraction(1),) * self.values

    @property
    def smallest(self) -> int:
        return self.number

    def holds(self, histograms: np.ndarray) -> np.ndarray:
        return np.asarray((histograms > 0).sum(axis=1) >= self.number)


@examples(100)
@given(problems(combinations=[("none", "lm")]), st.integers(1, 4))
def test_any_monotone_demand_will_do(problem: Problem, number: int) -> None:
    encoded = uncollapsed(problem)
    demand = AtLeastDistinct(number, len(encoded.table.sensitive_values))
    encoded = replace(encoded, demand=demand)

    def holds(group: Mapping[str, int]) -> bool:
        return sum(count > 0 for count in group.values()) >= number

    oracle: Holds = holds
    agree(found(encoded, Fraction(0)), least_height(problem, Fraction(0), oracle), encoded)


def test_where_even_the_roots_break_the_promise_the_sentence_says_how_many_records() -> None:
    taxonomy = Taxonomy.from_paths("t", [("x", "*"), ("y", "*")])
    table = EncodedTable(
        attributes=("t",),
        taxonomies=(taxonomy,),
        leaves=np.array([[0, 1]], np.int32),
        sensitive=np.zeros(2, np.int32),
        classes=np.zeros(2, np.int32),
        counts=np.array([2, 1], np.int64),
        sensitive_values=("a",),
        class_values=("",),
    )
    with pytest.raises(NoReleaseError, match="3 of 3 records would have to be deleted"):
        samarati(TableProblem(table, PartitionLimits((Fraction(1, 2),)), "vio-rec", "lm"))
    with pytest.raises(NoReleaseError, match="3 records and every group needs 5"):
        samarati(TableProblem(table, PartitionLimits((Fraction(1),), 5), "none", "lm"))
