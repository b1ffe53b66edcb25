"""Insertion against counting every itemset: no rule is too sure, and nothing more can be put back."""

from fractions import Fraction

import numpy as np
import pytest

from discreet.search.limits import Limits
from discreet.search.transactions.insertion import insertion
from examples import TIMES
from oracle.rho_uncertainty import RHOS, is_maximal, random_records
from oracle.set_encoding import before_and_after, rho_problem

DATABASES = 100 * TIMES
"""for each rho"""


@pytest.mark.parametrize("improve", [0, 2])
@pytest.mark.parametrize("rho", RHOS, ids=str)
def test_every_release_is_safe_and_maximal(rho: Fraction, improve: int) -> None:
    random = np.random.default_rng(RHOS.index(rho))
    wrong, smaller = [], 0
    for number in range(DATABASES):
        records, sensitive = random_records(random)
        problem = rho_problem(records, sensitive, rho)
        result = insertion(problem, Limits(), random, improve=improve)
        before, after = before_and_after(problem, result.recoded)
        lost = sum(map(len, before)) - sum(map(len, after))
        smaller += 0 < lost < sum(len(record & set(sensitive)) for record in before)
        same = sorted(map(sorted, before)) == sorted(map(sorted, records))
        if not (same and result.best.cost == lost and is_maximal(before, after, sensitive, rho)):
            wrong.append(number)
    assert not wrong
    assert rho == 1 or smaller > DATABASES / 20
