"""What a long command is doing, said where it is done and heard by whoever watches.

A step may be deep inside of a stage, so the watcher is not handed down to it: it is known to everything that runs in
its `watched` block. Each step is also logged.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

LOG = logging.getLogger(__name__)

Item = TypeVar("Item")


@dataclass(frozen=True)
class Step:
    """One thing that is done; where it is one of several, which one and of how many."""

    what: str
    number: int = 0
    of: int = 0

    def __str__(self) -> str:
        return f"{self.what} {self.number} of {self.of}" if self.of else self.what


Watcher = Callable[[Step], None]


def ignore(step: Step) -> None:
    """The watcher for callers who do not want to know."""


_WATCHER: ContextVar[Watcher] = ContextVar("watcher", default=ignore)


def doing(what: str) -> None:
    """Says what is done from now on."""
    _tell(Step(what))


def one_by_one(what: str, items: Collection[Item]) -> Iterator[Item]:
    """The items, each announced: `attack 3 of 6`."""
    for number, item in enumerate(items, start=1):
        _tell(Step(what, number, len(items)))
        yield item


def _tell(step: Step) -> None:
    LOG.info("%s", step)
    _WATCHER.get()(step)


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Whatever is done in this block is told to the watcher."""
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)
