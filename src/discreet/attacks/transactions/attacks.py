"""Attacks on transactions besides that of the promise's adversary; a new one is one entry in TRANSACTION_ATTACKS."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.attacks.attack import Attack
from discreet.attacks.transactions.disjunctions import disjunctions
from discreet.attacks.transactions.exact_sets import exact_sets
from discreet.encode.released_transactions import ReleasedTransactions
from discreet.encode.transactions import EncodedTransactions


@dataclass(frozen=True, eq=False)
class AttackedTransactions:
    """What an attack has at hand."""

    original: EncodedTransactions
    release: ReleasedTransactions
    share: Fraction | None
    """the confidence in a sensitive item that is promised not to be exceeded; None where none is"""
    random: np.random.Generator


def _disjunctions(attacked: AttackedTransactions) -> dict[str, Any]:
    original = attacked.original
    return disjunctions(original.taxonomy, attacked.release, original.sensitive_items, attacked.share)


def _beyond_disjunctions(part: Mapping[str, Any]) -> str:
    surer = part["applies"] and (part["above_share"] or part["witness"]["confidence"] > part["witness"]["alone"])
    return str(part["reading"]) if surer else ""


def _exact_sets(attacked: AttackedTransactions) -> dict[str, Any]:
    return exact_sets(attacked.original, attacked.release, attacked.share)


def _beyond_exact_sets(part: Mapping[str, Any]) -> str:
    return str(part["reading"]) if part.get("above_share") else ""


TRANSACTION_ATTACKS: dict[str, Attack] = {
    attack.name: attack
    for attack in (
        Attack(
            "disjunctions",
            "Liu 2010, 4.1",
            "The adversary who knows that a person has one of several items, but not which.",
            _disjunctions,
            label="One of many",
            title="Knowing one of several items",
            question="What can somebody learn who knows only that a person has one of several items?",
            beyond=_beyond_disjunctions,
        ),
        Attack(
            "exact_sets",
            "He and Naughton 2009",
            "The adversary who knows all items of a person that are not sensitive, and that there are no others.",
            _exact_sets,
            label="Exact set",
            title="Knowing the exact set",
            question="What can somebody learn who knows all items of a person that are not sensitive, and that there "
            "are no others?",
            beyond=_beyond_exact_sets,
        ),
    )
}
