"""What killed processes left behind: found and removed, or put back where it belongs."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from discreet.commands.publication import STEWARD
from discreet.commands.staging import is_set_aside, put_back, target_of, unfinished_in
from discreet.errors import InputError
from discreet.private_folders import IN_TEMPORARY, private_folders, remove_abandoned


@dataclass(frozen=True)
class Leftover:
    """A private folder that was found, and what became of it."""

    folder: Path
    reason: str | None
    """why it was left alone; None if it was removed"""
    restored: Path | None = None
    """the publication that was set aside in it and is in its place again"""


def tidy(folder: str | Path = ".", *, dry_run: bool = False) -> Iterator[Leftover]:
    """Removes what killed processes left behind, in a folder and where the system keeps what is temporary.

    folder: the folder in which is published, or a publication. dry_run: only tells.
    """
    folder = Path(folder).resolve()
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder; name the one in which you publish.")
    inside = sorted(path for path in folder.iterdir() if path.is_dir() and not path.is_symlink())
    beside = [private for private in unfinished_in(folder.parent) if target_of(private) == folder]
    searched = [folder, *inside, *(path / STEWARD for path in inside)]
    for private in [*beside, *(private for place in searched for private in unfinished_in(place))]:
        target = target_of(private)
        was_set_aside = is_set_aside(target, private)
        reason = remove_abandoned(private, rescue=partial(put_back, target), only_look=dry_run)
        yield Leftover(private, reason, target if was_set_aside and reason is None else None)
    for private in private_folders(Path(tempfile.gettempdir()), IN_TEMPORARY):
        yield Leftover(private, remove_abandoned(private, only_look=dry_run))
