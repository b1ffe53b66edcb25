"""discreet verify: the promise of a release, checked from its files alone."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.cli.options import Commands, add_command, add_json, settings_of
from discreet.cli.output import print_json
from discreet.report.terminal import Tone, field

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
        "With --policy, checks any table (.csv or .parquet), made by whatever program,\n"
        "against the roles and the promise of the policy; no certificate is needed. Groups\n"
        "are rows that are equal in all quasi-identifiers.\n\n"
        "A release may come from a stranger: no link is followed, nothing but plain files is\n"
        "opened, and what would take more than the limits is refused.",
        "discreet verify published\ndiscreet verify --policy policy.yaml made-elsewhere.csv\n"
        "discreet verify sent-by-a-stranger --limits rows=1000000,seconds=60,memory=2000",
    )
    added.add_argument(
        "place",
        metavar="DIR",
        type=Path,
        help="the folder that publish wrote, or its release/; with --policy, a table",
    )
    added.add_argument(
        "--policy", metavar="POLICY", type=Path, help="check a table against this policy, without a certificate"
    )
    added.add_argument(
        "--set", metavar="KEY=VALUE", action="append", default=[], help="another value for a key of the policy"
    )
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
    add_json(added)


def run(arguments: argparse.Namespace) -> int:
    from discreet.commands.verify import verify
    from discreet.verifier import ReleaseLimits
    from discreet.verifier.limits import bounded

    limits = ReleaseLimits.parse(arguments.limits) if arguments.limits is not None else ReleaseLimits()
    with bounded(limits):
        verdict = verify(
            arguments.place,
            policy=arguments.policy,
            settings=settings_of(arguments.set),
            allow_unnamed=arguments.allow_unnamed,
            limits=limits,
        )
    if arguments.json:
        print_json(verdict.as_dict())
    else:
        print_verdict(verdict)
    return 0 if verdict.holds else 1


def print_verdict(verdict: Verdict) -> None:
    for promise in verdict.promise:
        print(field("Promise", promise))
    tone: Tone = "bad" if not verdict.holds else "beware" if verdict.hollow or verdict.unproved else "good"
    print(field("Verdict", verdict.sentence, tone=tone))
    print(field("Checked", verdict.checked))
    for note in verdict.notes:
        print(field("Note", note))
    for breach in verdict.breaches:
        print(field("Breach", breach.sentence, tone="bad"))
        for witness in breach.witnesses:
            print(field("", f"- {witness}"))
