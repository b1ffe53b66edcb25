"""Keeps compiled code, so that it is never older than its source.

numba's own cache looks at the one file a function is in, and goes on running what was compiled into it from another
file before that was edited. Here compiled code lies in a folder named by a digest of every file of this package and of
the versions that compile it: after any change another folder is used. Folders that nobody has used for a while
are removed.

numba's own cache also numbers what it keeps of a function, and lists it in an index. Two processes that compile the
same function for different types can both choose the same number, and the later one finds code for the wrong
types. Here each piece of code has a file of its own, named by its types and the processor, that appears complete, by a
rename, and begins with a checksum. So no process waits for another, and what is not whole is compiled again.

Where nothing can be written, code is compiled in memory. Nothing that is found here, or not, ends a run.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import pickle
import re
import secrets
import shutil
import stat
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite
import numba
import numpy as np
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps

from .compiling import about_to_compile

DAYS_UNTIL_REMOVAL = 30
"""without use; anyone who goes back and forth between versions of discreet within it compiles each of them once"""

_NAME = re.compile(r"kernels-[0-9a-f]{32}")
"""of a folder that is ours, in one that may hold others' files, as NUMBA_CACHE_DIR"""

_CHECKSUM_BYTES = hashlib.sha256().digest_size

_SETTINGS: Any = numba.config
"""mypy cannot see what it sets"""

Function = TypeVar("Function", bound=Callable[..., Any])


def digest_of(sources: Traversable) -> str:
    """Of everything that compiled code depends on, except types and the processor, which name the files."""
    # An editor's lock is a link to nowhere, which cannot be read.
    names = sorted(file.name for file in sources.iterdir() if file.name.endswith((".py", ".pyc")) and file.is_file())
    contents = [(name, hashlib.sha256((sources / name).read_bytes()).hexdigest()) for name in names]
    # Without its assertions (python -O) the same source is another programme.
    made_by = (numba.__version__, llvmlite.__version__, np.__version__, sys.version, sys.flags.optimize, __package__)
    return hashlib.sha256(repr((contents, made_by)).encode()).hexdigest()[:32]


def folder_of_caches() -> Path | None:
    """The folder that the user or the system has for caches; None where there is no home."""
    if chosen := os.environ.get("DISCREET_CACHE") or _SETTINGS.CACHE_DIR:
        return Path(chosen).absolute()
    if (usual := Path(os.environ.get("XDG_CACHE_HOME", ""))).is_absolute():  # others are to be ignored, by convention
        return usual / "discreet"
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "discreet"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "discreet" / "Cache"
    return home / ".cache" / "discreet"


class Store:
    """Compiled code of the sources as they were when this process began."""

    def __init__(self, sources: Traversable, caches: Path | None) -> None:
        self.sources = sources
        self.digest = digest_of(sources)
        self.folder = None if caches is None else caches / f"kernels-{self.digest}"
        self.has_told = False

    def remove_unused(self) -> None:
        """Notes that this folder is in use, and removes those that have not been for long."""
        if self.folder is None:
            return
        with suppress(OSError):  # nothing is there yet, or it belongs to somebody else
            os.utime(self.folder)
        long_ago = time.time() - DAYS_UNTIL_REMOVAL * 24 * 60 * 60
        with suppress(OSError):
            for other in self.folder.parent.iterdir():
                is_other = _NAME.fullmatch(other.name) is not None and other.name != self.folder.name
                # A process that did use it for so long would only have to compile again.
                if is_other and other.stat().st_mtime < long_ago:
                    shutil.rmtree(other, ignore_errors=True)

    def read(self, name: str) -> memoryview | None:
        """None for what is not there, or not whole."""
        if self.folder is None:
            return None
        try:
            if not (_is_ours(self.folder, stat.S_ISDIR) and _is_ours(self.folder / name, stat.S_ISREG)):
                return None
            content = memoryview((self.folder / name).read_bytes())
        except OSError:
            return None
        checksum, data = content[:_CHECKSUM_BYTES], content[_CHECKSUM_BYTES:]
        return data if hashlib.sha256(data).digest() == checksum else None

    def can_keep(self) -> bool:
        """Whether there is a folder to write to; where there is none, it is made, or said why it cannot be."""
        if self.folder is None:
            self._tell("there is no home folder to keep compiled code in")
            return False
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not _is_ours(self.folder, stat.S_ISDIR):
                raise PermissionError("others may have written to it")
            if not os.access(self.folder, os.W_OK):
                raise PermissionError("it cannot be written to")
        except OSError as error:
            self._tell_of(error)
            return False
        return True

    def write(self, name: str, data: bytes) -> None:
        if self.folder is None or not self.can_keep() or self._is_edited():
            return
        file = self.folder / name
        new = self.folder / f"{name}.{secrets.token_hex(8)}"
        try:
            try:
                new.touch(mode=0o600)  # whatever the umask says: what others can write to is not read
                new.write_bytes(hashlib.sha256(data).digest() + data)
                new.replace(file)
            finally:
                new.unlink(missing_ok=True)
        except OSError as error:
            # Windows does not let a file be replaced while another process reads it; then it need not be.
            if not (os.name == "nt" and file.is_file()):
                self._tell_of(error)

    def _is_edited(self) -> bool:
        """Whether code compiled now may be of other sources than the digest is, as in a session during an update."""
        try:
            return digest_of(self.sources) != self.digest
        except OSError:
            return True

    def _tell_of(self, error: OSError) -> None:
        if self.folder is not None:
            self._tell(f"compiled code cannot be kept in {self.folder.parent} ({error.strerror or error})")

    def _tell(self, reason: str) -> None:
        """One sentence for a run: not in each worker as well, and not where there is nowhere to say it."""
        if not self.has_told and multiprocessing.parent_process() is None and sys.stderr is not None:
            sentence = f"{reason}, so every run compiles anew; set DISCREET_CACHE to a folder that can be written to."
            with suppress(OSError, ValueError):  # a stream that is full, or closed
                sys.stderr.write(f"Warning: {sentence}\n")
        self.has_told = True


