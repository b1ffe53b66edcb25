"""How sure somebody who knows the suppression scheme is of a sensitive value: over all originals of a published group.

A group of n people shows the counts c(v) of sensitive values; h people are left, behind stars or deleted. The adversary
knows the quasi-identifiers of everybody, so also n; the scheme; the threshold of each value; and takes from the release
how likely each value is, p(v), for somebody about whom nothing else is known. A world is an assignment of values to the
n people from which the scheme makes what is published. The confidence that one of them has the value v is the mean of
its count x(v) over the worlds, divided by n. The worlds with the counts x are n! / (x(1)! x(2)! ...), each as likely
as the product of all p(v) ^ x(v). So sums over worlds are coefficients of products of generating functions, one for
each value: the sum of (p(v) t)^j / j! over the counts j that it may have.

vio-sa. A value shows all its records or, where it violates, none: each that does not show has no record or at least
m(v), the least count that violates in n. With guarded stars a group of nothing but stars may also be one in which one
value violates and every other has a record and does not.

all-sa, all-rec. What is suppressed as a whole is any group that violates: all worlds less the lawful ones. In a large
group a violation may be so unlikely that the floats of this difference have no digits left. The probability that some
value violates is at most the sum over v of the probability that v does, that x(v) >= m(v), where x(v) is binomial. This
sum takes no product of polynomials, so where it is too small already, none is multiplied.

There it does not matter that two values may violate at once, and the worlds are added up by the value that violates.
Let S be that sum. Counts that share n people are negatively associated (Joag-Dev and Proschan 1983), so two values
violate with at most the product of their probabilities, all pairs together with at most S^2 / 2, and some value
violates with a probability between S - S^2 / 2 and S. Somebody has v, knowing that some value violates, with p(v) U(v)
/ U: U is the probability that some value does, and U(v) the same if it is known that this person has v. The others are
then n - 1 people to whom the same applies, with a sum S(v). S is the mean of the S(v), so where each S(v) is below a
small e, taking S(v) / S for U(v) / U is wrong by a factor within e / 2 of 1.

vio-rec. What stays of the counts x has the size N, the largest E for which the sum over v of min(x(v), floor(t(v) E))
is at least E, t(v) being the threshold; and of v stay min(x(v), floor(t(v) N)). (That sum at E = N is N exactly: were
it more, E = N + 1 would do.) So a value of which fewer than floor(t(v) N) stay lost nothing, and the others may have
lost any number, as long as for every E above N the sum stays below E. Mostly it does whatever was lost; where not, the
worlds are enumerated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import factorial, prod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.values.arrays import Int64s

MOST_HIDDEN = 3_000
"""Hidden people of a group up to which the sums are computed."""
MOST_STEPS = 100_000
"""Steps of an enumeration up to which it is finished."""
CLOSE = 1e-8
"""A confidence as near as this to its threshold is computed anew with exact numbers."""
MOST_EXACT = 300_000
"""Hidden people, squared, times kinds of values, up to which that is done."""
LEAST_LIKELY = 1e-8
"""A sum that is the difference of two larger by more than this has too few digits."""

Polynomial: TypeAlias = npt.NDArray[Any]
"""Coefficients by the number of hidden people: extended floats, or Fractions."""


@dataclass(frozen=True)
class Published:
    """A group as it is published, and what is known about how."""

    counts: tuple[int, ...]
    """of each sensitive value, as they show"""
    people: int
    """in the original"""
    thresholds: tuple[Fraction, ...]
    likely: tuple[int, ...]
    """how likely each value is, in any unit; none is impossible"""
    smallest: int
    scheme: str
    guard_stars: bool = False

    @property
    def hidden(self) -> int:
        return self.people - sum(self.counts)


@dataclass(frozen=True)
class _Kind:
    """Values that worlds do not tell apart: how many there are, and what shows of each."""

    values: int
    threshold: Fraction
    likely: int
    kept: int


@dataclass(frozen=True)
class _Group:
    """All that the sums over its worlds depend on."""

    scheme: str
    kinds: tuple[_Kind, ...]
    """of the values of which some may be hidden"""
    hidden: int
    people: int
    smallest: int
    guarded: bool
    """all of it are stars, which may be guarded ones"""

    @property
    def shown(self) -> int:
        return self.people - self.hidden

    @property
    def rest(self) -> int:
        """What shows of the values of which nothing is hidden."""
        return self.shown - sum(kind.values * kind.kept for kind in self.kinds)

    @property
    def least_violating(self) -> list[int]:
        return [_most(kind.threshold, self.people) + 1 for kind in self.kinds]


def confidences(published: Published) -> list[float | Fraction] | None:
    """Value -> the confidence that one of the people has it; None where there is too much to add up.

    Fractions are exact, and floats are not within CLOSE of the value's threshold. Where one would be, and the group is
    too large for exact numbers, it is taken for the threshold itself.
    """
    shares: list[float | Fraction] = [Fraction(count, published.people) for count in published.counts]
    if not published.hidden:
        return shares
    group, kind_of = _group(published)
    means = _means(group, exact=False)
    if means is None:
        means = _means(group, exact=True)
    if means is None:
        means = _means_of_rare_violations(group)
    if means is None:
        return None
    for value, kind in kind_of.items():
        mean, threshold = means[kind], published.thresholds[value]
        if not isinstance(mean, Fraction) and abs(float(mean) / published.people - threshold) < CLOSE:
            exactly = _means(group, exact=True)
            mean = threshold * published.people if exactly is None else exactly[kind]
        shares[value] = mean / published.people if isinstance(mean, Fraction) else float(mean) / published.people
    return shares


def _group(published: Published) -> tuple[_Group, dict[int, int]]:
    """What the sums depend on; and for each value of which some may be hidden, its kind."""
    shown = sum(published.counts)
    number: dict[tuple[Fraction, int, int], int] = {}
    kind_of: dict[int, int] = {}
    described = zip(published.counts, published.thresholds, published.likely, strict=True)
    for value, (count, threshold, likely) in enumerate(described):
        if published.scheme == "vio-sa" and count:
            continue
        if published.scheme == "vio-rec" and count < _most(threshold, shown):
            continue
        kind_of[value] = number.setdefault((threshold, likely, count), len(number))
    values = Counter(kind_of.values())
    kinds = tuple(_Kind(values[place], *key) for key, place in number.items())
    others_fit = len(published.counts) - 1 <= published.hidden
    guarded = published.guard_stars and published.scheme == "vio-sa" and not shown and others_fit and len(kinds) > 0
    return _Group(published.scheme, kinds, published.hidden, published.people, published.smallest, guarded), kind_of


def _most(threshold: Fraction, size: int) -> int:
    """The most records of a value that are lawful in a group of this size."""
    return threshold.numerator * size // threshold.denominator


@lru_cache(maxsize=1 << 14)
def _means(group: _Group, *, exact: bool) -> tuple[Any, ...] | None:
    """Kind -> the mean count of one of its values over the worlds; what shows of it is included."""
    if len(group.kinds) == 1:
        return (group.kinds[0].kept + Fraction(group.hidden, group.kinds[0].values),)
    if group.scheme == "vio-rec" and (critical := _critical(group)):
        return _enumerated(group, critical)
    if group.hidden > MOST_HIDDEN or (exact and group.hidden**2 * len(group.kinds) > MOST_EXACT):
        return None
    sums = {"vio-sa": _of_violating, "vio-rec": _of_lost, "all-sa": _of_unlawful, "all-rec": _of_unlawful}
    worlds, having = sums[group.scheme](group, _Weights(group, exact))
    if worlds is None:
        return None
    return tuple(kind.kept + each / worlds / kind.values for kind, each in zip(group.kinds, having, strict=True))


# --- Sums as coefficients -----------------------------------------------------------------------------------

Sums: TypeAlias = tuple[Any, list[Any]]
"""Over the worlds: of their likelihood, and for each kind of the hidden people who have one of its values; None where
the first cannot be told from 0."""


class _Weights:
    """The coefficients of one value of each kind: (p t)^d / (kept + d)!, for d hidden people."""

    def __init__(self, group: _Group, exact: bool) -> None:
        self.length = group.hidden + 1
        self.exact = exact
        if exact:
            self.of_kind = [
                np.array([Fraction(kind.likely**d, factorial(kind.kept + d)) for d in range(self.length)], object)
                for kind in group.kinds
            ]
            return
        # A factor c^d may be added to all, as the d of all values sum up to the same. It keeps them in range.
        total = np.longdouble(sum(kind.likely * kind.values for kind in group.kinds))
        self.of_kind = []
        for kind in group.kinds:
            steps = kind.kept + np.arange(1, self.length, dtype=np.longdouble)
            grown = np.log(np.longdouble(kind.likely) / total * max(group.people, 1)) - np.log(steps)
            self.of_kind.append(np.exp(np.concatenate((np.zeros(1, np.longdouble), np.cumsum(grown)))))

    def between(self, kind: int, first: int, stop: int) -> Polynomial:
        """Those of the counts from first up to stop, without it."""
        weights, places = self.of_kind[kind], np.arange(self.length)
        return np.where((places >= first) & (places < stop), weights, 0 * weights)

    def times(self, one: Polynomial, other: Polynomial) -> Polynomial:
        """The product, up to all hidden people.

        Most coefficients are 0: a value that violates has no record or many, one that does not has few. So the first is
        taken apart, and of the others only the stretch from the first to the last that is not 0 is multiplied.
        """
        length = min(self.length, len(one) + len(other) - 1)
        product = np.zeros(length, one.dtype) * one[:1]  # of Fractions, where these are
        product[: len(other)] += one[0] * other[:length]
        places = [1 + np.flatnonzero(each[1:]) for each in (one, other)]
        if not len(places[0]):
            return product
        (first, stop), (begin, end) = ((p[0], p[-1] + 1) if len(p) else (length, length) for p in places)
        product[first:stop] += one[first:stop][: length - first] * other[0]
        room = length - first - begin
        if room > 0:
            rest = np.convolve(one[first:stop][:room], other[begin:end][:room])[:room]
            product[first + begin :][: len(rest)] += rest
        return product

    def power(self, base: Polynomial, exponent: int) -> Polynomial:
        result = base[:1] ** 0
        while exponent:
            if exponent & 1:
                result = self.times(result, base)
            exponent >>= 1
            if exponent:
                base = self.times(base, base)
        return result

    def sums(self, kinds: Sequence[Polynomial]) -> Sums:
        """Over all ways to hand out the hidden people. kinds: by how many of them have one of the kind's values."""
        before = list(accumulate(kinds[:-1], self.times, initial=kinds[0][:1] ** 0))
        after = list(accumulate(reversed(kinds[1:]), self.times, initial=kinds[0][:1] ** 0))[::-1]
        having = []
        for place, each in enumerate(kinds):
            counted = self.times(before[place], each * np.arange(len(each)))
            having.append(self._last(counted, after[place]))
        return self._last(before[-1], kinds[-1]), having

    def _last(self, one: Polynomial, other: Polynomial) -> Any:
        """The coefficient of their product for all hidden people."""
        last = self.length - 1
        first, stop = max(0, last - len(other) + 1), min(len(one), self.length)
        return (one[first:stop] * other[last - stop + 1 : last - first + 1][::-1]).sum() if first < stop else 0


