"""The steward's page: self-contained, offline, made from the result document alone.

A section that a document has no figures for is left out or says so; nothing is computed here that the document
does not hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from discreet.report.page import Section, page
from discreet.report.sections import (
    classes,
    columns,
    confidence,
    item_risk,
    item_utility,
    items,
    lengths,
    policy,
    risk,
    search,
    sensitive_items,
    summary,
    transaction_summary,
    utility,
)


def write_html(result: Mapping[str, Any], path: Path, attack: Mapping[str, Any] | None = None) -> None:
    path.write_text(render_html(result, attack), encoding="utf-8")


def render_html(result: Mapping[str, Any], attack: Mapping[str, Any] | None = None) -> str:
    """The whole page.

    result: steward/result.json; one without a kind is of a table. attack: a second attack's document, of an adversary
    with a file of known people.
    """
    kind = _transactions if result.get("kind") == "transactions" else _table
    subtitle, sections = kind(result, attack)
    return page(subtitle, [part for part in sections if part is not None])


def _table(result: Mapping[str, Any], attack: Mapping[str, Any] | None) -> tuple[str, list[Section | None]]:
    return summary.subtitle(result), [
        summary.section(result),
        columns.section(result),
        classes.section(result),
        confidence.section(result),
        utility.of_table(result),
        risk.section(result),
        risk.known_section(attack),
        search.section(result),
        policy.section(result),
        policy.glossary(policy.TERMS_OF_TABLES),
    ]


def _transactions(result: Mapping[str, Any], attack: Mapping[str, Any] | None) -> tuple[str, list[Section | None]]:
    return transaction_summary.subtitle(result), [
        transaction_summary.section(result),
        items.section(result),
        lengths.section(result),
        sensitive_items.section(result),
        item_utility.section(result),
        item_risk.section(result),
        item_risk.known_section(attack),
        search.section(result),
        policy.section(result),
        policy.glossary(policy.TERMS_OF_TRANSACTIONS),
    ]
