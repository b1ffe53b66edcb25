"""Promises about tables: what each of them has to say about itself, and which there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, runtime_checkable

from discreet.models.beta_likeness import BetaLikeness
from discreet.models.condensed_groups import CondensedGroups
from discreet.models.distinct_l_diversity import DistinctLDiversity
from discreet.models.entropy_l_diversity import EntropyLDiversity
from discreet.models.k_anonymity import KAnonymity
from discreet.models.l_diversity import LDiversity
from discreet.models.l_plus_diversity import LPlusDiversity
from discreet.models.partition_limits import Demand, SensitiveColumn
from discreet.models.recursive_l_diversity import RecursiveLDiversity
from discreet.models.t_closeness import TCloseness
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
    by_cones: ClassVar[bool]
    """whether what it demands is limits or cones (models/cones), which the kernels can decide"""
    about_size: ClassVar[bool]
    """whether it is about how many records a partition has, and nothing else"""
    inherited: ClassVar[bool]
    """whether every partition that contains one that keeps it keeps it, so that deleting whole ones is monotone too"""
    needs_sensitive: ClassVar[bool]

    @property
    def column(self) -> str | None:
        """The sensitive column that it is about; None: the only one, or none."""
        ...

    @property
    def treats_alike(self) -> bool:
        """Whether no sensitive value is treated differently from another."""
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

    def statement(self, published: PublishedPartitions, sensitive: SensitiveColumn) -> dict[str, object]:
        """The promise as the certificate states it.

        It depends on nothing but the policy and what is published; a reference is the exception (models/reference).
        """
        ...


@runtime_checkable
class Referring(Protocol):
    """A promise that compares with a distribution of the sensitive values."""

    def settled(self, suppression: str) -> Any:
        """The promise with a reference that goes with a suppression scheme."""
        ...


TABLE_MODELS: dict[str, type[TableModel]] = {
    model.name: model
    for model in (
        LPlusDiversity,
        LDiversity,
        KAnonymity,
        DistinctLDiversity,
        EntropyLDiversity,
        RecursiveLDiversity,
        TCloseness,
        BetaLikeness,
        CondensedGroups,
    )
}


def knows_what_to_delete(models: Sequence[TableModel]) -> bool:
    """Whether the most records of a group that keep all of these promises are worked out, and not only bounded."""
    about_values = [model for model in models if not model.about_size]
    return (
        all(model.by_limits for model in about_values)
        or all(model.by_cones and model.treats_alike for model in about_values)
        or (len(about_values) == 1 and getattr(about_values[0], "on_a_tree", False))
    )
