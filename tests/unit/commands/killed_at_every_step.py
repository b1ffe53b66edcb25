"""Replaces a publication again and again, each time killed one step later, until it gets to its end.

    python killed_at_every_step.py FOLDER force|new exchange|two-steps

Steps are the calls that Python makes to the system for files and folders. Prints a line for each kill: which
publication stands then, and which when the next process has tidied up.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from pathlib import Path

from discreet.commands import renames
from discreet.commands.staging import StagedFolder, tidy_beside
from publications import number_of, write_publication

IGNORED = ("os.kill", "os.fork")


def publish(out: Path, number: int, *, force: bool) -> None:
    with StagedFolder(out, force=force) as staged:
        write_publication(staged.folder, number)
        staged.appear()


def kill_at(step: int) -> None:
    """This process is killed as it begins so many calls from now."""
    left = step

    def count(event: str, arguments: object) -> None:
        nonlocal left
        if event.startswith(("os.", "open", "shutil.", "ctypes.", "fcntl.")) and event not in IGNORED:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)


def is_killed(out: Path, number: int, step: int, *, force: bool) -> bool:
    process = os.fork()
    if process:
        _, status = os.waitpid(process, 0)
        assert status in (0, signal.SIGKILL), status
        return status != 0
    kill_at(step)
    publish(out, number, force=force)
    os._exit(0)


def main(folder: str, way: str, renaming: str) -> None:
    out = Path(folder) / "out"
    force = way == "force"
    if renaming == "two-steps":
        renames._renamed = lambda *given, **flags: False
    before, step = None, 1
    if force:
        publish(out, 0, force=False)
        before = 0
    while is_killed(out, step, step, force=force):
        stands = number_of(out)
        private = [path for path in out.parent.iterdir() if path != out]
        assert {path.stat().st_mode & 0o777 for path in private} <= {0o700}, private
        tidy_beside(out)
        after = number_of(out)
        assert [path for path in out.parent.iterdir() if path != out] == []
        print(json.dumps({"old": before, "new": step, "stands": stands, "tidied": after}), flush=True)
        if not force:
            shutil.rmtree(out, ignore_errors=True)
        before, step = after if force else None, step + 1
    assert number_of(out) == step


if __name__ == "__main__":
    main(*sys.argv[1:])
