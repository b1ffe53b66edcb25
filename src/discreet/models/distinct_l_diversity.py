"""Distinct l-diversity: every group has at least l different sensitive values.

Paper: Machanavajjhala et al. 2007, the weakest form. One of the values may make up nearly all of a group, so somebody
can be almost certain of it; entropy and recursive l-diversity, or thresholds, rule that out.
Monotone: yes, a group that takes in others only gains values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from discreet.errors import InputError
from discreet.models.cones import ConeDemand, Distinct
from discreet.models.partition_limits import SENSITIVE, SensitiveColumn, about, unlimited
from discreet.values.partitions import PublishedPartitions
from discreet.values.words import counted


@dataclass(frozen=True)
class DistinctLDiversity:
    """Among the records that may be a person's there are at least l different sensitive values."""

    name: ClassVar[str] = "distinct-l-diversity"
    kind: ClassVar[str] = "table"
    paper: ClassVar[str] = "Machanavajjhala et al. 2007"
    monotone: ClassVar[bool] = True
    by_limits: ClassVar[bool] = False
    by_cones: ClassVar[bool] = True
    about_size: ClassVar[bool] = False
    inherited: ClassVar[bool] = True
    needs_sensitive: ClassVar[bool] = True
    treats_alike: ClassVar[bool] = True

    l: int  # noqa: E741 - the literature's name
    column: str | None = None

    def demand(self, sensitive: SensitiveColumn) -> ConeDemand:
        check_values("l", self.l, sensitive)
        return ConeDemand((Distinct(self.l),), unlimited(sensitive))

    def in_words(self) -> str:
        return (
            f"finds {counted(self.l, 'different value')} of {SENSITIVE} or more among the records that fit, or no such "
            "record; how much more frequent one of them is than the others is not limited"
        )

    def warnings(self, sensitive: SensitiveColumn) -> list[str]:
        return []

    def promise(self, sensitive: SensitiveColumn) -> dict[str, object]:
        return {"model": self.name, **about(self.column), "l": self.l}

    def statement(self, published: PublishedPartitions, sensitive: SensitiveColumn) -> dict[str, object]:
        return self.promise(sensitive)


def check_values(key: str, wanted: object, sensitive: SensitiveColumn) -> None:
    """No group has more values than there are."""
    if wanted > len(sensitive.values):  # type: ignore[operator]
        raise InputError(
            f"privacy.{key}: {wanted} asks for more sensitive values than the {len(sensitive.values)} that there are, "
            "so that no group can keep it; lower it."
        )
