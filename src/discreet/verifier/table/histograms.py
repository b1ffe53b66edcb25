"""Promises about all sensitive values of a partition together, each checked by its definition.

With counts c of the n rows of a partition that show a value:

- distinct l-diversity: at least l different values;
- entropy l-diversity: the entropy of the shares c / n is at least log l, so n^n >= l^n * product of c^c;
- recursive (c, l)-diversity: the largest count is less than c times the sum of those from the l-th largest on;
- t-closeness: the shares are at most t away from those of a reference, by one of four distances;
- beta-likeness: no share is more than 1 + beta times that of the reference.

A suppressed value is none: what a partition shows has to keep the promise by itself, and one that shows nothing tells
nothing. All of these are closed under union: each bounds a convex function of the shares, and the shares of a union lie
between those of its parts. They are about rows that show one value each, so not about people with several.

The reference is stated, or it is `published`: the distribution of all rows. The latter promises something only where
nothing was suppressed, so then a suppressed value is a breach.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, cast

from discreet.engine.published import PublishedGroups
from discreet.errors import InputError
from discreet.verifier.certificate import brief, mapping, number, only_keys, sequence, share, text, whole
from discreet.verifier.logarithms import is_at_least_one
from discreet.verifier.table.claims import SUPPRESSED, Columns
from discreet.verifier.table.labels import NUMBER
from discreet.verifier.table.naming import partition, sensitive_column
from discreet.verifier.taxonomy import Parents
from discreet.verifier.verdict import MOST_WITNESSES, Breach, counted, shown, some

Histogram: TypeAlias = Mapping[str, int]
Shares: TypeAlias = Mapping[str, Fraction]
Fault: TypeAlias = Callable[[Histogram, Shares], str | None]
"""What is wrong with a partition, given the shares of the reference; None where it keeps the promise."""
PUBLISHED = "published"
DISTANCES = ("equal", "ordered", "hierarchical", "kl")
ORDERS = ("alphabetical", "numbers")


@dataclass(frozen=True)
class HistogramPromise:
    """What is promised about every partition's values."""

    model: str
    column: str
    sentence: str
    fault: Fault
    says_nothing: bool
    reference: Shares | None = None
    """None: it needs none, or that of what is published"""
    refers: bool = False
    notes: tuple[str, ...] = ()
    closed_under_union: bool = True
    unproved: None = None

    def __str__(self) -> str:
        return f"{self.model}: {self.sentence}."

    def breaches(self, groups: PublishedGroups, columns: Columns) -> Iterator[Breach]:
        reference: Shares = self.reference or {}
        if self.refers:
            everybody = Counter(dict(groups.values(self.column)))
            suppressed = everybody.pop(SUPPRESSED, 0)
            if self.reference is None:
                reference = _shares(everybody)
                if suppressed:
                    yield Breach(
                        self.model,
                        f"{counted(suppressed, 'value')} of {self.column!r} suppressed, and the promise compares with "
                        "the distribution of what is published: with values left out that says nothing.",
                    )
            elif strangers := sorted(everybody.keys() - reference.keys()):
                yield Breach(
                    self.model,
                    f"{counted(len(strangers), 'published value')} of {self.column!r} not in the reference.",
                    tuple(f"{shown(value)} in {counted(everybody[value], 'row')}" for value in strangers),
                )
                return
        found = 0
        witnesses: list[str] = []
        for keys, counts in groups.histograms(self.column):
            visible = {value: count for value, count in counts.items() if value != SUPPRESSED}
            if visible and (fault := self.fault(visible, reference)):
                found += 1
                if len(witnesses) < MOST_WITNESSES:
                    size = counted(sum(counts.values()), "row")
                    witnesses.append(f"partition {partition(columns, keys)} of {size}: {fault}")
        if found:
            yield Breach(self.model, f"{counted(found, 'partition')} in which it does not hold.", tuple(witnesses))


