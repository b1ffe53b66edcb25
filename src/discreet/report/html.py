"""The steward's page: self-contained, offline, made from the result document alone.

A section that a document has no figures for is left out or says so; nothing is computed here that the document
does not hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from discreet.report.page import Section, page
from discreet.report.sections import classes, columns, confidence, policy, risk, search, summary, utility


def write_html(result: Mapping[str, Any], path: Path, attack: Mapping[str, Any] | None = None) -> None:
    path.write_text(render_html(result, attack), encoding="utf-8")


def render_html(result: Mapping[str, Any], attack: Mapping[str, Any] | None = None) -> str:
    """The whole page.

    result: steward/result.json. attack: a second attack's document, of an adversary with a known file.
    """
    sections: list[Section | None] = [
        summary.section(result),
        columns.section(result),
        classes.section(result),
        confidence.section(result),
        utility.section(result),
        risk.section(result),
        risk.known_section(attack),
        search.section(result),
        policy.section(result),
        policy.glossary(),
    ]
    return page(summary.subtitle(result), [part for part in sections if part is not None])
