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
    "Baseline": "How often the adversary would be right without knowing anything of a person, by always naming what is "
    "most common.",
    "Bound, gap": "The bound is a loss that no release can undercut. The gap is what part of the loss could still be "
    "saved at most; without a gap the release is optimal.",
    "Interval": "A rate counted on few people may be chance. The true rate lies in the 95% interval (Wilson) in 95 of "
    "100 such counts.",
}
TERMS_OF_TABLES = {
    "Adversary": "Somebody who holds the release, knows the method, and knows the quasi-identifiers of a person.",
    "Confidence": "The share of a sensitive value among the records that fit a person.",
    "Cut": "The published values of a column: one node on every way from the root of the taxonomy to a leaf.",
    "Group": "All records with the same published quasi-identifiers. The literature says equivalence class or "
    "partition.",
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
TERMS_OF_TRANSACTIONS = {
    "Adversary": "Somebody who holds the release, knows the method, and knows some items of a person.",
    "Confidence": "The share of the transactions that fit a person in which a sensitive item is.",
    "Cut of items": "The published items: one node on every way from the root of the taxonomy to an item. Each item "
    "is published as the node that it lies under, and that in all transactions.",
    "Disjunction": "“One of these items, I do not know which”: knowledge that the promise covers only where the items "
    "are all that lie under one node.",
    "Group": "Transactions that are treated together where there is no cut: they are made to look alike, or their "
    "sensitive items are published for all of them at once.",
    "Itemset": "Some items that somebody may know of a person; no two of them lie on one way through the taxonomy.",
    "Loss": "What the release tells less than the original, charged for each item of each transaction: lm counts how "
    "many items a published one could stand for, ncp likewise; an item that is left out is charged in full.",
    "Pattern": "A set of items that many transactions have together.",
    "Present, absent item": "An item that the adversary knows a person to have, or to have not. An absent general item "
    "is worth as many items as lie under it.",
    "Sensitive item": "What is to be published but not to be linked to a person.",
    "Star (*)": "The root of the taxonomy: any item.",
    "Support": "How many transactions fit an itemset: they have all its present items and none of its absent ones.",
    "Taxonomy": "A tree that says how an item can be made more general: figs, fruit, food.",
    "Threat": "An itemset that breaks the promise: too few transactions support it, or a sensitive item is in too many "
    "of them.",
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
