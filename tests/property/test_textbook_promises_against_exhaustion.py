"""The promises of the textbook: their kernels, their remainders and the optimum under them, against the definitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import NoReleaseError
from discreet.kernels import lawful
from discreet.models.beta_likeness import BetaLikeness
from discreet.models.cones import Cone, ConeDemand
from discreet.models.demands import together
from discreet.models.distinct_l_diversity import DistinctLDiversity
from discreet.models.entropy_l_diversity import EntropyLDiversity
from discreet.models.k_anonymity import KAnonymity
from discreet.models.l_diversity import LDiversity
from discreet.models.l_plus_diversity import LPlusDiversity
from discreet.models.parameters import AboveZero, AtLeastOne, FromZero
from discreet.models.partition_limits import PartitionLimits, SensitiveColumn
from discreet.models.recursive_l_diversity import RecursiveLDiversity
from discreet.models.t_closeness import TCloseness
from discreet.recode.table.suppression import greatest_remainder
from discreet.search.table.full_domain import full_domain
from discreet.search.table.incognito import incognito
from discreet.search.table.l_plus_optimize import l_plus_optimize
from discreet.search.table.problem import exact_cost, release_of
from discreet.search.table.samarati import samarati
from discreet.taxonomy import Taxonomy
from examples import examples
from oracle.encoding import encode, paths, uncollapsed
from oracle.lattice import least_height, least_of_all_levels, minimal_nodes
from oracle.promises import (
    Tree,
    distance_equal,
    distance_hierarchical,
    distance_ordered,
    has_entropy,
    is_distinct,
    is_recursive,
    is_within_bits,
    transported,
)
from oracle.random_problems import COMBINATIONS as ALL_COMBINATIONS
from oracle.random_problems import problems
from oracle.tables import Loss, Problem, Scheme, optimum

VALUES = "abcd"
TREE: Tree = ("*", (("ab", ("a", "b")), ("rest", ("c", ("deep", ("d",))))))
SHARES = tuple(map(Fraction, ("1/2", "1/3", "1/4", "2/3", "1")))
Promise = tuple[Any, Callable[[Counter[str]], bool]]
"""A model, and what it demands by definition."""


@st.composite
def promises(draw: st.DrawFn, name: str, values: str = VALUES) -> Promise:
    if name == "distinct":
        least = draw(st.integers(1, len(values)))
        return DistinctLDiversity(least), lambda histogram: is_distinct(histogram, least)
    if name == "entropy":
        number = draw(st.fractions(1, len(values), max_denominator=6) | st.integers(1, len(values)).map(Fraction))
        return EntropyLDiversity(AtLeastOne(number)), lambda histogram: has_entropy(histogram, number)
    if name == "recursive":
        factor, least = (
            draw(st.sampled_from(("1/2", "1", "3/2", "2", "5")).map(Fraction)),
            draw(st.integers(1, len(values))),
        )
        return RecursiveLDiversity(AboveZero(factor), least), lambda histogram: is_recursive(histogram, factor, least)
    weights = draw(st.lists(st.integers(1, 6), min_size=len(values), max_size=len(values)))
    reference = {value: Fraction(weight, sum(weights)) for value, weight in zip(values, weights, strict=True)}
    largest = draw(st.sampled_from(("0", "1/10", "1/5", "1/4", "1/3", "1/2", "1")).map(Fraction))
    model = TCloseness(FromZero(largest), name, reference)  # type: ignore[arg-type]
    measured: dict[str, Callable[[Counter[str]], bool]] = {
        "equal": lambda histogram: distance_equal(histogram, reference) <= largest,
        "ordered": lambda histogram: distance_ordered(histogram, reference, values) <= largest,
        "hierarchical": lambda histogram: distance_hierarchical(histogram, reference, TREE) <= largest,
        "kl": lambda histogram: is_within_bits(histogram, reference, largest),
    }
    return model, measured[name]


def column(values: str) -> SensitiveColumn:
    taxonomy = Taxonomy.from_paths("disease", paths(TREE))
    return SensitiveColumn(tuple(values), (1,) * len(values), tree=taxonomy)


DISTANCES: tuple[Any, ...] = ("equal", "ordered", "hierarchical", "kl")
PROMISES = ("distinct", "entropy", "recursive", "equal", "ordered", "hierarchical", "kl")


@pytest.mark.parametrize("name", PROMISES)
def test_what_is_lawful_and_how_much_of_the_rest_can_be_kept(name: str) -> None:
    @examples(150)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        model, keeps = data.draw(promises(name))
        smallest = data.draw(st.integers(1, 3))
        demand = ConeDemand(model.demand(column(VALUES)).cones, PartitionLimits((Fraction(1),) * 4, smallest))
        counts = data.draw(st.lists(st.integers(0, 6), min_size=4, max_size=4).filter(any))
        histogram = np.array([counts], np.int64)
        assert bool(demand.holds(histogram)[0]) == _lawful(counts, keeps, smallest)
        most = max(
            sum(part) for part in product(*(range(count + 1) for count in counts)) if _lawful(part, keeps, smallest)
        )
        compiled, size = demand._of_single_values(), sum(counts)
        bounded = lawful.greatest_remainder(histogram, 0, size, compiled, False, np.zeros((1, 4), np.int64))
        assert bounded >= most
        if demand.says_what_to_delete:
            rest = demand.remainders(histogram)[0]
            assert rest.sum() == most
            assert (rest <= counts).all()
            assert _lawful(tuple(rest.tolist()), keeps, smallest)

    check()


def _lawful(counts: Any, keeps: Callable[[Counter[str]], bool], smallest: int) -> bool:
    histogram = Counter({value: count for value, count in zip(VALUES, counts, strict=True) if count})
    return not histogram or (histogram.total() >= smallest and keeps(histogram))


SIXTHS = dict(zip("abcd", map(Fraction, ("1/6", "1/3", "1/3", "1/6")), strict=True))
THIRDS = dict(zip("abc", map(Fraction, ("1/6", "1/3", "1/2")), strict=True))


def every_promise(values: str) -> list[Any]:
    """Each promise of the house about values, strict and lenient, k beside them."""
    shares = THIRDS if len(values) == 3 else SIXTHS
    return [
        *(KAnonymity(k) for k in (2, 5)),
        *(LDiversity(number) for number in (2, 3)),
        LPlusDiversity({value: Fraction(place + 1, 4) for place, value in enumerate(values)}),
        *(DistinctLDiversity(number) for number in (2, 3)),
        *(EntropyLDiversity(AtLeastOne(Fraction(number))) for number in ("3/2", "2", "137/50", "3")),
        *(RecursiveLDiversity(AboveZero(Fraction(c)), number) for c in ("1/2", "1", "2") for number in (1, 2, 3)),
        *(
            TCloseness(FromZero(Fraction(t)), distance, shares)
            for t in ("1/10", "1/4", "1/2")
            for distance in DISTANCES
        ),
        *(BetaLikeness(AboveZero(Fraction(beta)), shares) for beta in ("1/2", "1")),
    ]


@pytest.mark.parametrize(("values", "most"), [("abc", 6), ("abcd", 4)])
def test_what_two_groups_keep_their_union_keeps(values: str, most: int) -> None:
    """All pairs of lawful histograms with up to so many records of each value, for every promise."""
    base = 2 * most + 1
    histograms = np.array(list(product(range(base), repeat=len(values))), np.int64)  # read as numbers, these add up
    small = np.flatnonzero(histograms.max(axis=1) <= most)[1:]
    for model in every_promise(values):
        lawful_ones = np.append(False, model.demand(column(values)).holds(histograms[1:]))
        kept = small[lawful_ones[small]]
        assert lawful_ones[kept[:, None] + kept].all(), model


@st.composite
def limits(draw: st.DrawFn, name: str) -> Promise:
    """A promise that is limits on shares and sizes, and what it demands by definition."""
    if name == "k":
        k = draw(st.integers(1, 8))
        return KAnonymity(k), lambda histogram: histogram.total() >= k
    if name == "l":
        number = draw(st.integers(1, 4))
        return LDiversity(number), lambda histogram: max(histogram.values()) * number <= histogram.total()
    bounds = {value: draw(st.sampled_from(SHARES) | st.fractions(0, 1, max_denominator=9)) for value in VALUES}
    if name == "l-plus":
        return LPlusDiversity(bounds), lambda histogram: all(
            count <= bounds[value] * histogram.total() for value, count in histogram.items()
        )
    beta = draw(st.sampled_from(("1/4", "1/2", "1", "2", "5")).map(Fraction))
    weights = draw(st.lists(st.integers(1, 6), min_size=4, max_size=4))
    reference = {value: Fraction(weight, sum(weights)) for value, weight in zip(VALUES, weights, strict=True)}
    return BetaLikeness(AboveZero(beta), reference), lambda histogram: all(
        Fraction(count, histogram.total()) - reference[value] <= beta * reference[value]
        for value, count in histogram.items()
    )


@pytest.mark.parametrize("name", ["k", "l", "l-plus", "beta"])
def test_the_same_for_promises_that_are_limits(name: str) -> None:
    """Lawfulness, and what vio-rec leaves: the greatest lawful part, which of limits there is only one."""

    @examples(200)
    @given(limits(name), st.integers(1, 3), st.lists(st.integers(0, 6), min_size=4, max_size=4).filter(any))
    def check(promise: Promise, smallest: int, counts: list[int]) -> None:
        model, keeps = promise
        demand = together([model.demand(column(VALUES)), PartitionLimits((Fraction(1),) * 4, smallest)])
        assert isinstance(demand, PartitionLimits)
        histogram = np.array([counts], np.int64)
        assert bool(demand.holds(histogram)[0]) == _lawful(counts, keeps, smallest)
        parts = [part for part in product(*(range(count + 1) for count in counts)) if _lawful(part, keeps, smallest)]
        [rest] = greatest_remainder(histogram, demand).tolist()
        most = max(map(sum, parts))
        assert sum(rest) == most
        assert [tuple(rest)] == [part for part in parts if sum(part) == most]

    check()


@examples(100)
@given(st.data())
def test_distances_on_a_tree_are_earth_movers_distances(data: st.DataObject) -> None:
    counts = data.draw(st.lists(st.integers(0, 6), min_size=4, max_size=4).filter(any))
    weights = data.draw(st.lists(st.integers(1, 6), min_size=4, max_size=4))
    histogram = dict(zip(VALUES, counts, strict=True))
    reference = {value: Fraction(weight, sum(weights)) for value, weight in zip(VALUES, weights, strict=True)}
    above = {"a": ("ab", "*"), "b": ("ab", "*"), "c": ("rest", "*"), "d": ("deep", "rest", "*")}
    heights = {"ab": 1, "rest": 2, "*": 3, "deep": 1}

    def meet(one: str, other: str) -> Fraction:
        if one == other:
            return Fraction(0)
        return Fraction(heights[next(label for label in above[one] if label in above[other])], 3)

    assert distance_hierarchical(histogram, reference, TREE) == pytest.approx(transported(histogram, reference, meet))
    assert distance_equal(histogram, reference) == pytest.approx(
        transported(histogram, reference, lambda one, other: Fraction(one != other))
    )
    assert distance_ordered(histogram, reference, VALUES) == pytest.approx(
        transported(histogram, reference, lambda one, other: Fraction(abs(ord(one) - ord(other)), 3))
    )


COMBINATIONS: tuple[tuple[Scheme, Loss], ...] = (
    ("none", "lm"),
    ("all-sa", "lm"),
    ("all-rec", "lm"),
    ("vio-rec", "lm"),
    ("none", "dm"),
    ("all-rec", "dm"),
    ("vio-rec", "dm"),
    ("none", "cm"),
    ("all-rec", "cm"),
)


MONOTONE = ("none", "vio-rec")
"""With these, one step up never deletes more."""
EVERY_WAY = [
    (name, scheme, loss)
    for name in PROMISES
    for scheme, loss in COMBINATIONS
    if (name, scheme) != ("kl", "vio-rec")  # which a policy refuses: whole records are not worked out
]


def drawn(problem: Problem, name: str, data: st.DataObject) -> tuple[Problem, tuple[Cone, ...]]:
    """The problem with a promise in place of thresholds, for the oracle and for discreet."""
    values = "".join(sorted({value for _, value, _ in problem.records}))
    model, keeps = data.draw(promises(name, values))
    cones: tuple[Cone, ...] = model.demand(column(values)).cones
    return replace(problem, thresholds=dict.fromkeys(values, Fraction(1)), keeps=keeps), cones


@pytest.mark.parametrize(("name", "scheme", "loss"), EVERY_WAY)
def test_the_optimum_is_that_of_exhaustion(name: str, scheme: Scheme, loss: Loss) -> None:
    """Now and then with weights, labels that are too coarse and a limit on what is suppressed."""
    small = {"combinations": [(scheme, loss)], "max_cuts": 60, "max_records": 12}

    @examples(40)
    @given(problems(**small) | problems(**small, asks_for_more=True), st.data())  # type: ignore[arg-type]
    def check(problem: Problem, data: st.DataObject) -> None:
        asked, cones = drawn(problem, name, data)
        expected = optimum(asked)
        try:
            result = l_plus_optimize(encode(asked, cones), random=np.random.default_rng(0))
        except NoReleaseError:
            assert expected is None
            return
        assert result.best.cost == expected == result.bound
        assert result.status == "optimal"
        assert release_of(encode(asked, cones), result.best.recoded).lawful

    check()


@pytest.mark.parametrize(
    ("name", "scheme", "loss"), [*EVERY_WAY, *(("limits", scheme, loss) for scheme, loss in ALL_COMBINATIONS)]
)
def test_the_optimum_over_all_levels_is_that_of_exhaustion(name: str, scheme: Scheme, loss: Loss) -> None:
    @examples(25)
    @given(problems(combinations=[(scheme, loss)], max_cuts=60, max_records=12), st.data())
    def check(problem: Problem, data: st.DataObject) -> None:
        asked, cones = (problem, ()) if name == "limits" else drawn(problem, name, data)
        most = data.draw(st.none() | st.integers(0, len(asked.records)))
        if scheme != "none":
            asked = replace(asked, most_suppressed=most)
        encoded = uncollapsed(asked, cones)
        expected = least_of_all_levels(asked)
        try:
            result = full_domain(encoded)
        except NoReleaseError:
            assert expected is None
            return
        assert result.best.cost == expected == result.bound == exact_cost(encoded, result.best.recoded)
        assert result.status == "optimal"
        assert release_of(encoded, result.best.recoded).lawful

    check()


@pytest.mark.parametrize(
    ("name", "scheme"), [(name, scheme) for name, scheme, loss in EVERY_WAY if loss == "lm" and scheme in MONOTONE]
)
def test_least_heights_and_minimal_nodes_are_those_of_the_whole_lattice(name: str, scheme: Scheme) -> None:
    """samarati and incognito, where one step up never deletes more."""

    @examples(30)
    @given(problems(combinations=[(scheme, "lm")], max_cuts=60, max_records=12), st.data())
    def check(problem: Problem, data: st.DataObject) -> None:
        asked, cones = drawn(problem, name, data)
        share = data.draw(st.sampled_from(("0", "1/10", "1/4", "1/2", "1")).map(Fraction))
        encoded = replace(uncollapsed(asked, cones), max_suppressed=share)

        def holds(group: Mapping[str, int]) -> bool:
            assert asked.keeps is not None
            return sum(group.values()) >= asked.k and asked.keeps(Counter(group))

        expected = least_height(asked, share, holds)
        minimal = minimal_nodes(asked, share, holds)
        try:
            lowest, all_minimal = samarati(encoded), incognito(encoded)
        except NoReleaseError:
            assert expected is None and not minimal
            return
        assert (lowest.details["height"], lowest.best.cost) == expected
        assert sorted(node["loss"] for node in all_minimal.details["minimal"]) == sorted(map(float, minimal.values()))
        assert all_minimal.best.cost == min(minimal.values())
        for result in (lowest, all_minimal):
            assert release_of(encoded, result.best.recoded).lawful

    check()


@pytest.mark.parametrize("scheme", ["none", "all-sa", "all-rec", "vio-rec"])
def test_several_promises_at_once(scheme: Scheme) -> None:
    """With vio-rec those that treat all values alike, one share for all included; else any two, and thresholds."""
    alike = ("distinct", "entropy", "recursive")

    @examples(60)
    @given(problems(combinations=[(scheme, "lm")], max_cuts=60, max_records=12), st.data())
    def check(problem: Problem, data: st.DataObject) -> None:
        values = "".join(sorted({value for _, value, _ in problem.records}))
        names = data.draw(st.lists(st.sampled_from(alike if scheme == "vio-rec" else PROMISES), min_size=2, max_size=2))
        drawn = [data.draw(promises(name, values)) for name in names]
        cones = tuple(cone for model, _ in drawn for cone in model.demand(column(values)).cones)
        thresholds = problem.thresholds
        if scheme == "vio-rec":
            thresholds = dict.fromkeys(values, min(thresholds.values()))
        asked = replace(problem, thresholds=thresholds, keeps=lambda histogram: all(k(histogram) for _, k in drawn))
        expected = optimum(asked)
        try:
            result = l_plus_optimize(encode(asked, cones), random=np.random.default_rng(0))
        except NoReleaseError:
            assert expected is None
            return
        assert result.best.cost == expected
        assert result.status == "optimal"

    check()
