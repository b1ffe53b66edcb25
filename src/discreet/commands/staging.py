"""All or nothing: a folder is written under another name and appears complete, by one rename, or not at all."""

from __future__ import annotations

import secrets
import shutil
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from discreet.errors import InputError

OURS = {"release", "steward"}


class StagedFolder:
    """A context in which `folder` is filled; leaving it without :meth:`appear` leaves no trace."""

    def __init__(self, target: Path, *, force: bool) -> None:
        self.target = target if target.name not in ("", "..") else target.resolve()
        self.force = force
        self._check_target()
        self.folder = self.target.with_name(f".{self.target.name}.unfinished-{secrets.token_hex(4)}")

    def _check_target(self) -> None:
        """Nothing that exists is removed unasked, and with --force only what discreet wrote."""
        target = self.target
        if not target.exists() and not target.is_symlink():
            return
        if not self.force:
            raise InputError(f"{target} exists already; choose another --out or add --force to replace it.")
        if target.is_symlink() or not target.is_dir() or {path.name for path in target.iterdir()} - OURS:
            raise InputError(
                f"{target} exists and is not a folder with discreet's release and steward folders alone, so it is not "
                "replaced even with --force; choose another --out."
            )

    def __enter__(self) -> StagedFolder:
        self._made = [parent for parent in self.target.parents if not parent.exists()]
        self.target.parent.mkdir(parents=True, exist_ok=True)
        self.folder.mkdir()
        self._mode = self.folder.stat().st_mode
        self.folder.chmod(0o700)  # what is in it is unverified and for nobody else to read
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        for parent in self._made:
            with suppress(OSError):  # it holds what appeared
                parent.rmdir()

    def appear(self) -> None:
        """Puts the folder in its place; what was there is removed only when the new one is in place."""
        self._check_target()  # again: it may have appeared in the meantime
        self.folder.chmod(self._mode)
        if not self.target.exists():
            self.folder.rename(self.target)
            return
        replaced = self.folder.with_name(self.folder.name.replace(".unfinished-", ".replaced-"))
        self.target.rename(replaced)
        try:
            self.folder.rename(self.target)
        except OSError:
            replaced.rename(self.target)
            raise
        shutil.rmtree(replaced, ignore_errors=True)
