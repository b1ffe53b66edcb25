"""Local recoding by its definition, on tables of a few records; nothing of discreet is imported.

A grouping is a list of groups, each a list of places in the problem's records.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

from oracle.tables import Problem, Taxonomy, collapse, leaves, violating

Group: TypeAlias = Sequence[int]


def lowest_above(tree: Taxonomy, values: set[str]) -> Taxonomy:
    """The lowest node above all of these leaves."""
    node = collapse(tree)
    while not isinstance(node, str):
        below = [child for child in node[1] if values <= set(leaves(child))]
        if not below:
            break
        node = below[0]
    return node


def labels_of(problem: Problem, group: Group) -> tuple[str, ...]:
    nodes = [
        lowest_above(tree, {problem.records[place][0][column] for place in group})
        for column, tree in enumerate(problem.taxonomies)
    ]
    return tuple(node if isinstance(node, str) else node[0] for node in nodes)


def is_lawful(problem: Problem, group: Group) -> bool:
    histogram = Counter(problem.records[place][1] for place in group)
    keeps = problem.keeps is None or problem.keeps(histogram)
    allowed = not problem.too_coarse.intersection(labels_of(problem, group))
    return len(group) >= problem.k and not violating(histogram, problem.thresholds) and keeps and allowed


def cost(problem: Problem, grouping: Sequence[Group]) -> Fraction:
    """The loss metric of all records."""
    weights = problem.weights or (Fraction(1),) * len(problem.taxonomies)
    total = Fraction(0)
    for group in grouping:
        for column, (tree, weight) in enumerate(zip(problem.taxonomies, weights, strict=True)):
            node = lowest_above(tree, {problem.records[place][0][column] for place in group})
            all_leaves = len(leaves(tree))
            if all_leaves > 1:
                total += len(group) * weight * Fraction(len(leaves(node)) - 1, all_leaves - 1)
    return total


def cuts_between_values(problem: Problem, group: Group) -> Iterator[tuple[Group, Group]]:
    """Every way to cut a group in two between different values of a column, in the order of its taxonomy."""
    for column, tree in enumerate(problem.taxonomies):
        rank = {leaf: number for number, leaf in enumerate(leaves(tree))}
        place_of = {place: rank[problem.records[place][0][column]] for place in group}
        for low, _ in pairwise(sorted(set(place_of.values()))):
            yield (
                [place for place in group if place_of[place] <= low],
                [place for place in group if place_of[place] > low],
            )


def groupings(places: Sequence[int]) -> Iterator[list[list[int]]]:
    """Every way to put records into groups."""
    if not places:
        yield []
        return
    first, *others = places
    for rest in groupings(others):
        yield [[first], *rest]
        for number, group in enumerate(rest):
            yield [*rest[:number], [first, *group], *rest[number + 1 :]]


def least_cost(problem: Problem, *, together: bool = False) -> Fraction | None:
    """The least loss of any lawful grouping; together: records with the same quasi-identifiers stay in one group."""
    alike: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, (values, _, _) in enumerate(problem.records):
        alike[values if together else (str(place),)].append(place)
    units = list(alike.values())
    costs = []
    for grouping in groupings(range(len(units))):
        groups = [[place for unit in group for place in units[unit]] for group in grouping]
        if all(is_lawful(problem, group) for group in groups):
            costs.append(cost(problem, groups))
    return min(costs, default=None)
