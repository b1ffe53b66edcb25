"""The policy as it was, and the words that the page uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from discreet.report.page import Section
from discreet.report.words import NOTHING, count, lines, plural

MOST_LINES = 300
LONGEST_LINE = 200

TERMS = {
    "Adversary": "Somebody who holds the release, knows the method, and knows the quasi-identifiers of a person.",
    "Baseline": "How often the adversary would be right without the quasi-identifiers, by always naming the most "
    "common value.",
    "Bound, gap": "The bound is a loss that no release can undercut. The gap is what part of the loss could still be "
    "saved at most; without a gap the release is optimal.",
    "Confidence": "The share of a sensitive value among the records that fit a person.",
    "Cut": "The published values of a column: one node on every way from the root of the taxonomy to a leaf.",
    "Group": "All records with the same published quasi-identifiers. The literature says equivalence class or "
    "partition.",
    "Interval": "A rate counted on few people may be chance. The true rate lies in the 95% interval (Wilson) in 95 of "
    "100 such counts.",
    "Journalist": "An adversary who wants to find anybody in the release, to prove that it can be done.",
    "Loss": "What the release tells less than the original. lm counts how many values each published value could "
    "stand for, dm how large the groups are, cm how often a record’s class is not that of most in its group.",  # noqa: RUF001
    "Marketer": "An adversary who links everybody and is content if many of the links are right.",
    "Prosecutor": "An adversary who looks for one person and knows that this person is in the table.",
    "Quasi-identifier": "A column that others may know of a person, such as age or postal code. Together such "
    "columns may point to one person.",
    "Sensitive value": "What is to be published but not to be linked to a person, such as a disease.",
    "Star (*)": "Stands for a suppressed value or, as a published value of a column, for any value.",
    "Taxonomy": "A tree that says how a value can be made coarser: France, Europe, any country.",
    "Threshold": "The highest confidence in a sensitive value that the promise allows.",
}


def section(result: Mapping[str, Any]) -> Section:
    lead = "The policy that this release was made by, with every setting that was left to its default."
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
        "The random order of rows came from the system’s entropy."  # noqa: RUF001
        if seed is None
        else f"The random order of rows came from the seed {count(seed) if abs(seed) < 1000 else seed}."
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


def glossary() -> Section:
    terms = "".join(f"<div><dt>{term}</dt><dd>{text}</dd></div>" for term, text in TERMS.items())
    lead = f"The words this page uses. Where a figure does not exist, the page shows {NOTHING}."
    return Section("glossary", "Glossary", lead, f'<dl class="terms">{terms}</dl>')
