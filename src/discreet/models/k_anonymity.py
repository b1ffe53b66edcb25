"""k-anonymity: every record looks like at least k - 1 others.

Paper: Samarati and Sweeney 1998. Monotone: yes, and more than that: the parts of a group
smaller than k are smaller still, so what it suppresses stays suppressed below.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from discreet.models.partition_limits import RECORDS, PartitionLimits, SensitiveColumn
from discreet.values.partitions import PublishedPartitions


@dataclass(frozen=True)
class KAnonymity:
    """Everyone's record looks like at least k - 1 others in the quasi-identifiers."""

    name: ClassVar[str] = "k-anonymity"
    kind: ClassVar[str] = "table"
    paper: ClassVar[str] = "Samarati and Sweeney 1998"
    monotone: ClassVar[bool] = True
    by_limits: ClassVar[bool] = True
    by_cones: ClassVar[bool] = True
    about_size: ClassVar[bool] = True
    inherited: ClassVar[bool] = True
    treats_alike: ClassVar[bool] = True
    needs_sensitive: ClassVar[bool] = False

    column: ClassVar[None] = None

    k: int

    def demand(self, sensitive: SensitiveColumn) -> PartitionLimits:
        return PartitionLimits((Fraction(1),) * len(sensitive.values), smallest=self.k)

    def in_words(self) -> str:
        return f"finds at least {self.k:,} {RECORDS} that fit, or none"

    def warnings(self, sensitive: SensitiveColumn) -> list[str]:
        return []

    def promise(self, sensitive: SensitiveColumn) -> dict[str, object]:
        return {"model": self.name, "k": self.k}

    def statement(self, published: PublishedPartitions, sensitive: SensitiveColumn) -> dict[str, object]:
        return {"model": self.name, "k": self.k}
