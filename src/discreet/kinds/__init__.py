"""The kinds of data, each one record; a new one is one module here and one line in KINDS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.kinds.kind import Kind
from discreet.kinds.table import TABLE
from discreet.kinds.transactions import TRANSACTIONS

if TYPE_CHECKING:
    from discreet.policy import Policy

KINDS: dict[str, Kind] = {kind.name: kind for kind in (TABLE, TRANSACTIONS)}
"""Kinds by name; the first is the default."""

__all__ = ["KINDS", "Kind", "kind_of", "recognized"]


def kind_of(policy: Policy) -> Kind:
    """The kind of the data that a policy publishes."""
    return KINDS[str(policy.of_kind)]


def recognized(data: object, separator: str | None = None, encoding: str | None = None) -> str:
    """The kind that data probably have: the last that claims them, as the first claims whatever is left."""
    return [name for name, kind in KINDS.items() if kind.is_recognized(data, separator, encoding)][-1]
