"""From the oracle's transactions to discreet's: the only module here that imports discreet."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from discreet.encode.transactions import EncodedTransactions, Sets
from discreet.losses import ITEM_LOSSES
from discreet.models import ItemsetLimits
from discreet.search.transactions.problem import TransactionProblem
from discreet.taxonomy import Taxonomy
from oracle.transactions import SetProblem


@dataclass(frozen=True)
class AnyLimits:
    """A promise with any share, as no model alone has it."""

    name: ClassVar[str] = "any-limits"
    kind: ClassVar[str] = "transactions"
    paper: ClassVar[str] = ""
    monotone: ClassVar[bool] = True

    k: int
    share: Fraction
    m: int
    n: int

    def itemset_limits(self) -> ItemsetLimits:
        return ItemsetLimits(self.k, self.share, self.m, self.n)

    def promise(self) -> dict[str, object]:
        return {}


def encoded(problem: SetProblem) -> EncodedTransactions:
    """One entry for each transaction, so equal ones are not merged: a search must not mind."""
    tree = problem.tree
    taxonomy = Taxonomy.from_parents("items", tree.labels, tree.parents)
    leaf = {label: number for number, label in enumerate(taxonomy.leaf_labels)}
    code = {item: number for number, item in enumerate(problem.sensitive)}
    return EncodedTransactions(
        taxonomy,
        Sets.of([[leaf[item] for item in items] for items, _ in problem.transactions]),
        Sets.of([[code[item] for item in sensitive] for _, sensitive in problem.transactions]),
        np.ones(len(problem.transactions), np.int64),
        tuple(problem.sensitive),
    )


def search_problem(problem: SetProblem, loss: str = "lm") -> TransactionProblem:
    model = AnyLimits(problem.k, problem.share, problem.m, problem.n)
    return TransactionProblem(encoded(problem), model, ITEM_LOSSES[loss])
