"""The promises discreet can keep, one a file; a new one is one line in MODELS."""

from __future__ import annotations

from typing import ClassVar, Protocol

from discreet.models.k_anonymity import KAnonymity
from discreet.models.l_diversity import LDiversity
from discreet.models.l_plus_diversity import ByFrequency, LPlusDiversity
from discreet.models.partition_limits import PartitionLimits, SensitiveColumn, strictest


class TableModel(Protocol):
    """A promise about the partitions of a table; its dataclass fields are its policy keys."""

    name: ClassVar[str]
    paper: ClassVar[str]
    monotone: ClassVar[bool]
    needs_sensitive: ClassVar[bool]

    def limits(self, sensitive: SensitiveColumn) -> PartitionLimits: ...

    def warnings(self, sensitive: SensitiveColumn) -> list[str]: ...

    def promise(self, sensitive: SensitiveColumn) -> dict[str, object]:
        """The promise in full, for the verifier."""
        ...

    def statement(self, sensitive: SensitiveColumn) -> dict[str, object]:
        """The promise as the certificate states it: never stronger than the one kept."""
        ...


MODELS: dict[str, type[TableModel]] = {model.name: model for model in (LPlusDiversity, LDiversity, KAnonymity)}

__all__ = [
    "MODELS",
    "ByFrequency",
    "KAnonymity",
    "LDiversity",
    "LPlusDiversity",
    "PartitionLimits",
    "SensitiveColumn",
    "TableModel",
    "strictest",
]