def read_distinct(entry: Mapping[str, object], columns: Columns, where: str) -> HistogramPromise:
    only_keys(entry, {"model", "l"}, where, {"column"})
    column, of_column = _about(entry, columns, where)
    least = whole(entry["l"], f"{where}: l")

    def fault(histogram: Histogram, _: Shares) -> str | None:
        return None if len(histogram) >= least else f"{counted(len(histogram), 'different value')}, fewer than {least}"

    sentence = f"every partition has at least {counted(least, 'different sensitive value')}{of_column}"
    return HistogramPromise("distinct-l-diversity", column, sentence, fault, least == 1)


def read_entropy(entry: Mapping[str, object], columns: Columns, where: str) -> HistogramPromise:
    only_keys(entry, {"model", "l"}, where, {"column"})
    column, of_column = _about(entry, columns, where)
    least = number(entry["l"], f"{where}: l")
    if least < 1:
        raise InputError(f"{where}: l is {least}, and no entropy is below that of one value; it is 1 or more.")

    def fault(histogram: Histogram, _: Shares) -> str | None:
        size = sum(histogram.values())
        powers = [(size, size), (least.denominator, size), (least.numerator, -size)]
        if is_at_least_one([*powers, *((count, -count) for count in histogram.values())]):
            return None
        return f"{_told(histogram)}, less entropy than {least} equally frequent values"

    sentence = f"every partition has at least the entropy of {least} equally frequent sensitive values{of_column}"
    return HistogramPromise("entropy-l-diversity", column, sentence, fault, least == 1)


def read_recursive(entry: Mapping[str, object], columns: Columns, where: str) -> HistogramPromise:
    only_keys(entry, {"model", "c", "l"}, where, {"column"})
    column, of_column = _about(entry, columns, where)
    factor, place = number(entry["c"], f"{where}: c"), whole(entry["l"], f"{where}: l")
    if factor <= 0:
        raise InputError(f"{where}: c is {factor}, and no group keeps that; it is above 0.")

    def fault(histogram: Histogram, _: Shares) -> str | None:
        falling = sorted(histogram.values(), reverse=True)
        rare = sum(falling[place - 1 :])
        if falling[0] < factor * rare:
            return None
        return f"{_told(histogram)}: the most frequent {falling[0]} times, not less than {factor} times {rare}"

    sentence = (
        f"in every partition the most frequent sensitive value{of_column} occurs less than {factor} times as often as "
        f"all from number {place} on together, by falling frequency"
    )
    return HistogramPromise("recursive-l-diversity", column, sentence, fault, place == 1 and factor > 1)


def read_closeness(entry: Mapping[str, object], columns: Columns, where: str) -> HistogramPromise:
    distance = text(entry.get("distance"), f"{where}: distance")
    if distance not in DISTANCES:
        raise InputError(f"{where}: the distance {brief(distance)} is unknown; known are {', '.join(DISTANCES)}.")
    ordered = {"order"} if distance == "ordered" else set()
    only_keys(entry, {"model", "t", "distance", "reference"} | ordered, where, {"column"})
    column, of_column = _about(entry, columns, where)
    largest = number(entry["t"], f"{where}: t")
    if largest < 0 or (distance != "kl" and largest > 1):
        raise InputError(f"{where}: t is {largest}; it is from 0 to 1, and with the distance kl 0 or more.")
    measure = _measure(distance, entry, column, columns, where)

    def fault(histogram: Histogram, reference: Shares) -> str | None:
        if distance == "kl":
            near = _is_within_bits(histogram, reference, largest)
            return None if near else f"{_told(histogram)}, more than {largest} bits away"
        apart = measure(_shares(histogram), reference)
        return None if apart <= largest else f"{_told(histogram)}, {float(apart):.4g} away, more than {largest}"

    reference = _reference(entry, where)
    against = "all rows" if reference is None else "the reference that the certificate states"
    sentence = (
        f"the sensitive values{of_column} of every partition are at most {largest} away from those of {against}, by "
        f"the distance {distance}{_in_order(entry['order']) if distance == 'ordered' else ''}"
    )
    notes = []
    if reference is not None and distance != "kl":
        notes.append(f"So every partition is at most {2 * largest} away from the distribution of what is published.")
    says_nothing = distance != "kl" and largest == 1
    if reference is not None and distance in ("equal", "kl"):
        rarest = min(reference, key=lambda value: reference[value])
        says_nothing |= fault({rarest: 1}, reference) is None  # no group is farther than one of this value alone
    return HistogramPromise("t-closeness", column, sentence, fault, says_nothing, reference, True, tuple(notes))


