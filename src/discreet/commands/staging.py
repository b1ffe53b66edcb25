"""All or nothing: what is written appears complete, at one stroke, or not at all.

It is written in a private folder beside its place and renamed from there. A publication that is replaced changes places
with the new one, so that at every moment one of the two is there. Where the system cannot exchange two names, the old
one is set aside first; a process that is killed between the two steps leaves it in its private folder, and whoever
tidies up puts it back.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from types import TracebackType

from discreet.commands.publication import strange_in
from discreet.commands.renames import exchange, rename_new
from discreet.errors import InputError
from discreet.private_folders import UNFINISHED, private_folder, private_folders, remove_abandoned
from discreet.search.interrupt import heed_stop

NEW, OLD = "new", "old"
"""In a private folder: what is going to appear, and what it replaces."""
MOST_ATTEMPTS = 100


class StagedFolder:
    """A context in which `folder` is filled; leaving it without :meth:`appear` leaves no trace.

    inputs: files that are read; a publication that holds one of them is not replaced.
    """

    folder: Path

    def __init__(self, target: Path, *, force: bool, inputs: Iterable[Path] = ()) -> None:
        self.target = target if target.name not in ("", "..") else target.resolve()
        self.force = force
        self.inputs = tuple(inputs)
        put_back = tidy_beside(self.target)
        self._exists = f"exists already{', put back after its replacement was cut short' if put_back else ''}"
        self._is_to_be_replaced()

    def _is_to_be_replaced(self) -> bool:
        """Whether there is something. Nothing is removed unasked, and with --force only what discreet wrote."""
        if not _is_there(self.target):
            return False
        if not self.force:
            raise InputError(f"{self.target} {self._exists}; choose another --out or add --force to replace it.")
        self._refuse(self._strange_in_target() or self._input_in_target())
        return True

    def _strange_in_target(self) -> str | None:
        """What is said of it is said of one folder, even if another publisher exchanges it meanwhile."""
        while True:
            with suppress(FileNotFoundError):
                before = self.target.lstat()
                reason = strange_in(self.target)
                if os.path.samestat(before, self.target.lstat()):
                    return reason
            if not _is_there(self.target):
                return None

    def _refuse(self, reason: str | None) -> None:
        if reason is not None:
            raise InputError(
                f"{self.target} exists and is not replaced even with --force, because {reason}; choose another --out."
            )

    def _input_in_target(self) -> str | None:
        """By whatever name and through whatever links it is given."""
        for file in self.inputs:
            with suppress(OSError):  # what is not there is for its reader to complain about
                if any(folder.samefile(self.target) for folder in file.resolve(strict=True).parents):
                    return f"it holds {file}, which the new publication is made from"
        return None

    def __enter__(self) -> StagedFolder:
        with ExitStack() as entered:
            self._private = entered.enter_context(workplace(self.target))
            self.folder = self._private / NEW
            self.folder.mkdir()
            self._identity = self.folder.stat()
            self._leave = entered.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        """An interrupt that comes when the folder has appeared comes too late, and is none."""
        try:
            self._leave.__exit__(kind, error, traceback)
        except KeyboardInterrupt:
            if not self._has_appeared():
                raise
        return kind is not None and issubclass(kind, KeyboardInterrupt) and self._has_appeared()

    def _has_appeared(self) -> bool:
        with suppress(OSError):
            return os.path.samestat(self._identity, self.target.lstat())
        return False

    def appear(self) -> None:
        """Puts the folder in its place, where at every moment one of the old and the new is."""
        _store(self.folder)
        heed_stop()
        for attempt in range(MOST_ATTEMPTS):
            replaces = self._is_to_be_replaced()  # again: it may have appeared or changed in the meantime
            try:
                if not replaces:
                    rename_new(self.folder, self.target)
                elif exchange(self.folder, self.target):
                    self._check_exchanged()
                else:
                    self._replace_in_two_steps()
                break
            except (FileExistsError, FileNotFoundError):  # another publisher came in between
                if attempt == MOST_ATTEMPTS - 1:
                    raise
        with suppress(OSError):  # it is there; only a power failure could still undo it
            _store_entry(self.target.parent)

    def _check_exchanged(self) -> None:
        """What was taken out is looked at once more, now that nobody can get at it."""
        if reason := strange_in(self.folder):
            try:
                exchange(self.folder, self.target)
            except FileNotFoundError:
                rename_new(self.folder, self.target)
            self._refuse(reason)

    def _replace_in_two_steps(self) -> None:
        old = self._private / OLD
        shutil.rmtree(old, ignore_errors=True)  # of an attempt that another publisher came into
        self.target.rename(old)
        try:
            self._refuse(strange_in(old))
            rename_new(self.folder, self.target)
        except BaseException:
            put_back(self.target, self._private)
            raise


def write_whole(path: Path, text: str, *, replace: bool) -> None:
    """A text file that appears complete or not at all. replace: whether it may take the place of another."""
    tidy_beside(path)
    with workplace(path) as private:
        new = private / NEW
        with new.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
        _store(new)
        if replace:
            new.replace(path)
        else:
            rename_new(new, path)
    with suppress(OSError):
        _store_entry(path.parent)


@contextmanager
def workplace(target: Path) -> Iterator[Path]:
    """A private folder beside what is going to appear; folders above it that were missing stay only if it does."""
    missing = [parent for parent in target.parents if not parent.exists()]
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with private_folder(target.parent, f".{target.name}.unfinished-") as private:
            yield private
    finally:
        for parent in missing:
            with suppress(OSError):  # it holds what appeared
                parent.rmdir()


def tidy_beside(target: Path) -> bool:
    """Removes what dead processes left beside the target; whether the target was among it, and was put back."""
    was_there = _is_there(target)
    for private in unfinished_in(target.parent):
        if target_of(private) == target:
            remove_abandoned(private, rescue=partial(put_back, target))
    return not was_there and _is_there(target)


def unfinished_in(folder: Path) -> list[Path]:
    """The private folders in it beside which something was to appear, of living processes and dead ones."""
    return private_folders(folder, UNFINISHED)


def target_of(private: Path) -> Path:
    """What was to appear beside a private folder."""
    found = UNFINISHED.fullmatch(private.name)
    assert found is not None
    return private.with_name(found["name"])


def is_set_aside(target: Path, private: Path) -> bool:
    """Whether the target is in a private folder, and nowhere else."""
    return (private / OLD).exists() and not _is_there(target)


def put_back(target: Path, private: Path) -> None:
    """Puts what was set aside into its place, unless something else has that by now."""
    with suppress(FileExistsError, FileNotFoundError):
        rename_new(private / OLD, target)


def _is_there(path: Path) -> bool:
    return path.exists() or path.is_symlink()


def _store(path: Path) -> None:
    """Waits until a file, or a folder with all that is in it, is on the disk and not only on its way there."""
    if path.is_dir():
        for inside in path.iterdir():
            _store(inside)
    _store_entry(path)


def _store_entry(path: Path) -> None:
    is_windows = os.name == "nt"
    if is_windows and path.is_dir():
        return  # there, no program can open a folder
    descriptor = os.open(path, os.O_RDWR if is_windows else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some disks store folders in their own time
            raise
    finally:
        os.close(descriptor)