def _is_ours(path: Path, is_kind: Callable[[int], bool]) -> bool:
    """Whether it is a folder, or a file, that nobody else can have written: what is read here is run.

    Not a link, with which others could pass off what we own elsewhere, as what we downloaded.
    """
    status = path.lstat()
    if os.name == "nt":  # there is no such owner, and a profile is its user's own
        return is_kind(status.st_mode)
    return is_kind(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o022


STORE = Store(files(__package__), folder_of_caches())
if not _SETTINGS.DISABLE_JIT:
    STORE.remove_unused()


class KernelCache(NullCache):
    """What numba asks before it compiles a function, and hands over what it compiled."""

    def __init__(self, function: Callable[..., Any], store: Store) -> None:
        self.store = store
        module = function.__module__.rpartition(".")[2]
        self.name = f"{module}.{function.__qualname__}-{function.__code__.co_firstlineno}"

    def load_overload(self, types: Any, target: Any) -> Any:
        # numba would first load all it can compile with, which takes longer than everything else in a small
        # publication. Compiled code needs only what allocates its arrays; who compiles after all loads the rest.
        rtsys.initialize(target)
        key = _key(types, target.codegen())
        data = self.store.read(self._file_name(key))
        # Somebody else's file can raise anything when it is unpickled; compiling is right, whatever it is.
        with suppress(Exception):
            kept_key, parts = pickle.loads(data or b"")
            if kept_key == key:
                return CompileResult._rebuild(target, *parts)
        about_to_compile(self.store.can_keep())
        return None

    def save_overload(self, types: Any, result: Any) -> None:
        if result.library.has_dynamic_globals:  # addresses in this process
            return
        key = _key(types, result.codegen)
        self.store.write(self._file_name(key), dumps((key, result._reduce())))

    def _file_name(self, key: tuple[Any, ...]) -> str:
        return f"{self.name}-{hashlib.sha256(repr(key).encode()).hexdigest()[:32]}.code"


def _key(types: Any, codegen: Any) -> tuple[Any, ...]:
    """The types a function is compiled for, and the processor with its features."""
    return types, codegen.magic_tuple()


def njit(*, cache: bool, **options: Any) -> Callable[[Function], Function]:
    """numba's decorator, with the cache of this module in place of numba's own."""

    def decorate(function: Function) -> Function:
        compiled: Any = numba.njit(**options)(function)
        # Switched off (NUMBA_DISABLE_JIT), numba hands back the function itself. What a closure holds is in no digest.
        if cache and compiled is not function and function.__closure__ is None:
            compiled._cache = KernelCache(function, STORE)
        return cast(Function, compiled)

    return decorate
