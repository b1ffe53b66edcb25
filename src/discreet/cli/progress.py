"""What a terminal shows while a command runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from discreet.cli.output import is_quiet
from discreet.kernels.compiling import told_of_compiling
from discreet.report.terminal import amount
from discreet.search.events import SAYS_NOTHING
from discreet.values.steps import Step

if TYPE_CHECKING:
    from rich.console import RenderableType

    from discreet.search.events import SearchEvent

BAR_WIDTH = 24


class _Progress:
    """Shows the last that was heard, a search event or a step, as one line; rich asks for it a few times a second."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.heard: SearchEvent | Step | None = None

    def __call__(self, heard: SearchEvent | Step) -> None:
        self.heard = heard

    def __rich__(self) -> RenderableType:
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        heard = self.heard
        line = Text(progress_line(time.monotonic() - self.started, heard), no_wrap=True, overflow="ellipsis")
        if not isinstance(heard, Step) or not heard.of:
            return line
        both = Table.grid(padding=(0, 2))
        both.add_row(line, ProgressBar(heard.of, heard.number - 1, width=BAR_WIDTH))
        return both


def progress_line(seconds: float, heard: SearchEvent | Step | None) -> str:
    """What is known, in fewer than 80 columns."""
    if heard is None:
        return f"{seconds:.0f} s  preparing"
    if isinstance(heard, Step):
        return f"{seconds:.0f} s  {heard}"
    known = [f"{seconds:.0f} s"]
    if heard.incumbent is not None:
        known.append(f"best {amount(float(heard.incumbent), 9)}")
    if heard.bound:
        known.append(f"bound {amount(float(heard.bound), 9)}")
    if heard.bound and heard.gap is not None and heard.gap <= SAYS_NOTHING:
        known.append(f"gap {heard.gap:.2%}")
    known.append(f"{amount(heard.examined, 9)} looked at")
    return "  ".join(known)


@contextmanager
def live_line() -> Iterator[Callable[[SearchEvent | Step], None]]:
    """A line that says what is being done, on a terminal only; and a sentence where something has to be compiled.

    What is printed meanwhile, as that sentence and warnings are, goes above the line.
    """
    with ExitStack() as entered:
        entered.enter_context(told_of_compiling(_say_compiling))
        progress = _Progress()
        if sys.stderr is not None and sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            console = Console(stderr=True)
            entered.enter_context(Live(progress, console=console, transient=True, redirect_stdout=sys.stdout.isatty()))
        yield progress


def _say_compiling(kept: bool) -> None:
    if is_quiet():
        return
    how_often = "; this happens only once" if kept else ""
    print(f"Compiling the search for this machine{how_often}.", file=sys.stderr, flush=True)


@contextmanager
def counting_line(total: int) -> Iterator[Callable[[], None]]:
    """A bar that counts what is done, on a terminal only; the function handed out counts one more."""
    with ExitStack() as entered:
        entered.enter_context(told_of_compiling(_say_compiling))
        if sys.stderr is None or not sys.stderr.isatty():
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
        )
        entered.enter_context(bar)
        task = bar.add_task("", total=total)
        yield lambda: bar.advance(task)
