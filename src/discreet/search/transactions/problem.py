"""What a search on transactions is asked, and what it hands over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from discreet.encode.transactions import EncodedTransactions
from discreet.losses.item_loss import ItemLoss
from discreet.models import TransactionModel
from discreet.recode.transactions import Recoded
from discreet.search.results import SearchResult


@dataclass(frozen=True, eq=False)
class TransactionProblem:
    """Transactions, the promise to keep and the loss to keep small."""

    transactions: EncodedTransactions
    model: TransactionModel
    loss: ItemLoss


@dataclass(frozen=True, eq=False)
class TransactionResult:
    """What becomes of the transactions, and what was proved about it.

    search.found has the one solution: its cut, where one cut serves all transactions, otherwise no cut.
    """

    recoded: Recoded
    search: SearchResult
    details: Mapping[str, Any] = field(default_factory=dict)
    """what the method tells of its own work, by name; numbers and texts that JSON can hold"""
