"""k^m-anonymity: anyone who knows m items of a person finds at least k people who have them.

Paper: Terrovitis, Mamoulis and Kalnis 2008. KL(m,0)-privacy without sensitive items (l = 1). Monotone: yes.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from discreet.models.itemset_limits import Adversary, ItemsetLimits, among_k


@dataclass(frozen=True)
class KMAnonymity:
    """Knowing m items of a person leaves at least k people who have them."""

    name: ClassVar[str] = "km-anonymity"
    kind: ClassVar[str] = "transactions"
    paper: ClassVar[str] = "Terrovitis, Mamoulis and Kalnis 2008"
    monotone: ClassVar[bool] = True
    about_rules: ClassVar[bool] = False
    needs_sensitive: ClassVar[bool] = False

    k: int
    m: int

    def itemset_limits(self) -> ItemsetLimits:
        return ItemsetLimits(self.k, Fraction(1), self.m)

    @property
    def share(self) -> Fraction | None:
        return None

    def adversary(self) -> Adversary:
        return Adversary.of(self.itemset_limits())

    def in_words(self, sensitive: bool) -> str:
        return among_k(self.itemset_limits(), "", sensitive)

    def promise(self) -> dict[str, object]:
        return {"model": self.name, "k": self.k, "m": self.m}
