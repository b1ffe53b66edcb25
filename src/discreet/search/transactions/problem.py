"""What a search on transactions is asked for."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.encode.transactions import EncodedTransactions
from discreet.errors import InputError
from discreet.losses.transactions import ItemLoss
from discreet.methods.method import kept
from discreet.methods.transactions import TRANSACTION_METHODS
from discreet.models.transactions import TRANSACTION_MODELS, TransactionModel


@dataclass(frozen=True, eq=False)
class TransactionProblem:
    """Transactions, the promise to keep and the loss to keep small."""

    transactions: EncodedTransactions
    model: TransactionModel
    loss: ItemLoss


def cannot_keep(method: str, model: TransactionModel) -> InputError:
    """The refusal of a promise that a method is not made for."""
    keeps = kept(TRANSACTION_METHODS[method], TRANSACTION_MODELS)
    return InputError(
        f"The method {method} keeps {' and '.join(keeps)} and cannot keep {model.name!r}; set privacy.model to "
        f"{'it' if len(keeps) == 1 else 'one of them'} or choose another search.method."
    )
