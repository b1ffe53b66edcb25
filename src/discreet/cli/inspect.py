"""discreet inspect: what data reveal about people, and a policy to begin with."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from discreet.cli.options import Commands, add_command, add_json
from discreet.cli.output import print_json
from discreet.kinds import KINDS
from discreet.report.terminal import heading, wrapped
from discreet.values.words import printable


def add(commands: Commands) -> None:
    added = add_command(
        commands,
        "inspect",
        run,
        "say how identifying data are, and propose a policy for them",
        "Profiles data: what they hold, and how many records somebody can single out\n"
        "who knows a little about them. Proposes what each part of them is, with the\n"
        "reason, and writes a commented policy to begin with.",
        "discreet inspect patients.csv --out policy.yaml\ndiscreet inspect baskets.csv --separator , --out policy.yaml",
    )
    added.add_argument(
        "data",
        metavar="DATA",
        type=Path,
        help="the data: .csv .tsv .jsonl .dat .parquet .arrow; text also .gz or .zst",
    )
    added.add_argument("--out", metavar="POLICY", type=Path, help="the policy to write; it must not exist yet")
    added.add_argument("--kind", choices=tuple(KINDS), help="what the data are (default: guessed from the file)")
    added.add_argument(
        "--separator",
        metavar="CHARACTER",
        help="what separates the values of a CSV file that has one record of any length per line",
    )
    add_json(added)


def run(arguments: argparse.Namespace) -> int:
    from discreet.commands.inspect import inspect

    inspection = inspect(arguments.data, arguments.out, kind=arguments.kind, separator=arguments.separator)
    if arguments.json:
        print_json(inspection.as_dict())
        return 0
    for line in KINDS[inspection.kind].inspection_lines(arguments.data, inspection):
        print(line)
    _print_next(arguments)
    return 0


def _print_next(arguments: argparse.Namespace) -> None:
    print(f"\n{heading('What to do next')}")
    if arguments.out is None:
        print(wrapped("To have a policy written to begin with, with a comment on each choice:", "  ", "  "))
        kind = "" if arguments.kind is None else f" --kind {arguments.kind}"
        separator = "" if arguments.separator is None else f" --separator {shlex.quote(arguments.separator)}"
        print(f"    discreet inspect {printable(f'{arguments.data}{kind}{separator}')} --out policy.yaml")
        return
    print(wrapped("Read the policy and change what is wrong. Then publish by it:", "  ", "  "))
    print(f"    discreet publish {printable(str(arguments.out))}")
