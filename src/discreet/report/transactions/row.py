"""A setting of a policy for transactions, measured."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.encode.transactions import TransactionEncoding
from discreet.recode.transactions.recoded import UNPUBLISHED, nodes_published
from discreet.report.row import common_row
from discreet.search.transactions.solve import SolvedTransactions


def row_of(solved: SolvedTransactions, encoding: TransactionEncoding, random: np.random.Generator) -> dict[str, Any]:
    transactions, recoded = encoding.transactions, solved.chosen.recoded
    published = np.flatnonzero(nodes_published(recoded, transactions.taxonomy)).tolist()
    rows, nodes = recoded.published_node(transactions)
    return {
        **common_row(solved, recoded.charged(transactions)),
        "items_published": len(published),
        "items_general": sum(not transactions.taxonomy.is_leaf(node) for node in published),
        "occurrences_left_out": int(recoded.counts[rows[nodes == UNPUBLISHED]].sum()),
    }
