"""discreet compare: several settings of a policy side by side."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.cli.options import Commands, add_command, settings_of, variations_of
from discreet.cli.progress import counting_line
from discreet.kinds import kind_of
from discreet.report.terminal import amount, columns, field, heading, percent, wrapped, wrapped_hard
from discreet.values.words import printable

if TYPE_CHECKING:
    from discreet.commands.compare import Row

STATUS, LOSS, SHARE = 11, 12, 7
"""The widths of the columns after the settings."""
LOST = (
    "where 100% is a release of nothing but *, or, by sse, one group of all records; shares by different losses cannot "
    "be compared"
)


def add(commands: Commands) -> None:
    added = add_command(
        commands,
        "compare",
        run,
        "try several settings of a policy and put them side by side",
        "Finds the best release for every combination of settings, publishes none of them,\n"
        "and writes one table, DIR/comparison.csv, and one picture of it,\n"
        "DIR/frontier.svg: what each setting costs, what is left to use, and what risk is\n"
        "left. Runs on all cores. If it is stopped, the same command carries on where it\n"
        "left off.",
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
    added.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="another value for a key of the policy, in all combinations",
    )
    added.add_argument("--out", metavar="DIR", type=Path, required=True, help="the folder to write")
    added.add_argument(
        "--force", action="store_true", help="replace DIR if it is an earlier comparison and holds nothing else"
    )


def run(arguments: argparse.Namespace) -> int:
    from discreet.policy import Policy

    vary = variations_of(arguments.vary)
    policy = Policy.load(arguments.policy, settings_of(arguments.set))
    from discreet.commands.compare import compare

    shown = kind_of(policy).row_shown
    heads = "".join(f"{head:>{SHARE}}" for head in ("lost", *(head for head, _ in shown.values())))
    print(heading(f"{'settings':<{_room(len(shown))}}{'status':<{STATUS}}{'loss':>{LOSS}}{heads}"))
    with counting_line(prod(map(len, vary.values()))) as advance:

        def tell(row: Row) -> None:
            _print_row(row, vary, list(shown))
            advance()

        compare(policy, vary, arguments.out, force=arguments.force, tell=tell)
    print()
    for head, meaning in (("lost", LOST), *shown.values()):
        print(field(head, meaning))
    print(field("Table", arguments.out / "comparison.csv"))
    print(field("Picture", arguments.out / "frontier.svg"))
    return 0


def _room(shown: int) -> int:
    """How many columns are left for the settings."""
    return columns() - STATUS - LOSS - (1 + shown) * SHARE


def _print_row(row: Row, vary: Mapping[str, object], shown: Sequence[str]) -> None:
    settings = printable(" ".join(f"{key.rpartition('.')[2]}={row[key]}" for key in vary))
    room = _room(len(shown))
    if len(settings) >= room:
        print(wrapped_hard(settings, ""))
        settings = ""
    figures = ""
    if not row["reason"]:
        shares = "".join(f"{_share(row[name]):>{SHARE}}" for name in ("normalized", *shown))
        figures = f"{amount(row['cost'], 9):>{LOSS}}{shares}"
    print(f"{settings:<{room}}{row['status']:<{STATUS}}{figures}".rstrip(), flush=True)
    if row["reason"]:
        print(wrapped(row["reason"], "    ", "    "), flush=True)


def _share(number: float | str) -> str:
    """Some losses go beyond a release of nothing; what was not measured is empty."""
    if isinstance(number, str):
        return number
    return percent(number) if number <= 1 else f"{number:.0%}"
