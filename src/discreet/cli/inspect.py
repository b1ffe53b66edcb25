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
        help="the data: .csv .tsv .json .jsonl .dat .parquet .arrow .xlsx .zip; text also .gz or .zst; a pattern such "
        "as 'data/*.csv'; - for standard input; a DuckDB or SQLite file, or postgresql://...",
    )
    added.add_argument("--out", metavar="POLICY", type=Path, help="the policy to write; it must not exist yet")
    added.add_argument("--kind", choices=tuple(KINDS), help="what the data are (default: guessed from the file)")
    added.add_argument(
        "--separator",
        metavar="CHARACTER",
        help="what separates the values of a CSV file that has one record of any length per line",
    )
    added.add_argument(
        "--encoding", metavar="NAME", help="the encoding of a text file, such as latin-1 (default: utf-8)"
    )
    added.add_argument("--sheet", metavar="NAME", help="the sheet of an Excel file (default: the first)")
    added.add_argument("--table", metavar="NAME", help="the table of a database (default: the only one)")
    add_json(added)


def run(arguments: argparse.Namespace) -> int:
    from discreet.commands.inspect import inspect

    inspection = inspect(
        arguments.data,
        arguments.out,
        kind=arguments.kind,
        separator=arguments.separator,
        encoding=arguments.encoding,
        sheet=arguments.sheet,
        table=arguments.table,
    )
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
        given = "".join(
            f" --{option} {shlex.quote(value)}"
            for option in ("separator", "encoding", "sheet", "table")
            if (value := getattr(arguments, option)) is not None
        )
        print(f"    discreet inspect {printable(f'{arguments.data}{kind}{given}')} --out policy.yaml")
        return
    print(wrapped("Read the policy and change what is wrong. Then publish by it:", "  ", "  "))
    print(f"    discreet publish {printable(str(arguments.out))}")
