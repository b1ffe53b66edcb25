"""The minimality attack: what a release gives away by being the best one.

Paper: Wong, Fu, Wang and Pei 2007 (Minimality Attack in Privacy Preserving Data Publishing); Liu 2010, 3.7.1.2. The
adversary is the strongest one: they know the quasi-identifiers of everybody in the table (so also how many records
were deleted), the method, the loss, the suppression scheme, the thresholds, and every record outside the group
that they attack. Of the worlds from which the group could have been published (worlds.py) they keep those in which the
released cut would still have been chosen. Their confidence in a value is its share of the arrangements that are left,
all being equally likely beforehand.

Which cuts are checked. Where the table has few cuts and few people, all of them. Otherwise the cuts one step finer: one
published value that the group has is replaced by its children. In a cut like this the parts of the group hold nobody
else, so its loss in a world needs the people of the group only; the loss elsewhere is the same in all worlds.

Sound: the truth is never excluded. It is one of the worlds, for the scheme made the published group from it. In the
truth the released cut is the best, or with top_h = h among the h best releases, or with alpha within 1 + alpha of
the best; so in the truth fewer than h of the checked cuts are better by more than that. Checking fewer cuts keeps
more worlds and makes a weaker adversary, not a wrong one. With h > 1 and a scheme that deletes records, two cuts may
publish the same; then better cuts of equal loss are counted once, as releases of different loss are different releases.
A search that ran out of time promises none of this; `excluded_truth` counts the groups in which the adversary
was misled by taking it for complete.

What the attack adds is measured against the same adversary before they think of the method, who considers all worlds
possible: for a group without suppression that is the share of each visible value. How likely a world is, both take from
how often its values show in the release, as in `scheme_worlds`.

Losses are added up in whole numbers, in units of one over the least common multiple of what lm divides by.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.attacks.rates import rate
from discreet.attacks.table.groups import EXACT, Bools, Groups, Thresholds, sums
from discreet.attacks.table.worlds import arrangements, histograms
from discreet.encode.released_table import ReleasedTable
from discreet.encode.table import EncodedTable
from discreet.models.partition_limits import PartitionLimits
from discreet.recode.table.suppression import suppress
from discreet.search.cut_enumeration import count_all_cuts
from discreet.search.table.problem import TableProblem
from discreet.taxonomy import Cut, Taxonomy, enumerate_cuts
from discreet.values.arrays import Int32s, Int64s, column_codes
from discreet.values.partitions import Partitions
from discreet.values.words import changes, counted, people_in_words

MOST_MEMBERS = 12
MOST_GROUPS = 200
MOST_WORLDS = 5_000
MOST_CUTS = 2_000
MOST_COMBINATIONS = 200
MOST_TRIALS = 2_000_000
"""Worlds times cuts up to which all cuts are tried."""
NOT_CHOSEN = {
    "applies": False,
    "reading": "The release was made by a recoding found before and not chosen for this table, so its choice "
    "says nothing about it.",
}
NOT_OPTIMAL = {
    "applies": False,
    "untried": True,
    "reading": "Not tried: the method does not take the release of least loss, and what else its choice reveals to "
    "somebody who knows the method is not known.",
}
BY_LEVELS = {
    "applies": False,
    "untried": True,
    "reading": "Not tried: the method publishes whole columns at one level, and this attack compares with cuts that "
    "it would not choose.",
}
BY_SIZES = {
    "applies": False,
    "reading": "Each group has labels of its own, and groups were made without looking at sensitive values, so how "
    "they were chosen tells nothing about these.",
}
BY_VALUES = {
    "applies": False,
    "untried": True,
    "reading": "Not tried: each group has labels of its own, and groups were made with sensitive values in view. That "
    "a group was not made smaller tells something to somebody who knows the method, and how much is not known.",
}
CELLS_AT_ONCE = 1 << 19
MOST_CELLS = 1 << 23
MOST_VALUES = 200


@dataclass(frozen=True)
class Method:
    """What the adversary knows about how the release was chosen."""

    problem: TableProblem
    top_h: int = 1
    alpha: Fraction = Fraction(0)


@dataclass(frozen=True)
class _Priced:
    """One cut on the true table: where its people go and what its groups cost."""

    people: Int64s
    """combinations of leaves that the cut regroups, sorted"""
    group_of: Int64s
    """parallel to people"""
    histogram: Int64s
    charges: npt.NDArray[Any]
    """group -> what one record pays for generalization, in units"""
    prices: npt.NDArray[Any]
    lawful: Bools
    suppressed: Int64s
    """group -> how many records are deleted or have their value suppressed"""
    difference: int
    """what the cut costs more than the released one, counting lawful groups only"""
    more_suppressed: int
    """how many more records than under the released one"""
    unlawful: int
    """groups that the cut must not publish"""


@dataclass(frozen=True)
class _Group:
    """A published group: its people and the worlds it could come from."""

    people: Int64s
    """its combinations of leaves"""
    members: Int64s
    """how many people have each"""
    values: Int64s
    """the sensitive values that they may have"""
    worlds: Int64s
    """world x combination x value"""
    weights: npt.NDArray[Any]
    """how likely each is, as whole numbers of any length"""


class _Table:
    """The true table by combinations of leaves, and prices of groups on it."""

    def __init__(self, problem: TableProblem, cuts: tuple[Cut, ...]) -> None:
        table = problem.table
        self.problem = problem
        _, first, combination_of = np.unique(column_codes(table.leaves), return_index=True, return_inverse=True)
        self.leaves: Int32s = table.leaves[:, first]
        values = len(table.sensitive_values)
        cells = combination_of * values + table.sensitive
        self.histogram: Int64s = sums(cells, table.counts, len(first) * values).reshape(len(first), values)
        self.rows = table.rows
        self.unit = problem.loss.unit(table.taxonomies, problem.weights)
        self.penalty = int(problem.loss.penalty(problem.scheme, problem.weights) * self.unit)
        largest = 3 * self.unit * problem.loss.worst(self.rows, problem.weights)
        self.whole: type = np.int64 if largest < EXACT else object
        self.released = np.stack([cut.value_of_leaf()[row] for cut, row in zip(cuts, self.leaves, strict=True)])
        self.everyone = np.arange(len(first))
        base = self._grouped(self.everyone, self.released)
        self.group_of, self.group_prices, self.group_suppressed = base.group_of, base.prices, base.suppressed
        self.total = int(base.prices.sum())
        self.suppressed = int(base.suppressed.sum())

    def prices(
        self, charges: npt.NDArray[Any], histogram: Int64s, values: Int64s
    ) -> tuple[npt.NDArray[Any], Bools, Int64s]:
        """What each group (row) costs, whether it may be published, and how much of it is suppressed.

        values: those of the columns.
        """
        problem = self.problem
        limits, guard = problem.limits, problem.guard_stars
        if guard and len(values) < len(limits.shares) - 1:
            guard = False  # so few values cannot be all but one
        elif guard and len(values) < len(limits.shares):
            full = np.zeros((len(histogram), len(limits.shares)), np.int64)
            full[:, values] = histogram
            histogram, values = full, np.arange(len(limits.shares))
        limits = PartitionLimits(tuple(limits.shares[value] for value in values.tolist()), limits.smallest)
        partitions = Partitions(np.zeros((len(histogram), 0), np.int32), histogram[:, :, None])
        kept = suppress(partitions, limits, problem.scheme, guard_stars=guard)
        people = histogram.sum(axis=1)
        sizes: npt.NDArray[Any] = kept.sizes.astype(self.whole)
        shown: npt.NDArray[Any] = kept.visible.sum(axis=1).astype(self.whole)
        lawful = np.ones(len(histogram), bool)
        if problem.scheme == "none":
            lawful = people >= limits.smallest
            for column, share in enumerate(limits.shares):
                lawful &= histogram[:, column] * share.denominator <= share.numerator * people
        deleted = people.astype(self.whole) - sizes
        suppressed = people - kept.visible.sum(axis=1)
        if problem.loss_name == "dm":
            return sizes * sizes + self.rows * deleted, lawful, suppressed
        return charges * sizes + self.penalty * (sizes - shown + deleted), lawful, suppressed

    def allows(self, more: Int64s | int) -> Any:
        """Whether so many more records than under the released cut may be suppressed."""
        most = self.problem.most_suppressed
        return np.asarray(self.suppressed + more <= (self.rows if most is None else most))

    def price(self, people: Int64s, nodes: Int32s) -> _Priced:
        """A cut that publishes these combinations of leaves at these nodes, and all others as the released one does."""
        priced = self._grouped(people, nodes)
        before = np.unique(self.group_of[people])
        return replace(
            priced,
            difference=int(priced.prices[priced.lawful].sum()) - int(self.group_prices[before].sum()),
            more_suppressed=int(priced.suppressed.sum() - self.group_suppressed[before].sum()),
        )

    def _grouped(self, people: Int64s, nodes: Int32s) -> _Priced:
        _, first, group_of = np.unique(column_codes(nodes), return_index=True, return_inverse=True)
        order = np.argsort(group_of, kind="stable")
        starts = np.searchsorted(group_of[order], np.arange(len(first)))
        histogram = np.add.reduceat(self.histogram[people[order]], starts, axis=0)
        charges: npt.NDArray[Any] = np.zeros(len(first), self.whole)
        for taxonomy, weight, row in zip(
            self.problem.table.taxonomies, self.problem.weights, nodes[:, first], strict=True
        ):
            occurring, place = np.unique(row, return_inverse=True)
            paid = [
                weight * self.problem.loss.generalization(taxonomy, node) * self.unit for node in occurring.tolist()
            ]
            charges = charges + np.array([int(amount) for amount in paid], self.whole)[place]
        prices, lawful, suppressed = self.prices(charges, histogram, np.arange(histogram.shape[1]))
        return _Priced(people, group_of, histogram, charges, prices, lawful, suppressed, 0, 0, int((~lawful).sum()))

    def price_finer(self, attribute: int, node: int) -> _Priced:
        """The cut in which a published node gives way to its children."""
        taxonomy = self.problem.table.taxonomies[attribute]
        people = np.flatnonzero(self.released[attribute] == node)
        nodes = self.released[:, people].copy()
        children = np.array(taxonomy.children(node), np.int32)
        leaf_nodes = taxonomy.leaf_nodes[self.leaves[attribute, people]]
        nodes[attribute] = children[np.searchsorted(children, leaf_nodes, side="right") - 1]
        return self.price(people, nodes)

    def price_all(self) -> Iterator[_Priced]:
        """Every other cut that is allowed and publishes different nodes."""
        seen = {self.released.tobytes()}
        above = [
            [
                cut.value_of_leaf()[row]
                for cut in enumerate_cuts(taxonomy)
                if not self.problem.table.is_forbidden(attribute)[list(cut.nodes)].any()
            ]
            for attribute, (taxonomy, row) in enumerate(zip(self.problem.table.taxonomies, self.leaves, strict=True))
        ]
        for choice in product(*above):
            nodes = np.stack(choice)
            key = nodes.tobytes()
            if key not in seen:
                seen.add(key)
                yield self.price(self.everyone, nodes)


def minimality(
    method: Method,
    cuts: tuple[Cut, ...],
    released: Groups,
    thresholds: Thresholds,
    random: np.random.Generator,
) -> dict[str, Any]:
    """Attacks the small groups of a release. released: its groups by all quasi-identifiers."""
    problem = method.problem
    if problem.loss_name == "cm":
        return _not(
            "The minimality attack was not tried: with the loss cm the choice of the release depends on the class "
            "column too, which this attack does not follow. That it was not tried says nothing about the risk."
        )
    values = len(problem.table.sensitive_values)
    if values > MOST_VALUES or len(problem.table.counts) * values > MOST_CELLS:
        return _not(
            f"The minimality attack was not tried: with {values:,} sensitive values there are too many originals to "
            "consider. That it was not tried says nothing about the risk."
        )
    if not len(released.sizes):
        return _not("Nothing was published, so there is no group for the minimality attack to try.")
    table = _Table(problem, cuts)
    sizes = table.histogram.sum(axis=1)
    people_in = np.bincount(table.group_of, weights=sizes).astype(np.int64)
    keys = np.empty((len(cuts), len(people_in)), np.int32)
    keys[:, table.group_of] = table.released
    published = released.find(keys)
    small = np.flatnonzero((published >= 0) & (people_in <= MOST_MEMBERS))
    too_large = int(((published >= 0) & (people_in > MOST_MEMBERS)).sum())
    if not len(small):
        return _not(
            f"Every published group has more than {MOST_MEMBERS} people, and the minimality attack tries small groups "
            "only."
        )
    drawn = np.sort(random.permutation(small)[:MOST_GROUPS])
    tiny = (
        count_all_cuts(problem.table.taxonomies) <= MOST_CUTS
        and table.leaves.shape[1] <= MOST_COMBINATIONS
        and len(drawn) == len(small)
    )
    found: Iterator[_Group | None] = (_worlds(table, released, group, int(published[group])) for group in drawn)
    all_cuts: list[_Priced] | None = None
    if tiny:
        listed = list(found)
        found = iter(listed)
        trials = sum(len(group.weights) + 50 for group in listed if group)
        if trials * count_all_cuts(problem.table.taxonomies) <= MOST_TRIALS:
            all_cuts = list(table.price_all())
    finer = _FinerCuts(table) if all_cuts is None else None
    tally = _Tally(thresholds)
    too_many = 0
    for group in found:
        if group is None:
            too_many += 1
            continue
        touching, elsewhere = finer.of(group) if finer else (all_cuts or [], [])
        tally.add(group, table.histogram[group.people], _consistent(table, method, group, touching, elsewhere))
    against = f"all {len(all_cuts) + 1} cuts" if all_cuts is not None else "the cuts one step finer"
    figures = {
        "checked_against": against,
        "groups": tally.groups,
        "people": tally.people,
        "left_out": {
            "groups_too_large": too_large,
            "groups_not_drawn": len(small) - len(drawn),
            "groups_with_too_many_worlds": too_many,
        },
        "caps": {"members": MOST_MEMBERS, "groups": MOST_GROUPS, "worlds": MOST_WORLDS},
        "worlds": {"before": tally.worlds, "after": tally.kept},
        "rises": tally.rises,
        "highest_confidence": {"before": float(tally.highest_before), "after": float(tally.highest_after)},
        "above_threshold": None
        if all(share is None for share in thresholds)
        else {
            "before": tally.above_before,
            "after": tally.above_after,
            "new": tally.newly_above,
            "new_people": tally.people_newly_above,
        },
        "excluded_truth": tally.misled,
        "guesses": rate(tally.right_after, tally.people),
        "baseline": rate(tally.right_before, tally.people),
    }
    if not tally.groups:
        return _not(
            "The minimality attack was not tried: "
            f"{'the one small group' if too_many == 1 else f'each of the {too_many:,} small groups'} could come from "
            f"more than {MOST_WORLDS:,} originals. That it was not tried says nothing about the risk."
        )
    return {"applies": True, **figures, "reading": _reading(figures)}


def _not(reading: str) -> dict[str, Any]:
    return {"applies": False, "reading": reading}


def _worlds(table: _Table, released: Groups, group: int, published: int) -> _Group | None:
    people = np.flatnonzero(table.group_of == group)
    members = table.histogram[people].sum(axis=1)
    visible = np.zeros(released.values, np.int64)
    entries = slice(*np.searchsorted(released.group, [published, published + 1]))
    visible[released.value[entries]] = released.count[entries]
    problem = table.problem
    totals = histograms(
        visible,
        int(released.sizes[published]),
        int(members.sum()),
        problem.limits,
        problem.scheme,
        problem.guard_stars,
        MOST_WORLDS,
    )
    if totals is None:
        return None
    values = np.flatnonzero(totals.any(axis=0))
    found = arrangements(members, totals[:, values], MOST_WORLDS)
    if found is None:
        return None
    worlds, ways = found
    likely = released.likely[values].astype(object)
    chances = (likely ** worlds.sum(axis=1).astype(object)).prod(axis=1)
    return _Group(people, members, values, worlds, ways.astype(object) * chances)


class _FinerCuts:
    """The cuts one step finer than the released one, priced once each."""

    def __init__(self, table: _Table) -> None:
        self.table = table
        self.priced: dict[tuple[int, int], _Priced] = {}
        for attribute, taxonomy in enumerate(table.problem.table.taxonomies):
            for node in np.unique(table.released[attribute]).tolist():
                if not taxonomy.is_leaf(node):
                    self.priced[attribute, node] = table.price_finer(attribute, node)

    def of(self, group: _Group) -> tuple[list[_Priced], list[_Priced]]:
        """Those that split values of the group, and those that do not."""
        touching: list[_Priced] = []
        elsewhere: list[_Priced] = []
        nodes = self.table.released[:, group.people[0]].tolist()
        for (attribute, node), priced in self.priced.items():
            (touching if nodes[attribute] == node else elsewhere).append(priced)
        return touching, elsewhere


def _consistent(
    table: _Table, method: Method, group: _Group, touching: list[_Priced], elsewhere: list[_Priced]
) -> Bools:
    """world -> whether the released cut could still have been chosen.

    The released form of the group is the same in all worlds, so the released cut costs the same in all of them.
    """
    worlds = len(group.weights)
    costs = [_costs(table, group, priced) for priced in touching]
    costs += [
        (np.full(worlds, table.total + priced.difference, table.whole), np.ones(worlds, bool))
        for priced in elsewhere
        if not priced.unlawful and table.allows(priced.more_suppressed)
    ]
    if not costs:
        return np.ones(worlds, bool)
    amounts = np.stack([cost for cost, _ in costs])
    lawful = np.stack([allowed for _, allowed in costs])
    stretch = 1 + method.alpha
    if stretch == 1:
        better = lawful & np.asarray(amounts < table.total, bool)
    else:
        stretched = amounts.astype(object) * stretch.numerator  # whole numbers of any length
        better = lawful & np.asarray(stretched < table.total * stretch.denominator, bool)
    if method.top_h == 1 or table.problem.scheme not in ("vio-rec", "all-rec"):
        return np.asarray(better.sum(axis=0) < method.top_h)
    # What is not better gets the released cost, which no better one has; equal neighbours then count once.
    ordered = np.sort(np.where(better, amounts, table.total), axis=0)
    is_better = np.asarray(ordered < table.total, bool)
    is_better[1:] &= np.asarray(ordered[1:] != ordered[:-1], bool)
    return np.asarray(is_better.sum(axis=0) < method.top_h)


def _costs(table: _Table, group: _Group, priced: _Priced) -> tuple[npt.NDArray[Any], Bools]:
    """world -> what the whole table costs under a cut, and whether the cut may be published."""
    place = np.searchsorted(priced.people, group.people)
    own = priced.group_of[place]
    touched, part_of = np.unique(own, return_inverse=True)
    truth = np.zeros((len(touched), table.histogram.shape[1]), np.int64)
    np.add.at(truth, part_of, table.histogram[group.people])
    outside = priced.histogram[touched] - truth
    constant = table.total + priced.difference - int(priced.prices[touched][priced.lawful[touched]].sum())
    more_suppressed = priced.more_suppressed - int(priced.suppressed[touched].sum())
    never = priced.unlawful > int((~priced.lawful[touched]).sum())
    worlds = len(group.weights)
    if never:
        return np.zeros(worlds, table.whole), np.zeros(worlds, bool)
    values = np.union1d(group.values, np.flatnonzero(outside.any(axis=0)))
    own_values = np.searchsorted(values, group.values)
    amounts: npt.NDArray[Any] = np.empty(worlds, table.whole)
    lawful = np.empty(worlds, bool)
    step = max(1, CELLS_AT_ONCE // (len(touched) * len(values)))
    for start in range(0, worlds, step):
        some = group.worlds[start : start + step]
        histogram = np.repeat(outside[None, :, values], len(some), axis=0)
        for combination, part in enumerate(part_of.tolist()):
            histogram[:, part, own_values] += some[:, combination]
        rows = histogram.reshape(-1, len(values))
        price, allowed, suppressed = table.prices(np.tile(priced.charges[touched], len(some)), rows, values)
        shape = (len(some), len(touched))
        amounts[start : start + step] = constant + price.reshape(shape).sum(axis=1)
        lawful[start : start + step] = allowed.reshape(shape).all(axis=1) & table.allows(
            more_suppressed + suppressed.reshape(shape).sum(axis=1)
        )
    return amounts, lawful


class _Tally:
    """What the attack finds, group by group."""

    def __init__(self, thresholds: Thresholds) -> None:
        self.thresholds = thresholds
        self.groups = self.people = self.worlds = self.kept = 0
        self.rises = self.above_before = self.above_after = self.newly_above = self.people_newly_above = 0
        self.misled = 0
        self.highest_before = self.highest_after = Fraction(0)
        self.right_before = self.right_after = Fraction(0)

    def add(self, group: _Group, truth: Int64s, kept: Bools) -> None:
        self.groups += 1
        self.people += int(group.members.sum())
        self.worlds += len(kept)
        self.kept += int(kept.sum())
        is_truth = (group.worlds == truth[:, group.values]).all(axis=(1, 2))
        if not (is_truth & kept).any():
            # Taking an incomplete search for complete may rule out everything; then nothing is learnt.
            self.misled += 1
            if not kept.any():
                kept = np.ones_like(kept)
        before, after = shares(group.worlds, group.weights), shares(group.worlds[kept], group.weights[kept])
        for combination, people in enumerate(group.members.tolist()):
            of_truth = truth[combination, group.values]
            self._add_people(people, of_truth, group.values.tolist(), before[combination], after[combination])

    def _add_people(
        self, people: int, truth: Int64s, values: list[int], before: list[Fraction], after: list[Fraction]
    ) -> None:
        highest_before, highest_after = max(before), max(after)
        self.highest_before = max(self.highest_before, highest_before)
        self.highest_after = max(self.highest_after, highest_after)
        if highest_after > highest_before:
            self.rises += people
        was = {value for value, share in zip(values, before, strict=True) if self._exceeds(share, value)}
        now = {value for value, share in zip(values, after, strict=True) if self._exceeds(share, value)}
        self.above_before += people * bool(was)
        self.above_after += people * bool(now)
        self.newly_above += people * bool(now - was)
        self.people_newly_above += people * (bool(now) and not was)
        self.right_before += _expected(truth, before)
        self.right_after += _expected(truth, after)

    def _exceeds(self, share: Fraction, value: int) -> bool:
        threshold = self.thresholds[value]
        return threshold is not None and share > threshold


def shares(worlds: Int64s, weights: npt.NDArray[Any]) -> list[list[Fraction]]:
    """combination x value -> how likely one of its people has the value"""
    numerators = (weights[:, None, None] * worlds.astype(object)).sum(axis=0)
    members = worlds[0].sum(axis=1)
    total = int(weights.sum())
    return [
        [Fraction(number, total * people) for number in row]
        for row, people in zip(numerators.tolist(), members.tolist(), strict=True)
    ]


def _expected(truth: Int64s, confidences: list[Fraction]) -> Fraction:
    """How many of these people are guessed right when each is given a most likely value, of several one at random."""
    highest = max(confidences)
    guessed = [value for value, share in enumerate(confidences) if share == highest]
    return Fraction(int(truth[guessed].sum()), len(guessed))


def _reading(figures: dict[str, Any]) -> str:
    highest = figures["highest_confidence"]
    above = figures["above_threshold"]
    left_out = sum(figures["left_out"].values())
    sentences = [
        "An adversary who knows the method and every record outside the group was tried on "
        f"{counted(figures['groups'], 'group')} with {people_in_words(figures['people'])} "
        f"({counted(left_out, 'group')} {'was' if left_out == 1 else 'were'} left out), against "
        f"{figures['checked_against']}.",
        f"The confidence rises for {people_in_words(figures['rises'])}; the highest "
        f"{changes(highest['before'], highest['after'])}.",
    ]
    if above is not None:
        sentences.append(f"A threshold is exceeded for {people_in_words(above['new'])} for whom it was not before.")
        if above["before"]:
            sentences.append(
                f"For {people_in_words(above['before'])} one is already exceeded by knowing everybody's "
                "quasi-identifiers and the suppression scheme."
            )
    if figures["excluded_truth"]:
        sentences.append(
            f"In {counted(figures['excluded_truth'], 'group')} the adversary is misled, as the release is not proved "
            "to be the best."
        )
    return " ".join(sentences)


def completed_cuts(table: EncodedTable, nodes: Int32s) -> tuple[Cut, ...]:
    """The cuts that publish these nodes; values of which nothing is published go up as far as the rest allows."""
    cuts = []
    for taxonomy, row in zip(table.taxonomies, nodes, strict=True):
        chosen = {int(node) for node in np.unique(row)} or {0}
        above = {0} - chosen
        for node in chosen:
            parent = int(taxonomy.parents[node])
            while parent >= 0:
                above.add(parent)
                parent = int(taxonomy.parents[parent])
        rest = [child for node in above for child in taxonomy.children(node) if child not in above | chosen]
        cuts.append(Cut(taxonomy, tuple(chosen | set(rest))))
    return tuple(cuts)


def collapsed(table: EncodedTable, release: ReleasedTable) -> tuple[EncodedTable, ReleasedTable]:
    """The same with one-child chains of the taxonomies as one node, as the search saw them.

    Otherwise two cuts that differ in a label of a chain only would count as two.
    """
    taxonomies = tuple(taxonomy.collapsed() for taxonomy in table.taxonomies)
    nodes = [
        same_node(old, new)[row] for old, new, row in zip(table.taxonomies, taxonomies, release.nodes, strict=True)
    ]
    return replace(table, taxonomies=taxonomies), replace(release, nodes=np.stack(nodes))


def same_node(old: Taxonomy, new: Taxonomy) -> Int32s:
    """Node of a taxonomy -> node of the collapsed one that covers the same leaves."""
    place = {(first, stop): node for node, (first, stop) in enumerate(zip(new.first_leaf, new.stop_leaf, strict=True))}
    return np.array([place[span] for span in zip(old.first_leaf, old.stop_leaf, strict=True)], np.int32)


def beyond(part: Mapping[str, Any]) -> str:
    """What was found, as part of a sentence."""
    gain = part["above_threshold"]["new"] if part["above_threshold"] is not None else part["rises"]
    what = "takes {} above a threshold" if part["above_threshold"] is not None else "raises the confidence for {}"
    people = "one person" if part["people"] == 1 else f"{part['people']:,} people"
    tried = f"of the {people} in the small groups tried"
    more = f"{gain:,} more {tried}" if gain else f"none {tried}"
    return f"knowing the method and all other records {what.format(more)}"
