"""What is asked of transactions: a method, how much an adversary knows, and what she must not find out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np

from discreet.encode.transactions import EncodedTransactions
from discreet.losses import ITEM_LOSSES
from discreet.losses.item_loss import release_cost
from discreet.models import ItemsetLimits, KMAnonymity, TransactionalKAnonymity, TransactionModel
from discreet.search.events import ignore
from discreet.search.limits import Limits
from discreet.search.transactions.apriori import apriori
from discreet.search.transactions.greedy_suppression import greedy_suppression
from discreet.search.transactions.mog import mog
from discreet.search.transactions.og import og
from discreet.search.transactions.partition import partition
from discreet.search.transactions.problem import TransactionProblem, TransactionResult
from discreet.search.transactions.warm_up import Search, warm_up

METHODS: dict[str, tuple[str, Search]] = {
    "OG": ("og", og),
    "mOG": ("mog", mog),
    "AA": ("apriori", apriori),
    "LG": ("partition", partition),
    "MM": ("greedy-suppression", greedy_suppression),
}
"""The thesis's names: that of discreet, and the search."""
REPEATED_BELOW = 2.0
"""seconds: what is faster is done three times, and the fastest counts"""


@dataclass(frozen=True)
class Power:
    """KL(m,n)-privacy where sensitive items may have any share, not only 1/l as in discreet's policies."""

    name: ClassVar[str] = "kl-privacy"
    kind: ClassVar[str] = "transactions"
    paper: ClassVar[str] = "Liu 2010, chapter 4"
    monotone: ClassVar[bool] = True

    m: int
    n: int = 0
    k: int = 5
    share: Fraction = Fraction(1)

    def itemset_limits(self) -> ItemsetLimits:
        return ItemsetLimits(self.k, self.share, self.m, self.n)

    def promise(self) -> dict[str, object]:
        return {"model": self.name, "k": self.k, "share": str(self.share), "m": self.m, "n": self.n}

    def __str__(self) -> str:
        level = 1 / self.share
        return f"({self.m},{self.n},{self.k},{level if level.denominator == 1 else f'{float(level):.2f}'})"


@dataclass(frozen=True)
class Answer:
    """What a search found, and what it took."""

    seconds: float
    processor_seconds: float
    status: str
    is_done: bool
    """False where the time limit ended it"""
    losses: dict[str, float]
    """loss -> between 0 and 1, an average over all item occurrences"""
    result: TransactionResult = field(repr=False, compare=False)


def prepare(methods: Sequence[str]) -> None:
    """Has the compiled loops of the methods ready, so that compiling does not count."""
    for method in methods:
        warm_up(*METHODS[method])


def ask(
    method: str,
    power: Power,
    transactions: EncodedTransactions,
    *,
    loss: str = "lm",
    time_limit: float | None = None,
    repetitions: int = 1,
) -> Answer:
    """Searches; the fastest of the repetitions counts, the result is the same in all of them."""
    best = _once(method, power, transactions, loss, time_limit)
    for _ in range(repetitions - 1):
        if best.seconds < REPEATED_BELOW:
            again = _once(method, power, transactions, loss, time_limit)
            best = min(best, again, key=lambda answer: answer.processor_seconds)
    return best


def _once(method: str, power: Power, transactions: EncodedTransactions, loss: str, time_limit: float | None) -> Answer:
    problem = TransactionProblem(transactions, _model(method, power), ITEM_LOSSES[loss])
    limits = Limits(time_limit)
    began = time.process_time()
    result = METHODS[method][1](problem, limits, np.random.default_rng(0), ignore)
    processor_seconds = time.process_time() - began
    losses = {
        name: float(release_cost(measure, transactions, result.recoded) / transactions.occurrences)
        for name, measure in ITEM_LOSSES.items()
    }
    return Answer(
        result.search.seconds,
        processor_seconds,
        result.search.status,
        result.search.status == "optimal" or time_limit is None or result.search.seconds < time_limit,
        losses,
        result,
    )


def _model(method: str, power: Power) -> TransactionModel:
    """The promise that a method keeps: the whole of it, or as much of it as it knows."""
    if method in ("OG", "mOG"):
        return power
    return TransactionalKAnonymity(power.k) if method == "LG" else KMAnonymity(power.k, power.m)
