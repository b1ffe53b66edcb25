"""Where the textbook's chapter on privacy is wrong, and what its exercises ask to be shown.

Its tables and sentences are written here from its text. What is counted by definition comes from the oracle; discreet
then has to say the same.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from discreet.errors import NoReleaseError
from discreet.models.cones import Cone, ConeDemand, Distinct, Divergence, Entropy, Nearness, Node, Recursive
from discreet.models.partition_limits import PartitionLimits
from discreet.search.table.full_domain import full_domain
from discreet.search.table.problem import release_of
from examples import examples
from oracle.encoding import uncollapsed
from oracle.lattice import outcome
from oracle.promises import distance_equal, has_entropy, is_distinct, transported
from oracle.tables import Problem

MEDICAL = (
    *((24, "10598", "HIV"), (37, "90210", "Hepatitis C"), (26, "10547", "HIV")),
    *((38, "90345", "Hepatitis C"), (36, "89119", "Diabetes"), (25, "02139", "HIV")),
)
"""Table 20.1: age, ZIP code, disease."""
VOTERS = {
    "Mary": (38, "90345"),
    "John": (36, "89119"),
    "Ann": (31, "02139"),
    "Jack": (57, "10562"),
    "Joy": (26, "10547"),
    "Victor": (46, "90345"),
    "Peter": (25, "02139"),
    "Diana": (24, "10598"),
    "William": (37, "90210"),
    "Sue": (26, "10547"),
}
"""Table 20.2."""
THIRDS = (Fraction(1, 3),) * 3


def holds(cone: Cone, *histograms: tuple[int, ...]) -> list[bool]:
    table = np.array(histograms, np.int64)
    kept = ConeDemand((cone,), PartitionLimits((Fraction(1),) * table.shape[1])).holds(table)
    return [bool(keeps) for keeps in kept]


def test_five_people_are_disclosed_and_not_three() -> None:
    """It names Joy and Sue as the only ones who match somebody with HIV, and William for hepatitis C."""
    matches = {record: [name for name, known in VOTERS.items() if known == record[:2]] for record in MEDICAL}
    alone = {names[0]: disease for (_, _, disease), names in matches.items() if len(names) == 1}
    assert alone == {
        "Diana": "HIV",
        "William": "Hepatitis C",
        "Mary": "Hepatitis C",
        "John": "Diabetes",
        "Peter": "HIV",
    }
    assert [names for names in matches.values() if len(names) == 2] == [["Joy", "Sue"]]


def test_the_ranges_of_the_anonymized_table_share_an_age() -> None:
    """Table 20.3 has [20, 30] and [30, 40]: somebody of 30 is in both, so they are no cut of a taxonomy."""
    ranges = (range(20, 31), range(30, 41))
    assert set(ranges[0]) & set(ranges[1]) == {30}


def test_by_its_letter_the_anonymized_table_is_no_such() -> None:
    """Definition 20.3.1 speaks of the attributes of a record; with the disease among them, row 5 stands alone."""
    rows = Counter((age < 30, disease) for age, _, disease in MEDICAL)
    assert min(rows.values()) == 1
    assert min(Counter(age < 30 for age, _, _ in MEDICAL).values()) == 3


def test_more_than_the_test_changes_from_k_to_l_where_groups_are_deleted() -> None:
    """x: a, b; y: ten times a; entropy 2: the leaves delete 10 records, the root 12. For k it is never more above."""
    records = ((("x",), "a", None), (("x",), "b", None), *(((("y",), "a", None),) * 10))
    problem = Problem((("*", ("x", "y")),), records, dict.fromkeys("ab", Fraction(1)), scheme="all-rec")

    def deleted(level: int) -> int:
        found = outcome(problem, (level,), lambda group: has_entropy(group, Fraction(2)))
        assert found is not None
        return found[0]

    assert (deleted(1), deleted(0)) == (10, 12)
    assert holds(Entropy(Fraction(2)), (1, 1), (10, 0), (11, 1)) == [True, False, False]


def test_nor_does_only_the_test_change_from_k_to_t() -> None:
    """The same records, t = 1/4 from a half of each: the leaves delete 10 records, the root 12."""
    records = ((("x",), "a", None), (("x",), "b", None), *(((("y",), "a", None),) * 10))
    problem = Problem((("*", ("x", "y")),), records, dict.fromkeys("ab", Fraction(1)), scheme="all-rec")
    halves = dict.fromkeys("ab", Fraction(1, 2))

    def deleted(level: int) -> int:
        found = outcome(problem, (level,), lambda group: distance_equal(group, halves) <= Fraction(1, 4))
        assert found is not None
        return found[0]

    assert (deleted(1), deleted(0)) == (10, 12)
    near = Nearness(
        Fraction(1, 4), (*(Node(v, 0, Fraction(1, 2), Fraction(1, 2)) for v in range(2)), Node(None, 2, Fraction(0)))
    )
    assert holds(near, (1, 1), (10, 0), (11, 1)) == [True, False, False]
    kept = uncollapsed(problem, (near,))
    assert release_of(kept, full_domain(kept).best.recoded).records == 10
    with pytest.raises(NoReleaseError):
        full_domain(replace(kept, max_suppressed=Fraction(9, 12)))


@pytest.mark.parametrize(("size", "k"), [(3, 2), (5, 3), (7, 4), (3, 3)])
def test_regions_of_at_most_k_may_be_impossible(size: int, k: int) -> None:
    """Mondrian "until each region contains no more than k": three points cannot be cut in parts of exactly two."""

    def divisible(records: int) -> bool:
        return records <= k or any(
            part >= k and records - part >= k and divisible(part) and divisible(records - part)
            for part in range(1, records)
        )

    assert divisible(size) is (size % k == 0)


def test_its_programme_for_the_earth_movers_distance_lets_flows_pass_through_a_third_value() -> None:
    """d12 = d23 = 1 and d13 = 10, all of 1 to 3: the programme pays 2, and moving costs 10."""
    apart = {("1", "2"): 1, ("2", "3"): 1, ("1", "3"): 10}

    def distance(one: str, other: str) -> Fraction:
        return Fraction(0 if one == other else apart[min((one, other), (other, one))])

    values = "123"
    costs = [float(distance(one, other)) for one in values for other in values]
    # as printed: p_i - sum of f_ij + sum of f_ji = q_i, for the flows out of value i and into it
    printed = [[float(one == value) - float(other == value) for one in values for other in values] for value in values]
    programme = linprog(costs, A_eq=printed, b_eq=[1, 0, -1], bounds=(0, None))
    assert programme.fun == pytest.approx(2)
    assert transported({"1": 1}, {"3": Fraction(1)}, distance) == pytest.approx(10)


def test_recursive_is_not_simply_more_relaxed_than_entropy() -> None:
    assert holds(Entropy(Fraction(2)), (1, 1)) == [True]
    assert holds(Recursive(Fraction(1), 2), (1, 1)) == [False]
    assert holds(Entropy(Fraction(2)), (3, 2)) == [False] and holds(Recursive(Fraction(2), 2), (3, 2)) == [True]


def test_compared_with_what_is_published_t_closeness_is_no_promise() -> None:
    """x: a; y: b; t = 1/5. Delete y, and the group {a} is at distance 0; from a fixed reference it is at 1/2."""
    remaining, everybody = {"a": Fraction(1)}, {"a": Fraction(1, 2), "b": Fraction(1, 2)}
    group = {"a": 1}
    assert transported(group, remaining, lambda one, other: Fraction(one != other)) == pytest.approx(0)
    assert transported(group, everybody, lambda one, other: Fraction(one != other)) == pytest.approx(1 / 2)


HISTOGRAMS = [counts for counts in product(range(5), repeat=3) if any(counts)]


@pytest.mark.parametrize("values", [1, 2, 3])
def test_exercise_7_at_least_l_distinct_values(values: int) -> None:
    cones: list[Cone] = [Entropy(Fraction(values)), *(Recursive(Fraction(c), values) for c in ("1/2", "1", "3"))]
    for cone in cones:
        for counts, keeps in zip(HISTOGRAMS, holds(cone, *HISTOGRAMS), strict=True):
            assert not keeps or is_distinct({str(place): count for place, count in enumerate(counts)}, values)


CONCAVE: dict[str, Cone] = {
    "8 and 9a": Entropy(Fraction(2)),
    "9a": Entropy(Fraction(5, 2)),
    "9b": Recursive(Fraction(2), 2),
}
CONVEX: dict[str, Cone] = {
    "11a": Nearness(
        Fraction(1, 4), (*(Node(v, 0, Fraction(1, 2), THIRDS[v]) for v in range(3)), Node(None, 3, Fraction(0)))
    ),
    "11b": Divergence(Fraction(1, 4), THIRDS),
    "12": Distinct(2),
}


@pytest.mark.parametrize("exercise", [*CONCAVE, *CONVEX])
def test_exercises_8_9_11_and_12_what_the_classes_keep_the_table_keeps(exercise: str) -> None:
    """So the entropy of all is at least the least of a class (8): where each class has it, so has their union."""
    cone = {**CONCAVE, **CONVEX}[exercise]
    kept = [counts for counts, keeps in zip(HISTOGRAMS, holds(cone, *HISTOGRAMS), strict=True) if keeps]
    unions = {tuple(map(sum, zip(one, other, strict=True))) for one in kept for other in kept}
    assert kept and all(holds(cone, *unions))


def test_exercise_8_the_entropy_of_all_is_at_least_the_least_of_a_class() -> None:
    """Of all pairs, in whole numbers: exp(H) of n records is (n^n / product of c^c)^(1/n)."""

    def power(counts: tuple[int, ...]) -> tuple[int, int, int]:
        size = sum(counts)
        return size, size**size, prod(count**count for count in counts)

    small = [counts for counts in HISTOGRAMS if max(counts) <= 3]
    for one in small:
        for other in small:
            size, above, below = power(tuple(map(sum, zip(one, other, strict=True))))
            assert any(
                above**n * beneath**size >= top**size * below**n for n, top, beneath in (power(one), power(other))
            )


@examples(300)
@given(st.lists(st.lists(st.integers(-5, 5), min_size=3, max_size=3), min_size=1, max_size=4), st.data())
def test_exercise_12_concave_bounds_from_below_and_convex_ones_from_above(
    planes: list[list[int]], data: st.DataObject
) -> None:
    """Every concave function of the shares is a least of linear ones, every convex one a greatest."""

    def at(counts: tuple[int, ...]) -> list[Fraction]:
        return [Fraction(sum(map(int.__mul__, plane, counts)), sum(counts)) for plane in planes]

    one, other = data.draw(st.sampled_from(HISTOGRAMS)), data.draw(st.sampled_from(HISTOGRAMS))
    union = tuple(map(sum, zip(one, other, strict=True)))
    assert min(at(union)) >= min(*at(one), *at(other))
    assert max(at(union)) <= max(*at(one), *at(other))


def test_exercise_12_needs_concavity() -> None:
    """|H - H of a reference| <= a bound is not concave: lawful (0, 1, 1) and (1, 0, 1) add up to an unlawful group."""

    def near(counts: tuple[int, ...]) -> bool:
        """As much entropy as two equal values have, neither more nor less."""
        histogram = {str(place): count for place, count in enumerate(counts) if count}
        return has_entropy(histogram, Fraction(2)) and not has_entropy(histogram, Fraction(201, 100))

    assert near((0, 1, 1)) and near((1, 0, 1)) and not near((1, 1, 2))
