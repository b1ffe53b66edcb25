"""What an attack's document of any kind shows in a terminal: figures of the original beside those of the release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from discreet.attacks.attack import Attack
from discreet.report.terminal import field
from discreet.values.words import counted, printable

LABEL, COLUMN = 34, 23


def whom(persons: Sequence[Mapping[str, Any]], people: int) -> Iterator[str]:
    yield ""
    yield "Whom the adversary knows" + ("" if len(persons) >= people else f", the {len(persons)} most at risk")


def head(people: int) -> Iterator[str]:
    yield row("Of 1 person" if people == 1 else f"Of {people:,} people", "original", "release")


def learned(part: Mapping[str, Any], record: str = "record") -> str:
    if not part["records"]:
        return f"no {record} fits"
    shown = ", ".join(f"{value['value'] or '(missing)'} {share(value['confidence'])}" for value in part["values"])
    hidden = f"{', ' if shown else ''}{share(part['hidden'] / part['records'])} suppressed" if part["hidden"] else ""
    told = f"{shown}{hidden}"
    return f"{counted(part['records'], record)}{': ' if told else ''}{told}"


def row(label: str, before: str, after: str) -> str:
    return printable(f"{label:<{LABEL}}{before:>{COLUMN}}{after:>{COLUMN}}")


def count(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"


def share(share: float | None) -> str:
    if share is None:
        return "-"
    return f"{share:.0%}" if share in (0, 1) or 0.1 <= share < 0.995 else f"{share:.2%}"


def rate(rate: Mapping[str, Any]) -> str:
    low, high = rate["interval"]
    return f"{share(rate['rate'])} ({share(low)} to {share(high)})"


def others(document: Mapping[str, Any], attacks: Iterable[Attack]) -> Iterator[str]:
    """The attacks that are shown as a sentence, each under its label."""
    return (field(attack.label, document[attack.name]["reading"]) for attack in attacks if attack.label)
