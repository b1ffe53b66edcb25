"""The steward's result for transactions: one JSON document from which every report is made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from discreet.recode.transactions.recoded import UNPUBLISHED, nodes_published
from discreet.report.document import MOST_NODES, common_document, drawn_taxonomy
from discreet.search.transactions.solve import SolvedTransactions
from discreet.values.arrays import Int64s
from discreet.values.sets import Sets
from discreet.values.words import counted
from discreet.verifier import Verdict

LENGTHS = (0, 1, 2, 3, 4, 6, 8, 11, 16, 21, 31, 51, 101, 1001)
"""Where the bins of the length of a transaction begin; the last one has no end."""


def transaction_document(solved: SolvedTransactions, verdict: Verdict, seed: int | None) -> dict[str, Any]:
    """For the steward only: it reveals what the original looked like and what the search saw.

    What is measured and attacked in the release read back is added by the caller that reads it back.
    """
    transactions, recoded = solved.encoding.transactions, solved.chosen.recoded
    left = _left(solved)
    return {
        **common_document(
            solved,
            verdict,
            seed,
            rows=transactions.transactions,
            worst=recoded.charged(transactions),
            warnings=_warnings(solved),
            hollow=_hollow(solved),
            gone=_gone(left),
        ),
        "cuts": {"items": _published_labels(solved)},
        "suppressed": _suppressed(solved),
        "transactions": {
            "original": _lengths(transactions.sets, transactions.counts),
            "release": _lengths(recoded.nodes, recoded.counts),
        },
        "items": _items(solved),
        "left": left,
        "sensitive": [
            {"item": item, "transactions": int(had), "share": int(had) / transactions.transactions, "kept": int(has)}
            for item, had, has in zip(
                transactions.sensitive_items, transactions.sensitive_occurrences, _kept(solved), strict=True
            )
        ],
    }


def _hollow(solved: SolvedTransactions) -> Iterator[str]:
    """Why the promise protects nobody."""
    transactions, recoded = solved.encoding.transactions, solved.chosen.recoded
    sensitive = recoded.sensitive(transactions)
    if not len(recoded.nodes.items) and not len(sensitive.items):
        yield "No item is left in the release, so it keeps any promise."
    elif not solved.chosen.cost and len(sensitive.items) == len(transactions.sensitive.items):
        yield "The original already keeps this promise: nothing was changed but the order of the transactions."


def _lengths(sets: Sets, counts: Int64s) -> dict[str, Any]:
    """Of the non-sensitive part of transactions."""
    sizes = sets.sizes
    total = int(counts.sum())
    bins = np.searchsorted(LENGTHS, sizes, side="right") - 1
    in_bin = np.bincount(bins, weights=counts, minlength=len(LENGTHS)).astype(int)
    return {
        "count": total,
        "empty": int(counts[sizes == 0].sum()),
        "items": len(set(sets.items.tolist())),
        "occurrences": int((sizes * counts).sum()),
        "average": float((sizes * counts).sum() / total) if total else 0.0,
        "longest": int(sizes.max(initial=0)),
        "lengths": [
            {"from": first, "to": None if place + 1 == len(LENGTHS) else LENGTHS[place + 1] - 1, "transactions": found}
            for place, (first, found) in enumerate(zip(LENGTHS, in_bin.tolist(), strict=True))
            if found
        ],
    }


def _published_labels(solved: SolvedTransactions) -> list[str]:
    """The cut; where each transaction or each item has its own fate, what is published of the taxonomy."""
    if solved.chosen.recoded.cut is not None:
        return list(solved.chosen.recoded.cut.labels)
    labels = solved.encoding.transactions.taxonomy.labels
    return [labels[node] for node in np.unique(solved.chosen.recoded.nodes.items)]


def _suppressed(solved: SolvedTransactions) -> dict[str, int]:
    """Items that are published nowhere, and occurrences that are left out, those of sensitive items too."""
    transactions = solved.encoding.transactions
    rows, published = solved.chosen.recoded.published_node(transactions)
    left_out = published == UNPUBLISHED
    items = transactions.sets.take(solved.chosen.recoded.sources).items
    return {
        "items": len(set(items[left_out].tolist()) - set(items[~left_out].tolist())),
        "occurrences": int(solved.chosen.recoded.counts[rows[left_out]].sum()),
        "sensitive_occurrences": int((transactions.sensitive_occurrences - _kept(solved)).sum()),
    }


def _left(solved: SolvedTransactions) -> dict[str, int]:
    """How many items, and how many times that transactions have one, are published as themselves."""
    transactions, recoded = solved.encoding.transactions, solved.chosen.recoded
    rows, published = recoded.published_node(transactions)
    items = transactions.sets.take(recoded.sources).items
    as_themselves = published == transactions.taxonomy.leaf_nodes[items]
    weights = recoded.counts[rows]
    return {
        "items": int(np.count_nonzero(transactions.leaf_occurrences)),
        "items_as_themselves": len(np.unique(items[as_themselves])),
        "occurrences": int(weights.sum()),
        "occurrences_as_themselves": int(weights[as_themselves].sum()),
        "occurrences_left_out": int(weights[published == UNPUBLISHED].sum()),
    }


def _gone(left: Mapping[str, int]) -> Iterator[str]:
    if left["items"] and not left["items_as_themselves"]:
        yield f"None of {counted(left['items'], 'item')} is published as itself."


def _kept(solved: SolvedTransactions) -> Int64s:
    """Sensitive item -> how many published transactions have it."""
    transactions, recoded = solved.encoding.transactions, solved.chosen.recoded
    shown: Sets = recoded.sensitive(transactions)
    return shown.supports(recoded.counts, len(transactions.sensitive_items))


def _items(solved: SolvedTransactions) -> dict[str, Any]:
    """The taxonomy with the cut, where there is one, and the published items by how many transactions have them."""
    transactions = solved.encoding.transactions
    taxonomy = transactions.taxonomy
    having = nodes_published(solved.chosen.recoded, taxonomy)
    shown = np.flatnonzero(having)
    order = shown[np.argsort(-having[shown], kind="stable")]
    return {
        "taxonomy": None
        if solved.chosen.recoded.cut is None
        else drawn_taxonomy(solved.chosen.recoded.cut, transactions.leaf_occurrences),
        "published": [
            {
                "item": taxonomy.labels[node],
                "stands_for": taxonomy.leaf_count(int(node)),
                "transactions": int(having[node]),
            }
            for node in order[:MOST_NODES]
        ],
        "published_count": len(shown),
        "generalized_count": int(sum(not taxonomy.is_leaf(int(node)) for node in shown)),
    }


def _warnings(solved: SolvedTransactions) -> list[str]:
    warnings = []
    search, time_limit = solved.search, solved.policy.search.time_limit
    stopped = search and search.status == "feasible" and (search.interrupted or time_limit is not None)
    way_out = "Relax the promise, or give the search more time." if stopped else "Relax the promise."
    transactions, published = solved.encoding.transactions, np.unique(solved.chosen.recoded.nodes.items).tolist()
    if published == [0] and not transactions.taxonomy.is_leaf(0):
        warnings.append(f"Every item is published as the root: the release says nothing. {way_out}")
    if not published and transactions.occurrences:
        warnings.append(f"Every item that is not sensitive is left out: the release says nothing. {way_out}")
    return warnings
