"""Transactional k-anonymity: every transaction looks like at least k - 1 others in all its non-sensitive items.

Paper: He and Naughton 2009. Monotone: this is not about cuts of one taxonomy; the method generalizes group by group.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from discreet.models.itemset_limits import UNLIMITED, Adversary


@dataclass(frozen=True)
class TransactionalKAnonymity:
    """Everyone's transaction has the same non-sensitive items as at least k - 1 others."""

    name: ClassVar[str] = "transactional-k-anonymity"
    kind: ClassVar[str] = "transactions"
    paper: ClassVar[str] = "He and Naughton 2009"
    monotone: ClassVar[bool] = False
    about_rules: ClassVar[bool] = False
    needs_sensitive: ClassVar[bool] = False

    k: int

    @property
    def share(self) -> Fraction | None:
        return None

    def adversary(self) -> Adversary:
        return Adversary()

    def in_words(self, sensitive: bool) -> str:
        return (
            "Anyone who knows all items of a person that are not sensitive finds at least "
            f"{self.k:,} transactions that look the same.{UNLIMITED if sensitive else ''}"
        )

    def promise(self) -> dict[str, object]:
        return {"model": self.name, "k": self.k}
