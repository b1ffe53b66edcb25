"""Ctrl-C that waits until it does no harm.

Python delivers an interrupt between two of its own steps. One of them may be inside a compiled loop's return,
where an exception cannot be passed on and kills the process. So during a search the signal is only noted;
the search looks for it where it looks at the clock, and ends with the best it has.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def noted_interrupt() -> Iterator[threading.Event]:
    """An event that Ctrl-C sets instead of raising KeyboardInterrupt.

    Where Ctrl-C is not Python's own (another thread, a program with a handler of its own) nothing is changed.
    """
    asked = threading.Event()
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield asked
        return

    def note(number: int, frame: FrameType | None) -> None:
        asked.set()

    signal.signal(signal.SIGINT, note)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
