"""Two releases of one table: what is possible in both, and what their shares say together.

Paper: Ganta, Kasiviswanathan and Smith 2008 (Composition Attacks and Auxiliary Information in Data Privacy). Somebody
is in one group of the first release and in one of the second. Each group leaves some sensitive values possible, and
only those that both leave remain.

A group leaves a value possible when it shows it. A group with a star leaves every value possible, since the star may
hide any (what thresholds rule out on top is stars.py). So does a group from which records were deleted, which the
adversary sees because they know how many people belong to it, and a group of which nothing is left: the person may
be one of those deleted. So the truth always remains, and a value that remains alone is certain.

Where groups have labels of their own (local recoding) a person may fit several. Then the group is all records that fit,
possible is what any of them shows, and where anybody at all is missing from such a release every value is left, as
nobody can say from which group.

For their confidence they take the two groups as independent witnesses: p1(s) * p2(s) / prior(s), scaled to sum 1, where
p1 and p2 are the shares in the two groups and the prior is the share in the table. Stars, and people about whom nothing
is published, are spread over the values in proportion to the prior, stars over those that do not show in the group. It
is naive, because two groups with many people in common are not independent; `guesses` says how often it is right.
Where the two releases contradict each other under this rule, the first alone counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.attacks.rates import rate
from discreet.attacks.table.groups import UNTOLD, Bools, Groups, Thresholds, sums
from discreet.attacks.table.linkage import Linked
from discreet.values.arrays import Int64s
from discreet.values.words import people_in_words, percent

CELLS_AT_ONCE = 1 << 20
BORDER = 1e-9
"""Closer than this to a threshold, floats do not decide."""

NO_SECOND = {
    "applies": False,
    "reading": "No second release of the same table was given (--second DIR), so what two releases reveal together was "
    "not tried.",
}


def intersection(
    first: Linked, second: Linked, belongs: tuple[Int64s, Int64s], prior: Int64s, thresholds: Thresholds
) -> dict[str, Any]:
    """Attacks two releases together.

    belongs: for each release, how many people of the original belong to each of its groups. prior: value -> records
    of the original.
    """
    known = first.people
    width = max(len(second.groups.sizes), 1) + 1
    pairs, pair_of = np.unique((first.group_of + 1) * width + second.group_of + 1, return_inverse=True)
    weights = sums(pair_of, known.counts, len(pairs))
    truth: Int64s | None = None
    if known.truth is not None:
        told = known.truth >= 0
        values = len(prior)
        truth = sums(pair_of[told] * values + known.truth[told], known.counts[told], len(pairs) * values).reshape(
            len(pairs), values
        )
    of = 0 if known.truth is None else int(known.counts[known.truth != UNTOLD].sum())
    found = _Found(thresholds, prior)
    step = max(1, CELLS_AT_ONCE // len(prior))
    for start in range(0, len(pairs), step):
        some = slice(start, start + step)
        one = _View.of(first.groups, pairs[some] // width - 1, belongs[0], prior)
        other = _View.of(second.groups, pairs[some] % width - 1, belongs[1], prior)
        found.add(one, other, weights[some], None if truth is None else truth[some])
    figures = {
        "people": known.total,
        "determined": {"first": found.determined[0], "second": found.determined[1], "both": found.determined[2]},
        "possible_values": {
            name: found.possible[place] / max(1, known.total) for place, name in enumerate(("first", "second", "both"))
        },
        "highest_confidence": {name: found.highest[place] for place, name in enumerate(("first", "second", "both"))},
        "above_threshold": None
        if all(share is None for share in thresholds)
        else {"first": found.above[0], "second": found.above[1], "both": found.above[2]},
        "guesses": rate(found.right[2], of),
        "baseline": rate(found.right[0], of),
    }
    return {"applies": True, **figures, "reading": _reading(figures)}


class _View:
    """What one release says about some people: rows of people x values."""

    def __init__(self, visible: Int64s, stars: Int64s, size: Int64s, possible: Bools, prior: Int64s) -> None:
        self.visible, self.stars, self.size, self.possible, self.prior = visible, stars, size, possible, prior
        unseen = np.where(visible == 0, prior, 0)
        self.unseen = unseen.sum(axis=1)
        spread = stars[:, None] * unseen / np.maximum(self.unseen, 1)[:, None]
        shares = (visible + spread) / np.maximum(size, 1)[:, None]
        self.shares: npt.NDArray[np.float64] = np.where(size[:, None] > 0, shares, prior / prior.sum())

    @classmethod
    def of(cls, groups: Groups, group: Int64s, belongs: Int64s, prior: Int64s) -> _View:
        values = len(prior)
        visible = np.zeros((len(group), values), np.int64)
        if len(groups.sizes):
            wanted, row_of = np.unique(group, return_inverse=True)
            table = np.zeros((len(wanted), values), np.int64)
            place = np.full(len(groups.sizes), -1)
            place[wanted[wanted >= 0]] = np.flatnonzero(wanted >= 0)
            concerned = place[groups.group] >= 0
            table[place[groups.group[concerned]], groups.value[concerned]] = groups.count[concerned]
            visible = table[row_of]
        size = np.append(groups.sizes, 0)[group]
        stars = np.append(groups.stars, 0)[group]
        open_to_all = (stars > 0) | (np.append(belongs, 1)[group] > size)
        return cls(visible, stars, size, (visible > 0) | open_to_all[:, None], prior)

    def exact(self, row: int, value: int) -> Fraction:
        """The share of one value, as a fraction."""
        size = int(self.size[row])
        if size == 0:
            return Fraction(int(self.prior[value]), int(self.prior.sum()))
        share = Fraction(int(self.visible[row, value]), size)
        if not self.visible[row, value] and self.unseen[row]:
            share += Fraction(int(self.stars[row]) * int(self.prior[value]), size * int(self.unseen[row]))
        return share


class _Found:
    """Sums over people; the three places are the first release, the second, and both."""

    def __init__(self, thresholds: Thresholds, prior: Int64s) -> None:
        self.prior = prior
        self.promised = np.array([share is not None for share in thresholds])
        self.exact = [Fraction(1) if share is None else share for share in thresholds]
        self.thresholds = np.array([float(share) for share in self.exact])
        self.determined, self.above, self.possible = [0, 0, 0], [0, 0, 0], [0, 0, 0]
        self.highest = [0.0, 0.0, 0.0]
        self.right = [Fraction(0), Fraction(0), Fraction(0)]

    def add(self, one: _View, other: _View, weights: Int64s, truth: Int64s | None) -> None:
        product = np.where(self.prior > 0, one.shares * other.shares / np.maximum(self.prior, 1), 0.0)
        scale = product.sum(axis=1, keepdims=True)
        agree = scale[:, 0] > 0
        both = np.where(agree[:, None], product / np.where(scale > 0, scale, 1), one.shares)
        possible = (one.possible, other.possible, one.possible & other.possible)
        for place, (shares, left) in enumerate(zip((one.shares, other.shares, both), possible, strict=True)):
            number = left.sum(axis=1)
            self.possible[place] += int((number * weights).sum())
            self.determined[place] += int(weights[number == 1].sum())
            self.highest[place] = max(self.highest[place], min(1.0, float(shares.max(initial=0.0))))
            near = (np.abs(shares - self.thresholds) < BORDER) & self.promised
            over = (shares > self.thresholds) & self.promised & ~near
            above = over.any(axis=1)
            for row, value in zip(*np.nonzero(near & ~above[:, None]), strict=True):
                above[row] |= self._exact(place, one, other, int(row), bool(agree[row]))[value] > self.exact[value]
            self.above[place] += int(weights[above].sum())
            if truth is not None:
                self.right[place] += _right(shares, truth)

    def _exact(self, place: int, one: _View, other: _View, row: int, agree: bool) -> list[Fraction]:
        values = range(len(self.prior))
        if place < 2 or not agree:
            view = other if place == 1 else one
            return [view.exact(row, value) for value in values]
        products = [
            one.exact(row, value) * other.exact(row, value) / int(self.prior[value])
            if self.prior[value]
            else Fraction(0)
            for value in values
        ]
        return [product / sum(products) for product in products]


def _right(shares: npt.NDArray[np.float64], truth: Int64s) -> Fraction:
    """How many are guessed right with a most likely value each, of several one at random."""
    most = shares >= shares.max(axis=1, keepdims=True) - BORDER
    ties = most.sum(axis=1)
    by_ties = np.bincount(ties, weights=np.where(most, truth, 0).sum(axis=1)).astype(np.int64)
    return sum((Fraction(int(by_ties[size]), size) for size in by_ties.nonzero()[0].tolist()), Fraction(0))


def _reading(figures: dict[str, Any]) -> str:
    determined, above = figures["determined"], figures["above_threshold"]
    alone = max(determined["first"], determined["second"])
    sentences = [
        f"Of {people_in_words(figures['people'])}, only one sensitive value is left for "
        f"{people_in_words(determined['both'])} with both releases, for {people_in_words(alone)} with one alone.",
    ]
    if above is not None:
        sentences.append(
            "Somebody who treats the two as independent witnesses, and a star as any value that does not show, sees a "
            f"threshold exceeded for {people_in_words(above['both'])} with both, for "
            f"{people_in_words(above['first'])} with the first alone."
        )
    guesses, baseline = figures["guesses"], figures["baseline"]
    if guesses is not None and baseline is not None:
        sentences.append(
            f"Guesses made in this way are right for {percent(guesses['rate'])} of the people with both, for "
            f"{percent(baseline['rate'])} with the first alone."
        )
    return " ".join(sentences)


def beyond(part: Mapping[str, Any]) -> str:
    """What was found, as part of a sentence."""
    return f"two releases together reveal the value of {people_in_words(part['determined']['both'])} for certain"
