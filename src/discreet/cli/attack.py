"""discreet attack: what simulated adversaries learn from a release, before and after."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from discreet.cli.options import Commands, add_command, add_json, seed_of
from discreet.cli.output import print_json
from discreet.cli.progress import live_line
from discreet.report.terminal import field


def add(commands: Commands) -> None:
    added = add_command(
        commands,
        "attack",
        run,
        "simulate adversaries against a release: what they learn about whom",
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
        help="people the adversary knows, and what they know about them, written as in the original (default: "
        "everybody, or people drawn from the original)",
    )
    added.add_argument("--original", metavar="FILE", type=Path, help="the original, if it has moved since")
    added.add_argument(
        "--second",
        metavar="DIR",
        type=Path,
        help="another release of the same data, to see what the two reveal together",
    )
    added.add_argument("--seed", metavar="N", type=seed_of, help="repeat the same random draws")
    add_json(added)


def run(arguments: argparse.Namespace) -> int:
    from discreet.commands.attack import ATTACK, attack

    with live_line() as show:
        document = attack(
            arguments.folder,
            arguments.known,
            original=arguments.original,
            second=arguments.second,
            seed=arguments.seed,
            watch=show,
        )
    if arguments.json:
        print_json(document)
        return 0
    print_attack(document, with_persons=arguments.known is not None)
    print(field("Written", arguments.folder / "steward" / ATTACK))
    return 0


def print_attack(document: Mapping[str, Any], *, with_persons: bool) -> None:
    from discreet.kinds import KINDS

    print(field("Adversary", document["adversary"]), end="\n\n")
    kind = KINDS[document.get("kind", next(iter(KINDS)))]
    if document.get("applies") is not False:
        for line in kind.attack_lines(document, with_persons):
            print(line)
        print()
    told = [sentence for sentence in document["reading"] if sentence != document["adversary"]]
    for place, sentence in enumerate(told):
        print(field("" if place else "In short", sentence))
