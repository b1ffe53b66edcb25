"""Who is told that code is about to be compiled: the first time in a process, and only then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class _Notice:
    tell: Callable[[bool], None] | None = None


_NOTICE = _Notice()


@contextmanager
def told_of_compiling(tell: Callable[[bool], None]) -> Iterator[None]:
    """Calls tell once, as soon as something has to be compiled; with whether it will be kept for the next time."""
    before, _NOTICE.tell = _NOTICE.tell, tell
    try:
        yield
    finally:
        _NOTICE.tell = before


def about_to_compile(kept: bool) -> None:
    tell, _NOTICE.tell = _NOTICE.tell, None
    if tell is not None:
        tell(kept)
