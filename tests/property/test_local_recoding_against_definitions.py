"""Local recoding against a twin that imports nothing of discreet: what is published, promised and paid."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import NoReleaseError
from discreet.models.cones import Cone, Distinct, Entropy, Recursive
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.table.k_member import k_member
from discreet.search.table.least_loss import least_loss
from discreet.search.table.mondrian import Cutting, mondrian
from discreet.search.table.points import PointTable
from discreet.search.table.problem import TableProblem
from examples import examples
from oracle.encoding import encode
from oracle.local import cost, cuts_between_values, is_lawful, labels_of
from oracle.promises import has_entropy, is_distinct, is_recursive
from oracle.random_problems import problems
from oracle.tables import Problem, leaves

Regions = dict[tuple[str, ...], list[int]]
"""The labels of a region -> places of its records in the problem."""


@st.composite
def asked(draw: st.DrawFn) -> tuple[Problem, tuple[Cone, ...]]:
    """A random table with limits, wishes about columns and, now and then, a promise that is more than limits."""
    problem = draw(problems(combinations=[("none", "lm")], asks_for_more=True))
    problem = replace(problem, most_suppressed=None)
    match draw(st.sampled_from(("limits", "limits", "distinct", "entropy", "recursive"))):
        case "distinct":
            return replace(problem, keeps=lambda histogram: is_distinct(histogram, 2)), (Distinct(2),)
        case "entropy":
            least = draw(st.sampled_from(("3/2", "2", "5/2")).map(Fraction))
            return replace(problem, keeps=lambda histogram: has_entropy(histogram, least)), (Entropy(least),)
        case "recursive":
            factor = draw(st.sampled_from(("1", "2", "3")).map(Fraction))
            return replace(problem, keeps=lambda histogram: is_recursive(histogram, factor, 2)), (Recursive(factor, 2),)
    return problem, ()


def merged(problem: TableProblem) -> tuple[TableProblem, dict[int, list[int]]]:
    """The problem with equal records as one combination with a count, as data are encoded; and where they came from."""
    table = problem.table
    columns = np.vstack((table.leaves, table.sensitive))
    _, first, number = np.unique(columns, axis=1, return_index=True, return_inverse=True)
    places: dict[int, list[int]] = defaultdict(list)
    for place, combination in enumerate(number.ravel().tolist()):
        places[combination].append(place)
    return replace(
        problem,
        table=replace(
            table,
            leaves=np.ascontiguousarray(table.leaves[:, first]),
            sensitive=table.sensitive[first],
            classes=table.classes[first],
            counts=np.bincount(number.ravel()).astype(np.int64),
        ),
    ), places


def regions_of(problem: TableProblem, places: dict[int, list[int]], result: SearchResult) -> Regions:
    """Which records are published with which labels; of equal ones it does not matter which."""
    recoded, left = result.recoded, {combination: list(found) for combination, found in places.items()}
    regions: Regions = defaultdict(list)
    for source, region, count in zip(recoded.sources, recoded.regions, recoded.counts, strict=True):
        nodes = recoded.nodes[region].tolist()
        labels = tuple(taxonomy.labels[node] for taxonomy, node in zip(problem.table.taxonomies, nodes, strict=True))
        for _ in range(count):
            regions[labels].append(left[int(source)].pop())
    assert not any(left.values()), "every record is published"
    return regions


def check_release(asked: Problem, result: SearchResult, regions: Regions) -> None:
    assert sorted(place for group in regions.values() for place in group) == list(range(len(asked.records)))
    for labels, group in regions.items():
        assert is_lawful(asked, group)
        assert labels == labels_of(asked, group)
    assert result.best.cost == cost(asked, list(regions.values()))
    assert result.bound <= result.best.cost


@pytest.mark.parametrize("look_ahead", [False, True])
@pytest.mark.parametrize("strict", [False, True])
def test_mondrian_publishes_every_record_once_in_a_lawful_group_at_the_lowest_labels(
    strict: bool, look_ahead: bool
) -> None:
    @examples(150)
    @given(asked())
    def check(question: tuple[Problem, tuple[Cone, ...]]) -> None:
        problem, cones = question
        encoded, places = merged(encode(problem, cones))
        try:
            result = mondrian(encoded, strict=strict, look_ahead=look_ahead)
        except NoReleaseError:
            assert not all(is_lawful(problem, cell) for cell in cells(problem))
            return
        regions = regions_of(encoded, places, result)
        check_release(problem, result, regions)
        assert result.details["finished"]
        group_of = {place: labels for labels, group in regions.items() for place in group}
        for one, (values, _, _) in enumerate(problem.records):
            for other, (others, _, _) in enumerate(problem.records):
                assert values != others or group_of[one] == group_of[other], "a combination stays together"

    check()


@pytest.mark.parametrize("split", [False, True])
def test_k_member_publishes_every_record_once_in_a_lawful_group_and_never_costs_more_than_mondrian(split: bool) -> None:
    @examples(150)
    @given(asked(), st.integers(0, 1 << 30))
    def check(question: tuple[Problem, tuple[Cone, ...]], seed: int) -> None:
        problem, cones = question
        encoded, places = merged(encode(problem, cones))
        try:
            result = k_member(encoded, random=np.random.default_rng(seed), split=split)
        except NoReleaseError:
            assert not all(is_lawful(problem, cell) for cell in cells(problem))
            return
        regions = regions_of(encoded, places, result)
        check_release(problem, result, regions)
        assert result.details["finished"]
        assert result.best.cost <= mondrian(encoded).best.cost
        if not result.details["split"]:
            group_of = {place: labels for labels, group in regions.items() for place in group}
            for one, (values, _, _) in enumerate(problem.records):
                for other, (others, _, _) in enumerate(problem.records):
                    assert values != others or group_of[one] == group_of[other], "a combination stays together"

    check()


def groupings(places: list[int], least: int) -> Iterator[list[list[int]]]:
    """Every way to divide some records into groups of at least so many."""
    if not places:
        yield []
        return
    first, *rest = places
    for size in range(least - 1, len(rest) + 1):
        for others in combinations(rest, size):
            left = [place for place in rest if place not in others]
            for grouping in groupings(left, least):
                yield [[first, *others], *grouping]


def test_no_grouping_costs_less_than_the_bound() -> None:
    """Against all groupings of up to seven records; k-member, which knows the bound, is in between."""

    @examples(150)
    @given(asked())
    def check(question: tuple[Problem, tuple[Cone, ...]]) -> None:
        records = question[0].records[:7]
        if len(records) < 2:
            return
        thresholds = {value: Fraction(1) for _, value, _ in records}
        problem = replace(question[0], records=records, k=2, thresholds=thresholds, too_coarse=frozenset(), keeps=None)
        encoded, _ = merged(encode(problem, ()))
        least = min(cost(problem, grouping) for grouping in groupings(list(range(len(problem.records))), 2))
        bound = least_loss(PointTable.of(encoded), Limits())
        assert bound is None or bound <= least

    check()


def cells(problem: Problem) -> list[list[int]]:
    """The coarsest groups that may be published: who may be in a group with somebody may be with all of theirs."""
    found: list[list[int]] = []
    for place in range(len(problem.records)):
        for cell in found:
            if not problem.too_coarse.intersection(labels_of(problem, [place, *cell])):
                cell.append(place)
                break
        else:
            found.append([place])
    return found


@pytest.mark.parametrize("tried", [1, 10])
def test_strict_mondrian_leaves_disjoint_groups_that_cannot_be_cut(tried: int) -> None:
    """Before those that look alike are put together: between such groups there is a cut that changes nothing."""

    @examples(200)
    @given(asked())
    def check(question: tuple[Problem, tuple[Cone, ...]]) -> None:
        problem, cones = question
        encoded, places = merged(encode(problem, cones))
        table = PointTable.of(encoded)
        cutting = Cutting(table, True, tried)
        if not all(is_lawful(problem, cell) for cell in cells(problem)):
            return
        for _ in cutting.steps():
            pass
        groups: dict[int, list[int]] = defaultdict(list)
        for combination, found in places.items():
            groups[int(cutting.group_of[table.point_of[combination]])] += found
        for group in groups.values():
            assert is_lawful(problem, group)
            for sides in cuts_between_values(problem, group):
                assert not all(is_lawful(problem, side) for side in sides)
        for one, other in combinations(groups.values(), 2):
            assert any(
                max(column[0]) < min(column[1]) or max(column[1]) < min(column[0])
                for column in zip(ranks(problem, one), ranks(problem, other), strict=True)
            ), "boxes do not overlap"

    check()


def ranks(problem: Problem, group: list[int]) -> list[list[int]]:
    """For each column the places of a group's values among the leaves."""
    return [
        [leaves(tree).index(problem.records[place][0][column]) for place in group]
        for column, tree in enumerate(problem.taxonomies)
    ]


def one_column(values: str, k: int) -> TableProblem:
    labels = sorted(set(values))
    records = tuple(((value,), "s", None) for value in values)
    return merged(encode(Problem((("*", tuple(labels)),), records, {"s": Fraction(1)}, k)))[0]


def test_a_cut_beside_the_median_is_found() -> None:
    """The median of 1 1 1 1 2 2 2 2 2 is 2, and nothing lies behind it."""
    result = mondrian(one_column("111122222", 2))
    assert result.details["groups"] == 2 and result.best.cost == 0


def test_a_group_of_no_more_than_k_cannot_always_be_had() -> None:
    """Three points and k = 2: any cut leaves one of them alone."""
    result = mondrian(one_column("123", 2))
    assert result.details["groups"] == 1 and result.details["finished"]
    assert result.recoded.counts.sum() == 3 > 2
