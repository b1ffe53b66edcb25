"""What a search on transactions is asked, and what it hands over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from discreet.encode.transactions import EncodedTransactions
from discreet.errors import InputError
from discreet.losses.item_loss import ItemLoss
from discreet.models import TransactionModel
from discreet.recode.transactions import Recoded
from discreet.search import METHODS
from discreet.search.cut_enumeration import count_all_cuts
from discreet.search.events import SearchEvent
from discreet.search.limits import Limits
from discreet.search.results import Found, SearchResult
from discreet.taxonomy import Cut


@dataclass(frozen=True, eq=False)
class TransactionProblem:
    """Transactions, the promise to keep and the loss to keep small."""

    transactions: EncodedTransactions
    model: TransactionModel
    loss: ItemLoss


def cannot_keep(method: str, model: TransactionModel) -> InputError:
    """The refusal of a promise that a method is not made for."""
    keeps = METHODS[method].models
    return InputError(
        f"The method {method} keeps {' and '.join(keeps)} and cannot keep {model.name!r}; set privacy.model to "
        f"{'it' if len(keeps) == 1 else 'one of them'} or choose another search.method."
    )


@dataclass(frozen=True, eq=False)
class TransactionResult:
    """What becomes of the transactions, and what was proved about it.

    search.found has the one solution: its cut, where one cut serves all transactions, otherwise no cut.
    """

    recoded: Recoded
    search: SearchResult
    details: Mapping[str, Any] = field(default_factory=dict)
    """what the method tells of its own work, by name; numbers and texts that JSON can hold"""

    @classmethod
    def of(
        cls,
        recoded: Recoded,
        cost: Fraction,
        limits: Limits,
        events: Sequence[SearchEvent],
        details: Mapping[str, Any],
        *,
        cut: Cut | None = None,
        examined: int = 0,
        bound: Fraction | None = None,
        seconds: float | None = None,
    ) -> TransactionResult:
        """What a method hands over that ends now, or took `seconds` where it read the clock before.

        bound: what no release of its kind goes below. A method that proves none never calls its release optimal, not
        even one that costs nothing.
        """
        search = SearchResult(
            found=(Found(() if cut is None else (cut,), cost),),
            status="optimal" if bound == cost else "feasible",
            bound=Fraction(0) if bound is None else bound,
            cuts_total=0 if cut is None else count_all_cuts([cut.taxonomy]),
            cuts_examined=examined,
            seconds=limits.seconds if seconds is None else seconds,
            interrupted=limits.interrupt.is_set(),
            events=tuple(events),
        )
        return cls(recoded, search, details)
