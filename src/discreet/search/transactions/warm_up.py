"""Has the compiled loops of a method ready before the clock of a search starts."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from discreet.encode.transactions import EncodedTransactions, Sets
from discreet.losses import LossMetric
from discreet.models import (
    KLPrivacy,
    KMAnonymity,
    PrivacyDegree,
    RhoUncertainty,
    TransactionalKAnonymity,
    TransactionModel,
)
from discreet.search.events import Listener, ignore
from discreet.search.limits import Limits
from discreet.search.transactions.problem import TransactionProblem, TransactionResult
from discreet.taxonomy import Taxonomy

Search = Callable[[TransactionProblem, Limits, np.random.Generator, Listener], TransactionResult]

_PROMISES: dict[str, tuple[TransactionModel, ...]] = {
    "og": (KLPrivacy(2, 2, 2, 1), KMAnonymity(2, 2)),
    "mog": (KLPrivacy(2, 2, 2, 1), KMAnonymity(2, 2)),
    "apriori": (KMAnonymity(2, 2),),
    "greedy-suppression": (KMAnonymity(2, 2),),
    "partition": (TransactionalKAnonymity(2),),
    "permutation": (PrivacyDegree(2),),
    "insertion": (RhoUncertainty(Fraction(1, 2)),),
    "partial-suppression": (RhoUncertainty(Fraction(1, 2)),),
    "global-suppression": (RhoUncertainty(Fraction(1, 2)),),
    "td-control": (RhoUncertainty(Fraction(1, 2)),),
    "trivial-suppression": (RhoUncertainty(Fraction(1, 2)),),
}
"""For each method promises that need all of its loops."""


def warm_up(method: str, search: Search) -> None:
    """Searches four transactions in which either of two nodes can be specialized but not both, so a choice is made."""
    taxonomy = Taxonomy.from_paths("toy", [("a", "A", "*"), ("b", "A", "*"), ("c", "B", "*"), ("d", "B", "*")])
    transactions = EncodedTransactions(
        taxonomy,
        Sets.of([[0, 2], [0, 3], [1, 2], [1, 3]]),
        Sets.of([[0], [], [], []]),
        np.ones(4, np.int64),
        ("s",),
    )
    for promise in _PROMISES[method]:
        problem = TransactionProblem(transactions, promise, LossMetric())
        search(problem, Limits(), np.random.default_rng(0), ignore)