def read_likeness(entry: Mapping[str, object], columns: Columns, where: str) -> HistogramPromise:
    only_keys(entry, {"model", "beta", "reference"}, where, {"column"})
    column, of_column = _about(entry, columns, where)
    beta = number(entry["beta"], f"{where}: beta")
    if beta <= 0:
        raise InputError(f"{where}: beta is {beta}; it is above 0.")

    def fault(histogram: Histogram, reference: Shares) -> str | None:
        size = sum(histogram.values())
        for value, count in histogram.items():
            if count > min(Fraction(1), (1 + beta) * reference[value]) * size:
                return f"{shown(value)} in {count}, more than {1 + beta} times its share of {reference[value]}"
        return None

    reference = _reference(entry, where)
    against = "all rows" if reference is None else "the reference that the certificate states"
    sentence = (
        f"no sensitive value{of_column} has more than {1 + beta} times as large a share of a partition as it has of "
        f"{against}"
    )
    says_nothing = reference is not None and all((1 + beta) * part >= 1 for part in reference.values())
    return HistogramPromise("beta-likeness", column, sentence, fault, says_nothing, reference, True)


def _about(entry: Mapping[str, object], columns: Columns, where: str) -> tuple[str, str]:
    """The column that a promise is about, and words that name it where the promise does."""
    column = sensitive_column(entry, columns, where)
    if columns.person is not None:
        raise InputError(
            f"{where}: {entry['model']} is about rows that show one value each, and here people may have several."
        )
    return column, f" of {column!r}" if "column" in entry else ""


def _reference(entry: Mapping[str, object], where: str) -> Shares | None:
    if entry["reference"] == PUBLISHED:
        return None
    at = f"{where}: reference"
    shares = {value: share(part, f"{at} of {value!r}") for value, part in mapping(entry["reference"], at).items()}
    if sum(shares.values()) != 1 or min(shares.values()) == 0:
        raise InputError(f"{at}: its shares should be above 0 and add up to 1.")
    if SUPPRESSED in shares:
        raise InputError(f"{at}: {SUPPRESSED!r} stands for a suppressed value and can have no share.")
    return shares


def _shares(histogram: Histogram) -> dict[str, Fraction]:
    size = sum(histogram.values())
    return {value: Fraction(count, size) for value, count in histogram.items()}


def _told(histogram: Histogram) -> str:
    """The most frequent values, for a witness."""
    falling = sorted(histogram.items(), key=lambda item: (-item[1], item[0]))
    more = f" and {len(falling) - 3} more" if len(falling) > 3 else ""
    return ", ".join(f"{shown(value)} {count}" for value, count in falling[:3]) + more


def _measure(
    distance: str, entry: Mapping[str, object], column: str, columns: Columns, where: str
) -> Callable[[Shares, Shares], Fraction]:
    if distance == "ordered":
        return _ordered(entry["order"], f"{where}: order")
    if distance == "hierarchical":
        parents = columns.sensitive[column]
        if parents is None:
            raise InputError(f"{where}: the distance hierarchical needs a taxonomy of {column!r}, and there is none.")
        return _hierarchical(parents)
    return _equal


