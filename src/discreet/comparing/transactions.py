"""A setting of a policy for transactions, measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from discreet.encode.reading_transactions import TransactionEncoding
from discreet.errors import InputError
from discreet.policy import TransactionPolicy
from discreet.recode.transactions import UNPUBLISHED, nodes_published
from discreet.report.document import number
from discreet.solving.transactions import encode, search

COLUMNS = (
    "status",
    "cost",
    "normalized",
    "bound",
    "gap",
    "items_published",
    "items_general",
    "occurrences_left_out",
    "cuts_examined",
    "seconds",
)


def encoded(
    base: TransactionPolicy, policies: Mapping[int, TransactionPolicy], data: object
) -> Iterator[tuple[int, TransactionEncoding | InputError]]:
    known: dict[str, TransactionEncoding] = {}
    for place, policy in policies.items():
        key = repr((policy.taxonomy, policy.sensitive, policy.on_missing, policy.output, policy.search.method))
        try:
            if key not in known:
                known[key] = encode(policy, data)
        except InputError as error:
            yield place, error
        else:
            yield place, known[key]


def files(policy: TransactionPolicy) -> Iterator[Path]:
    return (path for path in (policy.taxonomy, policy.sensitive) if isinstance(path, Path))


def measured(policy: TransactionPolicy, encoding: TransactionEncoding, random: np.random.Generator) -> dict[str, Any]:
    solved = search(policy, encoding, random)
    assert solved.result is not None
    found = solved.result.search
    if found.interrupted:  # whoever interrupts means the whole comparison
        raise KeyboardInterrupt
    transactions = encoding.transactions
    published = np.flatnonzero(nodes_published(solved.recoded, transactions.taxonomy)).tolist()
    rows, nodes = solved.recoded.published_node(transactions)
    occurrences = solved.recoded.charged(transactions)
    return {
        "status": found.status,
        "cost": number(found.best.cost),
        "normalized": round(float(found.best.cost / occurrences), 6) if occurrences else 0.0,
        "bound": number(found.bound),
        "gap": found.gap,
        "items_published": len(published),
        "items_general": sum(not transactions.taxonomy.is_leaf(node) for node in published),
        "occurrences_left_out": int(solved.recoded.counts[rows[nodes == UNPUBLISHED]].sum()),
        "cuts_examined": found.cuts_examined,
        "seconds": round(found.seconds, 3),
    }