def _of_lost(group: _Group, weights: _Weights) -> Sums:
    """vio-rec: any number was lost of each value."""
    return weights.sums(
        [weights.power(each, kind.values) for each, kind in zip(weights.of_kind, group.kinds, strict=True)]
    )


def _of_violating(group: _Group, weights: _Weights) -> Sums:
    """vio-sa: none, or so many that it violates; guarded: or one violates, and all others occur and do not."""
    least, numbers = group.least_violating, range(len(group.kinds))
    many = [weights.between(kind, least[kind], weights.length) for kind in numbers]
    none = [weights.between(kind, 0, 1) for kind in numbers]
    worlds, having = weights.sums([weights.power(none[k] + many[k], group.kinds[k].values) for k in numbers])
    if group.guarded:
        few = [weights.between(kind, 1, least[kind]) for kind in numbers]
        whole = [weights.power(few[kind], group.kinds[kind].values) for kind in numbers]
        for kind in numbers:
            values = group.kinds[kind].values
            one = values * weights.times(many[kind], weights.power(few[kind], values - 1))
            more, more_having = weights.sums([*whole[:kind], one, *whole[kind + 1 :]])
            worlds, having = worlds + more, [a + b for a, b in zip(having, more_having, strict=True)]
    return worlds, having


def _of_unlawful(group: _Group, weights: _Weights) -> Sums:
    """all-sa, all-rec: every world that is not lawful."""
    # Half of it, so that no rounding decides: the difference itself would be too small as well.
    if not weights.exact and group.people >= group.smallest and _violating_at_most(group) < LEAST_LIKELY / 2:
        return None, []
    numbers = range(len(group.kinds))
    worlds, having = weights.sums([weights.power(weights.of_kind[k], group.kinds[k].values) for k in numbers])
    if group.people < group.smallest:
        return worlds, having
    least = group.least_violating
    few = [weights.power(weights.between(k, 0, least[k]), group.kinds[k].values) for k in numbers]
    lawful, lawful_having = weights.sums(few)
    unlawful = worlds - lawful
    if not weights.exact and unlawful < LEAST_LIKELY * worlds:
        return None, []
    return unlawful, [a - b for a, b in zip(having, lawful_having, strict=True)]


