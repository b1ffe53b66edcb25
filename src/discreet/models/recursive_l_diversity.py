"""Recursive (c, l)-diversity: the most frequent sensitive value of a group is not too frequent beside the rare ones.

Paper: Machanavajjhala et al. 2007. With counts r1 >= r2 >= ... of a group, r1 < c (r_l + r_(l+1) + ...): even who can
rule out l - 2 of the values is not sure of another. Strictly less, so (1, 1) has entropy 2-diversity and is not
recursive (1, 2)-diverse: neither of the two is simply weaker than the other.
Monotone: yes. r1 + c (r1 + ... + r_(l-1)) < c n is a bound on a maximum and on the largest sum of l - 1 counts, and
neither of the two grows by more than it does in the groups that are put together.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from discreet.models.cones import ConeDemand, Recursive
from discreet.models.distinct_l_diversity import check_values
from discreet.models.parameters import AboveZero
from discreet.models.partition_limits import SENSITIVE, SensitiveColumn, about, unlimited
from discreet.values.partitions import PublishedPartitions


@dataclass(frozen=True)
class RecursiveLDiversity:
    """The most frequent value of a group occurs less than c times as often as the l-th and all rarer ones together."""

    name: ClassVar[str] = "recursive-l-diversity"
    kind: ClassVar[str] = "table"
    paper: ClassVar[str] = "Machanavajjhala et al. 2007"
    monotone: ClassVar[bool] = True
    by_limits: ClassVar[bool] = False
    by_cones: ClassVar[bool] = True
    about_size: ClassVar[bool] = False
    inherited: ClassVar[bool] = False
    needs_sensitive: ClassVar[bool] = True
    treats_alike: ClassVar[bool] = True

    c: AboveZero
    l: int  # noqa: E741 - the literature's name
    column: str | None = None

    def demand(self, sensitive: SensitiveColumn) -> ConeDemand:
        check_values("l", self.l, sensitive)
        return ConeDemand((Recursive(Fraction(self.c), self.l),), unlimited(sensitive))

    def in_words(self) -> str:
        return (
            f"finds that the most frequent value of {SENSITIVE} among the records that fit occurs less than {self.c} "
            f"times as often as all from the {_ordinal(self.l)} most frequent on together"
        )

    def warnings(self, sensitive: SensitiveColumn) -> list[str]:
        return []

    def promise(self, sensitive: SensitiveColumn) -> dict[str, object]:
        return {"model": self.name, **about(self.column), "c": str(self.c), "l": self.l}

    def statement(self, published: PublishedPartitions, sensitive: SensitiveColumn) -> dict[str, object]:
        return self.promise(sensitive)


def _ordinal(number: int) -> str:
    ending = "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
