"""condensed-groups: every row was made from the means and covariances of groups of at least k people.

Paper: Aggarwal and Yu 2004, who call it k-indistinguishability and k-anonymity; it is neither of what a reader can see.
Nobody's record is published. What is known of the rows is how they came about: from a group of at least k records its
size, mean and covariances were taken, of a class its share, and nothing else of it decides what is drawn. So a row says
of one person what the mean and the covariances of at least k people say of each.

No file can prove that: rows drawn from groups of one look the same. It is the steward's statement, and the verifier
says so. Whether groups are equal, large, or mean anything in the release is not promised; where k people are alike,
their record is published k times over.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from discreet.models.partition_limits import RECORDS, PartitionLimits, SensitiveColumn
from discreet.values.partitions import PublishedPartitions


@dataclass(frozen=True)
class CondensedGroups:
    """Every row was made up from the means and covariances of groups of at least k records; no file can prove it."""

    name: ClassVar[str] = "condensed-groups"
    kind: ClassVar[str] = "table"
    paper: ClassVar[str] = "Aggarwal and Yu 2004"
    monotone: ClassVar[bool] = False
    """groups are of the original's records, not of what is published: generalizing makes none"""
    by_limits: ClassVar[bool] = False
    by_cones: ClassVar[bool] = False
    about_size: ClassVar[bool] = False
    """nor about the size of groups that anybody can see"""
    inherited: ClassVar[bool] = False
    treats_alike: ClassVar[bool] = True
    needs_sensitive: ClassVar[bool] = False

    column: ClassVar[None] = None

    k: int

    def __post_init__(self) -> None:
        if self.k < 2:
            raise ValueError("k is 1, and the mean of one record is that record; write 2 or more")

    def demand(self, sensitive: SensitiveColumn) -> PartitionLimits:
        return PartitionLimits((Fraction(1),) * len(sensitive.values), smallest=self.k)

    def in_words(self) -> str:
        return (
            f"finds rows that were made up, each from the means and covariances of a group of at least {self.k:,} "
            f"{RECORDS}, which no file can prove"
        )

    def warnings(self, sensitive: SensitiveColumn) -> list[str]:
        return []

    def promise(self, sensitive: SensitiveColumn) -> dict[str, object]:
        return {"model": self.name, "k": self.k}

    def statement(self, published: PublishedPartitions, sensitive: SensitiveColumn) -> dict[str, object]:
        return {"model": self.name, "k": self.k}
