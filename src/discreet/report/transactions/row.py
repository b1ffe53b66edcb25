"""A setting of a policy for transactions, measured."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from discreet.encode.transactions import EncodedTransactions, TransactionEncoding
from discreet.recode.transactions.recoded import UNPUBLISHED, Recoded, nodes_published
from discreet.report.row import common_row
from discreet.search.transactions.solve import SolvedTransactions
from discreet.values.sets import distinct


def row_of(solved: SolvedTransactions, encoding: TransactionEncoding, random: np.random.Generator) -> dict[str, Any]:
    transactions, recoded = encoding.transactions, solved.chosen.recoded
    published = np.flatnonzero(nodes_published(recoded, transactions.taxonomy)).tolist()
    rows, nodes = recoded.published_node(transactions)
    return {
        **common_row(solved, recoded.charged(transactions)),
        "items_published": len(published),
        "items_general": sum(not transactions.taxonomy.is_leaf(node) for node in published),
        "occurrences_left_out": int(recoded.counts[rows[nodes == UNPUBLISHED]].sum()),
        "occurrences_unchanged": _share(
            recoded.counts[rows[transactions.taxonomy.end[nodes] == nodes + 1]].sum(), recoded.counts[rows].sum()
        ),
        **_risk(recoded, transactions),
    }


def _risk(recoded: Recoded, transactions: EncodedTransactions) -> dict[str, Any]:
    """How many transactions look like no other, and how sure a sensitive item is for whoever knows a published one.

    Where sensitive items are published apart, by groups, a confidence has another meaning and is left out.
    """
    sensitive = recoded.sensitive(transactions)
    if recoded.groups is not None:
        return {"transactions_unique": "", "confidence_highest": ""}
    _, like = distinct(recoded.nodes, sensitive)
    alike = np.bincount(like, weights=recoded.counts)
    items = len(transactions.sensitive_items)
    if not items or not len(recoded.nodes.items):
        return {"transactions_unique": int((alike == 1).sum()), "confidence_highest": ""}
    width = len(transactions.taxonomy.labels)
    with_node, with_item = (
        csr_array((np.ones(len(sets.items)), sets.items, sets.offsets), shape=(len(sets), size))
        for sets, size in ((recoded.nodes, width), (sensitive, items))
    )
    supports = with_node.T @ recoded.counts
    together = (with_node.T @ with_item.multiply(recoded.counts[:, np.newaxis])).tocoo()
    confidence = (together.data / supports[together.coords[0]]).max(initial=0)
    return {"transactions_unique": int((alike == 1).sum()), "confidence_highest": round(float(confidence), 6)}


def _share(part: int, whole: int) -> float:
    return round(float(part / whole), 6) if whole else 1.0
