"""Whether an item may be taken out of a record, against counting every itemset of what is left."""

from fractions import Fraction

import numpy as np
import pytest

from discreet.kernels.refill import may_take_out, take_out
from discreet.search.limits import Limits
from discreet.search.transactions.insertion import _release, insertion
from discreet.search.transactions.records import Records
from examples import TIMES
from oracle.rho_uncertainty import RHOS, is_safe, random_records
from oracle.set_encoding import before_and_after, rho_problem

DATABASES = 60 * TIMES
"""for each rho"""


@pytest.mark.parametrize("rho", RHOS, ids=str)
def test_taking_out_is_allowed_just_where_the_rest_is_safe(rho: Fraction) -> None:
    random = np.random.default_rng(RHOS.index(rho))
    allowed = []
    for _ in range(DATABASES):
        found, sensitive = random_records(random)
        problem = rho_problem(found, sensitive, rho)
        _, after = before_and_after(problem, insertion(problem, Limits(), random).recoded)
        after = [record for record in after if record]
        if not after:
            continue
        # What is released is now the original, so that all of it is kept.
        problem = rho_problem(after, sensitive, rho)
        transactions = problem.transactions
        names = (*transactions.taxonomy.leaf_labels, *transactions.sensitive_items)
        records = Records.of(transactions)
        released = [frozenset(names[item] for item in items) for items in records.items]
        kept = np.ones(len(records.items.items), bool)
        for place, (item, record) in enumerate(zip(records.items.items, records.items.rows, strict=True)):
            release = _release(records, kept.copy())
            bounds = rho.numerator, rho.denominator, records.first_sensitive
            allowed.append(may_take_out(place, record, *bounds, release, np.zeros(1, np.int64)))
            less = [*released[:record], released[record] - {names[item]}, *released[record + 1 :]]
            assert allowed[-1] == is_safe(less, sensitive, rho)
            take_out(place, record, release)
            again = _release(records, release.kept.copy())
            assert (release.held == again.held).all()
            for first, count in zip(again.first_holder, again.held, strict=False):
                assert set(release.holders[first:][:count]) == set(again.holders[first:][:count])
    assert any(allowed) and (rho == 1 or not all(allowed))
