"""Folders that a process keeps to itself, and what is left of them when it is killed.

A process that is killed cannot clean up. So what it keeps on disk for itself lies in a folder that nobody else may
enter, with a file in it that the process has locked. The system lets go of the lock however the process ends: a folder
whose lock can be taken belongs to nobody, and whoever comes next may remove it.

The lock also names the machine. A disk may be shared by machines that do not see each other's locks, so a free lock
means something only on the machine that made it.
"""

from __future__ import annotations

import os
import platform
import re
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from discreet.errors import InputError

try:
    import fcntl
except ImportError:  # not on Windows: there, nothing is known to be abandoned
    fcntl = None  # type: ignore[assignment]

LOCK = "lock"
_TOKEN = "[0-9a-f]{16}"
UNFINISHED = re.compile(rf"\.(?P<name>.+)\.unfinished-{_TOKEN}", re.DOTALL)
"""What they are called beside the place of something that is being written in them."""
TEMPORARY = "discreet-"
NO_LOCK = "it has no lock, so nobody can tell whose it is; if no discreet is running, delete it"
IN_TEMPORARY = re.compile(rf"{TEMPORARY}([a-z]+-)?{_TOKEN}")


@contextmanager
def private_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """A new folder of this process alone, gone afterwards."""
    with ExitStack() as leaving:
        yield _made(parent, prefix, leaving)


@contextmanager
def temporary_folder(purpose: str = "") -> Iterator[Path]:
    """A private folder where the system keeps what is temporary; what dead processes left there goes first."""
    try:
        parent = Path(tempfile.gettempdir())
    except FileNotFoundError:
        raise InputError("There is no folder for temporary files that can be written to; set TMPDIR to one.") from None
    for folder in private_folders(parent, IN_TEMPORARY):
        remove_abandoned(folder)
    with private_folder(parent, f"{TEMPORARY}{purpose}") as folder:
        yield folder


def private_folders(parent: Path, names: re.Pattern[str]) -> list[Path]:
    """Folders of this user with such names, of living processes and dead ones."""
    try:
        with os.scandir(parent) as entries:
            return sorted(Path(entry) for entry in entries if names.fullmatch(entry.name) and _is_mine(entry))
    except OSError:
        return []


def remove_abandoned(
    folder: Path, *, rescue: Callable[[Path], None] = lambda folder: None, only_look: bool = False
) -> str | None:
    """Removes a private folder whose process is dead; otherwise the reason why it has to stay.

    rescue: called before that, to take out what has to be kept.
    """
    try:
        lock = os.open(folder / LOCK, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        return _remove_empty(folder, only_look)
    except OSError as error:
        return f"its lock cannot be opened ({error.strerror})"
    try:
        reason = _reason_to_stay(lock)
        if reason is None and not only_look:
            rescue(folder)
            _remove(folder)
        return reason
    finally:
        os.close(lock)


def _is_mine(entry: os.DirEntry[str]) -> bool:
    """In a folder for everybody, others may put links and folders with our names."""
    try:
        is_mine = not hasattr(os, "getuid") or entry.stat(follow_symlinks=False).st_uid == os.getuid()
        return is_mine and entry.is_dir(follow_symlinks=False)
    except FileNotFoundError:
        return False


def _made(parent: Path, prefix: str, leaving: ExitStack) -> Path:
    """A new folder whose lock is held, if the disk has locks; it is removed at the end, also if an interrupt comes now.

    Until the lock is held, others may take the folder for abandoned; then another one is made.
    """
    while True:
        folder = parent / f"{prefix}{secrets.token_hex(8)}"
        leaving.callback(_remove_surely, folder)
        folder.mkdir(mode=0o700)
        if fcntl is None:
            return folder
        try:
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        except FileNotFoundError:
            continue
        leaving.callback(os.close, lock)
        is_held = _take(lock)
        if is_held is None:
            (folder / LOCK).unlink()  # so that it is never taken for abandoned
            return folder
        if is_held and (folder / LOCK).exists():
            os.write(lock, f"{os.getpid()} {platform.node()}".encode())
            return folder


def _take(lock: int) -> bool | None:
    """Whether this process holds the lock now, or another one does; None where the disk cannot tell."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _reason_to_stay(lock: int) -> str | None:
    is_held = _take(lock)
    process, _, machine = os.pread(lock, 1000, 0).decode(errors="replace").partition(" ")
    if is_held is None:
        return "this disk has no locks, so nobody can tell whether its process is still running"
    if not is_held:
        return f"it belongs to process {process}, which is still running"
    if machine not in ("", platform.node()):
        return f"it was made on another machine, {machine}; tidy up there"
    return None


def _remove_empty(folder: Path, only_look: bool) -> str | None:
    """A folder has no lock if its process was killed as it made it, and then it is empty; or if it is not ours.

    One that is being made at this moment may be removed as well: its maker makes another.
    """
    try:
        if not only_look:
            folder.rmdir()
        elif any(folder.iterdir()):
            return NO_LOCK
    except FileNotFoundError:
        return None
    except OSError:
        return NO_LOCK
    return None


def _remove_surely(folder: Path) -> None:
    try:
        _remove(folder)
    except KeyboardInterrupt:  # which waits until it is gone
        _remove(folder)
        raise


def _remove(folder: Path) -> None:
    """The lock goes last: what is left of a removal that was cut short can still be recognized."""
    with suppress(OSError):
        for path in folder.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            elif path.name != LOCK:
                path.unlink()
    with suppress(OSError):
        if {path.name for path in folder.iterdir()} <= {LOCK}:
            (folder / LOCK).unlink(missing_ok=True)
            folder.rmdir()