def _violating_at_most(group: _Group) -> float:
    """A bound on the probability that some value violates, over all worlds of which nothing shows."""
    people, total = group.people, sum(kind.likely * kind.values for kind in group.kinds)
    factorials = np.concatenate((np.zeros(1), np.cumsum(np.log(np.arange(1, people + 1)))))  # their logarithms
    bound = 0.0
    for kind, least in zip(group.kinds, group.least_violating, strict=True):
        having, share = np.arange(least, people + 1), kind.likely / total
        ways = factorials[people] - factorials[having] - factorials[people - having]
        likely = np.exp(ways + having * np.log(share) + (people - having) * np.log1p(-share))
        bound += kind.values * float(likely.sum())
    return bound


@lru_cache(maxsize=1 << 14)
def _means_of_rare_violations(group: _Group) -> tuple[float, ...] | None:
    """all-sa, all-rec: the means where two values hardly ever violate at once; None where they may.

    One value violates with a count x, and the other people have the other values as likely as these are.
    """
    if group.scheme not in ("all-sa", "all-rec") or group.people < group.smallest:
        return None
    people, total = group.people, np.longdouble(sum(kind.likely * kind.values for kind in group.kinds))
    likely = np.array([kind.likely for kind in group.kinds], np.longdouble) / total
    values = np.array([kind.values for kind in group.kinds])
    tails = [_Tail.of(people, p, least) for p, least in zip(likely, group.least_violating, strict=True)]
    # Probabilities are compared with the largest, since all of them may be too small for any float.
    scale = max(tail.first for tail in tails)
    if scale == -np.inf:
        return None
    relative = np.exp(np.array([tail.first for tail in tails]) - scale)
    violating = relative * [tail.people for tail in tails]
    others = relative * [people * tail.worlds - tail.people for tail in tails] / (1 - likely)
    having = violating + likely * ((values * others).sum() - others)
    if (np.exp(scale) * having >= LEAST_LIKELY * people * likely).any():
        return None
    return tuple(float(each) for each in people * having / (values * having).sum())


