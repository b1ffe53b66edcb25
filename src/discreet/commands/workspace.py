"""What every command does first: the policy, a place to work; and what it says when the disk fails."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from discreet.engine import ENGINES, Engine, EngineError, EngineFullError
from discreet.errors import InputError
from discreet.policy import Policy
from discreet.private_folders import temporary_folder
from discreet.read.in_memory import to_keep


def as_policy(policy: Policy | str | Path, settings: Mapping[str, object] | None = None) -> Policy:
    if not isinstance(policy, Policy):
        return Policy.load(policy, settings)
    return policy.with_settings(settings) if settings else policy


def with_its_data(policy: Policy, data: object) -> tuple[Policy, object]:
    """The policy without data, which other processes need not be sent; and the data in memory to use, if any."""
    return policy.about(None), to_keep(policy.in_memory if data is None else data)


@contextmanager
def workspace() -> Iterator[Engine]:
    """An engine whose spilled rows are private and gone afterwards."""
    with temporary_folder() as folder:
        engine = next(iter(ENGINES.values()))(folder)
        try:
            yield engine
        finally:
            engine.close()


@contextmanager
def storage_errors(target: Path) -> Iterator[None]:
    """A full disk or a folder that cannot be written is for the user to fix, so it gets a sentence."""
    try:
        yield
    except EngineFullError as error:
        raise InputError(f"{target}: not enough memory or temporary disk space ({error}).") from error
    except (EngineError, OSError) as error:
        raise InputError(f"{target}: nothing was written, the disk said: {_disk_said(error)}.") from error


def _disk_said(error: EngineError | OSError) -> str:
    """The operating system's own words and, for a full disk, the way out."""
    if error.errno is None:
        return str(error).partition("\n")[0].rstrip(".")
    return os.strerror(error.errno) + ("; free some space" if error.errno == errno.ENOSPC else "")
