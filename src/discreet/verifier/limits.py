"""How much a release may ask of whoever verifies it: a few kilobytes can be made to unpack to billions of rows.

The defaults allow for the largest honest releases. `seconds` and `memory` are the command's to hold, since they concern
a whole process; all the others are checked before anything is read.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import NoReturn

from discreet.engine.errors import EngineFullError
from discreet.errors import InputError


@dataclass(frozen=True)
class ReleaseLimits:
    """The most that is read of a release, and the time and memory that are spent on it."""

    megabytes: int = 20_000
    """of all files that are read, unpacked"""
    rows: int = 200_000_000
    """of a table"""
    transactions: int = 20_000_000
    """of a file of sets"""
    items: int = 50_000_000
    """of all sets together"""
    labels: int = 10_000_000
    """in the rows of a taxonomy"""
    seconds: int = 3_600
    """for the whole check; not on Windows"""
    memory: int = 8_000
    """in megabytes of address space, beyond what the process has already; on Linux. A library that runs out of it may
    end the process without a sentence"""

    @classmethod
    def parse(cls, text: str) -> "ReleaseLimits":
        """From `rows=1000,seconds=60`; what is not named keeps its default."""
        known = [each.name for each in fields(cls)]
        given: dict[str, int] = {}
        for part in text.split(","):
            name, _, number = part.strip().partition("=")
            if name not in known:
                raise InputError(f"--limits {text}: there is no limit {name!r}; known are {', '.join(known)}.")
            if not re.fullmatch("[1-9][0-9]{0,11}", number):
                raise InputError(f"--limits {text}: {name} should be a whole number from 1, as in {name}=1000.")
            given[name] = int(number)
        return cls(**given)

    def allow(self, name: str, asked: int, where: str) -> None:
        """Refuse what asks for more than the limit of this name."""
        most = getattr(self, name)
        if asked > most:
            raise InputError(
                f"{where}: {asked} {name} are more than the {most} that are allowed; if you trust whoever sent it, "
                f"give --limits {name}={asked}."
            )


@contextmanager
def bounded(limits: ReleaseLimits) -> Iterator[None]:
    """Hold the limits of time and memory for this process, as far as the system lets it; for the main thread alone."""
    with _within_memory(limits.memory), _within_seconds(limits.seconds):
        yield


class _OutOfTimeError(Exception):
    """Raised wherever the main thread is when time is up."""


@contextmanager
def _within_seconds(seconds: int) -> Iterator[None]:
    import signal

    if not hasattr(signal, "setitimer"):
        yield
        return

    is_up = False

    def stop(*_: object) -> NoReturn:
        nonlocal is_up
        is_up = True
        raise _OutOfTimeError

    previous = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except (_OutOfTimeError, KeyboardInterrupt):
        if not is_up:  # Ctrl-C; DuckDB passes any signal on as if it were one
            raise
        raise InputError(
            f"The check was stopped after {seconds} seconds, so nothing is known; if you trust whoever sent the "
            f"release, give --limits seconds={10 * seconds}."
        ) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


@contextmanager
def _within_memory(megabytes: int) -> Iterator[None]:
    try:
        import resource
    except ImportError:  # Windows
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = _address_space(resource.getpagesize()) + (megabytes << 20)
    most = min([limit for limit in (wanted, soft, hard) if limit != resource.RLIM_INFINITY])
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    try:
        yield
    except EngineFullError:
        raise InputError(
            f"The check needs more than {megabytes} megabytes of memory, so nothing is known; if you trust whoever "
            f"sent the release, give --limits memory={2 * megabytes}."
        ) from None
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _address_space(page: int) -> int:
    """What the process has already, in bytes: libraries may have reserved much more than they will ever use."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * page
    except OSError:
        return 0
