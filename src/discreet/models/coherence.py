"""(h,k,p)-coherence: p known items of a person fit k people, and no sensitive item is in more than the share h of them.

Paper: Xu, Wang, Fu and Yu 2008. KL(p,0)-privacy with the share h in place of 1/l. The paper suppresses items and has
no taxonomy, so the itemsets are those of published items; a method that generalizes keeps more: the promise for the
items above as well. Monotone: yes in that stronger sense, and under suppression.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from discreet.models.itemset_limits import Adversary, ItemsetLimits, among_k


@dataclass(frozen=True)
class Coherence:
    """Knowing p items of a person leaves k people and at most the share h for any sensitive item."""

    name: ClassVar[str] = "coherence"
    kind: ClassVar[str] = "transactions"
    paper: ClassVar[str] = "Xu, Wang, Fu and Yu 2008"
    monotone: ClassVar[bool] = True
    about_rules: ClassVar[bool] = False
    needs_sensitive: ClassVar[bool] = False

    k: int
    h: Fraction
    p: int

    def itemset_limits(self) -> ItemsetLimits:
        return ItemsetLimits(self.k, self.h, self.p)

    @property
    def share(self) -> Fraction | None:
        return self.h

    def adversary(self) -> Adversary:
        return Adversary.of(self.itemset_limits())

    def in_words(self, sensitive: bool) -> str:
        return among_k(self.itemset_limits(), str(self.h), sensitive)

    def promise(self) -> dict[str, object]:
        return {"model": self.name, "k": self.k, "h": str(self.h), "p": self.p}
