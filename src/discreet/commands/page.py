"""The steward's page: self-contained, offline, made from the result document alone.

A section that a document has no figures for is left out or says so; nothing is computed here that the document
does not hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.kinds import KINDS
from discreet.report.page import page


def render_html(result: Mapping[str, Any], attack: Mapping[str, Any] | None = None) -> str:
    """The whole page.

    result: steward/result.json; one without a kind is of the first. attack: a second attack's document, of an adversary
    with a file of known people.
    """
    kind = KINDS[result.get("kind", next(iter(KINDS)))]
    subtitle, sections = kind.page(result, attack)
    return page(
        subtitle,
        [part for part in sections if part is not None],
        drawn="charts" not in result.get("left_out", ()),
    )
