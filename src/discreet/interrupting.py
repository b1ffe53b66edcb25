"""Ctrl-C that waits until it does no harm.

Python delivers an interrupt between two steps of its own. One of them may be inside a compiled loop's return,
where an exception cannot be handed on and the process dies of it. So during a search the signal is only noted,
and raised when the search next tells where it stands.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from discreet.search.events import Listener, SearchEvent


@contextmanager
def interrupted_between_events(listen: Listener) -> Iterator[Listener]:
    """A listener that passes events on, and raises KeyboardInterrupt at the first one after Ctrl-C.

    Where Ctrl-C is not Python's own (another thread, a program with a handler of its own) nothing is changed.
    """
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield listen
        return
    asked = threading.Event()

    def note(number: int, frame: FrameType | None) -> None:
        asked.set()

    def pass_on(event: SearchEvent) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        listen(event)

    signal.signal(signal.SIGINT, note)
    try:
        yield pass_on
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
