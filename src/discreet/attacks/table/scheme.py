"""What knowing the suppression scheme reveals: the confidence of an adversary who counts what was taken out, too.

The certificate names the scheme and states the thresholds, so every reader knows them. Where one value alone can have
been too frequent in a group, what was starred or deleted there was that value. The adversary knows everybody's
quasi-identifiers, so also how many people of each group are not in the release, and considers every original from which
the scheme would have made it (`scheme_worlds`). Nothing is assumed about how the cuts were chosen: see `minimality`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.attacks.rates import rate
from discreet.attacks.table.groups import Groups, Thresholds
from discreet.attacks.table.scheme_worlds import Published, confidences
from discreet.models.partition_limits import PartitionLimits
from discreet.values.partitions import Partitions
from discreet.values.words import counted, people_in_words, percent

NOT_KNOWN = {
    "applies": False,
    "untried": True,
    "reading": "Not tried: the promise is more than limits on single values, and what its suppression reveals is not "
    "known.",
}

BY_GROUPS = {
    "applies": False,
    "reading": "Each group has labels of its own, and no value or record is suppressed, so there is no scheme to know.",
}
NOTHING_SUPPRESSED = {
    "applies": False,
    "reading": "Nothing was suppressed, so knowing the suppression scheme adds nothing.",
}


def scheme(
    partitions: Partitions,
    released: Groups,
    limits: PartitionLimits,
    thresholds: Thresholds,
    suppression: str,
    guard_stars: bool,
) -> dict[str, Any]:
    """Attacks every group of which something was suppressed. partitions: of the original, by the released cuts."""
    people = int(partitions.histogram.sum())
    tally = _Tally(thresholds)
    for truth, group in _groups(partitions, released, limits, suppression, guard_stars):
        tally.add(truth, group, confidences(group))
    if not tally.groups:
        return dict(NOTHING_SUPPRESSED)
    figures = {
        "people": people,
        "groups": tally.groups,
        "people_in_them": tally.people,
        "hidden": tally.hidden,
        "untried": tally.untried,
        "above_threshold": None if all(share is None for share in thresholds) else tally.above,
        "certain": tally.certain,
        "highest_confidence": float(tally.highest),
        "guesses": rate(tally.right, tally.tried_hidden),
    }
    return {"applies": True, **figures, "reading": reading(figures)}


def _groups(
    partitions: Partitions, released: Groups, limits: PartitionLimits, suppression: str, guard_stars: bool
) -> Iterator[tuple[Any, Published]]:
    """The groups of which something is hidden: the true counts of their values, and how they are published."""
    truth = partitions.histogram.sum(axis=2)
    place = released.find(partitions.nodes.T)
    likely = tuple(released.likely.tolist())
    starts = np.searchsorted(released.group, np.arange(len(released.sizes) + 1))
    for counts, found in zip(truth, place.tolist(), strict=True):
        shown = np.zeros(len(counts), np.int64)
        if found >= 0:
            entries = slice(starts[found], starts[found + 1])
            shown[released.value[entries]] = released.count[entries]
        if shown.sum() < counts.sum():
            yield (
                counts,
                Published(
                    tuple(shown.tolist()),
                    int(counts.sum()),
                    limits.shares,
                    likely,
                    limits.smallest,
                    suppression,
                    guard_stars,
                ),
            )


class _Tally:
    def __init__(self, thresholds: Thresholds) -> None:
        self.thresholds = thresholds
        self.groups = self.people = self.hidden = self.untried = self.tried_hidden = self.above = self.certain = 0
        self.highest: float | Fraction = Fraction(0)
        self.right = Fraction(0)

    def add(self, truth: Any, group: Published, shares: list[float | Fraction] | None) -> None:
        self.groups += 1
        self.people += group.people
        self.hidden += group.hidden
        if shares is None:
            self.untried += group.people
            return
        self.tried_hidden += group.hidden
        self.highest = max(self.highest, *shares)
        self.certain += group.people * (max(shares) == 1)
        exceeded = (
            threshold is not None and share > threshold
            for share, threshold in zip(shares, self.thresholds, strict=True)
        )
        self.above += group.people * any(exceeded)
        self.right += _right(truth, group, shares)


def _right(truth: Any, group: Published, shares: list[float | Fraction]) -> Fraction:
    """How many of the hidden values are guessed right, if each is taken for the one most likely hidden."""
    shown = np.array(group.counts)
    hidden = truth - shown
    likely = [float(share) * group.people - count for share, count in zip(shares, group.counts, strict=True)]
    best = [value for value, amount in enumerate(likely) if amount > max(likely) - 1e-6]
    return Fraction(int(hidden[best].sum()), len(best))


def reading(figures: Mapping[str, Any]) -> str:
    hidden, people = figures["hidden"], figures["people"]
    sentences = [
        f"In {counted(figures['groups'], 'group')} with {people_in_words(figures['people_in_them'])}, "
        f"{'1 value or record is' if hidden == 1 else f'{hidden:,} values or records are'} suppressed. Somebody who "
        "knows the scheme, the thresholds and who is in the table considers every original that this could come from."
    ]
    if figures["above_threshold"] is not None:
        sentences.append(
            f"A threshold is then exceeded for {figures['above_threshold']:,} of {people:,} people."
            if figures["above_threshold"]
            else "A threshold is then exceeded for nobody."
        )
    sentences.append(f"The highest confidence is {percent(figures['highest_confidence'])}.")
    if figures["guesses"]:
        sentences.append(f"Of what is hidden, {percent(figures['guesses']['rate'])} is guessed right.")
    if figures["untried"]:
        sentences.append(
            f"For {people_in_words(figures['untried'])} there were too many originals to consider, and it is not known."
        )
    return " ".join(sentences)


def beyond(part: Mapping[str, Any]) -> str:
    """What was found, as part of a sentence."""
    above, people = part["above_threshold"], part["people"]
    unknown = f", and for {part['untried']:,} it is not known" if part["untried"] else ""
    if above is None:
        return f"knowing the scheme makes {part['certain']:,} of {people:,} values certain{unknown}"
    told = f"{above:,} of {people:,} people" if above else "nobody"
    return f"knowing the suppression scheme and the thresholds takes {told} above a threshold{unknown}"
