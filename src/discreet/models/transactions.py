"""Promises about transactions: what each of them has to say about itself, and which there are."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar, Protocol, runtime_checkable

from discreet.models.coherence import Coherence
from discreet.models.itemset_limits import Adversary, ItemsetLimits
from discreet.models.kl_privacy import KLPrivacy
from discreet.models.km_anonymity import KMAnonymity
from discreet.models.privacy_degree import PrivacyDegree
from discreet.models.rho_uncertainty import RhoUncertainty
from discreet.models.transactional_k_anonymity import TransactionalKAnonymity


class TransactionModel(Protocol):
    """A promise about transactions; its dataclass fields are its policy keys."""

    name: ClassVar[str]
    kind: ClassVar[str]
    paper: ClassVar[str]
    monotone: ClassVar[bool]
    about_rules: ClassVar[bool]
    """whether its share bounds the confidence of every rule about a sensitive item"""
    needs_sensitive: ClassVar[bool]

    @property
    def share(self) -> Fraction | None:
        """The largest confidence in a sensitive item that it allows; None where it sets no limit."""
        ...

    def adversary(self) -> Adversary:
        """What the adversary knows against whom it is made."""
        ...

    def in_words(self, sensitive: bool) -> str:
        """What it means for people, in sentences; sensitive: whether there are sensitive items."""
        ...

    def promise(self) -> dict[str, object]:
        """The promise, for the verifier and as the certificate states it."""
        ...


@runtime_checkable
class ItemsetModel(Protocol):
    """A promise about the itemsets that an adversary may know."""

    def itemset_limits(self) -> ItemsetLimits: ...


TRANSACTION_MODELS: dict[str, type[TransactionModel]] = {
    model.name: model
    for model in (KLPrivacy, KMAnonymity, Coherence, TransactionalKAnonymity, PrivacyDegree, RhoUncertainty)
}
