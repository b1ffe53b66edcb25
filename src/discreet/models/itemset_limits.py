"""What every promise about itemsets comes down to: how small a group may be, and how sure anyone may become.

An itemset is what an adversary knows about somebody: at most `present` non-sensitive items that are in the transaction,
and items that are not in it, worth at most `absent` leaves of the taxonomy. Items may be general, like the published
ones or those above them; no two items of an itemset lie on one path of the taxonomy. Each itemset that some
transaction supports is supported by at least `smallest` of them, and no sensitive item is in more than `share` of
these.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from discreet.values.words import counted


@dataclass(frozen=True)
class ItemsetLimits:
    smallest: int
    share: Fraction
    present: int
    absent: int = 0

    @property
    def limits_confidence(self) -> bool:
        return self.share < 1


@dataclass(frozen=True)
class Adversary:
    """What the adversary knows against whom a promise is made."""

    limits: ItemsetLimits | None = None
    """what they may find; None where the promise is not about itemsets"""
    present: int | None = None
    """how many items of a person they know; None for all that are not sensitive, where the promise sets no limit"""
    absent: int = 0
    """how many items they know that the person does not have"""

    @classmethod
    def of(cls, limits: ItemsetLimits) -> Adversary:
        return cls(limits, limits.present, limits.absent)


UNLIMITED = " How sure that makes anyone of a sensitive item is not limited."


def among_k(limits: ItemsetLimits, most: str, sensitive: bool) -> str:
    """What someone who knows a few items finds; most: how large a part may have a sensitive item, in words."""
    lacks = f", and {counted(limits.absent, 'item')} that the person does not have," if limits.absent else ""
    knows = f"Anyone who knows up to {counted(limits.present, 'item')} of a person{lacks}"
    finds = f"finds at least {counted(limits.smallest, 'transaction')} that fit{'s' if limits.smallest == 1 else ''}"
    if not limits.limits_confidence:
        return f"{knows} {finds}, or none.{UNLIMITED if sensitive else ''}"
    also = f"; no sensitive item is in more than {most} of them" if sensitive else ""
    return f"{knows} {finds}, or none{also}."
