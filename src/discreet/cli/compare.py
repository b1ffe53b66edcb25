"""discreet compare: several settings of a policy side by side."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.cli.options import Commands, add_command, variations_of
from discreet.cli.progress import counting_line
from discreet.report.terminal import amount, field, printable, wrapped

if TYPE_CHECKING:
    from discreet.commands.compare import Row


def add(commands: Commands) -> None:
    added = add_command(
        commands,
        "compare",
        run,
        "try several settings of a policy and put them side by side",
        "Finds the best release for every combination of settings, publishes none of them,\n"
        "and writes one table, DIR/comparison.csv, and one picture of it,\n"
        "DIR/frontier.svg. Runs on all cores. If it is stopped, the same command carries\n"
        "on where it left off.",
        "discreet compare policy.yaml --vary privacy.thresholds=1/2,1/4 \\\n"
        "    --vary search.suppression=vio-sa,vio-rec --out comparison",
    )
    added.add_argument("policy", metavar="POLICY", type=Path, help="the policy, a YAML file")
    added.add_argument(
        "--vary",
        metavar="KEY=V1,V2",
        action="append",
        required=True,
        help="a key of the policy and the values to try; may be given several times",
    )
    added.add_argument("--out", metavar="DIR", type=Path, required=True, help="the folder to write")


def run(arguments: argparse.Namespace) -> int:
    from discreet.policy import Policy

    vary = variations_of(arguments.vary)
    policy = Policy.load(arguments.policy)
    from discreet.commands.compare import compare

    print(f"{'settings':<36}{'status':<11}{'loss':>16}{'normalized':>12}")
    with counting_line(prod(map(len, vary.values()))) as advance:

        def tell(row: Row) -> None:
            _print_row(row, vary)
            advance()

        compare(policy, vary, arguments.out, tell=tell)
    print()
    print(field("Table", arguments.out / "comparison.csv"))
    print(field("Picture", arguments.out / "frontier.svg"))
    return 0


def _print_row(row: Row, vary: Mapping[str, object]) -> None:
    settings = " ".join(f"{key.rpartition('.')[2]}={row[key]}" for key in vary)
    if len(settings) > 35:
        settings = f"{settings[:34]}…"
    measures = "" if row["reason"] else f"{amount(row['cost']):>16}{row['normalized']:>12.2%}"
    print(printable(f"{settings:<36}{row['status']:<11}{measures}".rstrip()), flush=True)
    if row["reason"]:
        print(wrapped(row["reason"], "    ", "    "), flush=True)
