"""The promises discreet can keep, one a file; a new one is one line in MODELS."""

from __future__ import annotations

from typing import ClassVar, Protocol, runtime_checkable

from discreet.models.coherence import Coherence
from discreet.models.itemset_limits import ItemsetLimits
from discreet.models.k_anonymity import KAnonymity
from discreet.models.kl_privacy import KLPrivacy
from discreet.models.km_anonymity import KMAnonymity
from discreet.models.l_diversity import LDiversity
from discreet.models.l_plus_diversity import ByFrequency, LPlusDiversity
from discreet.models.partition_limits import PartitionLimits, SensitiveColumn, strictest
from discreet.models.privacy_degree import PrivacyDegree
from discreet.models.rho_uncertainty import RhoUncertainty
from discreet.models.transactional_k_anonymity import TransactionalKAnonymity


class TableModel(Protocol):
    """A promise about the partitions of a table; its dataclass fields are its policy keys."""

    name: ClassVar[str]
    kind: ClassVar[str]
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


class TransactionModel(Protocol):
    """A promise about transactions; its dataclass fields are its policy keys."""

    name: ClassVar[str]
    kind: ClassVar[str]
    paper: ClassVar[str]
    monotone: ClassVar[bool]

    def promise(self) -> dict[str, object]:
        """The promise, for the verifier and as the certificate states it."""
        ...


@runtime_checkable
class ItemsetModel(TransactionModel, Protocol):
    """A promise about the itemsets that an adversary may know."""

    def itemset_limits(self) -> ItemsetLimits: ...


Model = TableModel | TransactionModel

TABLE_MODELS: dict[str, type[TableModel]] = {model.name: model for model in (LPlusDiversity, LDiversity, KAnonymity)}
TRANSACTION_MODELS: dict[str, type[TransactionModel]] = {
    model.name: model
    for model in (KLPrivacy, KMAnonymity, Coherence, TransactionalKAnonymity, PrivacyDegree, RhoUncertainty)
}
MODELS: dict[str, type[TableModel] | type[TransactionModel]] = {**TABLE_MODELS, **TRANSACTION_MODELS}

__all__ = [
    "MODELS",
    "TABLE_MODELS",
    "TRANSACTION_MODELS",
    "ByFrequency",
    "Coherence",
    "ItemsetLimits",
    "ItemsetModel",
    "KAnonymity",
    "KLPrivacy",
    "KMAnonymity",
    "LDiversity",
    "LPlusDiversity",
    "Model",
    "PartitionLimits",
    "PrivacyDegree",
    "RhoUncertainty",
    "SensitiveColumn",
    "TableModel",
    "TransactionModel",
    "TransactionalKAnonymity",
    "strictest",
]
