"""Privacy degree p: in every published group, a sensitive item belongs to at most one in p of its transactions.

Paper: Ghinita, Tao and Kalnis 2008. The non-sensitive items stay exact; sensitive ones are published by group.
Monotone: yes, a union of groups that keep it keeps it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from discreet.models.itemset_limits import Adversary, ItemsetLimits


@dataclass(frozen=True)
class PrivacyDegree:
    """By the counts of a published group, the chance that a person has a sensitive item is at most one in p."""

    name: ClassVar[str] = "privacy-degree"
    kind: ClassVar[str] = "transactions"
    paper: ClassVar[str] = "Ghinita, Tao and Kalnis 2008"
    monotone: ClassVar[bool] = True
    about_rules: ClassVar[bool] = False
    needs_sensitive: ClassVar[bool] = True

    p: int

    @property
    def share(self) -> Fraction | None:
        return Fraction(1, self.p)

    def adversary(self) -> Adversary:
        return Adversary(limits=ItemsetLimits(1, Fraction(1, self.p), sys.maxsize))

    def in_words(self, sensitive: bool) -> str:
        return (
            "Whatever items someone knows of a person, no sensitive item can be linked to that person with more "
            f"than one chance in {self.p:,}. The transaction itself may be found: its other items are "
            "published as they are."
        )

    def promise(self) -> dict[str, object]:
        return {"model": self.name, "p": self.p}
