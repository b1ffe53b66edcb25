"""What a star gives away: which sensitive values the suppressed ones of a group can be.

Paper: Liu 2010, 3.1.3. The adversary holds the release and knows the sensitive values of the table, the suppression
scheme and the thresholds. A group has n records, k of them with a star; m(s) is the least count with which the value
s violates its threshold in it, the least c with c * q > p * n for the threshold p / q.

vio-sa. A value is suppressed exactly when it violates, and then wherever it occurs in the group. So a hidden value
shows nowhere in the group, and occurs at least m(s) times; the hidden values share the k stars.
    s can be hidden exactly when it does not show and m(s) <= k.
Only if: its count is at least m(s) and at most k. If: let all k stars be s. It violates, and every value that shows
keeps the count it shows, which does not violate; so this group is published as it is. Two consequences. The candidates
are found without enumerating what the stars may hide. And when there are two candidates or more, each is absent
from the group in which all stars hide another: nothing is certain. So a value is given away exactly when it is the only
candidate, and then all k stars hide it. The confidence that somebody in the group has it is k / n, above its threshold
by definition, and 1 for the record with the star.
The case of the thesis, that all values but one show, is one in which one candidate is left.

vio-sa with guarded stars. A group in which the stars would give away the one missing value is starred as a whole. So a
group of nothing but stars may also hide one violating value w beside at least one record of each other value, none of
them violating. When this is possible for some w, every value is a candidate.

all-sa. All n values are stars, and some value violates. s can occur exactly when it can violate itself, m(s) <= n, or
when another can and leaves a record free, m(w) <= n - 1 for some w other than s: fill up with that value.

Right guesses: by the candidates, of each group the one most frequent among all visible values of the release. The
baseline does not use the thresholds: the most frequent value that does not show in the group (with all-sa: of all
values). `blind` does not look at the group either: the most frequent visible value of the release. Of several
equally frequent ones, one at random. What the stars hide is taken from the original.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.attacks.rates import rate
from discreet.attacks.table.groups import Bools, Groups, Thresholds, exceeds
from discreet.values.arrays import Int64s
from discreet.values.words import percent

CELLS_AT_ONCE = 1 << 21
NO_STARS = {
    "applies": False,
    "reading": "The release has no suppressed sensitive values, so there is no star that could give one away.",
}
BY_GROUPS = {
    "applies": False,
    "reading": "Each group has labels of its own, and every record is published with its sensitive value, so there is "
    "no star that could give one away.",
}
WHOLE_GROUPS = {
    "applies": False,
    "reading": "A record has several sensitive values here, or several have a threshold together. Then a group shows "
    "all of them or none, so that no value beside a star tells what it hides. That the group broke the promise is "
    "counted under knowing how values are suppressed.",
}
"""All that a star says is that its group broke the promise, and `scheme` follows what that tells."""


def candidates(starred: Groups, thresholds: Thresholds, scheme: str, guard_stars: bool = False) -> Bools:
    """group x value -> whether a star of the group may hide the value."""
    groups, values = len(starred.sizes), starred.values
    visible = shown_values(starred)
    least = least_violating(starred.sizes, thresholds)
    stars, sizes = starred.stars[:, None], starred.sizes[:, None]
    if scheme == "all-sa":
        can_violate = least <= sizes
        leaves_room = least <= sizes - 1
        others = leaves_room.sum(axis=1, keepdims=True) - leaves_room
        return np.asarray(can_violate | (others > 0))
    possible = ~visible & (least <= stars)
    if guard_stars:
        for group in np.flatnonzero(starred.stars == starred.sizes).tolist():
            if _can_be_guarded(least[group], int(starred.sizes[group])):
                possible[group] = True
    assert possible.shape == (groups, values)
    return np.asarray(possible)


def _can_be_guarded(least: Int64s, size: int) -> bool:
    """One value violates, all others occur and do not; the counts of all add up to the size."""
    others_most = int((least - 1).sum()) - (least - 1)
    others_least = len(least) - 1
    can_occur = (least - 1) >= 1  # a value that cannot occur without violating cannot be among the others
    all_others_can = can_occur.sum() - can_occur == others_least
    left_most = size - others_least
    return bool((all_others_can & (least <= left_most) & (size - others_most <= left_most)).any())


def least_violating(sizes: Int64s, thresholds: Thresholds) -> Int64s:
    """group x value -> the least count that exceeds the threshold; more than the size where none does."""
    columns = []
    for threshold in thresholds:
        share = Fraction(1) if threshold is None else threshold
        if share.denominator * int(sizes.max(initial=1)) < 1 << 62:
            columns.append(sizes * share.numerator // share.denominator + 1)
        else:
            columns.append(
                np.array([size * share.numerator // share.denominator + 1 for size in sizes.tolist()], np.int64)
            )
    return np.stack(columns, axis=1) if columns else np.zeros((len(sizes), 0), np.int64)


def shown_values(groups: Groups) -> Bools:
    visible = np.zeros((len(groups.sizes), groups.values), bool)
    visible[groups.group, groups.value] = True
    return visible


def stars(
    released: Groups, hidden_truth: Groups, thresholds: Thresholds, scheme: str, guard_stars: bool = False
) -> dict[str, Any]:
    """Attacks the stars of a release. hidden_truth: the original's records by published nodes, for the truth."""
    total = int(released.stars.sum())
    if not total:
        return dict(NO_STARS)
    starred = np.flatnonzero(released.stars > 0)
    sums = _Sums()
    step = max(1, CELLS_AT_ONCE // released.values)
    for start in range(0, len(starred), step):
        chosen = np.zeros(len(released.sizes), bool)
        chosen[starred[start : start + step]] = True
        sums.add(released.only(chosen), hidden_truth, released.totals, thresholds, scheme, guard_stars)
    figures = {
        "groups": len(starred),
        "stars": total,
        "told": sums.told,
        "told_by_absence": sums.told_by_absence,
        "told_by_thresholds": sums.told - sums.told_by_absence,
        "told_right": sums.told_right,
        "people_in_told_groups": sums.people,
        "above_threshold": sums.above,
        "candidates": {"before": sums.unseen / total, "after": sums.possible / total},
        "guesses": rate(sums.right, total),
        "baseline": rate(sums.right_baseline, total),
        "blind": rate(sums.right_blind, total),
    }
    return {"applies": True, **figures, "reading": _reading(figures, scheme)}


class _Sums:
    """What the attack finds, a few groups at a time."""

    def __init__(self) -> None:
        self.told = self.told_by_absence = self.told_right = self.people = self.above = 0
        self.unseen = self.possible = 0
        self.right = self.right_baseline = self.right_blind = Fraction(0)

    def add(
        self,
        starred: Groups,
        originals: Groups,
        totals: Int64s,
        thresholds: Thresholds,
        scheme: str,
        guard_stars: bool,
    ) -> None:
        possible = candidates(starred, thresholds, scheme, guard_stars)
        hidden = _hidden_counts(starred, originals)
        everything = np.ones_like(possible)
        unseen = ~shown_values(starred) if scheme == "vio-sa" else everything
        number = possible.sum(axis=1)
        told, value = number == 1, possible.argmax(axis=1)
        above = told & exceeds(starred.stars, starred.sizes, value, thresholds)
        self.told += int(starred.stars[told].sum())
        self.told_by_absence += int(starred.stars[told & (starred.distinct == starred.values - 1)].sum())
        self.told_right += int(hidden[np.flatnonzero(told), value[told]].sum())
        self.people += int(starred.sizes[told].sum())
        self.above += int(starred.sizes[above].sum())
        self.unseen += int((unseen.sum(axis=1) * starred.stars).sum())
        self.possible += int((number * starred.stars).sum())
        self.right += _right(possible, totals, hidden)
        self.right_baseline += _right(unseen, totals, hidden)
        self.right_blind += _right(everything, totals, hidden)


def _hidden_counts(starred: Groups, original: Groups) -> Int64s:
    """group x value -> how many stars hide the value"""
    place = original.find(starred.keys)
    hidden = np.zeros((len(starred.sizes), starred.values), np.int64)
    number = np.full(len(original.sizes), -1)
    number[place] = np.arange(len(place))
    concerned = number[original.group] >= 0
    hidden[number[original.group[concerned]], original.value[concerned]] = original.count[concerned]
    hidden[starred.group, starred.value] -= starred.count
    return hidden


def _right(possible: Bools, totals: Int64s, hidden: Int64s) -> Fraction:
    """The expected number of stars guessed right when the most frequent possible value is guessed in each group."""
    frequency = np.where(possible, totals, -1)
    most = possible & (frequency == frequency.max(axis=1, keepdims=True))
    ties = most.sum(axis=1)
    right: npt.NDArray[np.int64] = np.where(most, hidden, 0).sum(axis=1)
    by_ties = np.bincount(ties, weights=right).astype(np.int64)
    return sum((Fraction(int(by_ties[size]), size) for size in by_ties.nonzero()[0].tolist()), Fraction(0))


def _reading(figures: dict[str, Any], scheme: str) -> str:
    stars, told = figures["stars"], figures["told"]
    guessed = (
        f"Guessing the most frequent possible value is right for {percent(figures['guesses']['rate'])} of the "
        f"stars, the most frequent one not shown for {percent(figures['baseline']['rate'])}, the most frequent of "
        f"all for {percent(figures['blind']['rate'])}."
    )
    counted = "1 star hides" if stars == 1 else f"{stars:,} stars hide"
    if scheme == "all-sa":
        known = (
            "All that a group of stars says is that some value was above its threshold; "
            f"{figures['candidates']['after']:.1f} values remain possible on average."
        )
        return f"{counted} a sensitive value. {known} {guessed}"
    if stars == 1:
        verdict = "It can be worked out" if told else "It cannot be worked out"
    elif not told or told == stars:
        verdict = f"{'All' if told else 'None'} of them can be worked out"
    else:
        verdict = f"{told:,} of them can be worked out"
    return (
        f"{counted} a sensitive value. {verdict} by somebody who knows the thresholds "
        f"({figures['told_by_absence']:,} because every other value shows in the group, "
        f"{figures['told_by_thresholds']:,} because no other value could exceed its threshold there). On average "
        f"{figures['candidates']['after']:.1f} values remain possible, of {figures['candidates']['before']:.1f} that "
        f"do not show in the group. {guessed}"
    )


def beyond(part: Mapping[str, Any]) -> str:
    """What was found, as part of a sentence."""
    told = (
        f"{part['told']:,} of {part['stars']:,} stars can" if part["told"] else f"none of {part['stars']:,} stars can"
    )
    if part["stars"] == 1:
        told = f"the one star can{'' if part['told'] else 'not'}"
    return (
        f"{told} be worked out for certain by somebody who knows the thresholds, and the best guess is right for "
        f"{percent(part['guesses']['rate'])} of all stars"
    )
