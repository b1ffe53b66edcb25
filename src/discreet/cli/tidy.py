"""discreet tidy: what killed processes left behind."""

from __future__ import annotations

import argparse
from pathlib import Path

from discreet.cli.options import Commands, add_command
from discreet.report.terminal import field


def add(commands: Commands) -> None:
    added = add_command(
        commands,
        "tidy",
        run,
        "remove what killed processes left behind",
        "Removes the hidden folders that a process leaves in DIR when it is killed, and its\n"
        "folders among the system's temporary files, which may hold rows of the original.\n"
        "What belongs to a process that is still running, or to another machine, is left\n"
        "alone. A publication that was being replaced is put back if it is missing.",
        "discreet tidy --dry-run",
    )
    added.add_argument(
        "folder",
        metavar="DIR",
        type=Path,
        nargs="?",
        default=Path(),
        help="the folder in which you publish, or a publication (default: this folder)",
    )
    added.add_argument("--dry-run", action="store_true", help="only say what would be done")


def run(arguments: argparse.Namespace) -> int:
    from discreet.commands.tidy import tidy

    removed, restored = ("To remove", "To restore") if arguments.dry_run else ("Removed", "Restored")
    found = list(tidy(arguments.folder, dry_run=arguments.dry_run))
    for leftover in found:
        if leftover.reason is not None:
            print(field("Left alone", f"{leftover.folder}: {leftover.reason}."))
            continue
        if leftover.restored is not None:
            print(field(restored, leftover.restored))
        print(field(removed, leftover.folder))
    if not found:
        print("There is nothing to tidy up.")
    return 0
