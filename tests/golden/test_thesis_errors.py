"""Where chapter 3 of Liu's thesis is wrong, or weaker than it could be: the counterexamples of docs/method.md.

The thesis's bounds are written here from its text, and from nothing of discreet. Every number is checked with
the exhaustive oracle; then discreet's own search has to reach the optimum that the thesis's bound would lose.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from math import ceil

from discreet.search.branch_and_bound import ValueCut, branch_and_bound
from discreet.search.incumbents import Incumbents
from discreet.search.limits import Limits
from discreet.search.table.space import PreparedTable, TableSpace
from discreet.taxonomy import Taxonomy
from oracle.encoding import encode, paths
from oracle.tables import Cuts, Problem, Record, Scheme, all_cuts, cost, least_deletion, optimum
from oracle.tables import Taxonomy as OracleTaxonomy

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


def records(written: str) -> tuple[Record, ...]:
    """The records of "x0,y2:aab x1,y0:b": leaves, and the sensitive values that occur there."""
    groups = [group.partition(":") for group in written.split()]
    return tuple((tuple(leaves.split(",")), value, None) for leaves, _, values in groups for value in values)


def cuts(*labels: str) -> Cuts:
    return tuple(frozenset(attribute.split()) for attribute in labels)


# The bounds of section 3.3, by their text


def least_removed_once(histogram: Counter[str], thresholds: dict[str, Fraction]) -> Counter[str]:
    """#MinRm of Lemma 3.3 for every violating value, each on its own."""
    size = histogram.total()
    return Counter(
        {
            value: ceil((count - thresholds[value] * size) / (1 - thresholds[value]))
            for value, count in histogram.items()
            if count > thresholds[value] * size
        }
    )


def least_removed(problem: Problem, members: Sequence[Record]) -> int:
    """Lemma 3.3 as the thesis applies it: again and again with a record scheme, once otherwise."""
    histogram = Counter(sensitive for _, sensitive, _ in members)
    if problem.scheme in ("vio-rec", "all-rec"):
        return len(members) - least_deletion(histogram, problem.thresholds).total()
    return least_removed_once(histogram, problem.thresholds).total()


def discernibility(problem: Problem, members: Sequence[Record]) -> list[int]:
    """cost_g at Cut_spec of each of these records, when they are all there is and none is suppressed."""
    leaves = Counter(qi for qi, _, _ in members)
    return [leaves[qi] for qi, _, _ in members]


def theorem_3_4(problem: Problem) -> int:
    removed = least_removed(problem, problem.records) * len(problem.records)
    return max(removed, sum(discernibility(problem, problem.records)))


def theorem_3_6(problem: Problem) -> int:
    removed = least_removed(problem, problem.records)
    kept = combinations(problem.records, len(problem.records) - removed)
    return removed * len(problem.records) + min(sum(discernibility(problem, records)) for records in kept)


def corollary_3_7(problem: Problem) -> int:
    removed = least_removed(problem, problem.records)
    terms = sorted(discernibility(problem, problem.records))
    return removed * len(problem.records) + sum(terms[: len(terms) - removed])


def levelled(problem: Problem) -> int:
    """discreet's bound in place of Theorem 3.6, by its definition: the best number to keep of every atom."""
    rows = len(problem.records)
    atoms = Counter(qi for qi, _, _ in problem.records).values()
    most = rows - least_removed(problem, problem.records)
    choices = product(*(range(atom + 1) for atom in atoms))
    return min(
        sum(kept**2 for kept in choice) + rows * (rows - sum(choice)) for choice in choices if sum(choice) <= most
    )


# The same problems for discreet


def best_from(problem: Problem, start: Cuts) -> Fraction:
    """What discreet's branch and bound ends with when its incumbent is `start`, whichever attribute it programmes."""
    prepared = PreparedTable.of(encode(problem))
    forest, unit = prepared.forest, prepared.unit
    known = cost(problem, start)
    assert known is not None
    values: list[int] = []
    for attribute, (tree, labels) in enumerate(zip(forest.trees, start, strict=True)):
        label_of = [tree.taxonomy.labels[node] for node in tree.nodes]
        values += [forest.value(attribute, label_of.index(label)) for label in sorted(labels)]
    results = set()
    for programmed in range(len(forest.trees)):
        incumbents: Incumbents[ValueCut] = Incumbents()
        incumbents.offer(int(known * unit), tuple(values))
        outcome = branch_and_bound(TableSpace(prepared, programmed), incumbents, Limits())
        assert outcome.finished
        assert incumbents.best is not None
        assert outcome.bound == incumbents.best[0]
        results.add(Fraction(incumbents.best[0], unit))
    [best] = results
    return best


def bound_at_the_root(problem: Problem, programmed: int = 0) -> Fraction:
    """What discreet takes for the least that any cut can cost, before it has decided anything."""
    prepared = PreparedTable.of(encode(problem))
    return Fraction(TableSpace(prepared, programmed).root()[2], prepared.unit)


