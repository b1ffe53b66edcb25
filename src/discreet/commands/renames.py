"""Renames at one stroke that the operating system knows and Python does not."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from pathlib import Path

_HERE = -100
"""Linux: a relative path begins at the working directory."""
_CANNOT = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM}
"""What an older system, a disk or a sandbox answers that does not know such a rename."""
_OCCUPIED = {errno.ENOTEMPTY, errno.ENOTDIR, errno.EISDIR}


def exchange(first: Path, second: Path) -> bool:
    """Exchanges what two names stand for; False where the system or the disk cannot do that at one stroke."""
    return _renamed(first, second, linux=2, macos=2)


def rename_new(source: Path, target: Path) -> None:
    """Renames to a name that nothing has yet; FileExistsError where something has it."""
    if _renamed(source, target, linux=1, macos=4):
        return
    if target.exists() or target.is_symlink():
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    try:
        source.rename(target)
    except OSError as error:
        if error.errno in _OCCUPIED:  # something appeared after the look
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from error
        raise


def _renamed(source: Path, target: Path, *, linux: int, macos: int) -> bool:
    """Renames with a flag of the system's; False where there is no such thing."""
    if sys.platform == "win32":
        return False
    before, after = os.fsencode(source), os.fsencode(target)
    system = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "linux" and hasattr(system, "renameat2"):
        failed = system.renameat2(_HERE, before, _HERE, after, linux)
    elif sys.platform == "darwin" and hasattr(system, "renamex_np"):
        failed = system.renamex_np(before, after, macos)
    else:
        return False
    number = ctypes.get_errno()
    if failed and number not in _CANNOT:
        raise OSError(number, os.strerror(number), str(source), None, str(target))
    return not failed
