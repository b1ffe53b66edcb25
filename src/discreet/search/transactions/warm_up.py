"""Gets the compiled loops of a method ready before the clock of a search starts."""

from __future__ import annotations

import numpy as np

from discreet.encode.transactions import EncodedTransactions
from discreet.losses.lm import LossMetric
from discreet.policy import TransactionPolicy
from discreet.search.limits import Limits
from discreet.search.transactions.problem import TransactionProblem
from discreet.taxonomy import Taxonomy
from discreet.values.sets import Sets


def warm_up(policy: TransactionPolicy) -> None:
    """Searches four transactions in which either of two nodes can be specialized but not both, so a choice is made."""
    taxonomy = Taxonomy.from_paths("toy", [("a", "A", "*"), ("b", "A", "*"), ("c", "B", "*"), ("d", "B", "*")])
    transactions = EncodedTransactions(
        taxonomy,
        Sets.of([[0, 2], [0, 3], [1, 2], [1, 3]]),
        Sets.of([[0], [], [], []]),
        np.ones(4, np.int64),
        ("s",),
    )
    method = policy.search.declared()
    for promise in method.warmed_up_by:
        problem = TransactionProblem(transactions, promise, LossMetric())
        method.function(problem, Limits(), np.random.default_rng(0), **policy.search.options())
