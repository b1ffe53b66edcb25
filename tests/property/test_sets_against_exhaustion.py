"""OG against trying every cut and every itemset, on many small databases."""

from fractions import Fraction

import numpy as np
import pytest

from discreet.errors import NoReleaseError
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.transactions.mog import mog
from discreet.search.transactions.og import og
from examples import TIMES
from oracle.set_encoding import search_problem
from oracle.transactions import SetProblem, best_cuts, is_valid, random_problem

DATABASES = 120 * TIMES
"""for each of the cases below"""

HALF, WHOLE = Fraction(1, 2), Fraction(1)


def problems(case: str) -> list[SetProblem]:
    """Cases by whether absent items may be known, and whether something is promised about sensitive ones."""
    seed, max_n, shares = {
        "n = 0, l = 1": (1, 0, (WHOLE,)),
        "n = 0, l > 1": (2, 0, (HALF, Fraction(1, 3), Fraction(2, 3))),
        "n > 0, l = 1": (3, 4, (WHOLE,)),
        "n > 0, l > 1": (4, 4, (HALF, Fraction(1, 3), Fraction(2, 3))),
    }[case]
    random = np.random.default_rng(seed)
    return [random_problem(random, max_n=max_n, shares=shares) for _ in range(DATABASES)]


CASES = ("n = 0, l = 1", "n = 0, l > 1", "n > 0, l = 1", "n > 0, l > 1")


def found(problem: SetProblem, loss: str) -> SearchResult | None:
    try:
        return og(search_problem(problem, loss))
    except NoReleaseError:
        return None


@pytest.mark.parametrize("loss", ["lm", "ncp"])
@pytest.mark.parametrize("case", CASES)
def test_og_finds_the_optimum_and_proves_it(case: str, loss: str) -> None:
    differ, none = [], 0
    for number, problem in enumerate(problems(case)):
        best = best_cuts(problem, loss)  # type: ignore[arg-type]
        result = found(problem, loss)
        if best is None or result is None:
            none += 1
            if (best is None) != (result is None):
                differ.append(number)
            continue
        cut = frozenset(result.best.recoded.cut.labels)
        right = result.best.cost == best[0] == result.bound and is_valid(problem, cut)
        if not right or result.status != "optimal":
            differ.append(number)
    assert not differ
    assert 0 < none < DATABASES / 2


@pytest.mark.parametrize("case", CASES)
def test_mog_is_valid_and_its_bound_holds(case: str) -> None:
    dearer = 0
    for problem in problems(case):
        best = best_cuts(problem)
        if best is None:
            continue
        result = mog(search_problem(problem))
        assert is_valid(problem, frozenset(result.best.recoded.cut.labels))
        assert result.bound <= best[0] <= result.best.cost
        assert result.status == "feasible" or result.best.cost == best[0]
        dearer += result.best.cost > best[0]
    assert dearer < DATABASES / 10


def test_stopped_at_once_it_still_publishes_a_valid_cut() -> None:
    for problem in problems("n > 0, l > 1")[:60]:
        if best_cuts(problem) is None:
            continue
        result = og(search_problem(problem), Limits(time_limit=0.0))
        assert is_valid(problem, frozenset(result.best.recoded.cut.labels))
        assert result.bound <= best_cuts(problem)[0]  # type: ignore[index]
