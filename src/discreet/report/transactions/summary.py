"""What is promised about transactions, whether it holds, and the few figures that matter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.attacks.transactions.attacks import TRANSACTION_ATTACKS
from discreet.models.transactions import TRANSACTION_MODELS
from discreet.report import summary
from discreet.report.page import Section
from discreet.report.risk_and_use import Left, Risk, risk_and_use
from discreet.report.summary import arrow, least, models_of, no_longer_told, promised, tiles, warned
from discreet.report.text import amount, count, plural, sentence, share
from discreet.report.transactions.left import others_in_words, rules_left
from discreet.report.transactions.sensitive_items import are_apart


def subtitle(result: Mapping[str, Any]) -> str:
    return summary.subtitle(result, plural(result["rows"]["original"], "transaction"), "Transactions in memory")


def section(result: Mapping[str, Any]) -> Section:
    parts = [
        promised(result, in_plain_words(result)),
        tiles(_cards(result)),
        no_longer_told(result),
        risk_and_use(_risks(result.get("attack")), _left(result)),
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
    left, left_out = result["left"], result["suppressed"]
    general = result["items"]["generalized_count"]
    cards = [
        (
            "Items published as themselves",
            count(left["items_as_themselves"]),
            f"{_of(left['items'])}; besides, {plural(general, 'more general one')}",
        )
    ]
    if left["occurrences"]:
        own = share(left["occurrences_as_themselves"] / left["occurrences"])
        cards.append(("Of all that transactions hold", own, f"is published as itself{others_in_words(left)}"))
    if rules := rules_left(result):
        cards.append(("Association rules left", count(rules[0]), f"{_of(rules[1])} that the original shows"))
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


def _risks(attack: Mapping[str, Any] | None) -> list[Risk]:
    if attack is None or not attack["people"]:
        return []
    before, after, people = attack["before"], attack["after"], attack["people"]
    told = {
        "above_share": "people above the promised confidence",
        "below_k": "people whom too few transactions fit",
        "found": "people whom one transaction fits",
    }
    return [(name, before[key] / people, after[key] / people) for key, name in told.items() if before[key] is not None]


def _left(result: Mapping[str, Any]) -> list[Left]:
    left = result["left"]
    told = [("information", 1 - result["loss"]["normalized"])]
    for name, whole, part in (
        ("what transactions hold, as itself", "occurrences", "occurrences_as_themselves"),
        ("items as themselves", "items", "items_as_themselves"),
    ):
        if left[whole]:
            told.append((name, left[part] / left[whole]))
    if rules := rules_left(result):
        told.append(("association rules", rules[0] / rules[1]))
    return told


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
