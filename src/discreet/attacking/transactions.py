"""Attacks on published transactions: reads them and the original."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from discreet.attack.transactions import attack_known, attack_transactions
from discreet.encode.released_transactions import ReleasedTransactions, read_released
from discreet.encode.transactions import EncodedTransactions
from discreet.errors import InputError
from discreet.policy import TransactionPolicy
from discreet.profile.guess import has_long_header
from discreet.read.transactions import read_transactions
from discreet.releasing.transactions import SENSITIVE, adversary_of
from discreet.report import render_html
from discreet.solving.transactions import encode
from discreet.verify.certificate import read_certificate


def attacked(
    folder: Path,
    policy: TransactionPolicy,
    result: Mapping[str, Any],
    known: object,
    original: object,
    random: np.random.Generator,
) -> dict[str, Any]:
    """The attack's document."""
    transactions = _original(policy, original, result)
    release = _release(folder / "release", transactions)
    limits, present, absent = adversary_of(policy.promise)
    if known is None:
        return attack_transactions(limits, transactions, release, known=present, absent=absent, random=random)
    source = Path(known) if isinstance(known, str) else known
    name = source.name if isinstance(source, Path) else "the known people"
    # The file need not have the original's shape; where it has a person a line, the separator is likely the same.
    a_line_each = isinstance(source, Path) and has_long_header(source) is False
    people = read_transactions(source, (policy.data.separator or ",") if a_line_each else None)
    return attack_known(limits, transactions, release, people, name)


def report(result: Mapping[str, Any], document: Mapping[str, Any]) -> str:
    """The steward's page with this attack, or beside that of publish where people were given."""
    if document.get("file") is None:
        return render_html({**result, "attack": document})
    return render_html(result, document)


def _original(policy: TransactionPolicy, original: object, result: Mapping[str, Any]) -> EncodedTransactions:
    path = policy.data.path
    if original is None and path is None:
        raise InputError(
            "The release was made from transactions in memory, which are not here any more; give the original with "
            "--original FILE."
        )
    if original is None and path is not None and not path.exists():
        raise InputError(
            f"{path}: the original is not there any more, and without it nobody can tell what an attack finds; say "
            "where it is with --original FILE."
        )
    transactions = encode(policy, Path(original) if isinstance(original, str) else original).transactions
    expected = result.get("rows", {}).get("original")
    if expected is not None and transactions.transactions != expected:
        raise InputError(
            f"The original has {transactions.transactions:,} transactions and the release was made from {expected:,}; "
            "give the transactions that were published with --original FILE."
        )
    return transactions


def _release(folder: Path, transactions: EncodedTransactions) -> ReleasedTransactions:
    certificate = read_certificate(folder)
    shape, separator = certificate.entries.get("shape"), certificate.entries.get("separator")
    sensitive = certificate.folder / SENSITIVE if shape == "grouped" else None
    try:
        return read_released(certificate.data, shape, separator, transactions, sensitive)  # type: ignore[arg-type]
    except InputError as error:
        raise InputError(f"{error} The transactions it was made from can be named with --original FILE.") from None
