"""What is asked of transactions: a method, how much an adversary knows, and what she must not find out."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from discreet.encode.transactions import EncodedTransactions
from discreet.losses.transactions import TRANSACTION_LOSSES
from discreet.methods.transactions import TRANSACTION_METHODS
from discreet.models.itemset_limits import Adversary, ItemsetLimits, among_k
from discreet.models.km_anonymity import KMAnonymity
from discreet.models.transactional_k_anonymity import TransactionalKAnonymity
from discreet.models.transactions import TransactionModel
from discreet.policy import TransactionPolicy
from discreet.recode.transactions.recoded import release_cost
from discreet.search.events import ignore
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.transactions.problem import TransactionProblem
from discreet.search.transactions.warm_up import warm_up

METHODS = {"OG": "og", "mOG": "mog", "AA": "apriori", "LG": "partition", "MM": "greedy-suppression"}
"""The thesis's names, and those of discreet."""
REPEATED_BELOW = 2.0
"""seconds: what is faster is done three times, and the fastest counts"""


@dataclass(frozen=True)
class Power:
    """KL(m,n)-privacy where sensitive items may have any share, not only 1/l as in discreet's policies."""

    name: ClassVar[str] = "kl-privacy"
    kind: ClassVar[str] = "transactions"
    paper: ClassVar[str] = "Liu 2010, chapter 4"
    monotone: ClassVar[bool] = True
    about_rules: ClassVar[bool] = False
    needs_sensitive: ClassVar[bool] = False

    m: int
    n: int = 0
    k: int = 5
    share: Fraction = Fraction(1)

    def itemset_limits(self) -> ItemsetLimits:
        return ItemsetLimits(self.k, self.share, self.m, self.n)

    def adversary(self) -> Adversary:
        return Adversary.of(self.itemset_limits())

    def in_words(self, sensitive: bool) -> str:
        return among_k(self.itemset_limits(), str(self.share), sensitive)

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
    result: SearchResult = field(repr=False, compare=False)


def prepare(methods: Sequence[str]) -> None:
    for method in methods:
        make_ready(METHODS[method], {})


def make_ready(method: str, options: Mapping[str, Any]) -> None:
    """Has the compiled loops of one of discreet's methods ready, so that compiling does not count."""
    promise = TRANSACTION_METHODS[method].warmed_up_by[0]
    policy = {
        "data": {"kind": "transactions"},
        "sensitive": ["s"],
        "privacy": promise.promise(),
        "search": {"method": method, **options},
    }
    warm_up(TransactionPolicy.parse(policy))


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
    problem = TransactionProblem(transactions, _model(method, power), TRANSACTION_LOSSES[loss])
    limits = Limits(time_limit)
    began = time.process_time()
    search = TRANSACTION_METHODS[METHODS[method]].function
    result: SearchResult = search(problem, limits, np.random.default_rng(0), ignore)
    processor_seconds = time.process_time() - began
    losses = {
        name: float(release_cost(measure, transactions, result.recoded) / transactions.occurrences)
        for name, measure in TRANSACTION_LOSSES.items()
    }
    return Answer(
        result.seconds,
        processor_seconds,
        result.status,
        result.status == "optimal" or time_limit is None or result.seconds < time_limit,
        losses,
        result,
    )


def _model(method: str, power: Power) -> TransactionModel:
    """The promise that a method keeps: the whole of it, or as much of it as it knows."""
    if method in ("OG", "mOG"):
        return power
    return TransactionalKAnonymity(power.k) if method == "LG" else KMAnonymity(power.k, power.m)