@dataclass(frozen=True)
class _Tail:
    """Worlds in which a value violates, by its count x alone: binomial, from the least x that does."""

    first: np.longdouble
    """the logarithm of the probability of the least x"""
    worlds: np.longdouble
    """the sum of all their probabilities, divided by that one"""
    people: np.longdouble
    """the sum of x times its probability, divided by it too"""

    @classmethod
    def of(cls, people: int, likely: np.longdouble, least: int) -> _Tail:
        if least > people:
            return cls(np.longdouble(-np.inf), np.longdouble(0), np.longdouble(0))
        counted = np.arange(1, least + 1, dtype=np.longdouble)
        ways = np.log((people - least + counted) / counted).sum()
        first = ways + least * np.log(likely) + (people - least) * np.log1p(-likely)
        counts = np.arange(least, people + 1, dtype=np.longdouble)
        steps = (people - counts[:-1]) / counts[1:] * (likely / (1 - likely))
        relative = np.concatenate((np.ones(1, np.longdouble), np.cumprod(steps)))
        return cls(first, relative.sum(), (counts * relative).sum())


# --- vio-rec, where what one value lost depends on what others did ------------------------------------------


def _critical(group: _Group) -> tuple[int, ...]:
    """Sizes for which the sum could reach the size if enough had been lost."""
    first = group.shown + 1 if group.shown else max(1, group.smallest)
    return tuple(
        size
        for size in range(first, group.people + 1)
        if group.rest + sum(kind.values * _most(kind.threshold, size) for kind in group.kinds) >= size
    )


