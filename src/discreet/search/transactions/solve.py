"""From encoded transactions to how they are to be published: by a search, or by a recoding found earlier."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from discreet.encode.released_transactions import ReleasedTransactions, read_released
from discreet.encode.transactions import TransactionEncoding, encode_transactions
from discreet.engine import Engine
from discreet.errors import InputError
from discreet.losses.transactions import TRANSACTION_LOSSES
from discreet.models.transactions import ItemsetModel
from discreet.policy import TransactionPolicy
from discreet.policy.taxonomies import EvenTaxonomy
from discreet.read.items import read_items
from discreet.read.taxonomies import taxonomy_builder
from discreet.read.transactions import read_transactions
from discreet.recode.transactions.recoded import UNPUBLISHED, Recoded, release_cost
from discreet.recode.transactions.release import SENSITIVE, SUFFIXES, published_shape, write_release
from discreet.recode.transactions.rule import ItemRule, rule_of, write_mapping
from discreet.recode.transactions.writing import check_writable
from discreet.recode.written import Written, write_json
from discreet.search.events import Listener, ignore
from discreet.search.results import Found
from discreet.search.solving import Solved, run_method
from discreet.search.transactions.problem import TransactionProblem
from discreet.taxonomy import Cut

SolvedTransactions: TypeAlias = Solved[TransactionPolicy, TransactionEncoding, TransactionProblem]


def encode(engine: Engine, policy: TransactionPolicy, data: object) -> TransactionEncoding:
    """Reads the transactions in memory, or else the policy's file, and encodes them; rows are not kept."""
    source = policy.data.path if data is None else data
    if source is None:
        raise InputError("data.path: there is nothing to publish; name a file, or pass transactions in Python.")
    raw = read_transactions(source, policy.data.separator, policy.data.encoding)
    builder = taxonomy_builder(policy.taxonomy, "items", "taxonomy")
    encoding = encode_transactions(raw, builder, _sensitive_items(policy), policy.on_missing)
    transactions = encoding.transactions
    check_writable(published_shape(policy, encoding), (*transactions.taxonomy.labels, *transactions.sensitive_items))
    return encoding


def _sensitive_items(policy: TransactionPolicy) -> tuple[str, ...]:
    """The sensitive items."""
    items = read_items(policy.sensitive) if isinstance(policy.sensitive, Path) else policy.sensitive
    return tuple(items)


def search(
    policy: TransactionPolicy,
    encoding: TransactionEncoding,
    random: np.random.Generator,
    listen: Listener = ignore,
) -> SolvedTransactions:
    """Searches for the best release of encoded transactions."""
    problem = problem_of(policy, encoding)
    result = run_method(policy, problem, random, listen)
    return Solved(policy, encoding, problem, result.found, result, _warnings(policy, encoding))


def apply(rule: ItemRule, policy: TransactionPolicy, encoding: TransactionEncoding) -> SolvedTransactions:
    """Takes the release that a recoding found elsewhere gives for these transactions."""
    if not policy.search.declared().rule:
        raise InputError(
            f"search.method: {policy.search.method} does not publish every item the same way in all transactions, so "
            "its result cannot be applied to others; leave out --recoding."
        )
    if isinstance(policy.taxonomy, EvenTaxonomy):
        raise InputError(
            "taxonomy: even groups the items of each file afresh, so what was found for the groups of another file "
            "says nothing about these; write the groups to a taxonomy file and search with it, or leave out --recoding."
        )
    problem, transactions = problem_of(policy, encoding), encoding.transactions
    node_of_leaf = rule.node_of_leaf(transactions)
    recoded = Recoded.everywhere(transactions, node_of_leaf)
    nodes = np.unique(node_of_leaf).tolist()
    if UNPUBLISHED not in nodes:
        recoded = replace(recoded, cut=Cut(transactions.taxonomy, tuple(nodes)))
    found = Found(recoded, release_cost(problem.loss, transactions, recoded))
    return Solved(policy, encoding, problem, (found,), None, _warnings(policy, encoding), rule)


def problem_of(policy: TransactionPolicy, encoding: TransactionEncoding) -> TransactionProblem:
    return TransactionProblem(encoding.transactions, policy.promise, TRANSACTION_LOSSES[policy.search.loss])


def _warnings(policy: TransactionPolicy, encoding: TransactionEncoding) -> tuple[str, ...]:
    """What encoding had to say, and what the promise asks beyond what the data can give."""
    if not isinstance(policy.promise, ItemsetModel):
        return encoding.warnings
    limits, transactions = policy.promise.itemset_limits(), encoding.transactions
    longest = int(transactions.sets.sizes.max(initial=0))
    leaves = transactions.taxonomy.leaf_count(0)
    warnings = list(encoding.warnings)
    if policy.promise.name in policy.search.declared().stricter_for:
        warnings.append(
            f"{policy.search.method} keeps {policy.promise.name} for the items above the published ones too; a release "
            "that keeps it for the published ones alone may lose less."
        )
    if limits.present > longest:
        warnings.append(
            f"The promise is about {limits.present} items that are known, and no transaction has more than {longest}: "
            "anyone who knows that many knows all of them."
        )
    if limits.absent > leaves:
        warnings.append(
            f"The promise is about {limits.absent} items known to be absent, and there are only {leaves} items."
        )
    return tuple(warnings)


def write(engine: Engine, solved: SolvedTransactions, folder: Path, random: np.random.Generator) -> Written:
    """Writes the release."""
    return write_release(solved.policy, solved.encoding, solved.chosen.recoded, folder, random)


def write_rule(solved: SolvedTransactions, folder: Path) -> None:
    """What each item is published as, where that is the same in all transactions: for new data and for reading."""
    method = solved.policy.search.declared()
    if not method.rule:
        return
    transactions, recoded = solved.encoding.transactions, solved.chosen.recoded
    rule = solved.applied or rule_of(transactions, recoded, drops_unknown=method.drops_unknown)
    write_json(folder / "recoding.json", rule.as_dict())
    write_mapping(transactions, recoded, folder / "mapping.csv")


def certified(solved: SolvedTransactions) -> dict[str, object]:
    """What the certificate says about the method: nothing that depends on the data."""
    search = solved.policy.search
    return {} if solved.search is None else {"loss": search.loss, **search.options()}


def encoding_key(policy: TransactionPolicy) -> str:
    return repr((policy.taxonomy, policy.sensitive, policy.on_missing, policy.output, policy.search.method))


def read_published(
    engine: Engine, policy: TransactionPolicy, encoding: TransactionEncoding, folder: Path
) -> ReleasedTransactions:
    """The release as it can be read in the folder."""
    shape = published_shape(policy, encoding)
    return read_released(
        folder / f"data.{SUFFIXES[shape]}",
        shape,
        encoding.separator or "," if shape == "basket" else None,
        encoding.transactions,
        folder / SENSITIVE if shape == "grouped" else None,
    )
