"""l-diversity in its most common form: no sensitive value makes up more than 1/l of a group.

Paper: Machanavajjhala et al., 2007 (frequency form); Liu 2010, 3.1.1: l+-diversity with the threshold
1/l for every value. Monotone: yes, as l+-diversity is.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from discreet.models.partition_limits import SENSITIVE, PartitionLimits, SensitiveColumn, about
from discreet.values.partitions import PublishedPartitions


@dataclass(frozen=True)
class LDiversity:
    """No one can be linked to a sensitive value with more confidence than 1/l."""

    name: ClassVar[str] = "l-diversity"
    kind: ClassVar[str] = "table"
    paper: ClassVar[str] = "Machanavajjhala et al. 2007; Liu 2010, 3.1.1"
    monotone: ClassVar[bool] = True
    by_limits: ClassVar[bool] = True
    by_cones: ClassVar[bool] = True
    about_size: ClassVar[bool] = False
    inherited: ClassVar[bool] = False
    treats_alike: ClassVar[bool] = True
    needs_sensitive: ClassVar[bool] = True

    l: int  # noqa: E741 - the literature's name
    column: str | None = None

    def demand(self, sensitive: SensitiveColumn) -> PartitionLimits:
        return PartitionLimits((Fraction(1, self.l),) * len(sensitive.values))

    def in_words(self) -> str:
        return f"can link no value of {SENSITIVE} to that person with more confidence than 1 in {self.l}"

    def warnings(self, sensitive: SensitiveColumn) -> list[str]:
        return []

    def promise(self, sensitive: SensitiveColumn) -> dict[str, object]:
        return {"model": self.name, **about(self.column), "l": self.l}

    def statement(self, published: PublishedPartitions, sensitive: SensitiveColumn) -> dict[str, object]:
        return self.promise(sensitive)
