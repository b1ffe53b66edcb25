"""discreet verify: the promise of a release, checked from its files alone."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.cli.options import Commands, add_command
from discreet.report.terminal import field
from discreet.values.words import counted

if TYPE_CHECKING:
    from discreet.verifier import Verdict


def add(commands: Commands) -> None:
    added = add_command(
        commands,
        "verify",
        run,
        "check the promise of a release, from its files alone",
        "Reads a release and nothing else, and checks by definition whether it keeps the\n"
        "promise in its certificate. Shows up to 10 witnesses of a breach.",
        "discreet verify published",
    )
    added.add_argument("folder", metavar="DIR", type=Path, help="the folder that publish wrote, or its release/")


def run(arguments: argparse.Namespace) -> int:
    from discreet.verifier import verify_release

    verdict = verify_release(arguments.folder)
    print_verdict(verdict)
    return 0 if verdict.holds else 1


def print_verdict(verdict: Verdict) -> None:
    for promise in verdict.promise:
        print(field("Promise", promise))
    print(field("Verdict", "PASS: the promise holds" if verdict.holds else "FAIL: the promise does not hold"))
    print(field("Checked", f"{counted(verdict.rows, verdict.row)} in {counted(verdict.partitions, verdict.partition)}"))
    for note in verdict.notes:
        print(field("Note", note))
    for breach in verdict.breaches:
        print(field("Breach", breach.sentence))
        for witness in breach.witnesses:
            print(field("", f"- {witness}"))
