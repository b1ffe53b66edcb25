"""Optimal l+-diversity by trying every cut: the slow twin of the search for tables.

Written from chapter 3 of the thesis (definitions 3.1 and 3.2, sections 3.1.2, 3.1.3 and 3.5) with the
readings settled in docs/decisions/0003. It bounds nothing, prunes nothing and counts in fractions; it is meant to be
read, not to be fast. Nothing of discreet is imported.

A taxonomy is nested: a leaf is a label (str), an inner node is ``(label, [child, ...])``. A cut of one
taxonomy is the frozen set of its labels; ``Cuts`` holds one for each quasi-identifier. A chain of one-child
nodes is one node under its lowest label, here and in every cut.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import prod
from typing import Literal, TypeAlias

Taxonomy: TypeAlias = "str | tuple[str, Sequence[Taxonomy]]"
Record: TypeAlias = tuple[tuple[str, ...], str, str | None]  # quasi-identifiers, sensitive value, class
Cut: TypeAlias = frozenset[str]
Cuts: TypeAlias = tuple[Cut, ...]
Scheme: TypeAlias = Literal["none", "vio-sa", "all-sa", "vio-rec", "all-rec"]
Loss: TypeAlias = Literal["lm", "dm", "cm"]

STAR = "*"


@dataclass(frozen=True)
class Problem:
    """A table, its taxonomies, what is promised, how it may be kept and what is minimised."""

    taxonomies: tuple[Taxonomy, ...]
    records: tuple[Record, ...]
    thresholds: dict[str, Fraction]
    k: int = 1
    scheme: Scheme = "none"
    loss: Loss = "lm"
    guard_stars: bool = False
    weights: tuple[Fraction, ...] = ()
    """of the quasi-identifiers, for lm; 1 each if left out"""
    too_coarse: frozenset[str] = frozenset()
    """labels that must not be in a cut"""
    most_suppressed: int | None = None
    """so many records may be deleted, or values starred"""
    keeps: Callable[[Counter[str]], bool] | None = None
    """what every partition has to keep besides, by its histogram"""

    def __post_init__(self) -> None:
        object.__setattr__(self, "taxonomies", tuple(_frozen(t) for t in self.taxonomies))
        _require(len(self.taxonomies) > 0, "there is no quasi-identifier")
        _require(len(self.records) > 0, "there are no records")
        for taxonomy in self.taxonomies:
            labels = _labels(collapse(taxonomy))
            _require(len(labels) == len(set(labels)), f"a label is used twice in {taxonomy!r}")
        for qi, sensitive, cls in self.records:
            _require(len(qi) == len(self.taxonomies), f"{qi!r} does not fit the taxonomies")
            for value, taxonomy in zip(qi, self.taxonomies, strict=True):
                _require(value in leaves(taxonomy), f"{value!r} is no leaf of {taxonomy!r}")
            _require(sensitive != STAR, "a sensitive value is called '*'")
            _require(0 <= self.thresholds[sensitive] <= 1, "a threshold lies outside [0, 1]")
            _require(self.loss != "cm" or cls is not None, "cm needs a class for every record")
        _require(self.k >= 1, "k is at least 1")
        _require(self.k == 1 or self.scheme not in ("vio-sa", "all-sa"), "k goes with none and records only")
        _require(self.loss == "lm" or self.scheme not in ("vio-sa", "all-sa"), "dm and cm suppress records")
        _require(not self.guard_stars or self.scheme == "vio-sa", "guard_stars goes with vio-sa")


@dataclass(frozen=True)
class Release:
    """The published rows: for each partition its labels and, sorted, its visible sensitive values or stars.

    A partition of which nothing is left does not appear. Two releases are equal if and only if their rows
    are: ``deleted`` is what is missing from the table and says nothing more.
    """

    partitions: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    deleted: int


# Taxonomies and cuts


def collapse(taxonomy: Taxonomy) -> Taxonomy:
    """The taxonomy with each chain of one-child nodes made one node under the lowest label."""
    if isinstance(taxonomy, str):
        return taxonomy
    label, children = taxonomy
    if len(children) == 1:
        return collapse(children[0])
    return label, tuple(collapse(child) for child in children)


def leaves(taxonomy: Taxonomy) -> list[str]:
    """The leaves from left to right, whether they occur in the data or not."""
    if isinstance(taxonomy, str):
        return [taxonomy]
    return [leaf for child in taxonomy[1] for leaf in leaves(child)]


def cuts_of(taxonomy: Taxonomy) -> list[Cut]:
    """Every cut: exactly one label on each way from the root to a leaf, chains collapsed."""

    def below(node: Taxonomy) -> list[Cut]:
        if isinstance(node, str):
            return [frozenset({node})]
        label, children = node
        choices = product(*(below(child) for child in children))
        return [frozenset({label})] + [frozenset[str]().union(*choice) for choice in choices]

    return below(collapse(taxonomy))


def all_cuts(problem: Problem) -> Iterator[Cuts]:
    """Every combination of an allowed cut for each quasi-identifier."""
    return product(
        *([cut for cut in cuts_of(taxonomy) if not cut & problem.too_coarse] for taxonomy in problem.taxonomies)
    )


def count_cuts(problem: Problem) -> int:
    """How many combinations ``all_cuts`` gives."""
    return prod(len(cuts_of(taxonomy)) for taxonomy in problem.taxonomies)


@lru_cache(maxsize=4096)
def generalization(taxonomy: Taxonomy, cut: Cut) -> dict[str, tuple[str, Fraction]]:
    """For each leaf its label in the cut, and what lm charges for it (3.5.1.1)."""
    total = len(leaves(taxonomy))
    result: dict[str, tuple[str, Fraction]] = {}

    def walk(node: Taxonomy) -> None:
        label = node if isinstance(node, str) else node[0]
        if label in cut:
            under = leaves(node)
            charge = Fraction(len(under) - 1, total - 1) if total > 1 else Fraction(0)
            result.update(dict.fromkeys(under, (label, charge)))
        elif not isinstance(node, str):
            for child in node[1]:
                walk(child)

    walk(collapse(taxonomy))
    exact = len(result) == total and {label for label, _ in result.values()} == cut
    _require(exact, f"{sorted(cut)} is not a cut of {taxonomy!r}")
    return result


# Partitions and suppression


def partitions(problem: Problem, cuts: Cuts) -> dict[tuple[str, ...], list[Record]]:
    """The records under each sequence of generalized values that occurs (3.1.2), before suppression."""
    maps = [generalization(t, cut) for t, cut in zip(problem.taxonomies, cuts, strict=True)]
    result: dict[tuple[str, ...], list[Record]] = {}
    for record in problem.records:
        labels = tuple(m[value][0] for m, value in zip(maps, record[0], strict=True))
        result.setdefault(labels, []).append(record)
    return result


def violating(histogram: Counter[str], thresholds: dict[str, Fraction]) -> set[str]:
    """The sensitive values whose confidence exceeds their threshold (definition 3.1)."""
    size = histogram.total()
    return {s for s, count in histogram.items() if count > thresholds[s] * size}


def least_deletion(histogram: Counter[str], thresholds: dict[str, Fraction]) -> Counter[str]:
    """What vio-rec keeps: of each violating value the fewest records that end its own violation are deleted,
    again and again, since a deletion raises the confidence of the others (lemma 3.3, example 3.7)."""
    keep = +histogram
    while bad := violating(keep, thresholds):
        value = min(bad)  # the order does not matter: vectors that violate nothing are closed under maximum
        while value in violating(keep, thresholds):
            keep[value] -= 1
            keep = +keep
    return keep


def largest_lawful(problem: Problem, histogram: Counter[str]) -> Counter[str]:
    """A part of a partition that keeps everything that is promised and has as many records as possible."""
    assert problem.keeps is not None
    best = Counter[str]()
    for counts in product(*(range(count + 1) for count in histogram.values())):
        part = +Counter(dict(zip(histogram, counts, strict=True)))
        if max(best.total(), problem.k - 1) < part.total() and not violating(part, problem.thresholds):
            best = part if problem.keeps(part) else best
    return best


def published(problem: Problem, members: Sequence[Record]) -> Counter[str] | None:
    """The sensitive values, stars among them, that are left of one partition; None: it breaks the promise."""
    histogram = Counter(sensitive for _, sensitive, _ in members)
    size = len(members)
    violators = violating(histogram, problem.thresholds)
    bad = bool(violators) or (problem.keeps is not None and not problem.keeps(histogram))
    match problem.scheme:
        case "none":
            return None if bad or size < problem.k else histogram
        case "all-rec":
            return Counter() if bad or size < problem.k else histogram
        case "vio-rec" if problem.keeps is not None:
            return largest_lawful(problem, histogram)
        case "vio-rec":
            keep = least_deletion(histogram, problem.thresholds)
            return keep if keep.total() >= problem.k else Counter()
        case "all-sa":
            return Counter({STAR: size}) if bad else histogram
        case "vio-sa":
            visible = Counter({s: count for s, count in histogram.items() if s not in violators})
            everywhere = {sensitive for _, sensitive, _ in problem.records}
            if problem.guard_stars and bad and len(visible) == len(everywhere) - 1:
                visible.clear()
            return visible + Counter({STAR: size - visible.total()})


def release(problem: Problem, cuts: Cuts) -> Release | None:
    """What these cuts publish; None if they may not (scheme none and some partition breaks the promise, or more is
    suppressed than may be)."""
    rows = []
    for labels, members in partitions(problem, cuts).items():
        left = published(problem, members)
        if left is None:
            return None
        if left:
            rows.append((labels, tuple(sorted(left.elements()))))
    kept = sum(len(values) for _, values in rows)
    deleted = len(problem.records) - kept
    starred = sum(value == STAR for _, values in rows for value in values)
    if problem.most_suppressed is not None and deleted + starred > problem.most_suppressed:
        return None
    return Release(tuple(sorted(rows)), deleted)


# Costs


def cost(problem: Problem, cuts: Cuts) -> Fraction | None:
    """The loss of what these cuts publish (3.5); None if they publish nothing lawful."""
    if release(problem, cuts) is None:
        return None
    total = Fraction(0)
    for labels, members in partitions(problem, cuts).items():
        left = published(problem, members)
        if left is None:
            return None
        total += partition_cost(problem, cuts, labels, members, left)
    return total


def partition_cost(
    problem: Problem, cuts: Cuts, labels: tuple[str, ...], members: Sequence[Record], left: Counter[str]
) -> Fraction:
    """The part of the loss that one partition bears."""
    kept = left.total()
    deleted = len(members) - kept
    if problem.loss == "dm":
        return Fraction(kept * kept + len(problem.records) * deleted)
    if problem.loss == "cm":
        return Fraction(fewest_in_minority(members, left) + deleted)
    qi, _, _ = members[0]
    charge = Fraction(0)
    weights = problem.weights or (Fraction(1),) * len(problem.taxonomies)
    for taxonomy, cut, value, label, weight in zip(problem.taxonomies, cuts, qi, labels, weights, strict=True):
        to, price = generalization(taxonomy, cut)[value]
        assert to == label
        charge += weight * price
    width = sum(weights)
    return kept * charge + left[STAR] * width + deleted * 2 * width


def fewest_in_minority(members: Sequence[Record], left: Counter[str]) -> int:
    """Kept records outside the majority class, for the best choice of WHICH records of a value are kept."""
    classes = sorted({cls or "" for _, _, cls in members})
    there = Counter((sensitive, cls or "") for _, sensitive, cls in members)
    key = tuple((tuple(there[s, c] for c in classes), left[s]) for s in sorted({s for _, s, _ in members}))
    return _fewest_in_minority(key)


@lru_cache(maxsize=65536)
def _fewest_in_minority(values: tuple[tuple[tuple[int, ...], int], ...]) -> int:
    """Each value comes as its count in each class and how many of them are kept; every choice is tried."""
    width = len(values[0][0])
    reached = {(0,) * width}  # records kept in each class, by some choice for the values seen so far
    for counts, keep in values:
        choices = [c for c in product(*(range(count + 1) for count in counts)) if sum(c) == keep]
        reached = {tuple(a + b for a, b in zip(r, c, strict=True)) for r in reached for c in choices}
    return min(sum(r) - max(r) for r in reached)


def optimum(problem: Problem) -> Fraction | None:
    """The least cost over all cuts; None if no cut may be published."""
    return min((c for cuts in all_cuts(problem) if (c := cost(problem, cuts)) is not None), default=None)


def costs_of_distinct_releases(problem: Problem) -> list[Fraction]:
    """One cost for each different release, ascending; a release that several cuts give counts once."""
    least: dict[Release, Fraction] = {}
    for cuts in all_cuts(problem):
        rows, price = release(problem, cuts), cost(problem, cuts)
        if rows is not None and price is not None:
            least[rows] = min(price, least.get(rows, price))
    return sorted(least.values())


def _frozen(taxonomy: Taxonomy) -> Taxonomy:
    if isinstance(taxonomy, str):
        return taxonomy
    label, children = taxonomy
    _require(len(children) > 0, f"{label!r} is an inner node without children")
    return label, tuple(_frozen(child) for child in children)


def _labels(taxonomy: Taxonomy) -> list[str]:
    if isinstance(taxonomy, str):
        return [taxonomy]
    return [taxonomy[0], *(label for child in taxonomy[1] for label in _labels(child))]


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)
