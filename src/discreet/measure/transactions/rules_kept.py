"""Which association rules of the original can still be mined from the release, and which are spurious.

Papers: Jia et al. 2014, 2.2 and 4.2 (Jaccard similarity of the rules mined before and after); Agrawal and Srikant 1994
(association rules). A rule X -> y says that anyone who has the items X has the item y too: at least 0.05% of the
transactions, and no fewer than 2, have X and y, and at least a share of those with X, its confidence, have y. The
share is the rho of the promise, where it has one, and 1/2 otherwise. Rules have one item on the right: those with more
follow from them and would only count the same thing again. Sensitive items are items like all others here.

A rule has at most 5 items in all. The paper cuts the records themselves down to 5 items for this measure; on those data
the limit changes nothing. It becomes smaller where there would be more than MOST_ITEMSETS frequent itemsets.

An item that is published as something more general is not that item: rules about the general one are spurious, those
about the item are lost. (The paper puts every item under it in its place instead: one rule becomes thousands, and the
similarity comes out as small.) Where sensitive items are published apart, the release shows no rule with one.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar

import numpy as np

from discreet.measure.measurement import Measurement, Unit, percent
from discreet.measure.transactions.comparison import TransactionComparison
from discreet.measure.transactions.mining import Pattern, frequent_itemsets, mined_before_and_after

SUPPORT = Fraction(5, 10_000)
CONFIDENCE = Fraction(1, 2)
LONGEST = 5
MOST_ITEMSETS = 500_000
MOST_LISTED = 10_000
"""How many lost rules and how many spurious ones are listed, the most frequent first."""

Rule = tuple[Pattern, int]
"""The items of a rule, and the one of them that follows from the others."""
Found = dict[Rule, tuple[int, float]]
"""rule -> how many transactions have all its items, and its confidence"""


class RulesKept:
    """The Jaccard similarity of the association rules of the original and of the release."""

    name: ClassVar[str] = "rules-kept"
    title: ClassVar[str] = "Association rules kept"
    paper: ClassVar[str] = "Jia et al. 2014, 2.2; Agrawal and Srikant 1994"
    definition: ClassVar[str] = (
        "The association rules that can be mined from both the original and the release, divided by those that can be "
        f"mined from either: one item that follows from up to {LONGEST - 1} others, all of them together in at least "
        f"{float(SUPPORT):.2%} of the transactions, with a confidence of at least rho or, without one, {CONFIDENCE}."
    )
    unit: ClassVar[Unit] = "share"
    needs_sensitive: ClassVar[bool] = False

    def measure(self, comparison: TransactionComparison, random: np.random.Generator) -> Measurement:
        smallest = max(2, ceil(SUPPORT * comparison.original.transactions))
        confidence = CONFIDENCE if comparison.rho is None else comparison.rho
        longest, *itemsets = mined_before_and_after(comparison, frequent_itemsets, smallest, LONGEST, MOST_ITEMSETS)
        before, after = (_rules(found, confidence) for found in itemsets)
        kept = before.keys() & after.keys()
        either = len(before) + len(after) - len(kept)
        similarity = len(kept) / either if either else None
        rules = f"association rules of up to {longest} items, with a confidence of {confidence} or more,"
        if similarity is None:
            reading = f"Not measured: neither the original nor the release has {rules.removesuffix(',')}."
        else:
            reading = (
                f"Of {len(before):,} {rules} the release keeps {len(kept):,}; {len(after) - len(kept):,} of its "
                f"{len(after):,} are spurious, a similarity of {percent(similarity)}."
            )
        return Measurement.of(
            self,
            original=None if similarity is None else 1.0,
            release=similarity,
            reading=reading,
            details={
                "measured": similarity is not None,
                "support": float(SUPPORT),
                "transactions": smallest,
                "confidence": str(confidence),
                "longest": longest,
                "rules": {"original": len(before), "release": len(after), "both": len(kept)},
                "lost": len(before) - len(kept),
                "spurious": len(after) - len(kept),
                "lost_rules": _listed(comparison, before, before.keys() - kept),
                "spurious_rules": _listed(comparison, after, after.keys() - kept),
            },
        )


def _rules(supports: dict[Pattern, int], confidence: Fraction) -> Found:
    """The rules among frequent itemsets; every part of a frequent itemset is one of them."""
    found: Found = {}
    for items, together in supports.items():
        if len(items) == 1:
            continue
        for place, item in enumerate(items):
            known = supports[items[:place] + items[place + 1 :]]
            if together * confidence.denominator >= confidence.numerator * known:
                found[items, item] = together, together / known
    return found


def _listed(comparison: TransactionComparison, found: Found, rules: Iterable[Rule]) -> list[dict[str, Any]]:
    labels = (*comparison.original.taxonomy.labels, *comparison.original.sensitive_items)
    order = sorted(rules, key=lambda rule: (-found[rule][0], -found[rule][1], rule))
    return [
        {
            "antecedent": [labels[item] for item in items if item != follows],
            "consequent": labels[follows],
            "transactions": found[items, follows][0],
            "confidence": found[items, follows][1],
        }
        for items, follows in order[:MOST_LISTED]
    ]
