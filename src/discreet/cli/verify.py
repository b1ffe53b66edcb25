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
        "promise in its certificate. Shows up to 10 witnesses of a breach.\n\n"
        "A release may come from a stranger: no link is followed, nothing but plain files is\n"
        "opened, and what would take more than the limits is refused.",
        "discreet verify published\ndiscreet verify sent-by-a-stranger --limits rows=1000000,seconds=60,memory=2000",
    )
    added.add_argument("folder", metavar="DIR", type=Path, help="the folder that publish wrote, or its release/")
    added.add_argument(
        "--allow-unnamed",
        action="store_true",
        help="only note what the certificate does not name (other files, metadata of Parquet files), which is a "
        "breach otherwise",
    )
    added.add_argument(
        "--limits",
        metavar="NAME=N,...",
        help="the most that is read and spent, where that is not the default: megabytes=20000 of all files, unpacked; "
        "rows=200000000 of a table; transactions=20000000 and items=50000000 of sets; labels=10000000 of a taxonomy; "
        "seconds=3600; memory=8000, in megabytes",
    )


def run(arguments: argparse.Namespace) -> int:
    from discreet.verifier import ReleaseLimits, verify_release
    from discreet.verifier.limits import bounded

    limits = ReleaseLimits.parse(arguments.limits) if arguments.limits is not None else ReleaseLimits()
    with bounded(limits):
        verdict = verify_release(arguments.folder, allow_unnamed=arguments.allow_unnamed, limits=limits)
    print_verdict(verdict)
    return 0 if verdict.holds else 1


def _in_words(verdict: Verdict) -> str:
    if not verdict.holds:
        return "FAIL: the promise does not hold"
    return f"PASS, but nobody is protected by it: {verdict.hollow}" if verdict.hollow else "PASS: the promise holds"


def print_verdict(verdict: Verdict) -> None:
    for promise in verdict.promise:
        print(field("Promise", promise))
    print(field("Verdict", _in_words(verdict)))
    print(field("Checked", f"{counted(verdict.rows, verdict.row)} in {counted(verdict.partitions, verdict.partition)}"))
    for note in verdict.notes:
        print(field("Note", note))
    for breach in verdict.breaches:
        print(field("Breach", breach.sentence))
        for witness in breach.witnesses:
            print(field("", f"- {witness}"))
