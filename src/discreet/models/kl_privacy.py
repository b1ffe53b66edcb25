"""KL(m,n)-privacy: m items that a person has and n that they lack fit at least k people, and reveal nothing for sure.

Paper: Liu 2010, Definition 4.4. An itemset of at most m present items, and absent items worth at most n leaves, is
supported by no transaction or by at least k ("more than k" in the text of the definition is a slip, its formula says at
least), and each sensitive item is in at most 1/l of them. Items on the published level and above count.
Monotone: yes, because the items above the cut count too.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from discreet.models.itemset_limits import Adversary, ItemsetLimits, among_k


@dataclass(frozen=True)
class KLPrivacy:
    """Knowing m items that a person has, and n that they lack, leaves k people and at most 1/l for a sensitive item."""

    name: ClassVar[str] = "kl-privacy"
    kind: ClassVar[str] = "transactions"
    paper: ClassVar[str] = "Liu 2010, chapter 4"
    monotone: ClassVar[bool] = True
    about_rules: ClassVar[bool] = False
    needs_sensitive: ClassVar[bool] = False

    k: int
    l: int  # noqa: E741 - the literature's name
    m: int
    n: int = 0

    def itemset_limits(self) -> ItemsetLimits:
        return ItemsetLimits(self.k, Fraction(1, self.l), self.m, self.n)

    @property
    def share(self) -> Fraction | None:
        return Fraction(1, self.l)

    def adversary(self) -> Adversary:
        return Adversary.of(self.itemset_limits())

    def in_words(self, sensitive: bool) -> str:
        return among_k(self.itemset_limits(), f"one in {self.l}", sensitive)

    def promise(self) -> dict[str, object]:
        return {"model": self.name, "k": self.k, "l": self.l, "m": self.m, "n": self.n}
