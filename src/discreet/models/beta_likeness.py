"""beta-likeness: nobody becomes much surer of a sensitive value than its frequency alone makes them.

Paper: Cao and Karras 2012, basic beta-likeness: the share p of a value in a group exceeds its share q of everybody by
at most the part beta of q, p <= (1 + beta) q. That is l+-diversity with thresholds min(1, (1 + beta) q). What is rare
stays rare: the bound is relative, where t-closeness is absolute. What q is, and why, is in models/reference.
Monotone: yes, as l+-diversity is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Self

from discreet.models.parameters import AboveZero
from discreet.models.partition_limits import SENSITIVE, PartitionLimits, SensitiveColumn, about
from discreet.models.reference import EXACT_IS_TOLD, Reference, check_sum, settled, shares_of, stated
from discreet.values.partitions import PublishedPartitions


@dataclass(frozen=True)
class BetaLikeness:
    """No one becomes more than 1 + beta times as sure of a sensitive value as its frequency among all makes them."""

    name: ClassVar[str] = "beta-likeness"
    kind: ClassVar[str] = "table"
    paper: ClassVar[str] = "Cao and Karras 2012"
    monotone: ClassVar[bool] = True
    by_limits: ClassVar[bool] = True
    by_cones: ClassVar[bool] = True
    about_size: ClassVar[bool] = False
    inherited: ClassVar[bool] = False
    needs_sensitive: ClassVar[bool] = True
    treats_alike: ClassVar[bool] = False

    beta: AboveZero
    reference: Reference = None
    column: str | None = None

    def __post_init__(self) -> None:
        check_sum(self.reference)

    def settled(self, suppression: str) -> Self:
        return replace(self, reference=settled(self.reference, suppression))

    def demand(self, sensitive: SensitiveColumn) -> PartitionLimits:
        shares = shares_of(self.reference, sensitive)
        return PartitionLimits(tuple(min(Fraction(1), (1 + self.beta) * shares[value]) for value in sensitive.values))

    def in_words(self) -> str:
        return (
            f"is at most {1 + self.beta} times as sure of any value of {SENSITIVE} as somebody who knows only how "
            "frequent it is"
        )

    def warnings(self, sensitive: SensitiveColumn) -> list[str]:
        return [EXACT_IS_TOLD] if self.reference == "exact" else []

    def promise(self, sensitive: SensitiveColumn) -> dict[str, object]:
        return {
            "model": self.name,
            **about(self.column),
            "beta": str(self.beta),
            "reference": stated(self.reference, sensitive),
        }

    def statement(self, published: PublishedPartitions, sensitive: SensitiveColumn) -> dict[str, object]:
        return self.promise(sensitive)
