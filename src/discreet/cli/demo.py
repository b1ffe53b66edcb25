"""discreet demo: the whole way on data that ship with the package."""

from __future__ import annotations

import argparse
import textwrap
from pathlib import Path

from discreet.cli.options import Commands, add_command
from discreet.cli.publish import FORCE, publish_and_print, standing
from discreet.cli.verify import print_verdict
from discreet.kinds import KINDS
from discreet.report.terminal import field, wrapped
from discreet.values.words import listed

DEMOS = Path(__file__).parents[1] / "demo"


def add(commands: Commands) -> None:
    first = next(iter(KINDS))
    added = add_command(
        commands,
        "demo",
        run,
        "the whole way on data that ship with discreet",
        "Shows a policy, publishes by it, verifies the release and says where to look.",
        "discreet demo --out demo-output",
    )
    added.add_argument(
        "kind",
        metavar="KIND",
        nargs="?",
        choices=tuple(KINDS),
        default=first,
        help=f"the kind of data: {listed(KINDS, 'or')} (default: {first})",
    )
    added.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        default=Path("discreet-demo"),
        help="the folder to write (default: discreet-demo)",
    )
    added.add_argument("--force", action="store_true", help=FORCE)


def run(arguments: argparse.Namespace) -> int:
    from discreet.policy import Policy
    from discreet.verifier import verify_release

    path = DEMOS / arguments.kind / "policy.yaml"
    story = KINDS[arguments.kind].story
    print(f"{wrapped(story.opening)}\n\n{textwrap.indent(path.read_text(), '  ')}")
    print("discreet publish says:\n")
    publication = publish_and_print(Policy.load(path), arguments.out, force=arguments.force)
    with standing(publication):
        print("\ndiscreet verify, which reads the published files alone, says:\n")
        verdict = verify_release(publication.folder)
        print_verdict(verdict)
        print(f"\n{wrapped(story.attack)}\n")
        for sentence in publication.result["attack"]["reading"]:
            print(wrapped(sentence, "- ", "  "))
        print("\nWhere to look:\n")
        print(field("Policy", path))
        print(field("Release", publication.release))
        print(field("Report", publication.report))
    return 0 if verdict.holds else 1
