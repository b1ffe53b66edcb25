"""The files of a release, as strangers may send them: nothing is opened that is not a plain file of the folder itself.

A link may lead to any file of whoever verifies, a pipe never ends, a device may do anything. So every step of a path is
looked at before a file is opened, and nothing is followed.
"""

import os
import stat
from pathlib import Path, PurePosixPath, PureWindowsPath

from discreet.errors import InputError
from discreet.verifier.limits import ReleaseLimits


class ReleaseFolder:
    """A folder, and which of its files the certificate named."""

    def __init__(self, path: Path, limits: ReleaseLimits) -> None:
        self.path = path
        self.limits = limits
        self._sizes: dict[PurePosixPath, int] = {}

    def file(self, name: str, why: str = "the certificate names this file") -> Path:
        """The plain file of this name, which is from now on a named one. why: said where there is none."""
        parts = PurePosixPath(name)
        if parts.is_absolute() or PureWindowsPath(name).anchor:
            raise InputError(f"The path {name!r} is absolute; a release names only files of its own.")
        if ".." in parts.parts or ".." in PureWindowsPath(name).parts:
            raise InputError(f"The path {name!r} leaves the folder; a release names only files of its own.")
        path = self.path / parts
        try:
            for step in [*reversed([self.path / parent for parent in parts.parents][:-1]), path]:
                found = step.lstat()
                if stat.S_ISLNK(found.st_mode):
                    raise InputError(f"{name}: this is a link, and no link is followed; put the file itself there.")
        except (FileNotFoundError, NotADirectoryError):
            raise InputError(f"{name}: {why}, but the release does not have it.") from None
        except (OSError, ValueError) as error:
            raise InputError(f"{name!r} cannot be a file's name ({error}).") from error
        if stat.S_ISDIR(found.st_mode):
            raise InputError(f"{name}: {why}, but the release does not have it: this is a folder.")
        if not stat.S_ISREG(found.st_mode):
            raise InputError(f"{name}: this is no plain file (a pipe or a device, say), so it is not opened.")
        self._sizes[parts] = found.st_size
        self.limits.allow("megabytes", sum(self._sizes.values()) >> 20, f"The files up to {name}")
        return path

    def named(self) -> list[Path]:
        return [self.path / name for name in self._sizes]

    def unnamed(self) -> list[str]:
        """What is in the folder and was not named; of a folder without named files, its name alone.

        What is there is published, named or not.
        """
        folders = {parent for name in self._sizes for parent in name.parents}
        found = []
        for folder in folders:
            try:
                with os.scandir(self.path / folder) as entries:
                    for entry in entries:
                        name = folder / entry.name
                        if name not in self._sizes and name not in folders:
                            found.append(f"{name}/" if entry.is_dir(follow_symlinks=False) else str(name))
            except OSError as error:
                raise InputError(f"{self.path / folder}: the folder cannot be listed ({error.strerror}).") from error
        return sorted(found)