# 1. Lemma 3.2, and with it Theorem 3.4, for dm with vio-rec

MORE_THAN_HALF = Problem(
    (("any", ["x", "y"]),),
    records("x:bbcccccc y:b"),
    {"b": HALF, "c": HALF},
    scheme="vio-rec",
    loss="dm",
)


def test_lemma_3_2_bounds_above_every_cost() -> None:
    problem = MORE_THAN_HALF
    assert {each: cost(problem, each) for each in all_cuts(problem)} == {cuts("any"): 63, cuts("x y"): 61}
    assert sum(discernibility(problem, problem.records)) == 65  # cost_g(T, Cut_spec) of Lemma 3.2
    assert theorem_3_4(problem) == 65
    assert optimum(problem) == 61


def test_levelling_bounds_below_the_optimum_and_finds_it() -> None:
    problem = MORE_THAN_HALF
    assert levelled(problem) == 53
    assert 53 <= bound_at_the_root(problem) <= 61
    assert best_from(problem, cuts("any")) == 61


# 2. Theorem 3.6 for dm with vio-rec: with a good incumbent at hand, the root is pruned and the optimum lost

WARM = Problem(
    (("x", ["x0", "x1"]), ("y", ["y0", "y2"])),
    records("x0,y2:aaaab x0,y0:b x1,y0:b"),
    {"a": Fraction(2, 3), "b": Fraction(1)},
    scheme="vio-rec",
    loss="dm",
)


def test_theorem_3_6_loses_the_optimum_under_a_warm_start() -> None:
    assert {each: cost(WARM, each) for each in all_cuts(WARM)} == {
        cuts("x", "y"): 49,
        cuts("x", "y0 y2"): 27,
        cuts("x0 x1", "y"): 37,
        cuts("x0 x1", "y0 y2"): 25,
    }
    assert theorem_3_4(WARM) == theorem_3_6(WARM) == corollary_3_7(WARM) == 27  # not below the incumbent's 27


def test_levelling_lets_the_optimum_through() -> None:
    assert levelled(WARM) == 25
    assert bound_at_the_root(WARM, programmed=0) == bound_at_the_root(WARM, programmed=1) == 25
    assert best_from(WARM, cuts("x", "y0 y2")) == 25


# 3. Lemma 3.3 again and again: valid and tighter for all-sa, wrong for vio-sa


def one_partition(values: str, thresholds: dict[str, Fraction], scheme: Scheme) -> Problem:
    return Problem(("x",), records(f"x:{values}"), thresholds, scheme=scheme)


def test_iterated_lemma_3_3_is_tighter_for_all_sa() -> None:
    """Example 3.7, where the thesis stops after Asthma for all-sa: 3 values have to go, not 2."""
    thresholds = dict.fromkeys("acf", THIRD)
    histogram = Counter("aaaccf")
    assert least_removed_once(histogram, thresholds) == {"a": 2}
    assert histogram - least_deletion(histogram, thresholds) == {"a": 2, "c": 1}
    # It is reached: one value of each kind stays together, the others are suppressed among themselves. The second
    # attribute, with one leaf, is there to be programmed, so that the bound is not the cost already.
    split = Problem((("any", ["x", "y"]), "z"), records("x,z:acf y,z:aac"), thresholds, scheme="all-sa")
    penalty = len(split.taxonomies)
    assert bound_at_the_root(split, programmed=1) == 3 * penalty
    assert optimum(split) == cost(split, cuts("x y", "z")) == 3 * penalty
    assert best_from(split, cuts("any", "z")) == 3 * penalty


def test_iterated_lemma_3_3_is_wrong_for_vio_sa() -> None:
    thresholds = {"a": Fraction(3, 4), "b": Fraction(1, 6)}
    problem = one_partition("ab", thresholds, "vio-sa")
    histogram = Counter("ab")
    assert optimum(problem) == 1  # b alone: its star stays in the group, and a is half of it
    assert histogram.total() - least_deletion(histogram, thresholds).total() == 2
    assert least_removed_once(histogram, thresholds).total() == 1
    assert bound_at_the_root(problem) == 1
    assert best_from(problem, cuts("x")) == 1


# 4. The number of cuts


def test_the_formula_for_the_number_of_cuts_needs_a_base_case() -> None:
    """#cuts(R) = 1 + the product over R's children; the product over none is 1."""

    def as_it_stands(node: OracleTaxonomy) -> int:
        product = 1
        for child in () if isinstance(node, str) else node[1]:
            product *= as_it_stands(child)
        return 1 + product

    figure_3_1: OracleTaxonomy = ("any", [("u", ["x", "y"]), ("v", ["z", "w"])])
    assert as_it_stands(figure_3_1) ** 2 == 676
    assert Taxonomy.from_paths("figure 3.1", paths(figure_3_1)).count_cuts() ** 2 == 25
