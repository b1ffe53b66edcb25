"""incognito against the whole lattice, tried node by node by a twin that imports nothing of discreet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import NoReleaseError
from discreet.models.cones import Cone, Distinct, Entropy
from discreet.search.table.incognito import incognito
from discreet.search.table.problem import exact_cost, release_of
from examples import examples
from oracle.encoding import uncollapsed
from oracle.lattice import Holds, Levels, depth_of, minimal_nodes, thresholds_hold
from oracle.promises import has_entropy, is_distinct
from oracle.random_problems import problems
from oracle.tables import Problem, Scheme

SHARES = tuple(map(Fraction, ("0", "1/10", "1/4", "1/2", "1")))


def in_words(problem: Problem, levels: Levels) -> str:
    places = enumerate(zip(levels, problem.taxonomies, strict=True))
    return ", ".join(f"attribute {place} {level} of {depth_of(tree)}" for place, (level, tree) in places)


def agree(problem: Problem, cones: tuple[Cone, ...], share: Fraction, holds: Holds) -> None:
    encoded = replace(uncollapsed(problem, cones), max_suppressed=share)
    expected = minimal_nodes(problem, share, holds)
    try:
        result = incognito(encoded)
    except NoReleaseError:
        assert not expected
        return
    assert result.details["all_found"] and result.status == "feasible"
    found = {node["levels"]: node["loss"] for node in result.details["minimal"]}
    assert found == {in_words(problem, levels): float(loss) for levels, loss in expected.items()}
    assert result.best.cost == min(expected.values()) == exact_cost(encoded, result.best.recoded)
    assert result.details["levels"] in found
    assert release_of(encoded, result.best.recoded).lawful
    assert result.details["nodes_tested"] <= result.details["nodes_total"]


@pytest.mark.parametrize("scheme", ["none", "vio-rec"])
def test_the_minimal_nodes_are_those_of_the_whole_lattice(scheme: Scheme) -> None:
    @examples(120)
    @given(problems(combinations=[(scheme, "lm")]), st.sampled_from(SHARES))
    def check(problem: Problem, share: Fraction) -> None:
        agree(problem, (), share, thresholds_hold(problem))

    check()


def unlimited(problem: Problem, k: int = 1) -> Problem:
    return replace(problem, k=k, thresholds=dict.fromkeys(problem.thresholds, Fraction(1)))


@examples(100)
@given(problems(combinations=[("all-rec", "lm")]), st.sampled_from(SHARES), st.integers(1, 4), st.integers(1, 3))
def test_whole_groups_may_go_where_what_contains_a_lawful_group_is_lawful(
    problem: Problem, share: Fraction, k: int, values: int
) -> None:
    problem = unlimited(problem, k)

    def holds(group: Mapping[str, int]) -> bool:
        return sum(group.values()) >= k and is_distinct(group, values)

    agree(problem, (Distinct(values),), share, holds)


@pytest.mark.parametrize("scheme", ["none", "vio-rec"])
def test_entropy(scheme: Scheme) -> None:
    @examples(60)
    @given(problems(combinations=[(scheme, "lm")]), st.sampled_from(SHARES))
    def check(problem: Problem, share: Fraction) -> None:
        agree(unlimited(problem), (Entropy(Fraction(3, 2)),), share, lambda group: has_entropy(group, Fraction(3, 2)))

    check()


def test_a_column_that_may_not_be_left_out_is_left_out_in_the_subset_phase_only() -> None:
    """t must show at least A or B, so its root is no node; the smaller set of u alone is tested all the same."""
    trees = (("*", (("A", ("a", "b")), ("B", ("c", "d")))), ("*", ("x", "y")))
    records = tuple(((leaf, other), "s", None) for leaf in "abcd" for other in "xy")
    problem = Problem(trees, records, {"s": Fraction(1)}, k=2, scheme="none", too_coarse=frozenset({"*"}))
    table = uncollapsed(problem).table
    free = replace(table, forbidden={"attribute 0": frozenset({"*"})})
    result = incognito(replace(uncollapsed(problem), table=free))
    assert [node["levels"] for node in result.details["minimal"]] == [
        "attribute 0 2 of 2, attribute 1 0 of 1",
        "attribute 0 1 of 2, attribute 1 1 of 1",
    ]
    assert result.details["nodes_total"] == 4