def _equal(one: Shares, other: Shares) -> Fraction:
    differences = (abs(one.get(value, Fraction(0)) - other.get(value, Fraction(0))) for value in {*one, *other})
    return sum(differences, Fraction(0)) / 2


def _ordered(order: object, where: str) -> Callable[[Shares, Shares], Fraction]:
    """Neighbours are 1 / (r - 1) apart, r being the number of values of the reference."""
    places: Mapping[str, int] = {}
    if not isinstance(order, str):
        listed = ["" if value == "" else text(value, where) for value in sequence(order, where)]  # "": missing
        places = {value: place for place, value in enumerate(listed)}
        if len(places) < len(listed):
            raise InputError(f"{where}: a value is listed twice.")
    elif order not in ORDERS:
        raise InputError(f"{where}: {brief(order)} is unknown; known are {', '.join(ORDERS)} and a list of all values.")

    def place_of(value: str) -> tuple[Fraction | int, str]:
        if order == ORDERS[0]:
            return 0, value
        if order == ORDERS[1] and NUMBER.fullmatch(value):
            return Fraction(value), value
        if value in places:
            return places[value], value
        raise InputError(f"{where}: the value {brief(value)} has no place in it.")

    def distance(one: Shares, other: Shares) -> Fraction:
        cumulated = total = Fraction(0)
        values = sorted({*one, *other}, key=place_of)
        for value in values:
            cumulated += one.get(value, Fraction(0)) - other.get(value, Fraction(0))
            total += abs(cumulated)
        return total / max(1, len(other) - 1)

    return distance


def _in_order(order: object) -> str:
    """How values are ordered, for a reader of the promise."""
    if isinstance(order, str):
        return f", in the order of {'numbers' if order == ORDERS[1] else 'the alphabet'}"
    return f", in the order {some([shown(str(value)) for value in cast(Sequence[object], order)])}"


def _hierarchical(parents: Parents) -> Callable[[Shares, Shares], Fraction]:
    """Values are as far apart as the lowest label above both is high, in parts of the root's height.

    So what a node has too much or too little of moves up to its parent, for half of the difference of their heights.
    """
    height: dict[str, int] = {}
    for node in parents:
        up, steps = node, 0
        while height.get(up, -1) < steps:
            height[up] = steps
            above = parents[up]
            if above is None:
                break
            up, steps = above, steps + 1
    root = next(node for node, parent in parents.items() if parent is None)
    top = max(1, height[root])

    def distance(one: Shares, other: Shares) -> Fraction:
        surplus: dict[str, Fraction] = {}
        total = Fraction(0)
        for value in {*one, *other}:
            difference = one.get(value, Fraction(0)) - other.get(value, Fraction(0))
            if value not in parents:  # the missing value lies right below the root
                total += abs(difference) / 2
                continue
            node: str | None = value
            while node is not None:
                surplus[node] = surplus.get(node, Fraction(0)) + difference
                node = parents[node]
        for label, difference in surplus.items():
            above = parents[label]
            if above is not None:
                total += abs(difference) * Fraction(height[above] - height[label], 2 * top)
        return total

    return distance


def _is_within_bits(histogram: Histogram, reference: Shares, bits: Fraction) -> bool:
    """sum of c log2(c / (n q)) <= bits * n"""
    size = sum(histogram.values())
    powers = [(2, bits.numerator * size), (size, size * bits.denominator)]
    for value, count in histogram.items():
        part = reference[value]
        powers += [(count, -count * bits.denominator), (part.numerator, count * bits.denominator)]
        powers.append((part.denominator, -count * bits.denominator))
    return is_at_least_one(powers)


READERS: Mapping[str, Callable[[Mapping[str, object], Columns, str], HistogramPromise]] = {
    "distinct-l-diversity": read_distinct,
    "entropy-l-diversity": read_entropy,
    "recursive-l-diversity": read_recursive,
    "t-closeness": read_closeness,
    "beta-likeness": read_likeness,
}
