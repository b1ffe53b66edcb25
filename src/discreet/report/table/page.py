"""The steward's page for a table: its sections, and the words that they use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.methods.table import TABLE_METHODS
from discreet.report import policy, search
from discreet.report.page import Section
from discreet.report.table import boxes, classes, columns, confidence, risk, summary, utility

TERMS = {
    "Adversary": "Somebody who holds the release, knows the method, and knows the quasi-identifiers of a person.",
    "Confidence": "The share of a sensitive value among the records that fit a person.",
    "Cut": "The published values of a column: one node on every path from the root of the taxonomy to a leaf.",
    "Group": "All records with the same published quasi-identifiers. The literature says equivalence class or "
    "partition.",
    "Journalist": "An adversary who wants to find anybody in the release, to prove that it can be done.",
    "Loss": "How much less the release says than the original. lm counts how many values each published value could "
    "stand for, dm how large the groups are, cm how often a record’s class is not that of most in its group.",  # noqa: RUF001
    "Marketer": "An adversary who links everybody and is content if many of the links are right.",
    "Prosecutor": "An adversary who looks for one person and knows that this person is in the table.",
    "Quasi-identifier": "A column that others may know about a person, such as age or postal code. Together, "
    "these columns may point to one person.",
    "Sensitive value": "What is published but must not be linked to a person, such as a disease.",
    "Star (*)": "Stands for a suppressed value or, as a published value of a column, for any value.",
    "Taxonomy": "A tree that says how a value can be made coarser: France, Europe, any country.",
    "Threshold": "The highest confidence in a sensitive value that the promise allows.",
}
WORDS = search.SearchWords("for each column how fine its published values are", "cuts")


def page_of(result: Mapping[str, Any], attack: Mapping[str, Any] | None) -> tuple[str, list[Section | None]]:
    """The subtitle and the sections. attack: that of an adversary with a file of known people."""
    method = TABLE_METHODS.get((result["search"] or {}).get("method", ""))
    return summary.subtitle(result), [
        summary.section(result),
        columns.section(result),
        classes.section(result),
        boxes.section(result),
        confidence.section(result),
        utility.of_table(result),
        risk.section(result),
        risk.known_section(attack),
        search.section(result, WORDS, {} if method is None else method.details),
        policy.section(result),
        policy.glossary(TERMS),
    ]
