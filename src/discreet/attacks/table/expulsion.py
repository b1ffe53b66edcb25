"""What it tells that some of those who are alike were sent to other groups: they have the value that was too many.

Not in a paper; the case is that of search/table/k_member.py. A method of local recoding that may split those who are
alike (`split` of k-member) keeps as many of them as are lawful together in a group labelled exactly by what they have
in common, their home, and sends the excess of a value to wider groups. The adversary knows everybody's
quasi-identifiers, so how many people are alike; sees how many rows of the home there are, and with which values; and
knows the method. k = 4, no value above 1/4: eight people have x, and x has four rows with s, a, b and c. The four who
left are in wider groups, which fit x and show s, but not a, b or c. So they have s, and each of the eight has it with
5/8.

In a home of n rows that shows a value c times the value is *full* if c + 1 is more than its threshold allows of n + 1.
Of one that is not a record more would have stayed: that is lawful for this value, and no other value's share grows. So
those who left have full values, and such as the other groups that fit them show. Which of these, they take to be as
likely as it is frequent there. Their confidence in such a value is

    (rows of the home that show it + those who left * its share among these values in the other groups) / people alike

and in any other one its rows among these people. It is exact where one value is left. People alike of whom nobody
stayed are left out; it makes a weaker adversary, not a wrong one. But the method improves groups after it has filled
them, and may then move others home or away. `excluded_truth` counts the people alike of whom somebody left with a value
that is not full: about them the adversary is misled. `above_rightly` counts those above a threshold of whom, with those
alike, more than it allows do have the value.

The baseline is somebody who takes the rows of a group for exchangeable: `above_by_linking` counts the same people by
the share in all groups that fit (`linkage`). `guesses` are the values of those who left, each the likeliest; `baseline`
guesses for them the most frequent value of the release. Of several, one at random.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.attacks.rates import rate
from discreet.attacks.table.groups import Groups, Thresholds
from discreet.attacks.table.linkage import Linked
from discreet.models.partition_limits import PartitionLimits
from discreet.taxonomy import PublishedValues
from discreet.values.arrays import Int64s
from discreet.values.words import people_in_words, percent

NOT_SPLIT = {
    "applies": False,
    "reading": "Records that are alike were not sent to different groups for their sensitive values, so there is "
    "nothing to conclude from who left.",
}
NOT_KNOWN = {
    "applies": False,
    "untried": True,
    "reading": "Not tried: records that are alike were sent to different groups for their sensitive values, and the "
    "promise is more than limits on single values. What it tells who left is not known.",
}
NOBODY_LEFT = {
    "applies": False,
    "reading": "Of nobody who is in a group of people alike in all quasi-identifiers others were sent away, so there "
    "is nothing to conclude from who left.",
}


@dataclass(frozen=True)
class Home:
    """People who are alike, of whom some stayed in a group labelled exactly by what they have in common."""

    truth: Int64s
    """value -> those who have it"""
    shown: Int64s
    """value -> those who stayed and have it"""
    full: list[int]
    """values that may have been sent away: more of them could not have stayed, and other groups that fit show them"""
    elsewhere: Int64s
    """value -> how often these show it"""
    linked: int
    """the group of all records that fit them"""

    @property
    def people(self) -> int:
        return int(self.truth.sum())

    def confidences(self) -> list[Fraction]:
        """value -> the confidence that one of them has it"""
        left, of_full = self.people - int(self.shown.sum()), int(self.elsewhere[self.full].sum())
        found = [Fraction(count, self.people) for count in self.shown.tolist()]
        for value in self.full:
            found[value] += Fraction(left * int(self.elsewhere[value]), self.people * of_full)
        return found


def expulsion(
    alike: Groups,
    released: Groups,
    columns: Sequence[PublishedValues],
    limits: PartitionLimits,
    linked: Linked,
    thresholds: Thresholds,
) -> dict[str, Any]:
    """alike: the original's records by their leaves. columns: what is published in each. linked: everybody, and the
    records that fit."""
    homes = list(_homes(alike, released, columns, limits, linked))
    if not homes:
        return dict(NOBODY_LEFT)
    totals = released.totals
    common = totals == totals.max()
    by_linking = np.zeros(len(linked.groups.sizes), bool)
    by_linking[linked.groups.group[linked.groups.above(thresholds)]] = True
    above = rightly = linked_above = certain = misled = number = 0
    highest, right, blind = Fraction(0), Fraction(0), Fraction(0)
    for home in homes:
        found = home.confidences()
        left = home.truth - home.shown
        highest = max(highest, *found)
        certain += home.people * (max(found) == 1)
        exceeded = [
            (count, limit)
            for share, count, limit in zip(found, home.truth.tolist(), thresholds, strict=True)
            if limit is not None and share > limit
        ]
        above += home.people * bool(exceeded)
        rightly += home.people * any(count > limit * home.people for count, limit in exceeded)
        linked_above += home.people * bool(by_linking[home.linked])
        number += int(left.sum())
        misled += home.people * (int(left[home.full].sum()) < int(left.sum()))
        guessed = np.flatnonzero(common)
        blind += Fraction(int(left[guessed].sum()), len(guessed))
        if home.full:
            most = max(home.elsewhere[home.full].tolist())
            guessed = np.array([value for value in home.full if home.elsewhere[value] == most])
        right += Fraction(int(left[guessed].sum()), len(guessed))
    figures = {
        "people": int(alike.sizes.sum()),
        "groups": len(homes),
        "people_in_them": sum(home.people for home in homes),
        "sent_away": number,
        "above_threshold": None if all(share is None for share in thresholds) else above,
        "above_rightly": rightly,
        "above_by_linking": linked_above,
        "certain": certain,
        "highest_confidence": float(highest),
        "excluded_truth": misled,
        "guesses": rate(right, number),
        "baseline": rate(blind, number),
    }
    return {"applies": True, **figures, "reading": _reading(figures)}


def _homes(
    alike: Groups, released: Groups, columns: Sequence[PublishedValues], limits: PartitionLimits, linked: Linked
) -> Iterator[Home]:
    single = np.ones(len(released.sizes), bool)
    leaves = np.empty_like(released.keys)
    for row, codes, values in zip(leaves, released.keys, columns, strict=True):
        single &= values.leaf_counts[codes] == 1
        row[:] = values.spans[0][codes]
    places = alike.find(leaves)
    fits = linked.groups.find(leaves)
    stayed = single & (places >= 0) & (released.sizes < np.append(alike.sizes, 0)[places])
    for group in np.flatnonzero(stayed).tolist():
        shown, size = _counts(released, group), int(released.sizes[group])
        elsewhere = _counts(linked.groups, int(fits[group])) - shown
        described = zip(shown.tolist(), elsewhere.tolist(), limits.shares, strict=True)
        full = [
            value
            for value, (count, other, share) in enumerate(described)
            if count and other and count + 1 > share * (size + 1)
        ]
        yield Home(_counts(alike, int(places[group])), shown, full, elsewhere, int(fits[group]))


def _counts(groups: Groups, group: int) -> Int64s:
    entries = slice(*np.searchsorted(groups.group, [group, group + 1]))
    counts = np.zeros(groups.values, np.int64)
    counts[groups.value[entries]] = groups.count[entries]
    return counts


def _reading(figures: Mapping[str, Any]) -> str:
    sentences = [
        f"Of {people_in_words(figures['people_in_them'])} in groups of people who are alike in all quasi-identifiers, "
        f"{people_in_words(figures['sent_away'])} were published in wider groups instead. Somebody who knows the "
        "method and how many are alike concludes that these have the values that were too many.",
    ]
    if figures["above_threshold"] is not None:
        sentences.append(
            f"A threshold is then exceeded for {people_in_words(figures['above_threshold'])} of {figures['people']:,}, "
            f"rightly for {people_in_words(figures['above_rightly'])}, as more of those alike do have the value; by "
            f"the records that fit alone, for {people_in_words(figures['above_by_linking'])}."
        )
    sentences.append(f"The highest confidence is {percent(figures['highest_confidence'])}.")
    if figures["guesses"] and figures["baseline"]:
        sentences.append(
            f"The value of those who were sent away is guessed right for {percent(figures['guesses']['rate'])} of "
            f"them; by the most frequent value of the release, for {percent(figures['baseline']['rate'])}."
        )
    if figures["excluded_truth"]:
        sentences.append(
            f"About {people_in_words(figures['excluded_truth'])} this adversary is misled, as the method moved records "
            "again later."
        )
    return " ".join(sentences)


def beyond(part: Mapping[str, Any]) -> str:
    """What was found, as part of a sentence."""
    above = part["above_threshold"]
    told = people_in_words(above) if above else "nobody"
    return f"knowing that records alike were split takes {told} of {part['people']:,} above a threshold"
