"""Entropy l-diversity: the sensitive values of every group have at least the entropy of l equally frequent ones.

Paper: Machanavajjhala et al. 2007. In whole numbers: with counts c of n records, n^n >= l^n * product of c^c; so l
equally frequent values keep it exactly. l may be a fraction, such as 5/2.
Monotone: yes. Entropy is concave, so the union of two groups has at least the lower of their entropies.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from discreet.models.cones import ConeDemand, Entropy
from discreet.models.distinct_l_diversity import check_values
from discreet.models.parameters import AtLeastOne
from discreet.models.partition_limits import SENSITIVE, SensitiveColumn, about, unlimited
from discreet.values.partitions import PublishedPartitions


@dataclass(frozen=True)
class EntropyLDiversity:
    """Whoever finds a person's group is as unsure of the sensitive value as among l equally likely ones."""

    name: ClassVar[str] = "entropy-l-diversity"
    kind: ClassVar[str] = "table"
    paper: ClassVar[str] = "Machanavajjhala et al. 2007"
    monotone: ClassVar[bool] = True
    by_limits: ClassVar[bool] = False
    by_cones: ClassVar[bool] = True
    about_size: ClassVar[bool] = False
    inherited: ClassVar[bool] = False
    needs_sensitive: ClassVar[bool] = True
    treats_alike: ClassVar[bool] = True

    l: AtLeastOne  # noqa: E741 - the literature's name
    column: str | None = None

    def demand(self, sensitive: SensitiveColumn) -> ConeDemand:
        check_values("l", self.l, sensitive)
        return ConeDemand((Entropy(Fraction(self.l)),), unlimited(sensitive))

    def in_words(self) -> str:
        return f"is at least as unsure of {SENSITIVE}, by its entropy, as among {self.l} equally likely values"

    def warnings(self, sensitive: SensitiveColumn) -> list[str]:
        return []

    def promise(self, sensitive: SensitiveColumn) -> dict[str, object]:
        return {"model": self.name, **about(self.column), "l": str(self.l)}

    def statement(self, published: PublishedPartitions, sensitive: SensitiveColumn) -> dict[str, object]:
        return self.promise(sensitive)
