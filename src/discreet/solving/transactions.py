"""From encoded transactions to how they shall be published: by a search, or by a recoding found before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import cast

import numpy as np

from discreet.encode.reading_transactions import TransactionEncoding, encode_transactions
from discreet.errors import InputError
from discreet.losses import ITEM_LOSSES, release_cost
from discreet.models import Coherence, ItemsetModel
from discreet.policy import TransactionPolicy
from discreet.policy_sections import EvenTaxonomy
from discreet.read.transactions import PublishedShape, read_transactions
from discreet.recode.item_recoding import ItemRecoding
from discreet.recode.transactions import UNPUBLISHED, Recoded
from discreet.recode.writing_transactions import check_writable
from discreet.search import METHODS
from discreet.search.events import Listener, ignore
from discreet.search.interrupt import noted_interrupt
from discreet.search.limits import Limits
from discreet.search.results import Found
from discreet.search.transactions.problem import TransactionProblem, TransactionResult
from discreet.taxonomy import Cut

SearchMethod = Callable[..., TransactionResult]
"""(problem, limits, random, listen), and the method's own options by name"""


@dataclass(frozen=True, eq=False)
class SolvedTransactions:
    """Transactions, encoded, and how they shall be published."""

    policy: TransactionPolicy
    encoding: TransactionEncoding
    problem: TransactionProblem
    recoded: Recoded
    found: Found
    result: TransactionResult | None
    """None where a recoding was applied and nothing searched"""
    warnings: tuple[str, ...]
    applied: ItemRecoding | None = None
    """the recoding that was applied, where nothing was searched"""

    @property
    def cut(self) -> Cut | None:
        """The cut, where one serves all transactions."""
        return self.found.cuts[0] if self.found.cuts else None

    @property
    def shape(self) -> PublishedShape:
        return published_shape(self.policy, self.encoding)


def published_shape(policy: TransactionPolicy, encoding: TransactionEncoding) -> PublishedShape:
    if policy.search.method == "permutation":
        return "grouped"
    return encoding.shape if policy.output.format == "same" else cast(PublishedShape, policy.output.format)


def encode(policy: TransactionPolicy, data: object) -> TransactionEncoding:
    """Reads the transactions in memory, or else the policy's file, and encodes them."""
    source = policy.data.path if data is None else data
    if source is None:
        raise InputError("data.path: there is nothing to publish; name a file, or hand transactions over in Python.")
    raw = read_transactions(source, policy.data.separator)
    encoding = encode_transactions(raw, policy.taxonomy_builder(), policy.sensitive_items(), policy.on_missing)
    transactions = encoding.transactions
    check_writable(published_shape(policy, encoding), (*transactions.taxonomy.labels, *transactions.sensitive_items))
    return encoding


def method_of(policy: TransactionPolicy) -> SearchMethod:
    """The function of a method: a module of search/transactions has it under its own name."""
    name = policy.search.method.replace("-", "_")
    return cast(SearchMethod, getattr(import_module(f"discreet.search.transactions.{name}"), name))


def search(
    policy: TransactionPolicy,
    encoding: TransactionEncoding,
    random: np.random.Generator,
    listen: Listener = ignore,
) -> SolvedTransactions:
    """Searches the best release of encoded transactions."""
    problem = problem_of(policy, encoding)
    with noted_interrupt() as interrupt:
        limits = Limits(policy.search.time_limit, policy.search.alpha, interrupt)
        result = method_of(policy)(problem, limits, random, listen, **policy.search.options())
    warnings = (*encoding.warnings, *_warnings(policy, encoding))
    return SolvedTransactions(policy, encoding, problem, result.recoded, result.search.best, result, warnings)


def apply(recoding: ItemRecoding, policy: TransactionPolicy, encoding: TransactionEncoding) -> SolvedTransactions:
    """Takes the release that a recoding found elsewhere gives of these transactions."""
    if not METHODS[policy.search.method].alike:
        raise InputError(
            f"search.method: {policy.search.method} does not publish every item alike in all transactions, so nothing "
            "of it can be applied to others; leave --recoding out."
        )
    if isinstance(policy.taxonomy, EvenTaxonomy):
        raise InputError(
            "taxonomy: even groups the items of each file anew, so what was found for the groups of another file says "
            "nothing of these; write the groups to a taxonomy file and search with it, or leave --recoding out."
        )
    problem, transactions = problem_of(policy, encoding), encoding.transactions
    node_of_leaf = recoding.node_of_leaf(transactions)
    recoded = Recoded.everywhere(transactions, node_of_leaf)
    nodes = np.unique(node_of_leaf).tolist()
    cuts = () if UNPUBLISHED in nodes else (Cut(transactions.taxonomy, tuple(nodes)),)
    found = Found(cuts, release_cost(problem.loss, transactions, recoded))
    warnings = (*encoding.warnings, *_warnings(policy, encoding))
    return SolvedTransactions(policy, encoding, problem, recoded, found, None, warnings, recoding)


def problem_of(policy: TransactionPolicy, encoding: TransactionEncoding) -> TransactionProblem:
    return TransactionProblem(encoding.transactions, policy.promise, ITEM_LOSSES[policy.search.loss])


def _warnings(policy: TransactionPolicy, encoding: TransactionEncoding) -> list[str]:
    """What the promise asks beyond what the data can give."""
    if not isinstance(policy.promise, ItemsetModel):
        return []
    limits, transactions = policy.promise.itemset_limits(), encoding.transactions
    longest = int(transactions.sets.sizes.max(initial=0))
    leaves = transactions.taxonomy.leaf_count(0)
    warnings = []
    if isinstance(policy.promise, Coherence) and policy.search.method in ("og", "mog"):
        warnings.append(
            f"{policy.search.method} keeps coherence for the items above the published ones too; a release that keeps "
            "it for the published ones alone may lose less."
        )
    if limits.present > longest:
        warnings.append(
            f"The promise is about {limits.present} items that are known, and no transaction has more than {longest}: "
            "whoever knows that many knows all of them."
        )
    if limits.absent > leaves:
        warnings.append(
            f"The promise is about {limits.absent} items known to be absent, and there are only {leaves} items."
        )
    return warnings
