"""What a terminal shows while a search runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING

from discreet.cli.output import is_quiet
from discreet.report.terminal import amount
from discreet.search.events import SAYS_NOTHING

if TYPE_CHECKING:
    from rich.text import Text

    from discreet.policy import Policy
    from discreet.search.events import Listener, SearchEvent

SECONDS_BEFORE_COMPILING_IS_SAID = 1.5


def warm_up_search(policy: Policy) -> None:
    """Compiles the policy's search before its clock starts, and says so when that takes a while."""
    from discreet.kinds import kind_of

    def say() -> None:
        from discreet.kernels.cache import STORE

        if is_quiet():
            return
        how_often = "" if STORE.has_told else "; this happens only once"
        print(f"Compiling the search for this machine{how_often}.", file=sys.stderr, flush=True)

    notice = Timer(SECONDS_BEFORE_COMPILING_IS_SAID, say)
    notice.daemon = True
    notice.start()
    try:
        kind_of(policy).warm_up(policy)
    finally:
        notice.cancel()


class _Progress:
    """The listener that shows the last search event as one line; rich asks for it a few times a second."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.event: SearchEvent | None = None

    def __call__(self, event: SearchEvent) -> None:
        self.event = event

    def __rich__(self) -> Text:
        from rich.text import Text

        return Text(progress_line(time.monotonic() - self.started, self.event), no_wrap=True, overflow="ellipsis")


def progress_line(seconds: float, event: SearchEvent | None) -> str:
    """What is known, in fewer than 80 columns."""
    if event is None:
        return f"{seconds:.0f} s  preparing"
    known = [f"{seconds:.0f} s"]
    if event.incumbent is not None:
        known.append(f"best {amount(float(event.incumbent), 9)}")
    if event.bound:
        known.append(f"bound {amount(float(event.bound), 9)}")
    if event.bound and event.gap is not None and event.gap <= SAYS_NOTHING:
        known.append(f"gap {event.gap:.2%}")
    known.append(f"{amount(event.examined, 9)} looked at")
    return "  ".join(known)


@contextmanager
def live_line() -> Iterator[Listener]:
    """A line that is there while the search runs, on a terminal only."""
    if not sys.stderr.isatty():
        yield lambda event: None
        return
    from rich.console import Console
    from rich.live import Live

    progress = _Progress()
    with Live(progress, console=Console(stderr=True), transient=True, redirect_stdout=False, redirect_stderr=False):
        yield progress


@contextmanager
def counting_line(total: int) -> Iterator[Callable[[], None]]:
    """A bar that counts what is done, on a terminal only; the function handed out counts one more."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

    # What is printed meanwhile goes above the bar; into a file it goes as it is.
    bar = Progress(
        MofNCompleteColumn(),
        BarColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=sys.stdout.isatty(),
        redirect_stderr=False,
    )
    with bar:
        task = bar.add_task("", total=total)
        yield lambda: bar.advance(task)
