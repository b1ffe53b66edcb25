"""What every promise about itemsets comes down to: how small a group may be, and how sure anybody may become.

An itemset is what an adversary knows of somebody: non-sensitive items that are in the transaction, at most `present`,
and items that are not in it, worth at most `absent` leaves of the taxonomy. Items may be general, as the published
ones or those above them; no two of one itemset lie on one path of the taxonomy. Each itemset that some
transaction supports is supported by at least `smallest` of them, and no sensitive item is in more than `share` of
these.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class ItemsetLimits:
    smallest: int
    share: Fraction
    present: int
    absent: int = 0

    @property
    def limits_confidence(self) -> bool:
        return self.share < 1
