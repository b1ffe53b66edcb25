"""The adversary who knows all items of a person that are not sensitive, and that there are no others.

Paper: He and Naughton 2009. Their adversary may know the whole set, and so what is not in it. rho-uncertainty counts
all who have the known items, including those who have more, and kl-privacy covers only absent items worth n leaves.
With rho = 1/2 the transactions {a1, s} and {a1, a2} are safe, yet of those with a1 and nothing else all have s.

They take the set of somebody in the original as it is published and look at the transactions that show exactly this. A
sensitive item is more certain than promised if more than the share of them have it, and certain if all have it. What is
counted is how many of the sensitive items shown beside other items are so. Transactions that show a set which is
nobody's whole set, because items were left out of them, are not looked at; where they show what is another person's
set, the adversary may well be wrong.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.attacks.transactions.disjunctions import hindrance
from discreet.encode.released_transactions import ReleasedTransactions
from discreet.encode.transactions import EncodedTransactions
from discreet.values.arrays import Int64s
from discreet.values.sets import Sets, distinct
from discreet.values.words import counted, percent

Bools = npt.NDArray[np.bool_]


def exact_sets(original: EncodedTransactions, release: ReleasedTransactions, share: Fraction | None) -> dict[str, Any]:
    """The part "exact_sets" of the attack's document. share: the most that is promised, None where nothing is."""
    reason = hindrance(original.taxonomy, release, original.sensitive_items)
    rows, codes = release.sensitive.rows, release.sensitive.items.astype(np.int64)
    beside_others = release.nodes.sizes[rows] > 0
    rows, codes = rows[beside_others], codes[beside_others]
    if reason is None and not len(rows):
        reason = "no sensitive item is shown beside others"
    if reason is not None:
        return {"applies": False, "reading": f"Knowing the exact set was not tried: {reason}."}
    alike, is_whole = _by_set(original, release)
    sizes = np.bincount(alike, weights=release.counts).astype(np.int64)
    pairs, place = np.unique(alike[rows] * len(original.sensitive_items) + codes, return_inverse=True)
    having = np.bincount(place, weights=release.counts[rows]).astype(np.int64)
    groups = pairs // len(original.sensitive_items)
    shown = int(having.sum())
    having, size = having[is_whole[groups]], sizes[groups[is_whole[groups]]]
    certain, above = int(having[having == size].sum()), None
    if share is not None:
        # Python's numbers: those of 64 bits are too small for some shares.
        most = np.array([number * share.numerator // share.denominator for number in size.tolist()], np.int64)
        above = int(having[having > most].sum())
    return {
        "applies": True,
        "shown": shown,
        "above_share": above,
        "certain": certain,
        "reading": _reading(shown, above, certain, share),
    }


def _by_set(original: EncodedTransactions, release: ReleasedTransactions) -> tuple[Int64s, Bools]:
    """Released transaction -> the number of the set it shows, and set -> whether it is all that somebody has."""
    taxonomy = original.taxonomy
    node_of_leaf = np.full(len(taxonomy.leaf_nodes), -1, np.int64)
    for node in np.unique(release.nodes.items).tolist():
        node_of_leaf[taxonomy.first_leaf[node] : taxonomy.stop_leaf[node]] = node
    whole, shown = original.sets.mapped(node_of_leaf), release.nodes
    offsets = np.concatenate((shown.offsets, shown.offsets[-1] + whole.offsets[1:]))
    first, alike = distinct(Sets(offsets, np.concatenate((shown.items, whole.items))))
    is_whole = np.zeros(len(first), np.bool_)
    is_whole[alike[len(shown) :]] = True
    return alike[: len(shown)], is_whole


def _reading(shown: int, above: int | None, certain: int, share: Fraction | None) -> str:
    sentence = (
        "Somebody may know all items of a person that are not sensitive, and that there are no others. Of "
        f"{counted(shown, 'sensitive item')} shown beside others, "
    )
    if share is None or above is None:
        return f"{sentence}{_part(certain, shown)} then certain."
    if not above:
        return f"{sentence}none is then more certain than the promised {percent(float(share))}."
    return (
        f"{sentence}{_part(above, shown)} then more certain than the promised {percent(float(share))}, and "
        f"{_part(certain, shown)} certain, which the promise does not cover."
    )


def _part(number: int, of: int) -> str:
    """`none is`, `1 (25%) is`, `3 (75%) are`."""
    return f"{number:,} ({percent(number / of)}) {'is' if number == 1 else 'are'}" if number else "none is"
