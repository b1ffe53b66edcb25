"""Ctrl-C, SIGTERM and SIGHUP that wait until they do no harm.

Python delivers an interrupt between two of its own steps. One of them may be inside a compiled loop's return,
where an exception cannot be passed on and kills the process. So during a search a signal is only noted; the search
looks for it where it looks at the clock, and ends with the best it has. After Ctrl-C that is published. Whoever sends
one of the others wants an end and no release, so there the interrupt follows.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from discreet.values.steps import doing

STOPPING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


FRAGILE = ("llvmlite", "numba")
"""What loads compiled code: an exception that falls into one of its calls back from C may kill the process."""


class Stop:
    """A handler of the signals in STOPPING: an interrupt, and which of them it was.

    Where an exception would do harm, none is raised; then, as after one that is swallowed, the stop is heeded later.
    """

    number: int | None = None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.number = number
        while frame is not None:
            if str(frame.f_globals.get("__name__")).partition(".")[0] in FRAGILE:
                return
            frame = frame.f_back
        raise KeyboardInterrupt


@contextmanager
def stop_signals() -> Iterator[Stop]:
    """What would kill a program is an interrupt instead, so that it cleans up; for programs, not for libraries.

    What is ignored, as SIGHUP after nohup, or has a handler already stays as it is.
    """
    stop = Stop()
    report = sys.unraisablehook

    def report_unless_stopped(swallowed: sys.UnraisableHookArgs) -> None:
        if stop.number is None:  # else it is the interrupt, or something that it left half made
            report(swallowed)

    taken = [number for number in STOPPING if _in_main_thread() and signal.getsignal(number) is signal.SIG_DFL]
    for number in taken:
        signal.signal(number, stop)
    sys.unraisablehook = report_unless_stopped
    try:
        yield stop
    finally:
        sys.unraisablehook = report
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def noted_interrupt() -> Iterator[threading.Event]:
    """An event that Ctrl-C sets instead of raising KeyboardInterrupt. A Stop sets it too, and raises at the end.

    Where a handler is not Python's own or a Stop (another thread, a program with its own) nothing is changed.
    """
    heed_stop()
    asked = threading.Event()
    noted: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        noted.append(number)
        asked.set()
        doing("ending the search with the best release so far" if number == signal.SIGINT else "stopping")

    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, *STOPPING) if _in_main_thread()}
    ours = {
        number: handler
        for number, handler in handlers.items()
        if isinstance(handler, Stop) or handler is signal.default_int_handler
    }
    for number in ours:
        signal.signal(number, note)
    try:
        yield asked
    finally:
        for number, handler in ours.items():
            signal.signal(number, handler)
        for number in noted:
            if isinstance(stop := ours[number], Stop):
                stop(number, None)


def heed_stop() -> None:
    """Raises what a Stop could not, or what it did and some library swallowed, as imports that C code asks for are."""
    for handler in map(signal.getsignal, STOPPING):
        if isinstance(handler, Stop) and handler.number is not None:
            raise KeyboardInterrupt


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
