"""discreet attack: what simulated adversaries learn from a release, before and after."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from discreet.cli.options import Commands, add_command, seed_of
from discreet.cli.words import counted, field, printable, wrapped

LABEL, COLUMN = 34, 23


def add(commands: Commands) -> None:
    added = add_command(
        commands,
        "attack",
        run,
        "simulate adversaries against a release: what they learn of whom",
        "Simulates adversaries against DIR/release and says what they learn, before (from\n"
        "the original) and after (from the release), beside what a blind guess learns.\n"
        "The whole finding is written to DIR/steward/attack.json.",
        "discreet attack published --known voters.csv",
    )
    added.add_argument("folder", metavar="DIR", type=Path, help="the folder that publish wrote, with its steward/")
    added.add_argument(
        "--known",
        metavar="FILE",
        type=Path,
        help="people the adversary knows: a table with quasi-identifiers as in the original, or a basket of known "
        "items for each (default: everybody in the table; people and items drawn from transactions)",
    )
    added.add_argument("--original", metavar="FILE", type=Path, help="the original, where it has moved since")
    added.add_argument("--second", metavar="DIR", type=Path, help="another release of the same table (tables only)")
    added.add_argument("--seed", metavar="N", type=seed_of, help="draw the same again")


def run(arguments: argparse.Namespace) -> int:
    from discreet.attacking import ATTACK, attack

    document = attack(
        arguments.folder,
        arguments.known,
        original=arguments.original,
        second=arguments.second,
        seed=arguments.seed,
    )
    print_attack(document, with_persons=arguments.known is not None)
    field("Written", arguments.folder / "steward" / ATTACK)
    return 0


def print_attack(document: Mapping[str, Any], *, with_persons: bool) -> None:
    field("Adversary", document["adversary"])
    print()
    if document.get("kind") == "transactions":
        _print_items(document, with_persons)
    else:
        _print_records(document, with_persons)
    print()
    told = [sentence for sentence in document["reading"] if sentence != document["adversary"]]
    for place, sentence in enumerate(told):
        field("" if place else "In short", sentence)


def _print_records(document: Mapping[str, Any], with_persons: bool) -> None:
    before, after = document["linkage"]["before"], document["linkage"]["after"]
    _print_head(document["people"])
    for label, key in (
        ("fit exactly one record", "found"),
        ("fit no record", "unmatched"),
        ("sensitive value is certain", "certain"),
        ("above a threshold", "above_threshold"),
    ):
        _row(f"  {label}", _count(before[key]), _count(after[key]))
    _row("  highest confidence", _share(before["highest_confidence"]), _share(after["highest_confidence"]))
    if after["guesses"]:
        _row("  guessed right", _rate(before["guesses"]), _rate(after["guesses"]))
        _row("  guessed right knowing nobody", _rate(before["baseline"]), _rate(after["baseline"]))
    _print_risk(document["risk"])
    if with_persons:
        _print_persons(document["persons"], document["people"])
    print()
    for label, name in (("Stars", "stars"), ("Minimality", "minimality"), ("Second", "intersection")):
        field(label, document[name]["reading"])


def _print_items(document: Mapping[str, Any], with_persons: bool) -> None:
    before, after = document["before"], document["after"]
    _print_head(document["people"])
    for label, key in (
        ("exactly one transaction fits", "found"),
        ("fewer fit than promised", "below_k"),
        ("above the promised confidence", "above_share"),
    ):
        _row(f"  {label}", _count(before[key]), _count(after[key]))
    _row("  highest confidence", _share(before["highest_confidence"]), _share(after["highest_confidence"]))
    if after["guesses"]:
        _row("  guessed right", _rate(before["guesses"]), _rate(after["guesses"]))
        _row("  guessed right knowing nobody", _rate(before["baseline"]), _rate(after["baseline"]))
    if with_persons:
        _print_whom(document["persons"], document["people"])
        for entry in document["persons"]:
            _print_known(entry)
    print()
    field("One of many", document["disjunctions"]["reading"])
    field("Exact set", document["exact_sets"]["reading"])


def _print_known(entry: Mapping[str, Any]) -> None:
    """What is known of somebody, and what that tells."""
    known = [f"has {', '.join(entry['present'])}" if entry["present"] else "has nothing that is known"]
    if entry["absent"]:
        known.append(f"has not {', '.join(entry['absent'])}")
    print(wrapped("; ".join(known), "  ", "    "))
    for side, name in (("original: ", "before"), ("release:  ", "after")):
        print(wrapped(f"{side}{_learned({'hidden': 0, **entry[name]}, 'transaction')}", "    ", "      "))


def _print_whom(persons: Sequence[Mapping[str, Any]], people: int) -> None:
    print()
    print("Whom the adversary knows" + ("" if len(persons) >= people else f", the {len(persons)} most at risk"))


def _print_head(people: int) -> None:
    _row("Of 1 person" if people == 1 else f"Of {people:,} people", "original", "release")


def _print_risk(risk: Mapping[str, Any]) -> None:
    print()
    before, after = risk["before"], risk["after"]
    _row("Risk of being traced", "original", "release")
    for name in ("prosecutor", "journalist"):
        _row(f"  {name}, highest", _share(before[name]["highest"]), _share(after[name]["highest"]))
        _row(f"  {name}, average", _share(before[name]["average"]), _share(after[name]["average"]))
        label = f"  {name}, records above {risk['at_risk']:.0%}"
        _row(label, _share(before[name]["share_at_risk"]), _share(after[name]["share_at_risk"]))
    _row("  marketer", _share(before["marketer"]), _share(after["marketer"]))
    print(wrapped(f"Population: {risk['population']}.", "  ", "  "))


def _print_persons(persons: Sequence[Mapping[str, Any]], people: int) -> None:
    _print_whom(persons, people)
    for entry in persons:
        person = ", ".join(str(value) for value in entry["person"].values() if value != "")
        print(wrapped(person or "(nothing known)", "  ", "    "))
        print(wrapped(f"original: {_learned(entry['before'])}", "    ", "      "))
        print(wrapped(f"release:  {_learned(entry['after'])}", "    ", "      "))


def _learned(part: Mapping[str, Any], record: str = "record") -> str:
    if not part["records"]:
        return f"no {record} fits"
    shown = ", ".join(f"{value['value'] or '(missing)'} {_share(value['confidence'])}" for value in part["values"])
    hidden = f"{', ' if shown else ''}{_share(part['hidden'] / part['records'])} suppressed" if part["hidden"] else ""
    told = f"{shown}{hidden}"
    return f"{counted(part['records'], record)}{': ' if told else ''}{told}"


def _row(label: str, before: str, after: str) -> None:
    print(printable(f"{label:<{LABEL}}{before:>{COLUMN}}{after:>{COLUMN}}"))


def _count(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"


def _share(share: float | None) -> str:
    if share is None:
        return "-"
    return f"{share:.0%}" if share in (0, 1) or 0.1 <= share < 0.995 else f"{share:.2%}"


def _rate(rate: Mapping[str, Any]) -> str:
    low, high = rate["interval"]
    return f"{_share(rate['rate'])} ({_share(low)} to {_share(high)})"
