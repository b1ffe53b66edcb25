"""Transactions that are only looked at: their items, how identifying they are, and a policy to begin with."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from discreet.engine import Engine
from discreet.errors import InputError
from discreet.policy import Policy
from discreet.profile.inspection import FORMAT, Asked, proposed_policy
from discreet.profile.transactions.profile import Item, TransactionProfile, profile_transactions
from discreet.profile.transactions.starter_policy import starter_transaction_policy
from discreet.read.recognize import has_long_header
from discreet.read.transactions import Shape, read_transactions
from discreet.values.notebook import grid, named_lines


@dataclass(frozen=True)
class TransactionInspection:
    """What transactions reveal, and what is proposed for them."""

    profile: TransactionProfile
    shape: Shape
    separator: str | None
    """basket only"""
    policy_text: str
    """the starter policy, YAML with comments"""
    out: Path | None
    """where the starter policy was written"""
    data: object = field(repr=False, compare=False)
    """what was looked at: a path, or data in memory"""
    kind: ClassVar[str] = "transactions"

    @property
    def policy(self) -> Policy:
        """The starter policy, as `publish` and `compare` take it; data in memory go with it."""
        return proposed_policy(self.policy_text, self.out, self.data)

    def as_dict(self) -> dict[str, Any]:
        """All of it, as JSON can hold it."""
        profile = self.profile
        return {
            "format": FORMAT,
            "kind": self.kind,
            "shape": self.shape,
            "separator": self.separator,
            "transactions": profile.transactions,
            "items": profile.items,
            "occurrences": profile.occurrences,
            "duplicates": profile.duplicates,
            "lengths": asdict(profile.lengths),
            "most_frequent": _items(profile.most_frequent),
            "least_frequent": _items(profile.least_frequent),
            "items_in_under_5": profile.rare_items,
            "whole": {"distinct": profile.distinct, "unique": profile.unique, "in_groups_under_5": profile.small},
            "knowing": [
                {
                    "present": found.present,
                    "absent": found.absent,
                    "singled_out": found.single,
                    "among_under_5": found.small,
                    "draws": found.draws,
                }
                for found in profile.exposures
            ],
            "sensitive": _items(profile.sensitive),
            "too_frequent_to_protect": _items(profile.too_frequent),
            "look_alikes": [list(group) for group in profile.look_alikes],
            "policy": self.policy_text,
        }

    def _repr_html_(self) -> str:
        profile = self.profile
        heads = ("items known to be there", "known not to be", "single somebody out", "leave fewer than five")
        knowing = [
            (found.present, found.absent, f"{found.single:.1%}", f"{found.small:.1%}") for found in profile.exposures
        ]
        lines = [
            ("Transactions", f"{profile.transactions:,}, {profile.unique:,} like no other"),
            ("Items", f"{profile.items:,} different, {profile.rare_items:,} in fewer than five transactions"),
            ("Proposed as sensitive", ", ".join(item.name for item in profile.sensitive) or "none"),
        ]
        return named_lines(lines) + grid(heads, knowing)


def _items(items: tuple[Item, ...]) -> list[dict[str, Any]]:
    return [asdict(item) for item in items]


def inspect_transactions(engine: Engine, asked: Asked) -> TransactionInspection:
    separator = asked.separator
    if isinstance(asked.data, Path) and separator is None and has_long_header(asked.data, asked.encoding) is False:
        raise InputError(
            f"{asked.data}: its columns are not 'transaction' and 'item'; if each line is one transaction, say what "
            "separates its items, for example --separator ','."
        )
    raw = read_transactions(asked.data, separator, asked.encoding)
    if not raw.items:
        raise InputError(f"{raw.name} has only empty transactions; give some that have items.")
    profile = profile_transactions(raw, np.random.default_rng(asked.seed))
    policy = starter_transaction_policy(profile, separator, asked.path, asked.called, asked.keys)
    return TransactionInspection(profile, raw.shape, raw.separator, policy, asked.out, asked.data)
