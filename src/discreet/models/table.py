"""Promises about tables: what each of them has to say about itself, and which there are."""

from __future__ import annotations

from typing import ClassVar, Protocol

from discreet.models.k_anonymity import KAnonymity
from discreet.models.l_diversity import LDiversity
from discreet.models.l_plus_diversity import LPlusDiversity
from discreet.models.partition_limits import Demand, SensitiveColumn
from discreet.values.partitions import PublishedPartitions


class TableModel(Protocol):
    """A promise about the partitions of a table; its dataclass fields are its policy keys."""

    name: ClassVar[str]
    kind: ClassVar[str]
    paper: ClassVar[str]
    monotone: ClassVar[bool]
    """whether the union of two partitions that keep it keeps it, so that generalizing further never breaks it"""
    by_limits: ClassVar[bool]
    """whether what it demands is PartitionLimits, and no more"""
    about_size: ClassVar[bool]
    """whether it is about how many records a partition has, and nothing else"""
    needs_sensitive: ClassVar[bool]

    @property
    def column(self) -> str | None:
        """The sensitive column that it is about; None: the only one, or none."""
        ...

    def demand(self, sensitive: SensitiveColumn) -> Demand:
        """What it demands of every partition of a table with these sensitive values."""
        ...

    def in_words(self) -> str:
        """What it means for someone who knows a person's quasi-identifiers: the rest of a sentence about them."""
        ...

    def warnings(self, sensitive: SensitiveColumn) -> list[str]: ...

    def promise(self, sensitive: SensitiveColumn) -> dict[str, object]:
        """The promise in full, for the verifier."""
        ...

    def statement(self, published: PublishedPartitions) -> dict[str, object]:
        """The promise as the certificate states it: it depends on nothing but the policy and what is published."""
        ...


TABLE_MODELS: dict[str, type[TableModel]] = {model.name: model for model in (LPlusDiversity, LDiversity, KAnonymity)}
