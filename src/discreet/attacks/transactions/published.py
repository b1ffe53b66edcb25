"""Attacks on published transactions: from the publisher's hands, and from their folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from discreet.attacks.original import check_size, original_source
from discreet.attacks.transactions.document import attack_known, attack_transactions
from discreet.encode.released_transactions import ReleasedTransactions, read_released
from discreet.encode.transactions import EncodedTransactions, TransactionEncoding
from discreet.engine import Engine
from discreet.errors import InputError
from discreet.policy import TransactionPolicy
from discreet.read.recognize import has_long_header
from discreet.read.transactions import read_transactions
from discreet.recode.transactions.release import SENSITIVE
from discreet.search.transactions.solve import SolvedTransactions, encode
from discreet.verifier.certificate import read_certificate


def attack_solved(
    solved: SolvedTransactions,
    original: TransactionEncoding,
    release: ReleasedTransactions,
    random: np.random.Generator,
) -> dict[str, Any]:
    """What the adversary of the promise learns, and what those learn who know more."""
    return attack_transactions(solved.policy.promise.adversary(), original.transactions, release, random=random)


def attack_folder(
    engine: Engine,
    folder: Path,
    policy: TransactionPolicy,
    result: Mapping[str, Any],
    known: object,
    original: object,
    second: str | Path | None,
    random: np.random.Generator,
) -> dict[str, Any]:
    """The attack's document."""
    if second is not None:
        raise InputError("--second: two releases can be compared for tables only; leave it out.")
    source = original_source(policy, original, "transactions")
    transactions = encode(engine, policy, source).transactions
    check_size(transactions.transactions, result, source or policy.data.path, "transactions")
    release = _release(folder / "release", transactions)
    adversary = policy.promise.adversary()
    if known is None:
        return attack_transactions(adversary, transactions, release, random=random)
    place = Path(known) if isinstance(known, str) else known
    name = place.name if isinstance(place, Path) else "the known people"
    # The file need not have the original's shape; with one person per line, the separator is likely to be the same.
    a_line_each = isinstance(place, Path) and has_long_header(place) is False
    people = read_transactions(place, (policy.data.separator or ",") if a_line_each else None)
    return attack_known(adversary, transactions, release, people, name, random=random)


def with_attack(
    result: Mapping[str, Any], document: Mapping[str, Any]
) -> tuple[Mapping[str, Any], Mapping[str, Any] | None]:
    """The result with this attack, or the attack by a file of known people beside it."""
    return ({**result, "attack": document}, None) if document.get("file") is None else (result, document)


def _release(folder: Path, transactions: EncodedTransactions) -> ReleasedTransactions:
    certificate = read_certificate(folder)
    shape, separator = certificate.entries.get("shape"), certificate.entries.get("separator")
    sensitive = certificate.folder / SENSITIVE if shape == "grouped" else None
    try:
        return read_released(certificate.data, shape, separator, transactions, sensitive)  # type: ignore[arg-type]
    except InputError as error:
        raise InputError(f"{error} The transactions it was made from can be named with --original FILE.") from None
