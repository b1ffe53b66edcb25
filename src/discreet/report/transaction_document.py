"""The steward's result for transactions: one JSON document from which every report is made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from discreet.encode.transactions import EncodedTransactions, Int64s, Sets
from discreet.policy import TransactionPolicy
from discreet.recode.transactions import UNPUBLISHED, nodes_published
from discreet.report.document import FORMAT, MOST_NODES, drawn_taxonomy, number, search_part
from discreet.solving.transactions import SolvedTransactions
from discreet.taxonomy import Cut
from discreet.verify import Verdict

LENGTHS = (0, 1, 2, 3, 4, 6, 8, 11, 16, 21, 31, 51, 101, 1001)
"""Where the bins of the length of a transaction begin; the last one has no end."""


def transaction_document(solved: SolvedTransactions, verdict: Verdict, seed: int | None) -> dict[str, Any]:
    """For the steward only: it tells what the original looked like and what the search saw.

    What is measured and attacked in the release read back is added by whoever reads it back.
    """
    transactions, found = solved.encoding.transactions, solved.found
    search = None if solved.result is None else solved.result.search
    bound = None if search is None else min(search.bound, found.cost)
    occurrences = solved.recoded.charged(transactions)
    kept = _kept(solved)
    return {
        "format": FORMAT,
        "kind": "transactions",
        "status": "applied" if search is None else search.status,
        "loss": {
            "name": solved.problem.loss.name,
            "cost": number(found.cost),
            "exact": str(found.cost),
            "normalized": float(found.cost / occurrences) if occurrences else 0.0,
        },
        "bound": None if bound is None else number(bound),
        "gap": None if bound is None else float((found.cost - bound) / found.cost) if found.cost else 0.0,
        "cuts": {"items": _published_labels(solved)},
        "suppressed": _suppressed(solved),
        "rows": {"original": transactions.transactions, "published": verdict.rows},
        "transactions": {
            "original": _lengths(transactions.sets, transactions.counts),
            "release": _lengths(solved.recoded.nodes, solved.recoded.counts),
        },
        "items": _items(solved),
        "sensitive": [
            {"item": item, "transactions": int(had), "share": int(had) / transactions.transactions, "kept": int(has)}
            for item, had, has in zip(
                transactions.sensitive_items, transactions.sensitive_occurrences, kept, strict=True
            )
        ],
        "search": None
        if solved.result is None
        else {**search_part(solved.policy.search.method, solved.result.search), "details": dict(solved.result.details)},
        "promise": list(verdict.promise),
        "verified": verdict.holds,
        "seed": seed,
        "warnings": [*solved.warnings, *_warnings(solved, seed)],
        "policy": _located(solved.policy),
    }


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
    if solved.cut is not None:
        return list(solved.cut.labels)
    labels = solved.encoding.transactions.taxonomy.labels
    return [labels[node] for node in np.unique(solved.recoded.nodes.items)]


def _suppressed(solved: SolvedTransactions) -> dict[str, int]:
    """Items that are published nowhere, occurrences that are left out, and of the sensitive items alike."""
    transactions = solved.encoding.transactions
    rows, published = solved.recoded.published_node(transactions)
    left_out = published == UNPUBLISHED
    items = transactions.sets.take(solved.recoded.sources).items
    return {
        "items": len(set(items[left_out].tolist()) - set(items[~left_out].tolist())),
        "occurrences": int(solved.recoded.counts[rows[left_out]].sum()),
        "sensitive_occurrences": int((transactions.sensitive_occurrences - _kept(solved)).sum()),
    }


def _kept(solved: SolvedTransactions) -> Int64s:
    """Sensitive item -> how many published transactions have it."""
    transactions, recoded = solved.encoding.transactions, solved.recoded
    return recoded.sensitive(transactions).supports(recoded.counts, len(transactions.sensitive_items))


def _items(solved: SolvedTransactions) -> dict[str, Any]:
    """The taxonomy with the cut, where there is one, and the published items by how many transactions have them."""
    transactions = solved.encoding.transactions
    taxonomy = transactions.taxonomy
    having = nodes_published(solved.recoded, taxonomy)
    shown = np.flatnonzero(having)
    order = shown[np.argsort(-having[shown], kind="stable")]
    return {
        "taxonomy": None if solved.cut is None else _drawn(transactions, solved.cut),
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


def _drawn(transactions: EncodedTransactions, cut: Cut) -> dict[str, Any]:
    return drawn_taxonomy(cut, transactions.leaf_occurrences)


def _warnings(solved: SolvedTransactions, seed: int | None) -> list[str]:
    warnings = []
    search, time_limit = solved.result and solved.result.search, solved.policy.search.time_limit
    stopped = search and search.status == "feasible" and (search.interrupted or time_limit is not None)
    way_out = "Relax the promise, or give the search more time." if stopped else "Relax the promise."
    transactions, published = solved.encoding.transactions, np.unique(solved.recoded.nodes.items).tolist()
    if published == [0] and not transactions.taxonomy.is_leaf(0):
        warnings.append(f"Every item is published as the root: the release says nothing. {way_out}")
    if not published and transactions.occurrences:
        warnings.append(f"Every item that is not sensitive is left out: the release says nothing. {way_out}")
    if seed is not None:
        warnings.append(
            "A seed was given: whoever guesses it can undo the random order of transactions. Do not publish this one."
        )
    if search and search.interrupted:
        warnings.append("The search was interrupted; this is the best release it had found.")
    return warnings


def _located(policy: TransactionPolicy) -> dict[str, Any]:
    """The policy with paths that hold from everywhere: `attack` looks for the original where it was."""
    written = policy.as_dict()
    for key, path in (("taxonomy", policy.taxonomy), ("sensitive", policy.sensitive)):
        if isinstance(path, Path):
            written[key] = str(path.absolute())
    if policy.data.path is not None:
        written["data"]["path"] = str(policy.data.path.absolute())
    return written
