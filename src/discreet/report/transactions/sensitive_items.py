"""The sensitive items: how frequent each is, and how sure an adversary can be of any of them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from discreet.methods.transactions import TRANSACTION_METHODS
from discreet.models.transactions import TRANSACTION_MODELS
from discreet.report.page import Section
from discreet.report.summary import models_of
from discreet.report.tables import table
from discreet.report.text import count, plural, share, value_html

MOST_ROWS = 60


def section(result: Mapping[str, Any]) -> Section | None:
    sensitive = result["sensitive"]
    if not sensitive:
        return None
    published = "never generalized and never left out"
    if are_apart(result["policy"]):
        published = "published apart, by group"
    elif are_left_out(result["policy"]):
        published = "never generalized, and left out until none follows from other items"
    lead = (
        f"Sensitive items are {published}. What is protected is who has them: an adversary takes the share of a "
        "sensitive item among the transactions that fit as the confidence that the person has it."
    )
    entries = sorted(sensitive, key=lambda entry: (-entry["transactions"], entry["item"]))
    header = ["sensitive item", "transactions", "share of all"]
    rows = [[value_html(entry["item"]), count(entry["transactions"]), share(entry["share"])] for entry in entries]
    if are_left_out(result["policy"]):
        header.append("published")
        rows = [[*row, count(entry["kept"])] for row, entry in zip(rows, entries, strict=True)]
    body = table("The sensitive items", header, rows, numbers=range(1, len(header)), most=MOST_ROWS)
    return Section("sensitive", "Sensitive items", lead, body + _confidence(result))


def _confidence(result: Mapping[str, Any]) -> str:
    attack = result.get("attack")
    if attack is None or attack["after"]["highest_confidence"] is None:
        return ""
    before, after = attack["before"], attack["after"]
    limit = promised_share(result["policy"])
    rows = [["Highest confidence for anyone", *(share(side["highest_confidence"]) for side in (before, after))]]
    if limit is not None:
        rows.append(["The most that is promised", "", share(float(limit))])
        rows.append(["People above it", *(count(side["above_share"]) for side in (before, after))])
    return table(
        f"Confidence in any sensitive item, of {plural(attack['people'], 'person', 'people')} tried",
        ["", "original", "release"],
        rows,
        numbers=(1, 2),
    )


def are_apart(policy: Mapping[str, Any]) -> bool:
    """Whether the sensitive items are given by group only."""
    return _fate(policy) == "apart"


def are_left_out(policy: Mapping[str, Any]) -> bool:
    """Whether sensitive items are left out of single transactions."""
    return _fate(policy) == "left out"


def _fate(policy: Mapping[str, Any]) -> str:
    method = TRANSACTION_METHODS.get((policy.get("search") or {}).get("method", ""))
    return "kept" if method is None else method.sensitive


def promised_share(policy: Mapping[str, Any]) -> Fraction | None:
    """The highest confidence in a sensitive item that the promise allows, where it limits it."""
    shares = (model.share for model in models_of(policy, TRANSACTION_MODELS))
    return min((share for share in shares if share is not None and share < 1), default=None)
