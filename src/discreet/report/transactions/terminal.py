"""What a terminal shows about transactions: their profile, their result, an attack on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from discreet.attacks.transactions.attacks import TRANSACTION_ATTACKS
from discreet.profile.transactions.inspection import TransactionInspection
from discreet.profile.transactions.profile import Exposure, TransactionProfile
from discreet.report.attack_lines import count, head, learned, others, rate, row, share, whom
from discreet.report.terminal import (
    cell,
    field,
    heading,
    name_of,
    names_of,
    percent,
    share_of,
    short_count,
    wrapped,
    wrapped_hard,
)
from discreet.report.transactions.left import left_in_words
from discreet.values.look_alikes import in_words
from discreet.values.words import counted, printable

ITEM_WIDTH = 28
SHOWN_SENSITIVE = 20


def inspection_lines(data: Path, inspection: TransactionInspection) -> Iterator[str]:
    profile = inspection.profile
    lengths = profile.lengths
    yield field("Baskets", data)
    yield field(
        "Hold",
        f"{counted(profile.transactions, 'transaction')} of {counted(profile.items, 'item')}, "
        f"{counted(profile.occurrences, 'occurrence')}",
    )
    empty = f"; {lengths.empty:,} of them empty" if lengths.empty else ""
    yield field(
        "Lengths",
        f"{lengths.shortest:,} to {lengths.longest:,} items, {lengths.mean:,.1f} on average, half have up to "
        f"{lengths.median:,.0f}{empty}",
    )
    if profile.duplicates:
        yield field("Merged", f"{counted(profile.duplicates, 'item')} that a transaction named more than once")
    yield from _items(profile)
    yield from _exposures(profile)
    yield from _sensitive(profile)


def _items(profile: TransactionProfile) -> Iterator[str]:
    heads = [f"{what:<{ITEM_WIDTH}}{'in':>9}" for what in ("most frequent", "least frequent")]
    yield "\n" + "  ".join(heads)
    for most, least in zip(profile.most_frequent, profile.least_frequent, strict=True):
        cells = [f"{cell(item.name, ITEM_WIDTH)}{short_count(item.transactions):>9}" for item in (most, least)]
        yield "  ".join(cells)
    yield "\n" + wrapped(f"{counted(profile.rare_items, 'item')} in fewer than five transactions.")


def _exposures(profile: TransactionProfile) -> Iterator[str]:
    heads = f"{'somebody who knows':<44}{'finds one':>12}{'under 5':>12}"
    yield f"\n{heading(heads)}"
    for found in profile.exposures:
        single, small = (_estimated(share, found) for share in (found.single, found.small))
        yield f"{_knowledge(found):<44}{single:>12}{small:>12}"
    unique, small = (share_of(part, profile.transactions) for part in (profile.unique, profile.small))
    yield f"{'all items':<44}{unique:>12}{small:>12}"
    draws = max((found.draws or 0 for found in profile.exposures), default=0)
    yield (
        "\n"
        + wrapped(
            "finds one: how often so many items of a transaction, picked at random, fit no other. under 5: how often "
            "they fit fewer than five. An absent item is picked as often as others have it. all items: among those "
            f"that have exactly these. ~: estimated from {draws:,} random cases."
        )
    )


def _knowledge(found: Exposure) -> str:
    return counted(found.present, "item") + (f", and {found.absent} that is absent" if found.absent else "")


def _estimated(share: float, found: Exposure) -> str:
    """A share in per cent; an estimate is never said to be nothing or all."""
    if found.draws is None:
        return percent(share)
    least = 1 / found.draws
    return f"~{percent(min(max(share, least), 1 - least))}".replace("~<", "<").replace("~>", ">")


def _sensitive(profile: TransactionProfile) -> Iterator[str]:
    yield f"\n{heading('Items proposed as sensitive')}"
    items_of: dict[str, list[str]] = {}
    for item in profile.sensitive:
        items_of.setdefault(item.reason, []).append(f"{name_of(item.name)} ({item.transactions:,})")
    for reason, items in items_of.items():
        more = f" and {len(items) - SHOWN_SENSITIVE:,} more" if len(items) > SHOWN_SENSITIVE else ""
        yield wrapped_hard(f"{', '.join(items[:SHOWN_SENSITIVE])}{more}: the name {reason}.")
    if not profile.sensitive:
        why = "no name has a word that says so" if profile.named else "the items are numbers, which say nothing"
        yield wrapped_hard(f"None: {why}.")
    yield f"\n{heading('A human should look at')}"
    if profile.too_frequent:
        frequent = names_of([item.name for item in profile.too_frequent])
        yield wrapped_hard(f"{frequent}: a secret by name, but in too many transactions to be kept.")
    if profile.look_alikes:
        alike = printable(in_words(list(profile.look_alikes)))
        yield wrapped_hard(f"Spelling: items that look alike count as different ones; give them one spelling: {alike}.")
    yield wrapped_hard("Sensitive items: only names were read. What would hurt people is for you to decide.")
    yield wrapped_hard("The taxonomy: a random one is proposed; groups that mean something are better.")


def result_lines(result: Mapping[str, Any]) -> Iterator[str]:
    suppressed, search = result["suppressed"], result["search"]
    for what in left_in_words(result):
        yield field("Left", what)
    left_out = f"{counted(suppressed['items'], 'item')} everywhere, {counted(suppressed['occurrences'], 'occurrence')}"
    if suppressed["sensitive_occurrences"]:
        left_out += f"; of sensitive items {counted(suppressed['sensitive_occurrences'], 'occurrence')}"
    yield field("Suppressed", left_out)
    if search is not None:
        told = [
            f"{name.replace('_', ' ')} {value:,}"
            for name, value in search["details"].items()
            if isinstance(value, int) and not isinstance(value, bool)
        ]
        yield field("Search", "; ".join([f"{search['method']}, {search['seconds']:.2f} seconds", *told]))


def attack_lines(document: Mapping[str, Any], with_persons: bool) -> Iterator[str]:
    before, after = document["before"], document["after"]
    yield from head(document["people"])
    for label, key in (
        ("exactly one transaction fits", "found"),
        ("fewer fit than promised", "below_k"),
        ("above the promised confidence", "above_share"),
    ):
        yield row(f"  {label}", count(before[key]), count(after[key]))
    yield row("  highest confidence", share(before["highest_confidence"]), share(after["highest_confidence"]))
    if after["guesses"]:
        yield row("  guessed right", rate(before["guesses"]), rate(after["guesses"]))
        yield row("  guessed right knowing nobody", rate(before["baseline"]), rate(after["baseline"]))
    if with_persons:
        yield from whom(document["persons"], document["people"])
        for entry in document["persons"]:
            yield from _known(entry)
    yield ""
    yield from others(document, TRANSACTION_ATTACKS.values())


def _known(entry: Mapping[str, Any]) -> Iterator[str]:
    """What is known about somebody, and what that reveals."""
    known = [f"has {', '.join(entry['present'])}" if entry["present"] else "has nothing that is known"]
    if entry["absent"]:
        known.append(f"does not have {', '.join(entry['absent'])}")
    yield wrapped("; ".join(known), "  ", "    ")
    for side, name in (("original: ", "before"), ("release:  ", "after")):
        yield wrapped(f"{side}{learned({'hidden': 0, **entry[name]}, 'transaction')}", "    ", "      ")
