"""l+-Optimize against an exhaustive search over all cuts that imports nothing of discreet."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import NoReleaseError
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.table.l_plus_optimize import l_plus_optimize
from discreet.search.table.problem import release_of
from examples import examples
from oracle.encoding import encode
from oracle.random_problems import COMBINATIONS, problems
from oracle.tables import Loss, Problem, Scheme, costs_of_distinct_releases, optimum

EXAMPLES_PER_COMBINATION = 100


def solve(problem: Problem, top_h: int = 1, limits: Limits | None = None) -> SearchResult | None:
    try:
        return l_plus_optimize(encode(problem), limits, top_h=top_h, random=np.random.default_rng(0))
    except NoReleaseError:
        return None


@pytest.mark.parametrize("asks_for_more", [False, True])
@pytest.mark.parametrize(("scheme", "loss"), COMBINATIONS)
def test_the_optimum_is_that_of_exhaustion(scheme: Scheme, loss: Loss, asks_for_more: bool) -> None:
    """With asks_for_more: weights, labels too coarse to be published, a limit on what is suppressed."""

    @examples(EXAMPLES_PER_COMBINATION - 40 * asks_for_more)
    @given(problems(combinations=[(scheme, loss)], asks_for_more=asks_for_more))
    def check(problem: Problem) -> None:
        result = solve(problem)
        expected = optimum(problem)
        if expected is None:
            assert result is None
        else:
            assert result is not None
            assert result.best.cost == expected
            assert result.status == "optimal"
            assert result.bound == expected
            release = release_of(encode(problem), result.best.recoded)
            assert release.lawful
            assert problem.most_suppressed is None or release.records + release.values <= problem.most_suppressed
            published = {cut.taxonomy.labels[node] for cut in result.best.recoded.cuts for node in cut.nodes}
            assert not published & problem.too_coarse

    check()


@examples(80)
@given(problems() | problems(asks_for_more=True))
def test_the_h_best_are_distinct_releases(problem: Problem) -> None:
    costs = costs_of_distinct_releases(problem)
    result = solve(problem, top_h=3)
    if not costs:
        assert result is None
    else:
        assert result is not None
        assert [found.cost for found in result.found] == costs[:3]


@examples(40)
@given(problems())
def test_alpha_is_kept_and_the_bound_is_true(problem: Problem) -> None:
    alpha = Fraction(1, 4)
    expected = optimum(problem)
    result = solve(problem, limits=Limits(alpha=alpha))
    if expected is None:
        assert result is None
    else:
        assert result is not None
        assert result.bound <= expected <= result.best.cost <= (1 + alpha) * expected
        assert result.best.cost <= (1 + alpha) * result.bound


@examples(40)
@given(problems())
def test_out_of_time_at_once_still_gives_a_lawful_release_and_a_true_bound(problem: Problem) -> None:
    expected = optimum(problem)
    result = solve(problem, limits=Limits(time_limit=0))
    if expected is None:
        assert result is None
    else:
        assert result is not None
        assert result.bound <= expected <= result.best.cost
        assert release_of(encode(problem), result.best.recoded).lawful


class CountdownLimits(Limits):
    """Time runs out at the n-th look at the clock."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        object.__setattr__(self, "looks", looks)

    @property
    def is_over(self) -> bool:
        object.__setattr__(self, "looks", self.looks - 1)  # type: ignore[attr-defined]
        return bool(self.looks < 0)  # type: ignore[attr-defined]


@examples(60)
@given(problems(max_cuts=60), st.integers(0, 40), st.integers(1, 3))
def test_whenever_time_runs_out_the_bound_is_true(problem: Problem, looks: int, top_h: int) -> None:
    costs = costs_of_distinct_releases(problem)
    result = solve(problem, top_h=top_h, limits=CountdownLimits(looks))
    if not costs:
        assert result is None
    else:
        assert result is not None
        assert result.best.cost >= costs[0]
        wanted = costs[: len(result.found)]
        assert result.bound <= wanted[-1]
        if result.status == "optimal":
            assert [found.cost for found in result.found] == wanted
