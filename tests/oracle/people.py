"""The least loss where a record has several sensitive values, by trying every cut, and what hiding groups tells about
them, by trying every original: slow twins.

Several sensitive columns, several rows for a person, limits on values together. Written from the definitions in
docs/policy.md; nothing of discreet is imported. Losses are lm, schemes those that take whole groups.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import factorial, prod
from typing import Literal, TypeAlias

from oracle.tables import Cuts, Taxonomy, cuts_of, generalization

Scheme: TypeAlias = Literal["none", "all-sa", "all-rec"]
Fact: TypeAlias = tuple[str, str]
"""A sensitive column and a value, or a label above it."""


@dataclass(frozen=True)
class Row:
    person: str
    known: tuple[str, ...]
    facts: frozenset[Fact]


@dataclass(frozen=True)
class SeveralProblem:
    taxonomies: tuple[Taxonomy, ...]
    rows: tuple[Row, ...]
    limits: tuple[tuple[Fact, Fraction], ...]
    k: int
    scheme: Scheme
    count_people: bool


def records(problem: SeveralProblem) -> list[tuple[tuple[str, ...], frozenset[Fact]]]:
    """Rows, or people with all that their rows say."""
    if not problem.count_people:
        return [(row.known, row.facts) for row in problem.rows]
    people: dict[str, tuple[tuple[str, ...], frozenset[Fact]]] = {}
    for row in problem.rows:
        known, facts = people.get(row.person, (row.known, frozenset[Fact]()))
        people[row.person] = (known, facts | row.facts)
    return list(people.values())


def costs(problem: SeveralProblem) -> Iterator[Fraction]:
    """The loss of every cut that may be published."""
    width = len(problem.taxonomies)
    everyone = records(problem)
    for cuts in product(*(cuts_of(taxonomy) for taxonomy in problem.taxonomies)):
        published = [generalization(taxonomy, cut) for taxonomy, cut in zip(problem.taxonomies, cuts, strict=True)]
        groups: dict[tuple[str, ...], list[frozenset[Fact]]] = {}
        prices: dict[tuple[str, ...], Fraction] = {}
        for known, facts in everyone:
            cells = [labels[value] for labels, value in zip(published, known, strict=True)]
            key = tuple(label for label, _ in cells)
            groups.setdefault(key, []).append(facts)
            prices[key] = sum((price for _, price in cells), Fraction(0))
        total = Fraction(0)
        for key, members in groups.items():
            size = len(members)
            if keeps(problem, members):
                total += size * prices[key]
            elif problem.scheme == "all-sa":
                total += size * (prices[key] + width)
            elif problem.scheme == "all-rec":
                total += size * 2 * width
            else:
                break
        else:
            yield total


def keeps(problem: SeveralProblem, members: Sequence[frozenset[Fact]]) -> bool:
    size = len(members)
    return size >= problem.k and all(
        sum(fact in facts for facts in members) <= share * size for fact, share in problem.limits
    )


def optimum(problem: SeveralProblem) -> Fraction | None:
    return min(costs(problem), default=None)


# What hiding groups tells

Told: TypeAlias = frozenset[frozenset[Fact]]
"""What the different rows of a record say."""


def told_in_groups(problem: SeveralProblem, cuts: Cuts) -> list[list[Told]]:
    """What the records of each group say."""
    published = [generalization(taxonomy, cut) for taxonomy, cut in zip(problem.taxonomies, cuts, strict=True)]
    said: dict[tuple[str, ...], defaultdict[str, set[frozenset[Fact]]]] = {}
    for number, row in enumerate(problem.rows):
        key = tuple(labels[value][0] for labels, value in zip(published, row.known, strict=True))
        record = row.person if problem.count_people else str(number)
        said.setdefault(key, defaultdict(set))[record].add(row.facts)
    return [[frozenset(rows) for rows in records.values()] for records in said.values()]


def facts_of(record: Told) -> frozenset[Fact]:
    return frozenset[Fact]().union(*record)


def hidden_confidences(
    problem: SeveralProblem, likely: Mapping[Told, int], size: int, facts: Sequence[Fact]
) -> dict[Fact, Fraction]:
    """How likely a fact is true of somebody in a group of this size that broke the promise, over all such groups."""
    having: Counter[Fact] = Counter()
    worlds = 0
    for world in combinations_with_replacement(likely, size):
        members = [facts_of(record) for record in world]
        if keeps(problem, members):
            continue
        orders = factorial(size) // prod(factorial(times) for times in Counter(world).values())
        chance = orders * prod(likely[record] for record in world)
        worlds += chance
        having.update({fact: chance * sum(fact in each for each in members) for fact in facts})
    return {fact: Fraction(having[fact], worlds * size) for fact in facts}
