"""What is promised about transactions, whether it holds, and the few figures that matter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.attacks.transactions.attacks import TRANSACTION_ATTACKS
from discreet.models.transactions import TRANSACTION_MODELS
from discreet.report import summary
from discreet.report.page import Section
from discreet.report.summary import arrow, least, models_of, promised, tiles, warned
from discreet.report.text import amount, count, plural, sentence, share
from discreet.report.transactions.sensitive_items import are_apart


def subtitle(result: Mapping[str, Any]) -> str:
    return summary.subtitle(result, plural(result["rows"]["original"], "transaction"), "Transactions in memory")


def section(result: Mapping[str, Any]) -> Section:
    parts = [
        promised(result, in_plain_words(result)),
        tiles(_cards(result)),
        _beyond(result.get("attack")),
        warned(result),
    ]
    return Section("summary", "Summary", "", "".join(parts))


def in_plain_words(result: Mapping[str, Any]) -> str:
    """The promises as HTML sentences; empty where a promise is not known here, which the formal ones then state."""
    models = models_of(result["policy"], TRANSACTION_MODELS)
    return " ".join(sentence(model.in_words(bool(result["sensitive"]))) for model in models)


def _cards(result: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    rows, loss = result["rows"], result["loss"]
    all_of_them = rows["published"] == rows["original"]
    return [
        ("Transactions published", count(rows["published"]), "all of them" if all_of_them else _of(rows["original"])),
        *_items(result),
        (
            "Information lost",
            share(loss["normalized"]),
            f"where 100% is nothing but *; {amount(loss['cost'])} by {sentence(loss['name'])}{_beside(result)}",
        ),
        ("The least possible?", *least(result)),
        *_people(result.get("attack")),
    ]


def _of(number: int) -> str:
    return f"of {count(number)}"


def _items(result: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    items, left_out = result["items"], result["suppressed"]
    original = result["transactions"]["original"]["items"]
    general = items["generalized_count"]
    exact = items["published_count"] - general
    cards = [
        (
            "Different items published",
            count(items["published_count"]),
            f"{count(exact)} as they were, {count(general)} more general, in place of {count(original)}",
        )
    ]
    if left_out["occurrences"]:
        whole = result["transactions"]["original"]["occurrences"]
        note = f"of all that transactions hold; {plural(left_out['items'], 'item')} everywhere"
        cards.append(("Left out", share(left_out["occurrences"] / whole), note))
    if left_out["sensitive_occurrences"]:
        whole = sum(entry["transactions"] for entry in result["sensitive"])
        missing = left_out["sensitive_occurrences"]
        note = f"{count(missing)} of {count(whole)} times that transactions have one"
        cards.append(("Sensitive items left out", share(missing / whole), note))
    return cards


def _beside(result: Mapping[str, Any]) -> str:
    """What no release can go below, where that is proved and is not the loss itself; and what is not charged."""
    if are_apart(result["policy"]):
        return "; publishing sensitive items by group only is not charged"
    bound = result["bound"]
    return f", where at least {amount(bound)} is lost" if bound and result["status"] == "feasible" else ""


def _people(attack: Mapping[str, Any] | None) -> list[tuple[str, str, str]]:
    if attack is None:
        return []
    before, after = attack["before"], attack["after"]
    who = f"of {count(attack['people'])} tried, by somebody who knows {known_words(attack['known'])}"
    if before["below_k"]:
        who += f"; fewer transactions fit than promised: {arrow(count(before['below_k']), count(after['below_k']))}"
    cards = [("People singled out", arrow(count(before["found"]), count(after["found"])), who)]
    if before["above_share"] is not None:
        surer = "about whom a sensitive item is more certain than promised"
        cards.append(
            ("People above the promise", arrow(count(before["above_share"]), count(after["above_share"])), surer)
        )
    return cards


def known_words(known: Mapping[str, Any]) -> str:
    lacks = f" and {plural(known['absent'], 'item')} that the person does not have" if known["absent"] else ""
    if known["present"] is None:
        return f"all items of a person that are not sensitive{lacks}"
    return f"{plural(known['present'], 'item')} of a person{lacks}"


def _beyond(attack: Mapping[str, Any] | None) -> str:
    """A kept promise must not be read as no risk where an attack beyond it has succeeded."""
    parts = ((attack or {}).get(name) or {} for name in TRANSACTION_ATTACKS)
    return "".join(
        f'<p>Beyond what is promised: {sentence(learnt["reading"])} See <a href="#risk">Risk before and after</a>.</p>'
        for learnt in parts
        if learnt.get("applies") and learnt.get("above_share")
    )
