"""Full-domain recoding by trying every node of the lattice: the slow twin of `samarati` and `incognito`.

Written from Samarati 2001 (whole columns generalized to levels, outliers suppressed up to a limit). Levels are
counted from the root, leaves that lie higher than a level stay as they are. What a group may keep is found by trying
every part of it. Nothing of discreet is imported; a taxonomy is nested as in `tables`.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import TypeAlias

from oracle.tables import Cut, Problem, Taxonomy, collapse, cost, leaves

Levels: TypeAlias = tuple[int, ...]
Holds: TypeAlias = Callable[[Mapping[str, int]], bool]


def depth_of(taxonomy: Taxonomy) -> int:
    return 0 if isinstance(taxonomy, str) else 1 + max(depth_of(child) for child in taxonomy[1])


def at_level(taxonomy: Taxonomy, level: int) -> dict[str, tuple[str, Fraction]]:
    """For each leaf the label it is published as, and what lm charges for it."""
    total = len(leaves(taxonomy))
    published: dict[str, tuple[str, Fraction]] = {}

    def walk(node: Taxonomy, depth: int) -> None:
        if depth == level or isinstance(node, str):
            under = leaves(node)
            charge = Fraction(len(under) - 1, total - 1) if total > 1 else Fraction(0)
            published.update(dict.fromkeys(under, (node if isinstance(node, str) else node[0], charge)))
            return
        for child in node[1]:
            walk(child, depth + 1)

    walk(taxonomy, 0)
    return published


def all_levels(problem: Problem) -> Iterator[Levels]:
    return product(*(range(depth_of(taxonomy) + 1) for taxonomy in problem.taxonomies))


def cut_at(taxonomy: Taxonomy, level: int) -> Cut:
    """A level as a cut of the taxonomy with its chains collapsed: the labels that stand for the same leaves."""
    groups: dict[str, set[str]] = {}
    for leaf, (label, _) in at_level(taxonomy, level).items():
        groups.setdefault(label, set()).add(leaf)
    nodes: list[Taxonomy] = [collapse(taxonomy)]
    for node in nodes:
        nodes += [] if isinstance(node, str) else node[1]
    return frozenset(
        node if isinstance(node, str) else node[0] for node in nodes if set(leaves(node)) in groups.values()
    )


def least_of_all_levels(problem: Problem) -> Fraction | None:
    """The least cost over the lattice, by any scheme and loss."""
    cuts = (tuple(map(cut_at, problem.taxonomies, levels)) for levels in all_levels(problem))
    return min((found for cut in cuts if (found := cost(problem, cut)) is not None), default=None)


def height(problem: Problem, levels: Levels) -> int:
    return sum(depth_of(tree) - level for tree, level in zip(problem.taxonomies, levels, strict=True))


def thresholds_hold(problem: Problem) -> Holds:
    def holds(group: Mapping[str, int]) -> bool:
        size = sum(group.values())
        return size >= problem.k and all(count <= problem.thresholds[value] * size for value, count in group.items())

    return holds


def most_lawful(group: Mapping[str, int], holds: Holds) -> int:
    """The most records of a group that are lawful together; none always are."""
    values = list(group)
    return max(
        (
            sum(counts)
            for counts in product(*(range(group[value] + 1) for value in values))
            if sum(counts) and holds({value: count for value, count in zip(values, counts, strict=True) if count})
        ),
        default=0,
    )


def outcome(problem: Problem, levels: Levels, holds: Holds) -> tuple[int, Fraction] | None:
    """How many records are deleted, and the loss lm; None where none may be and a group breaks the promise."""
    published = [at_level(tree, level) for tree, level in zip(problem.taxonomies, levels, strict=True)]
    groups: dict[tuple[str, ...], Counter[str]] = {}
    charges: dict[tuple[str, ...], Fraction] = {}
    for values, sensitive, _ in problem.records:
        cells = [found[value] for found, value in zip(published, values, strict=True)]
        key = tuple(label for label, _ in cells)
        groups.setdefault(key, Counter())[sensitive] += 1
        charges[key] = sum((charge for _, charge in cells), Fraction(0))
    deleted, loss = 0, Fraction(0)
    for key, group in groups.items():
        size = sum(group.values())
        if problem.scheme == "none":
            stays = size
            if not holds(group):
                return None
        else:
            stays = size if holds(group) else most_lawful(group, holds) if problem.scheme == "vio-rec" else 0
        deleted += size - stays
        loss += stays * charges[key]
    return deleted, loss + 2 * len(problem.taxonomies) * deleted


def least_height(problem: Problem, max_suppressed: Fraction, holds: Holds) -> tuple[int, Fraction] | None:
    """The least height of a node that keeps the promise, and the least loss among the nodes of that height."""
    found: dict[int, list[Fraction]] = {}
    for levels in all_levels(problem):
        outcome_there = outcome(problem, levels, holds)
        if outcome_there is not None and outcome_there[0] <= max_suppressed * len(problem.records):
            found.setdefault(height(problem, levels), []).append(outcome_there[1])
    if not found:
        return None
    least = min(found)
    return least, min(found[least])


def minimal_nodes(problem: Problem, max_suppressed: Fraction, holds: Holds) -> dict[Levels, Fraction]:
    """The nodes that keep the promise where none with more detail does, and their losses (LeFevre et al. 2005)."""
    most = max_suppressed * len(problem.records)
    outcomes = {levels: outcome(problem, levels, holds) for levels in all_levels(problem)}
    keeping = {levels: found[1] for levels, found in outcomes.items() if found is not None and found[0] <= most}

    def is_below(levels: Levels, other: Levels) -> bool:
        return levels != other and all(map(int.__ge__, levels, other))

    return {levels: loss for levels, loss in keeping.items() if not any(is_below(finer, levels) for finer in keeping)}
