"""What adversaries who know items of people gain, before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from discreet.attacks.transactions.attacks import TRANSACTION_ATTACKS
from discreet.report.charts import bins_before_and_after, figure
from discreet.report.page import Section
from discreet.report.risk import MOST_PERSONS, compared, guesses, others, readings, told_of
from discreet.report.tables import table
from discreet.report.text import count, plural, share, short, span, value_html

MOST_ITEMS = 12


def section(result: Mapping[str, Any]) -> Section | None:
    attack = result.get("attack")
    if attack is None:
        return None
    lead = (
        "Simulated adversaries attack the original and the release with the same knowledge; the difference is what "
        "the release protects. What they know about each person is true, and drawn at random where it is not all."
    )
    body = [
        _linked(attack),
        *others(attack, TRANSACTION_ATTACKS.values()),
        _persons(attack["persons"], "The people most at risk"),
    ]
    return Section("risk", "Risk before and after", lead, "".join(body))


def known_section(attack: Mapping[str, Any] | None) -> Section | None:
    """The adversary who holds a file of known people; what does not depend on the file is not repeated."""
    if attack is None:
        return None
    lead = (
        f"This adversary knows only the people in a file: {plural(attack['people'], 'person', 'people')}, looked up in "
        "the original and in the release."
    )
    title = f"An adversary with {short(attack.get('file') or 'a file of known people')}"
    return Section("known", title, lead, _linked(attack) + _persons(attack["persons"], "The known people"))


def _linked(attack: Mapping[str, Any]) -> str:
    before, after = attack["before"], attack["after"]
    parts = [readings(attack), _linkage(attack), _fitting(before["fitting"], after["fitting"])]
    if after["guesses"] is not None:
        shown = guesses(before, after, "sensitive item", "without knowing anybody")
        parts.append(f"<h3>Guessing sensitive items</h3>{shown}")
    return "".join(parts)


def _linkage(attack: Mapping[str, Any]) -> str:
    before, after, people = attack["before"], attack["after"], attack["people"]
    rows = [compared("People whom exactly one transaction fits", before["found"], after["found"], people)]
    if before["below_k"] is not None:
        name = "People whom fewer fit than promised, but some"
        rows.append(compared(name, before["below_k"], after["below_k"], people))
    if before["above_share"] is not None:
        name = "People above the promised confidence"
        rows.append(compared(name, before["above_share"], after["above_share"], people))
    if before["highest_confidence"] is not None:
        highest = (share(side["highest_confidence"]) for side in (before, after))
        rows.append(["Highest confidence in a sensitive item", *highest])
    caption = f"What is learnt about {plural(people, 'person', 'people')}"
    return table(caption, ["", "original", "release"], rows, numbers=(1, 2))


def _fitting(before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]) -> str:
    bins: dict[tuple[int, int | None], list[int]] = {}
    for side, entries in enumerate((before, after)):
        for entry in entries:
            bins.setdefault((entry["from"], entry["to"]), [0, 0])[side] += entry["people"]
    ordered = sorted(bins, key=lambda edges: edges[0])
    names = [span(*edges) for edges in ordered]
    pairs = [(bins[edges][0], bins[edges][1]) for edges in ordered]
    alone = bins.get((1, 1), [0, 0])
    finding = (
        f"Exactly one transaction fits what is known about {plural(alone[0], 'person', 'people')} in the original and "
        f"about {plural(alone[1], 'person', 'people')} in the release."
    )
    data = table(
        "People by the number of transactions that fit",
        ["transactions that fit", "original", "release"],
        [[name, *map(count, pair)] for name, pair in zip(names, pairs, strict=True)],
        numbers=(1, 2),
    )
    caption = f"{finding} The further right the bars are, the better people are hidden among others."
    picture = bins_before_and_after(names, pairs, "transactions that fit", "people")
    return figure(picture, finding, caption, data)


def _persons(persons: Sequence[Mapping[str, Any]], title: str) -> str:
    if not persons:
        return ""
    rows = [[_known(entry["present"], entry["absent"]), *_views(entry)] for entry in persons[:MOST_PERSONS]]
    heads = ["what is known", "from the original", "from the release"]
    shown = table("What the adversary learns about them", heads, rows, stacked=True)
    return f"<h3>{title}</h3>{shown}"


def _views(entry: Mapping[str, Any]) -> tuple[str, str]:
    return told_of(entry["before"], "transaction"), told_of(entry["after"], "transaction")


def _known(present: Sequence[str], absent: Sequence[str]) -> str:
    parts = [_listed(present, "has") if present else "has nothing that is known"]
    if absent:
        parts.append(_listed(absent, "does not have"))
    return "; ".join(parts)


def _listed(items: Sequence[str], verb: str) -> str:
    more = f" and {plural(len(items) - MOST_ITEMS, 'more item')}" if len(items) > MOST_ITEMS else ""
    named = ", ".join(value_html(item, 40) for item in items[:MOST_ITEMS])
    return f'<span class="note">{verb}</span> {named}{more}'