def _enumerated(group: _Group, critical: tuple[int, ...]) -> tuple[Any, ...] | None:
    worlds, having = 0, [0] * len(group.kinds)
    for steps, lost in enumerate(_losses(group, critical)):
        if steps > MOST_STEPS:
            return None
        if lost is None:
            continue
        likely = _likelihood(group, lost)
        worlds += likely
        for kind, each in enumerate(lost):
            having[kind] += likely * sum(each)
    return tuple(
        kind.kept + Fraction(each, worlds * kind.values) for kind, each in zip(group.kinds, having, strict=True)
    )


Losses: TypeAlias = tuple[tuple[int, ...], ...]
"""For each kind what its values lost, the largest first, without those that lost nothing."""


def _losses(group: _Group, critical: tuple[int, ...]) -> Iterator[Losses | None]:
    """All losses for which the sum stays below each critical size; None for each step on the way."""
    sizes = np.array(critical, np.int64)
    most = [np.array([_most(kind.threshold, size) for size in critical], np.int64) for kind in group.kinds]
    kept = [kind.values * np.minimum(kind.kept, cap) for kind, cap in zip(group.kinds, most, strict=True)]

    def lose(kind: int, at_most: int, left: int, sums: Int64s, lost: Losses) -> Iterator[Losses | None]:
        """The kinds before this one are settled, and so are those of its values that lost more than at_most."""
        yield None
        if not left:
            yield (*lost, *((),) * (len(group.kinds) - len(lost)))
            return
        if kind == len(group.kinds):
            return
        own = lost[kind] if kind < len(lost) else ()
        if len(own) < group.kinds[kind].values:
            shows = group.kinds[kind].kept
            for more in range(min(at_most, left), 0, -1):
                after = sums + np.minimum(shows + more, most[kind]) - np.minimum(shows, most[kind])
                if (after < sizes).all():
                    yield from lose(kind, more, left - more, after, (*lost[:kind], (*own, more)))
        yield from lose(kind + 1, left, left, sums, (*lost[:kind], own))

    yield from lose(0, group.hidden, group.hidden, group.rest + np.sum(kept, axis=0), ())


def _likelihood(group: _Group, lost: Losses) -> int:
    """Of all worlds with these losses, up to a factor that is the same for all."""
    ways, counts = 1, 1
    for kind, each in zip(group.kinds, lost, strict=True):
        ways *= factorial(kind.values) // factorial(kind.values - len(each))
        ways //= prod(factorial(times) for times in Counter(each).values())
        ways *= kind.likely ** sum(each)
        counts *= prod(factorial(kind.kept + number) for number in each)
        counts *= factorial(kind.kept) ** (kind.values - len(each))
    return ways * (factorial(group.people) // counts)
