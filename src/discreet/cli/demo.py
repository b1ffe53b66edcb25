"""discreet demo: the whole way on data that ship with the package."""

from __future__ import annotations

import argparse
import textwrap
from dataclasses import dataclass
from pathlib import Path

from discreet.cli.options import Commands, add_command
from discreet.cli.publish import publish_and_print
from discreet.cli.verify import print_verdict
from discreet.cli.words import field, wrapped

DEMOS = Path(__file__).parents[1] / "demo"


@dataclass(frozen=True)
class Story:
    """What is told around a demo: whose data they are, and who attacks the release."""

    opening: str
    attack: str


STORIES = {
    "table": Story(
        "A steward wrote this policy for data of an invented hospital:",
        "What an adversary who knows everybody's quasi-identifiers learns, in short:",
    ),
    "transactions": Story(
        "An invented shop wants to publish what its customers buy together. Some of them bought a pregnancy test, "
        "nicotine patches or an HIV self-test; whoever stood behind them at the checkout saw a few things in their "
        "basket and could look for the rest of it. So a steward wrote this policy:",
        "What somebody who saw a few things in everybody's basket learns, in short:",
    ),
}


def add(commands: Commands) -> None:
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
        choices=tuple(STORIES),
        default="table",
        help="the kind of data: table (default) or transactions",
    )
    added.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        default=Path("discreet-demo"),
        help="the folder to write (default: discreet-demo)",
    )
    added.add_argument("--force", action="store_true", help="replace DIR when it is a former release")


def run(arguments: argparse.Namespace) -> int:
    from discreet.policy import Policy
    from discreet.verify import verify_release

    path = DEMOS / arguments.kind / "policy.yaml"
    story = STORIES[arguments.kind]
    print(f"{wrapped(story.opening)}\n\n{textwrap.indent(path.read_text(), '  ')}")
    print("discreet publish says:\n")
    publication = publish_and_print(Policy.load(path), arguments.out, force=arguments.force)
    print("\ndiscreet verify, which reads the published files alone, says:\n")
    verdict = verify_release(publication.folder)
    print_verdict(verdict)
    print(f"\n{wrapped(story.attack)}\n")
    for sentence in publication.result["attack"]["reading"]:
        print(wrapped(sentence, "- ", "  "))
    print("\nWhere to look:\n")
    field("Policy", path)
    field("Release", publication.release)
    field("Report", publication.report)
    return 0 if verdict.holds else 1
