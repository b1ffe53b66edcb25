"""All or nothing: a folder is written under another name and appears complete, by one rename, or not at all."""

from __future__ import annotations

import secrets
import shutil
from pathlib import Path
from types import TracebackType

from discreet.errors import InputError

OURS = {"release", "steward"}


class StagedFolder:
    """A context in which `folder` is filled; leaving it without :meth:`appear` leaves no trace."""

    def __init__(self, target: Path, *, force: bool) -> None:
        self.target = target
        if target.exists():
            if not force:
                raise InputError(f"{target} exists already; choose another --out or add --force to replace it.")
            if not target.is_dir() or {path.name for path in target.iterdir()} - OURS:
                raise InputError(
                    f"{target} exists and holds more than discreet's release and steward folders, so it is not "
                    "replaced even with --force; choose another --out."
                )
        self.folder = target.with_name(f".{target.name}.unfinished-{secrets.token_hex(4)}")

    def __enter__(self) -> StagedFolder:
        self.target.parent.mkdir(parents=True, exist_ok=True)
        self.folder.mkdir(mode=0o700)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def appear(self) -> None:
        """Puts the folder in its place; what was there goes only when the new one stands."""
        replaced = None
        if self.target.exists():
            replaced = self.folder.with_name(self.folder.name.replace(".unfinished-", ".replaced-"))
            self.target.rename(replaced)
        self.folder.chmod(0o755)
        self.folder.rename(self.target)
        if replaced is not None:
            shutil.rmtree(replaced, ignore_errors=True)
