"""How well the release still shows which sensitive items go with which branches of the taxonomy.

Papers: Agrawal and Srikant 1994 (confidence of a rule); Liu 2010, 4.1 keeps sensitive items for analyses of this kind.
A rule is "anyone who has an item of this branch has this sensitive item", for the branches right below the root of
which at least 1% of the original's transactions have an item. The error is the sum over all rules of |confidence in the
original - confidence in the release| divided by the sum of the confidences in the original. Where the release shows
nobody with the branch, its reader takes the share of all transactions; where sensitive items are published apart, a
transaction has one with the share of its group.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from discreet.encode.released_transactions import ReleasedTransactions
from discreet.measure.measurement import Measurement, Unit, percent
from discreet.measure.transactions.comparison import TransactionComparison
from discreet.taxonomy import Taxonomy
from discreet.values.arrays import Floats, Int64s

SUPPORT = 0.01
MOST_NAMED = 10


class SensitiveRules:
    """The relative error of the confidences of rules that imply sensitive items."""

    name: ClassVar[str] = "sensitive"
    title: ClassVar[str] = "Error of rules about sensitive items"
    paper: ClassVar[str] = "Agrawal and Srikant 1994; Liu 2010, 4.1"
    definition: ClassVar[str] = (
        "The summed error of the confidences with which a branch of the taxonomy implies a sensitive item, divided by "
        f"their sum in the original, for the branches that {SUPPORT:.0%} of the transactions have."
    )
    unit: ClassVar[Unit] = "share"
    needs_sensitive: ClassVar[bool] = True

    def measure(self, comparison: TransactionComparison, random: np.random.Generator) -> Measurement:
        original, release = comparison.original, comparison.release
        taxonomy, size = original.taxonomy, len(original.sensitive_items)
        as_published = ReleasedTransactions(original.nodes, original.sensitive, original.counts)
        support, together = _supports(taxonomy, as_published, size)
        support_after, together_after = _supports(taxonomy, release, size)
        chosen = np.flatnonzero((support >= SUPPORT * original.transactions) & (support > 0))
        before = together[chosen] / support[chosen, None]
        overall = comparison.published_sensitive / max(1, release.transactions)
        after = np.where(
            support_after[chosen, None] > 0,
            together_after[chosen] / np.maximum(1, support_after[chosen, None]),
            overall[None, :],
        )
        if not before.sum():
            reading = "Not measured: no sensitive item occurs with any branch of the taxonomy."
            return Measurement.of(self, original=None, release=None, reading=reading, details={"measured": False})
        errors = np.abs(before - after)
        error = float(errors.sum() / before.sum())
        unread = int((support_after[chosen] == 0).sum())
        reading = (
            f"What branches of the taxonomy say about sensitive items is off by {percent(error)} in the release, over "
            f"{before.size:,} rules"
        )
        if unread:
            reading += f"; it shows no item of {unread:,} of {len(chosen):,} branches"
        worst = np.argsort(-errors, axis=None, kind="stable")[:MOST_NAMED]
        branches = np.array(taxonomy.children(0) or (0,))[chosen]
        return Measurement.of(
            self,
            original=0.0,
            release=error,
            reading=f"{reading}.",
            details={
                "measured": True,
                "rules": int(before.size),
                "branches": len(chosen),
                "branches_not_shown": unread,
                "worst": [
                    {
                        "branch": taxonomy.labels[branches[branch]],
                        "sensitive": original.sensitive_items[item],
                        "original": float(before[branch, item]),
                        "release": float(after[branch, item]),
                    }
                    for branch, item in zip(*(place.tolist() for place in np.divmod(worst, size)), strict=True)
                    if errors[branch, item] > 0
                ],
            },
        )


def _supports(taxonomy: Taxonomy, release: ReleasedTransactions, size: int) -> tuple[Int64s, Floats]:
    """branch -> how many transactions show an item of it, and branch x sensitive item -> how many of them have it"""
    branches = np.array(taxonomy.children(0) or (0,), np.int64)
    place = np.full(len(taxonomy.labels), -1, np.int64)
    for number, branch in enumerate(branches.tolist()):
        place[branch : taxonomy.end[branch]] = number
    shown = release.nodes.mapped(place)
    weights = release.counts[shown.rows]
    support = np.bincount(shown.items, weights=weights, minlength=len(branches)).astype(np.int64)
    together = np.zeros((len(branches), size))
    if release.groups is None or release.group_sensitive is None:
        # Every pair of a branch and a sensitive item of one transaction.
        pairs = release.sensitive.sizes[shown.rows]
        items = release.sensitive.take(shown.rows).items
        np.add.at(together, (np.repeat(shown.items, pairs), items), np.repeat(weights, pairs))
        return support, together
    sizes = np.bincount(release.groups, weights=release.counts, minlength=len(release.group_sensitive))
    groups = release.groups[shown.rows]
    for item in range(size):
        chances = release.group_sensitive[groups, item] / sizes[groups]
        together[:, item] = np.bincount(shown.items, weights=weights * chances, minlength=len(branches))
    return support, together
