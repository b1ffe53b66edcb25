"""What is promised, whether it holds, and the few figures that matter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from discreet.report.page import Section
from discreet.report.words import amount, count, listed, plural, sentence, share, value_html

MOST_NAMES = 8


def subtitle(result: Mapping[str, Any]) -> str:
    path = (result["policy"].get("data") or {}).get("path")
    records = f"{count(result['rows']['original'])} records"
    return f"{value_html(PurePath(str(path)).name, 80)}, {records}" if path else f"A table in memory, {records}"


def section(result: Mapping[str, Any]) -> Section:
    parts = [
        promised(result, in_plain_words(result["policy"])),
        _figures(result),
        _beyond(result.get("attack")),
        warned(result["warnings"]),
    ]
    return Section("summary", "Summary", "", "".join(parts))


def promised(result: Mapping[str, Any], plain: str) -> str:
    """The promise and whether it holds; plain: the promise as HTML sentences, empty where there are none."""
    formal = "".join(f"<li>{sentence(text)}</li>" for text in result["promise"])
    verdict = (
        '<p class="verdict holds"><span aria-hidden="true">✓</span> <strong>The release keeps this promise.</strong> '
        "A second program checked it, from the published files alone.</p>"
        if result["verified"]
        else '<p class="verdict broken"><span aria-hidden="true">✗</span> <strong>The release does not keep this '
        "promise.</strong> Do not publish it.</p>"
    )
    return (
        f'<div class="promise"><h3>The promise</h3>{f"<p>{plain}</p>" if plain else ""}'
        f'<ul class="formal">{formal}</ul>{verdict}</div>'
    )


def in_plain_words(policy: Mapping[str, Any]) -> str:
    """The promises as HTML sentences; empty where a promise is not known here, which the formal ones then tell."""
    roles = {name: options.get("role") for name, options in policy["attributes"].items()}
    known = listed(_names(name for name, role in roles.items() if role == "quasi-identifier"))
    sensitive = next((value_html(name, 40) for name, role in roles.items() if role == "sensitive"), None)
    models = policy["privacy"] if isinstance(policy["privacy"], list) else [policy["privacy"]]
    says = [_says(model, sensitive) for model in models]
    if None in says or not known:
        return ""
    return f"Whoever knows somebody’s {known} {listed(part for part in says if part)}."  # noqa: RUF001


def _says(model: Mapping[str, Any], sensitive: str | None) -> str | None:
    match model.get("model"):
        case "k-anonymity":
            return f"finds at least {count(model['k'])} records that fit, or none"
        case "l-diversity" if sensitive:
            return f"can link no value of {sensitive} to that person with more confidence than 1 in {model['l']}"
        case "l-plus-diversity" if sensitive:
            thresholds = model.get("thresholds")
            limit = f", {sentence(thresholds, 40)}" if isinstance(thresholds, str | int | float) else ""
            return (
                f"can link no value of {sensitive} to that person with more confidence than that value’s "  # noqa: RUF001
                f"threshold{limit}"
            )
    return None


def _names(names: Any) -> list[str]:
    every = [value_html(name, 40) for name in names]
    return every if len(every) <= MOST_NAMES else [*every[:MOST_NAMES], f"{len(every) - MOST_NAMES} other columns"]


def _figures(result: Mapping[str, Any]) -> str:
    rows, loss = result["rows"], result["loss"]
    kept = f"of {count(rows['original'])}"
    if rows["published"] == rows["original"]:
        kept = "all of them"
    cards = [
        ("Records published", count(rows["published"]), kept),
        (
            "Information lost",
            share(loss["normalized"]),
            f"where 100% is nothing but *; {amount(loss['cost'])} by {sentence(loss['name'])}",
        ),
        ("The least possible?", *least(result)),
        *_people(result.get("attack")),
        *_hidden(result),
    ]
    return tiles(cards)


def tiles(cards: Sequence[tuple[str, str, str]]) -> str:
    """name, figure and note of each; all HTML"""
    shown = "".join(
        f'<div><dt>{name}</dt><dd><span class="figure">{figure}</span><span class="note">{note}</span></dd></div>'
        for name, figure, note in cards
    )
    return f'<h3>In figures</h3><dl class="figures">{shown}</dl>'


def least(result: Mapping[str, Any]) -> tuple[str, str]:
    """Could another release lose less? The answer, and what it means."""
    match result["status"]:
        case "optimal":
            return "Yes, proved", "no other choice of published values loses less"
        case "applied":
            return "Not searched", "an earlier choice was applied to these records"
    if result["gap"] is None:
        return "Not proved", "no lower limit is known"
    if not result["loss"]["cost"]:
        return "Yes", "nothing is lost by this measure"
    if not result["bound"]:
        return "Not proved", "nothing is proved about what another release could save"
    return (
        f"Within {share(result['gap'], 2)}",
        "not proved to be the least; at most this part of the loss could be saved",
    )


def _people(attack: Mapping[str, Any] | None) -> list[tuple[str, str, str]]:
    if attack is None:
        return []
    before, after = attack["linkage"]["before"], attack["linkage"]["after"]
    if before["above_threshold"] is not None:
        change = arrow(before["above_threshold"], after["above_threshold"])
        return [
            ("People above a threshold", change, f"of {count(attack['people'])}, in the original and in the release")
        ]
    change = arrow(before["found"], after["found"])
    return [
        ("People found with certainty", change, f"of {count(attack['people'])}, in the original and in the release")
    ]


def _beyond(attack: Mapping[str, Any] | None) -> str:
    """A kept promise shall not be read as no risk where an attack beyond it has succeeded."""
    if attack is None:
        return ""
    told = attack["stars"].get("told") or 0
    surer = (attack["minimality"].get("above_threshold") or {}).get("new") or 0
    learnt = []
    if told:
        learnt.append(f"{plural(told, 'star')} can be told by somebody who knows the thresholds")
    if surer:
        learnt.append(
            "somebody who knows the method and all other records exceeds a threshold for "
            f"{plural(surer, 'more person', 'more people')}"
        )
    if not learnt:
        return ""
    return f'<p>Beyond what is promised: {listed(learnt)}. See <a href="#risk">Risk before and after</a>.</p>'


def arrow(before: int, after: int) -> str:
    """A figure before and after; a screen reader is told which is which."""
    return (
        f'<span class="unseen">before: </span>{count(before)} <span aria-hidden="true">→</span> '
        f'<span class="unseen">after: </span>{count(after)}'
    )


def _hidden(result: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    suppressed = result["suppressed"]
    cards = []
    if result["sensitive_values"] is not None:
        note = f"{count(suppressed['values'])} replaced by *"
        cards.append(("Sensitive values still shown", share(result["sensitive_values"]["share"]), note))
    if suppressed["records"]:
        part = share(suppressed["records"] / result["rows"]["original"]) if result["rows"]["original"] else ""
        cards.append(("Records deleted", count(suppressed["records"]), f"{part} of the original"))
    return cards


def warned(warnings: Sequence[str]) -> str:
    if not warnings:
        return '<p class="calm">There are no warnings.</p>'
    texts = "".join(f"<li>{sentence(text)}</li>" for text in warnings)
    return f'<div class="warnings"><h3>Warnings</h3><ul>{texts}</ul></div>'
