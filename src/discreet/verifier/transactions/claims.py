"""What the certificate of transactions claims: where the items are, which are sensitive, and what is promised."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from discreet.errors import InputError
from discreet.verifier.certificate import (
    NAME,
    NEEDED_KEYS,
    OPTIONAL_KEYS,
    Certificate,
    brief,
    mapping,
    only_keys,
    share,
    text,
    whole,
)
from discreet.verifier.taxonomy import Parents, read_taxonomy
from discreet.verifier.transactions.itemsets import Limits
from discreet.verifier.verdict import counted, shown

ENDINGS = {"dat": ".dat", "long": ".csv", "basket": ".csv", "parquet": ".parquet", "grouped": ".csv"}
"""How the data file ends in each shape."""


@dataclass(frozen=True)
class TransactionClaims:
    """What a certificate says about published transactions, apart from the promises."""

    shape: str
    separator: str
    """between the items of a basket, otherwise empty"""
    parents: Parents
    sensitive: tuple[str, ...]
    sensitive_data: Path | None


@dataclass(frozen=True)
class ItemsetPromise:
    """What an adversary who knows some items of a person finds: many people, and none of their secrets for sure."""

    model: str
    limits: Limits
    generalized: bool
    """whether the adversary may also know nodes above the published ones"""

    def __str__(self) -> str:
        limits = self.limits
        knows = f"{counted(limits.present, 'item')} present"
        if limits.absent:
            knows += f" and items absent worth {limits.absent} {'leaf' if limits.absent == 1 else 'leaves'}"
        sure = "" if limits.share == 1 else f", no sensitive item in more than {limits.share} of them"
        return f"{self.model}: anyone who knows {knows} finds at least {counted(limits.smallest, 'transaction')}{sure}."


@dataclass(frozen=True)
class EqualSets:
    """Transactional k-anonymity: no set of non-sensitive items is rare."""

    k: int
    model: str = "transactional-k-anonymity"

    def __str__(self) -> str:
        return f"{self.model}: every set of non-sensitive items is that of at least {counted(self.k, 'transaction')}."


@dataclass(frozen=True)
class PrivacyDegree:
    """Privacy degree: in a group of transactions no sensitive item is common."""

    p: int
    model: str = "privacy-degree"

    def __str__(self) -> str:
        return f"{self.model}: no sensitive item is in more than 1 of {self.p} transactions of a group."


@dataclass(frozen=True)
class RhoUncertainty:
    """rho-uncertainty: no sensitive item follows from other items too surely."""

    rho: Fraction
    model: str = "rho-uncertainty"

    def __str__(self) -> str:
        return (
            f"{self.model}: anyone who knows any items that a transaction has, sensitive ones too, but none that it "
            f"lacks, infers no other sensitive item with a confidence above {self.rho}."
        )


TransactionPromise = ItemsetPromise | EqualSets | PrivacyDegree | RhoUncertainty


def read_claims(certificate: Certificate) -> TransactionClaims:
    """Read all but the promises."""
    entries = certificate.entries
    shape = text(entries.get("shape"), f"{NAME}: shape")
    if shape not in ENDINGS:
        raise InputError(f"{NAME}: the shape {shape!r} is unknown; known are {', '.join(ENDINGS)}.")
    needed = NEEDED_KEYS | {"shape", "taxonomy", "sensitive"}
    extra = {"basket": {"separator"}, "grouped": {"sensitive_data"}}.get(shape, set())
    only_keys(entries, needed | extra, NAME, OPTIONAL_KEYS)
    if certificate.data.suffix != ENDINGS[shape]:
        raise InputError(f"{certificate.data.name}: transactions of the shape {shape!r} end in {ENDINGS[shape]}.")
    if certificate.escaped and ENDINGS[shape] != ".csv":
        raise InputError(f"{certificate.data.name}: the certificate says escaped_formulas, which only CSV files have.")
    name = text(entries["taxonomy"], f"{NAME}: taxonomy")
    parents = read_taxonomy(certificate, name)
    if "" in parents:
        raise InputError(f"{name}: a node has no label, and an item needs one.")
    sensitive_data = None
    if shape == "grouped":
        sensitive_data = certificate.release.file(text(entries["sensitive_data"], f"{NAME}: sensitive_data"))
    return TransactionClaims(
        shape,
        _separator(entries["separator"]) if shape == "basket" else "",
        parents,
        _sensitive_items(entries["sensitive"], parents),
        sensitive_data,
    )


def _separator(value: object) -> str:
    separator = text(value, f"{NAME}: separator")
    if len(separator) != 1 or separator in '"\r\n':
        raise InputError(f"{NAME}: the separator {separator!r} should be one character, no quote and no line end.")
    return separator


def _sensitive_items(value: object, parents: Parents) -> tuple[str, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise InputError(f"{NAME}: sensitive should be a list of items, not {brief(value)}.")
    items = tuple(text(item, f"{NAME}: a sensitive item") for item in value)
    times = Counter(items)
    for item in items:
        if times[item] > 1:
            raise InputError(f"{NAME}: the sensitive item {shown(item)} occurs twice.")
        if item in parents:
            raise InputError(f"{NAME}: the sensitive item {shown(item)} is also in the taxonomy of the others.")
    return items


def read_promises(entries: Sequence[object], claims: TransactionClaims, where: str) -> list[TransactionPromise]:
    """Read promises; a model or a parameter that this version does not know is an error, never a pass."""
    promises = []
    for place, entry in enumerate(entries, start=1):
        stated = mapping(entry, where)
        model = text(stated.get("model"), f"{where} {place}: model")
        if model not in TRANSACTION_PROMISES:
            raise InputError(f"{where} {place}: the model {model!r} is not one this version can verify.")
        promise = TRANSACTION_PROMISES[model](stated, f"{where} {place}")
        if isinstance(promise, PrivacyDegree) != (claims.shape == "grouped"):
            raise InputError(
                f"{where} {place}: privacy-degree is the promise of the shape 'grouped' and of no other; this is "
                f"{promise.model} for {claims.shape!r}."
            )
        promises.append(promise)
    return promises


def _number(entry: Mapping[str, object], key: str, where: str, least: int = 1) -> int:
    return whole(entry[key], f"{where}: {key}", least)


def _read_kl_privacy(entry: Mapping[str, object], where: str) -> TransactionPromise:
    only_keys(entry, {"model", "k", "l", "m", "n"}, where)
    k, l, m = (_number(entry, key, where) for key in "klm")  # noqa: E741 - the literature's name
    return ItemsetPromise("kl-privacy", Limits(k, Fraction(1, l), m, _number(entry, "n", where, 0)), generalized=True)


def _read_km_anonymity(entry: Mapping[str, object], where: str) -> TransactionPromise:
    only_keys(entry, {"model", "k", "m"}, where)
    limits = Limits(_number(entry, "k", where), Fraction(1), _number(entry, "m", where))
    return ItemsetPromise("km-anonymity", limits, generalized=False)


def _read_coherence(entry: Mapping[str, object], where: str) -> TransactionPromise:
    only_keys(entry, {"model", "k", "h", "p"}, where)
    limits = Limits(_number(entry, "k", where), share(entry["h"], f"{where}: h"), _number(entry, "p", where))
    return ItemsetPromise("coherence", limits, generalized=False)


def _read_equal_sets(entry: Mapping[str, object], where: str) -> TransactionPromise:
    only_keys(entry, {"model", "k"}, where)
    return EqualSets(_number(entry, "k", where))


def _read_privacy_degree(entry: Mapping[str, object], where: str) -> TransactionPromise:
    only_keys(entry, {"model", "p"}, where)
    return PrivacyDegree(_number(entry, "p", where))


def _read_rho_uncertainty(entry: Mapping[str, object], where: str) -> TransactionPromise:
    only_keys(entry, {"model", "rho"}, where)
    return RhoUncertainty(share(entry["rho"], f"{where}: rho"))


TRANSACTION_PROMISES: dict[str, Callable[[Mapping[str, object], str], TransactionPromise]] = {
    "kl-privacy": _read_kl_privacy,
    "km-anonymity": _read_km_anonymity,
    "coherence": _read_coherence,
    "transactional-k-anonymity": _read_equal_sets,
    "privacy-degree": _read_privacy_degree,
    "rho-uncertainty": _read_rho_uncertainty,
}
"""Model -> what reads its entry of a certificate; a promise about itemsets needs nothing more."""
