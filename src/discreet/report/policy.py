"""The policy as it was, and the words that the page uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from discreet.report.page import Section
from discreet.report.text import NOTHING, count, lines, plural

MOST_LINES = 300
LONGEST_LINE = 200

TERMS = {
    "Baseline": "How often the adversary would be right without knowing anything about a person, by always naming what "
    "is most common.",
    "Bound, gap": "The bound is a loss that no release can undercut. The gap is the largest part of the loss that "
    "could still be saved; without a gap the release is optimal.",
    "Interval": "A rate counted on few people may be chance. The true rate lies in the 95% interval (Wilson) in 95 of "
    "100 counts like this.",
}


def section(result: Mapping[str, Any]) -> Section:
    lead = "The policy by which this release was made, with every setting that was left at its default."
    written = yaml.safe_dump(
        _printable(result["policy"]), sort_keys=False, allow_unicode=True, width=110, default_flow_style=None
    ).splitlines()
    shown = "\n".join(line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + "…" for line in written[:MOST_LINES])
    more = (
        f"<p>… and {plural(len(written) - MOST_LINES, 'more line')}, in result.json.</p>"
        if len(written) > MOST_LINES
        else ""
    )
    seed = result["seed"]
    drawn = (
        "The random order of the release came from the system’s entropy."  # noqa: RUF001
        if seed is None
        else f"The random order of the release came from the seed {count(seed) if abs(seed) < 1000 else seed}."
    )
    return Section("policy", "The policy", lead, f"<pre><code>{lines(shown)}</code></pre>{more}<p>{drawn}</p>")


def _printable(part: Any) -> Any:
    """Half a surrogate pair cannot be written as YAML."""
    if isinstance(part, str):
        return part if len(part) <= LONGEST_LINE else part[:LONGEST_LINE] + "…"
    if isinstance(part, Mapping):
        return {_printable(key): _printable(value) for key, value in part.items()}
    if isinstance(part, list | tuple):
        return [_printable(value) for value in part]
    return part


def glossary(own: Mapping[str, str]) -> Section:
    """The words of every page, and those of the data's own kind."""
    every = sorted({**TERMS, **own}.items())
    terms = "".join(f"<div><dt>{term}</dt><dd>{text}</dd></div>" for term, text in every)
    lead = f"The words this page uses. Where a figure does not exist, the page shows {NOTHING}."
    return Section("glossary", "Glossary", lead, f'<dl class="terms">{terms}</dl>')
