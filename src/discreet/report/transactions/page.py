"""The steward's page for transactions: its sections, and the words that they use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.methods.transactions import TRANSACTION_METHODS
from discreet.report import policy, search
from discreet.report.page import Section
from discreet.report.transactions import items, lengths, risk, sensitive_items, summary, utility

TERMS = {
    "Adversary": "Somebody who holds the release, knows the method, and knows some items of a person.",
    "Confidence": "The share of the transactions that fit a person which have a sensitive item.",
    "Cut of items": "The published items: one node on every path from the root of the taxonomy to an item. Each item "
    "is published as the node that it lies under, in every transaction.",
    "Disjunction": "“One of these items, I do not know which”: knowledge that the promise covers only where the items "
    "are all that lie under one node.",
    "Group": "Transactions that are treated together where there is no cut: they are made to look alike, or their "
    "sensitive items are published for all of them at once.",
    "Itemset": "Some items that somebody may know about a person; no two of them lie on one path of the taxonomy.",
    "Loss": "How much less the release says than the original, charged for each item of each transaction: lm and "
    "ncp count how many items a published one could stand for; an item that is left out is charged in full.",
    "Pattern": "A set of items that many transactions have together.",
    "Present, absent item": "An item that the adversary knows a person to have, or not to have. An absent general item "
    "is worth as many items as lie under it.",
    "Sensitive item": "What is published but must not be linked to a person.",
    "Star (*)": "The root of the taxonomy: any item.",
    "Support": "How many transactions fit an itemset: they have all its present items and none of its absent ones.",
    "Taxonomy": "A tree that says how an item can be made more general: figs, fruit, food.",
    "Threat": "An itemset that breaks the promise: too few transactions support it, or a sensitive item is in too many "
    "of them.",
}
WORDS = search.SearchWords("which items are published as what", "itemsets and cuts")


def page_of(result: Mapping[str, Any], attack: Mapping[str, Any] | None) -> tuple[str, list[Section | None]]:
    """The subtitle and the sections. attack: that of an adversary with a file of known people."""
    method = TRANSACTION_METHODS.get((result["search"] or {}).get("method", ""))
    return summary.subtitle(result), [
        summary.section(result),
        items.section(result),
        lengths.section(result),
        sensitive_items.section(result),
        utility.section(result),
        risk.section(result),
        risk.known_section(attack),
        search.section(result, WORDS, {} if method is None else method.details),
        policy.section(result),
        policy.glossary(TERMS),
    ]
