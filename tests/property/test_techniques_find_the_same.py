"""Every technique that can be switched off changes the speed of the search, never its result."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from discreet.errors import NoReleaseError
from discreet.kernels.partition_price import ALL_BOUNDS, GENERALIZATION_BOUND, SUPPRESSION_BOUND, WHOLE_PARTS_BOUND
from discreet.search.table.l_plus_optimize import l_plus_optimize
from discreet.search.table.space import Techniques
from examples import examples
from oracle.encoding import encode
from oracle.random_problems import problems
from oracle.tables import Problem, optimum

VARIANTS = {
    "no warm start": Techniques(warm_start=False),
    "branching on all attributes": Techniques(programme="none"),
    "most cuts": Techniques(programme="most-cuts"),
    "ascending": Techniques(order="ascending", warm_start=False),
    "no tightening": Techniques(tighten=False, warm_start=False),
    "no early stop": Techniques(stop_early=False, warm_start=False),
    "no generalization bound": Techniques(bounds=ALL_BOUNDS & ~GENERALIZATION_BOUND, warm_start=False),
    "no suppression bound": Techniques(bounds=ALL_BOUNDS & ~SUPPRESSION_BOUND, warm_start=False),
    "no whole parts bound": Techniques(bounds=ALL_BOUNDS & ~WHOLE_PARTS_BOUND, warm_start=False),
    "cold, branching on all": Techniques(warm_start=False, programme="none"),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_the_optimum_does_not_depend_on_the_technique(name: str) -> None:
    @examples(50)
    @given(problems(max_cuts=60))
    def check(problem: Problem) -> None:
        expected = optimum(problem)
        try:
            result = l_plus_optimize(encode(problem), random=np.random.default_rng(0), techniques=VARIANTS[name])
        except NoReleaseError:
            assert expected is None
        else:
            assert result.best.cost == result.bound == expected

    check()
