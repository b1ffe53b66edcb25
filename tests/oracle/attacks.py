"""The attacks by their definitions, on rows and by trying everything: slow twins that import nothing of discreet.

A row is (quasi-identifiers, sensitive value); of a release, the published labels and the value or a star. A known
person is a tuple with None for every quasi-identifier that the adversary does not know.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import prod
from typing import TypeAlias

from oracle.tables import (
    STAR,
    Cuts,
    Problem,
    Record,
    Release,
    Taxonomy,
    all_cuts,
    collapse,
    cost,
    partitions,
    published,
    release,
    violating,
)

Row: TypeAlias = tuple[tuple[str, ...], str]
Person: TypeAlias = tuple[str | None, ...]
Thresholds: TypeAlias = dict[str, Fraction | None]


def released_rows(found: Release) -> list[Row]:
    return [(labels, value) for labels, values in found.partitions for value in values]


def original_rows(problem: Problem) -> list[Row]:
    return [(qi, sensitive) for qi, sensitive, _ in problem.records]


def ancestors(taxonomy: Taxonomy, leaf: str) -> list[str]:
    """The labels from a leaf up to the root."""
    node = collapse(taxonomy)
    if isinstance(node, str):
        return [node] if node == leaf else []
    for child in node[1]:
        if below := ancestors(child, leaf):
            return [*below, node[0]]
    return []


# Linkage


@dataclass(frozen=True)
class Learned:
    """What the adversary learns of all the people he knows."""

    matches: tuple[int, ...]
    confidences: tuple[dict[str, Fraction], ...]
    right: Fraction
    baseline: Fraction

    def found(self) -> int:
        return self.matches.count(1)

    def unmatched(self) -> int:
        return self.matches.count(0)

    def highest(self) -> Fraction:
        return max((share for each in self.confidences for share in each.values()), default=Fraction(0))

    def certain(self) -> int:
        return sum(Fraction(1) in each.values() for each in self.confidences)

    def above(self, thresholds: Thresholds) -> int:
        return sum(any(self.exceeds(each, value, thresholds) for value in each) for each in self.confidences)

    def above_in(self, value: str, thresholds: Thresholds) -> int:
        return sum(self.exceeds(each, value, thresholds) for each in self.confidences)

    def highest_in(self, value: str) -> Fraction:
        return max((each.get(value, Fraction(0)) for each in self.confidences), default=Fraction(0))

    @staticmethod
    def exceeds(each: dict[str, Fraction], value: str, thresholds: Thresholds) -> bool:
        threshold = thresholds[value]
        return threshold is not None and each.get(value, Fraction(0)) > threshold


def learn(
    people: Sequence[Person],
    truth: Sequence[str],
    rows: Sequence[Row],
    fits: Callable[[Person, tuple[str, ...]], bool],
    values: Sequence[str],
) -> Learned:
    matches, confidences = [], []
    right = baseline = Fraction(0)
    common = most_frequent(Counter(v for _, v in rows if v != STAR), values)
    for person, value in zip(people, truth, strict=True):
        fitting = [sensitive for labels, sensitive in rows if fits(person, labels)]
        shown = Counter(sensitive for sensitive in fitting if sensitive != STAR)
        matches.append(len(fitting))
        confidences.append({s: Fraction(count, len(fitting)) for s, count in shown.items()})
        guessed = most_frequent(shown, list(shown)) if shown else common
        right += Fraction(value in guessed, len(guessed))
        baseline += Fraction(value in common, len(common))
    return Learned(tuple(matches), tuple(confidences), right, baseline)


def most_frequent(counts: Counter[str], values: Sequence[str]) -> list[str]:
    most = max(counts[value] for value in values)
    return [value for value in values if counts[value] == most]


def fits_original(person: Person, labels: tuple[str, ...]) -> bool:
    return all(known is None or known == label for known, label in zip(person, labels, strict=True))


def fits_release(taxonomies: Sequence[Taxonomy]) -> Callable[[Person, tuple[str, ...]], bool]:
    def fits(person: Person, labels: tuple[str, ...]) -> bool:
        return all(
            known is None or label in ancestors(taxonomy, known)
            for taxonomy, known, label in zip(taxonomies, person, labels, strict=True)
        )

    return fits


# Risk


@dataclass(frozen=True)
class Risk:
    highest: Fraction
    average: Fraction
    share_at_risk: Fraction


def risk(sizes: Sequence[int]) -> Risk:
    """sizes: for each record how many it may be one of; 0: it can be traced to nobody."""
    each = [Fraction(1, size) if size else Fraction(0) for size in sizes]
    if not each:
        return Risk(Fraction(0), Fraction(0), Fraction(0))
    at_risk = Fraction(sum(one > Fraction(1, 5) for one in each), len(each))
    return Risk(max(each), sum(each, Fraction(0)) / len(each), at_risk)


def prosecutor(rows: Sequence[Row], known: Sequence[bool]) -> Risk:
    keys = [tuple(label for label, is_known in zip(labels, known, strict=True) if is_known) for labels, _ in rows]
    return risk([keys.count(key) for key in keys])


def journalist(
    rows: Sequence[Row],
    people: Sequence[Person],
    fits: Callable[[Person, tuple[str, ...]], bool],
    known: Sequence[bool],
) -> Risk:
    sizes = []
    keys = [tuple(label for label, is_known in zip(labels, known, strict=True) if is_known) for labels, _ in rows]
    for key, (labels, _) in zip(keys, rows, strict=True):
        population = sum(fits(person, labels) for person in people)
        sizes.append(max(population, keys.count(key)) if population else 0)
    return risk(sizes)


# Stars


def star_candidates(
    shown: Counter[str], stars: int, values: Sequence[str], thresholds: dict[str, Fraction], scheme: str, guard: bool
) -> set[str]:
    """What the stars of a group may hide: every multiset of values is tried."""
    found: set[str] = set()
    for hidden in combinations_with_replacement(values, stars):
        group = shown + Counter(hidden)
        if _published(group, values, thresholds, scheme, guard) == shown:
            found |= set(hidden)
    return found


def _published(
    group: Counter[str], values: Sequence[str], thresholds: dict[str, Fraction], scheme: str, guard: bool
) -> Counter[str]:
    bad = violating(group, thresholds)
    if scheme == "all-sa":
        return Counter() if bad else group
    visible = Counter({value: count for value, count in group.items() if value not in bad})
    if guard and bad and len(visible) == len(values) - 1:
        return Counter()
    return visible


# What the scheme tells


def group_published(
    group: Counter[str],
    values: Sequence[str],
    thresholds: dict[str, Fraction],
    scheme: str,
    guard: bool,
    smallest: int,
) -> Counter[str]:
    """The counts that show of a group, by the definition of the scheme."""
    if scheme in ("vio-sa", "all-sa"):
        return _published(group, values, thresholds, scheme, guard)
    if scheme == "all-rec":
        return Counter() if violating(group, thresholds) or group.total() < smallest else group
    rest = Counter(group)
    while bad := violating(rest, thresholds):
        value = bad.pop()
        while value in violating(rest, thresholds):
            rest[value] -= 1
        rest = +rest
    return rest if rest.total() >= smallest else Counter()


def group_confidences(
    shown: Counter[str],
    people: int,
    values: Sequence[str],
    thresholds: dict[str, Fraction],
    likely: dict[str, int],
    scheme: str,
    guard: bool,
    smallest: int,
) -> dict[str, Fraction]:
    """How likely one of the people has each value, over all assignments of values that are published like this."""
    having: Counter[str] = Counter()
    worlds = 0
    for world in product(values, repeat=people):
        group = Counter(world)
        if group_published(group, values, thresholds, scheme, guard, smallest) == shown:
            chance = prod(likely[value] for value in world)
            worlds += chance
            having.update({value: count * chance for value, count in group.items()})
    return {value: Fraction(having[value], worlds * people) for value in values}


# Minimality


@dataclass(frozen=True)
class Inferred:
    """One person of an attacked group: how likely each value is, before and after thinking of the method."""

    truth: str
    before: dict[str, Fraction]
    after: dict[str, Fraction]


def minimality(
    problem: Problem, cuts: Cuts, values: Sequence[str], top_h: int = 1, finer_only: bool = False
) -> list[list[Inferred]]:
    """Every group of a release that publishes something, by all worlds and all cuts."""
    attacked = []
    rivals = list(finer(problem, cuts)) if finer_only else list(all_cuts(problem))
    found = release(problem, cuts)
    assert found is not None
    shown = Counter(value for _, value in released_rows(found))
    likely = {value: shown[value] + 1 for value in values}
    for members in partitions(problem, cuts).values():
        left = published(problem, members)
        if not left:
            continue
        places = _all_places(problem.records, members)
        consistent: list[tuple[str, ...]] = []
        possible: list[tuple[str, ...]] = []
        for world in product(values, repeat=len(members)):
            group = [(qi, value, cls) for (qi, _, cls), value in zip(members, world, strict=True)]
            if published(problem, group) != left:
                continue
            possible.append(world)
            if _still_chosen(problem, cuts, rivals, places, world, top_h):
                consistent.append(world)
        attacked.append(
            [
                Inferred(members[place][1], _shares(possible, place, likely), _shares(consistent, place, likely))
                for place in range(len(members))
            ]
        )
    return attacked


def _all_places(records: Sequence[Record], members: Sequence[Record]) -> list[int]:
    """Where the members stand among the records; equal ones are interchangeable."""
    free = defaultdict(list)
    for place, record in enumerate(records):
        free[record].append(place)
    return [free[member].pop() for member in members]


def _still_chosen(
    problem: Problem, cuts: Cuts, rivals: Sequence[Cuts], places: Sequence[int], world: Sequence[str], top_h: int
) -> bool:
    records = list(problem.records)
    for place, value in zip(places, world, strict=True):
        records[place] = (records[place][0], value, records[place][2])
    other = Problem(problem.taxonomies, tuple(records), problem.thresholds, problem.k, problem.scheme, problem.loss)
    own = cost(other, cuts)
    assert own is not None
    better = set()
    for rival in rivals:
        price = cost(other, rival)
        if price is not None and price < own:
            better.add(release(other, rival))
    return len(better) < top_h


def finer(problem: Problem, cuts: Cuts) -> Iterator[Cuts]:
    """The cuts in which one value that is published gives way to its children."""
    groups = partitions(problem, cuts)
    for index, (taxonomy, cut) in enumerate(zip(problem.taxonomies, cuts, strict=True)):
        for label in sorted({labels[index] for labels in groups}):
            if children := _children(collapse(taxonomy), label):
                yield (*cuts[:index], (cut - {label}) | frozenset(children), *cuts[index + 1 :])


def _children(node: Taxonomy, label: str) -> list[str]:
    if isinstance(node, str):
        return []
    if node[0] == label:
        return [child if isinstance(child, str) else child[0] for child in node[1]]
    return [found for child in node[1] for found in _children(child, label)]


def _shares(worlds: Sequence[tuple[str, ...]], place: int, likely: dict[str, int]) -> dict[str, Fraction]:
    having: Counter[str] = Counter()
    for world in worlds:
        having[world[place]] += prod(likely[value] for value in world)
    return {value: Fraction(having[value], having.total()) for value in likely}


# Intersection


def possible_values(
    person: Person,
    everyone: Sequence[tuple[str, ...]],
    rows: Sequence[Row],
    fits: Callable[[Person, tuple[str, ...]], bool],
    values: Sequence[str],
) -> set[str]:
    """What a release leaves possible for somebody of the original.

    All records that fit look alike in what is known of the person; those belong who look so too in this.
    """
    fitting = [(labels, value) for labels, value in rows if fits(person, labels)]
    if not fitting:
        return set(values)
    alike = [tuple(None if known is None else v for known, v in zip(person, other, strict=True)) for other in everyone]
    belong = sum(fits(other, fitting[0][0]) for other in alike)
    shown = {value for _, value in fitting}
    return set(values) if STAR in shown or belong > len(fitting) else shown


# Groups with labels of their own


def prosecutor_among_all(
    rows: Sequence[Row], people: Sequence[Person], fits: Callable[[Person, tuple[str, ...]], bool]
) -> Risk:
    """By people: each is one of all records that fit."""
    return risk([sum(fits(person, labels) for labels, _ in rows) for person in people])


def possible_among_all(
    person: Person,
    people: int,
    rows: Sequence[Row],
    fits: Callable[[Person, tuple[str, ...]], bool],
    values: Sequence[str],
) -> set[str]:
    """What a release leaves possible for somebody who may fit several groups; people: in the original."""
    shown = {value for labels, value in rows if fits(person, labels)}
    return set(values) if len(rows) < people or STAR in shown else shown


@dataclass(frozen=True)
class Expelled:
    """People who are alike, of whom some were published in wider groups."""

    labels: tuple[str, ...]
    people: int
    confidences: dict[str, Fraction]
    left: Counter[str]
    full: dict[str, int]
    """what they may have, and how often other groups that fit show it"""


def expelled(
    records: Sequence[Row],
    rows: Sequence[Row],
    fits: Callable[[Person, tuple[str, ...]], bool],
    thresholds: dict[str, Fraction],
    values: Sequence[str],
) -> list[Expelled]:
    """For each combination of which some stay in a group labelled so: who knows the method takes the values that could
    not have stayed more often, and that other groups show which fit, for those of the others."""
    found = []
    for labels in sorted({labels for labels, _ in rows}):
        alike = Counter(value for those, value in records if those == labels)
        stayed = Counter(value for those, value in rows if those == labels)
        gone = alike.total() - stayed.total()
        if not gone or not alike:
            continue
        frequent = Counter(value for those, value in rows if those != labels and fits(labels, those))
        full = []
        for value in stayed:
            one_more = stayed + Counter([value])
            if one_more[value] > thresholds[value] * one_more.total() and frequent[value]:
                full.append(value)
        of_full = sum(frequent[value] for value in full)
        sent = {value: Fraction(gone * frequent[value], of_full) if value in full else Fraction(0) for value in values}
        shares = {value: (stayed[value] + sent[value]) / alike.total() for value in values}
        found.append(
            Expelled(labels, alike.total(), shares, alike - stayed, {value: frequent[value] for value in full})
        )
    return found


# The nearest row


def nearest_right(
    people: Sequence[Sequence[float | None]], truth: Sequence[str], rows: Sequence[tuple[Sequence[float], str]]
) -> Fraction:
    """How many are guessed right by the rows nearest in numbers, each column divided by its standard deviation.

    None: a number that is not known, which says nothing of how far a row is.
    """
    spread = []
    for column in zip(*(numbers for numbers, _ in rows), strict=True):
        mean = sum(column) / len(column)
        deviation = (sum((number - mean) ** 2 for number in column) / len(column)) ** 0.5
        spread.append(deviation or 1.0)
    right = Fraction(0)
    for person, value in zip(people, truth, strict=True):
        distances = [
            sum(
                ((one - other) / by) ** 2
                for one, other, by in zip(person, numbers, spread, strict=True)
                if one is not None
            )
            ** 0.5
            for numbers, _ in rows
        ]
        near = Counter(
            shown
            for distance, (_, shown) in zip(distances, rows, strict=True)
            if distance <= min(distances) * (1 + 1e-9)
        )
        best = most_frequent(near, list(near))
        right += Fraction(value in best, len(best))
    return right
