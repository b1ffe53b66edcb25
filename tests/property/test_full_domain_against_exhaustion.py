"""full-domain against the whole lattice, tried node by node by a twin that imports nothing of discreet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import NoReleaseError
from discreet.models.cones import Cone, ConeDemand, Distinct, Entropy, Recursive
from discreet.search.table.full_domain import full_domain
from discreet.search.table.problem import exact_cost, release_of
from examples import examples
from oracle.encoding import uncollapsed
from oracle.lattice import Holds, all_levels, outcome, thresholds_hold
from oracle.promises import has_entropy, is_distinct, is_recursive
from oracle.random_problems import problems
from oracle.tables import Problem, Scheme

SHARES = tuple(map(Fraction, ("0", "1/10", "1/4", "1/2", "1")))


def least_loss(problem: Problem, max_suppressed: Fraction | None, holds: Holds) -> Fraction | None:
    most = len(problem.records) if max_suppressed is None else int(max_suppressed * len(problem.records))
    found = (outcome(problem, levels, holds) for levels in all_levels(problem))
    return min((cost for deleted, cost in filter(None, found) if deleted <= most), default=None)


def agree(problem: Problem, cones: tuple[Cone, ...], share: Fraction | None, holds: Holds) -> None:
    encoded = replace(uncollapsed(problem, cones), max_suppressed=share)
    expected = least_loss(problem, share, holds)
    try:
        result = full_domain(encoded)
    except NoReleaseError:
        assert expected is None
        return
    assert result.best.cost == expected == exact_cost(encoded, result.best.recoded)
    assert (result.status, result.bound) == ("optimal", expected)
    assert release_of(encoded, result.best.recoded).lawful


@pytest.mark.parametrize("scheme", ["none", "vio-rec", "all-rec"])
def test_the_least_loss_is_that_of_the_whole_lattice(scheme: Scheme) -> None:
    @examples(120)
    @given(problems(combinations=[(scheme, "lm")]), st.none() | st.sampled_from(SHARES))
    def check(problem: Problem, share: Fraction | None) -> None:
        agree(problem, (), share, thresholds_hold(problem))

    check()


@pytest.mark.parametrize("scheme", ["none", "vio-rec", "all-rec"])
@pytest.mark.parametrize("name", ["distinct", "entropy", "recursive"])
def test_promises_of_the_textbook(name: str, scheme: Scheme) -> None:
    def keeps(group: Mapping[str, int]) -> bool:
        histogram = Counter({value: count for value, count in group.items() if count})
        match name:
            case "distinct":
                return is_distinct(histogram, 2)
            case "entropy":
                return has_entropy(histogram, Fraction(3, 2))
            case _:
                return is_recursive(histogram, Fraction(2), 2)

    cone: dict[str, Cone] = {
        "distinct": Distinct(2),
        "entropy": Entropy(Fraction(3, 2)),
        "recursive": Recursive(Fraction(2), 2),
    }

    @examples(50)
    @given(problems(combinations=[(scheme, "lm")]), st.none() | st.sampled_from(SHARES))
    def check(problem: Problem, share: Fraction | None) -> None:
        free = replace(problem, k=1, thresholds=dict.fromkeys(problem.thresholds, Fraction(1)))
        agree(free, (cone[name],), share, keeps)

    check()


def test_deleting_whole_groups_is_not_monotone() -> None:
    """x: a, b; y: ten times a; entropy 2. The leaves delete ten records, the root all twelve."""
    records = ((("x",), "a", None), (("x",), "b", None), *(((("y",), "a", None),) * 10))
    problem = Problem((("*", ("x", "y")),), records, dict.fromkeys("ab", Fraction(1)), scheme="all-rec")
    encoded = replace(uncollapsed(problem, (Entropy(Fraction(2)),)), max_suppressed=Fraction(10, 12))
    assert isinstance(encoded.demand, ConeDemand)
    result = full_domain(encoded)
    assert release_of(encoded, result.best.recoded).records == 10
    with pytest.raises(NoReleaseError):
        full_domain(replace(encoded, max_suppressed=Fraction(9, 12)))
