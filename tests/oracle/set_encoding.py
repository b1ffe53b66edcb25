"""From the oracle's transactions to discreet's: the only module here that imports discreet."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from discreet.encode.transactions import EncodedTransactions
from discreet.losses.transactions import TRANSACTION_LOSSES
from discreet.models.itemset_limits import Adversary, ItemsetLimits
from discreet.models.rho_uncertainty import RhoUncertainty
from discreet.recode.transactions.recoded import Recoded
from discreet.search.transactions.problem import TransactionProblem
from discreet.taxonomy import Taxonomy
from discreet.values.sets import Sets
from oracle.rho_uncertainty import Record
from oracle.transactions import SetProblem


@dataclass(frozen=True)
class AnyLimits:
    """A promise with any share, as no model alone has it."""

    name: ClassVar[str] = "any-limits"
    kind: ClassVar[str] = "transactions"
    paper: ClassVar[str] = ""
    monotone: ClassVar[bool] = True
    about_rules: ClassVar[bool] = False
    needs_sensitive: ClassVar[bool] = False

    k: int
    share: Fraction
    m: int
    n: int

    def itemset_limits(self) -> ItemsetLimits:
        return ItemsetLimits(self.k, self.share, self.m, self.n)

    def adversary(self) -> Adversary:
        return Adversary.of(self.itemset_limits())

    def in_words(self, sensitive: bool) -> str:
        return ""

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
    return TransactionProblem(encoded(problem), model, TRANSACTION_LOSSES[loss])


def rho_problem(records: Sequence[Record], sensitive: Collection[str], rho: Fraction) -> TransactionProblem:
    """Records whose order is lost: equal ones are one entry with a count."""
    others = sorted({item for record in records for item in record} - set(sensitive))
    taxonomy = Taxonomy.from_paths("items", [(item, "*") for item in others] or [("*",)])
    leaf = {label: number for number, label in enumerate(taxonomy.leaf_labels)}
    code = {item: number for number, item in enumerate(sensitive)}
    counts = Counter(records)
    transactions = EncodedTransactions(
        taxonomy,
        Sets.of([[leaf[item] for item in record if item in leaf] for record in counts]),
        Sets.of([[code[item] for item in record if item in code] for record in counts]),
        np.array(list(counts.values()), np.int64),
        tuple(sensitive),
    )
    return TransactionProblem(transactions, RhoUncertainty(rho), TRANSACTION_LOSSES["lm"])


def before_and_after(problem: TransactionProblem, recoded: Recoded) -> tuple[list[Record], list[Record]]:
    """Every record as it was and as it is published, in the same order."""
    transactions = problem.transactions
    labels, items = transactions.taxonomy.labels, transactions.sensitive_items
    leaves = transactions.taxonomy.leaf_labels
    before, after = [], []
    sensitive = recoded.sensitive(transactions)
    for row, (source, count) in enumerate(zip(recoded.sources.tolist(), recoded.counts.tolist(), strict=True)):
        original = {leaves[leaf] for leaf in transactions.sets[source]}
        original |= {items[code] for code in transactions.sensitive[source]}
        published = {labels[node] for node in recoded.nodes[row]} | {items[code] for code in sensitive[row]}
        before += [frozenset(original)] * count
        after += [frozenset(published)] * count
    return before, after
