"""What it tells that some of those who are alike were sent to other groups: they have the value that was too many.

Not in a paper; the case is that of search/table/k_member.py. A method of local recoding that may split those who are
alike (`split` of k-member) keeps as many of them as are lawful together in a group labelled exactly by what they have
in common, their home, and sends the excess of a value to wider groups. The adversary knows everybody's
quasi-identifiers, so how many people are alike; sees how many rows of the home there are, and with which values; and
knows the method. k = 4, no value above 1/4: eight people have x, and x has four rows with s, a, b and c. The four who
left have s: with a lawful value more of them would have stayed. So each of the eight has s with 5/8.

That is vio-rec on the home, with the rows moved in place of deleted. So the adversary considers every original from
which that scheme would have made the home (`scheme_worlds`), each as likely as its values are frequent in the release.
Those of whom nothing stayed are left out, and so is what the wider groups show; it makes a weaker adversary, not a
wrong one. The method improves groups after it has filled them, and may then move others home or away: `excluded_truth`
counts the people whose home is not what this rule makes of their true values; about them the adversary is misled.

The baseline is somebody who takes the rows of a group for exchangeable: the share in all groups that fit (`linkage`).
`guesses` are the values of those who left; `baseline` guesses for them the most frequent value of the release.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.attacks.rates import rate
from discreet.attacks.table.groups import Groups, Thresholds
from discreet.attacks.table.linkage import Linked
from discreet.attacks.table.scheme import what_is_hidden
from discreet.attacks.table.scheme_worlds import Published
from discreet.models.partition_limits import PartitionLimits
from discreet.taxonomy import Taxonomy
from discreet.values.arrays import Int64s
from discreet.values.words import counted, people_in_words, percent

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


def expulsion(
    alike: Groups,
    released: Groups,
    trees: tuple[Taxonomy, ...],
    limits: PartitionLimits,
    linked: Linked,
    thresholds: Thresholds,
) -> dict[str, Any]:
    """alike: the original's records by their leaves. linked: everybody, and the records that fit."""
    found = list(_homes(alike, released, trees, limits))
    possible = [(place, truth, home) for place, truth, home in found if _is_kept(home.counts, limits)]
    figures = what_is_hidden(((truth, home) for _, truth, home in possible), int(alike.sizes.sum()), thresholds)
    misled = [home.people for _, truth, home in found if _stays(truth, limits) != list(home.counts)]
    if not figures:
        return dict(NOBODY_LEFT)
    places = [place for place, _, _ in possible]
    people = np.array([home.people for _, _, home in possible], np.int64)
    fits = linked.groups.find(alike.keys[:, places])
    over = np.zeros(len(linked.groups.sizes), bool)
    over[linked.groups.group[linked.groups.above(thresholds)]] = True
    common = released.totals == released.totals.max()
    left = sum((int((truth - np.array(home.counts))[common].sum()) for _, truth, home in possible), 0)
    figures |= {
        "above_by_linking": int(people[over[fits]].sum()),
        "excluded_truth": sum(misled),
        "baseline": rate(Fraction(left, int(common.sum())), figures["hidden"]),
    }
    return {"applies": True, **figures, "reading": _reading(figures)}


def _homes(
    alike: Groups, released: Groups, trees: tuple[Taxonomy, ...], limits: PartitionLimits
) -> Iterator[tuple[int, Int64s, Published]]:
    """Where people are alike and some, not all, are in a group labelled exactly so: place, true counts, the group."""
    single = np.ones(len(released.sizes), bool)
    leaves = np.empty_like(released.keys)
    for row, nodes, tree in zip(leaves, released.keys, trees, strict=True):
        single &= tree.stop_leaf[nodes] - tree.first_leaf[nodes] == 1
        row[:] = tree.first_leaf[nodes]
    number = np.flatnonzero(single)
    place = alike.find(leaves[:, number])
    likely = tuple(released.likely.tolist())
    for group, home in zip(number[place >= 0].tolist(), place[place >= 0].tolist(), strict=True):
        if released.sizes[group] < alike.sizes[home]:
            shown, truth = _counts(released, group), _counts(alike, home)
            people = int(alike.sizes[home])
            published = Published(tuple(shown.tolist()), people, limits.shares, likely, limits.smallest, "vio-rec")
            yield home, truth, published


def _counts(groups: Groups, group: int) -> Int64s:
    entries = slice(*np.searchsorted(groups.group, [group, group + 1]))
    counts = np.zeros(groups.values, np.int64)
    counts[groups.value[entries]] = groups.count[entries]
    return counts


def _most(share: Fraction, size: int) -> int:
    return share.numerator * size // share.denominator


def _is_kept(counts: tuple[int, ...], limits: PartitionLimits) -> bool:
    """Whether records can have left a home with these counts: some value has as many as are lawful."""
    size = sum(counts)
    return any(count == _most(share, size) for count, share in zip(counts, limits.shares, strict=True))


def _stays(truth: Int64s, limits: PartitionLimits) -> list[int]:
    """What stays of these counts by the rule: the most that is lawful together."""
    counts, size = truth.tolist(), int(truth.sum())
    while True:
        kept = [min(count, _most(share, size)) for count, share in zip(counts, limits.shares, strict=True)]
        if sum(kept) == size:
            return kept if size >= limits.smallest else [0] * len(kept)
        size -= 1


def _reading(figures: Mapping[str, Any]) -> str:
    sentences = [
        f"Of {counted(figures['groups'], 'group')} of people who are alike, {people_in_words(figures['hidden'])} were "
        "sent to wider groups. Somebody who knows the method and how many people are alike concludes that these have "
        "the values that were too many.",
    ]
    if figures["above_threshold"] is not None:
        sentences.append(
            f"A threshold is then exceeded for {people_in_words(figures['above_threshold'])} of {figures['people']:,}; "
            f"by the records that fit alone, for {people_in_words(figures['above_by_linking'])}."
        )
    sentences.append(f"The highest confidence is {percent(figures['highest_confidence'])}.")
    if figures["guesses"] and figures["baseline"]:
        sentences.append(
            f"Of those who were sent away, the value of {percent(figures['guesses']['rate'])} is guessed right; by the "
            f"most frequent value of the release, that of {percent(figures['baseline']['rate'])}."
        )
    if figures["untried"]:
        sentences.append(
            f"For {people_in_words(figures['untried'])} there were too many originals to consider, and it is not known."
        )
    if figures["excluded_truth"]:
        sentences.append(
            f"For {people_in_words(figures['excluded_truth'])} it is misled, as the method moved records again later."
        )
    return " ".join(sentences)


def beyond(part: Mapping[str, Any]) -> str:
    """What was found, as part of a sentence."""
    above = part["above_threshold"]
    told = people_in_words(above) if above else "nobody"
    return f"knowing that records alike were split takes {told} of {part['people']:,} above a threshold"
