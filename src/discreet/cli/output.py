"""What is printed and where: nothing, JSON, or onto a disk that is full, which is no defect of discreet."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any, TextIO, cast

from discreet.errors import InputError


class _Stream:
    """Stands in for a stream that may take no more; what is left of it is then thrown away, or Python would complain
    once more when it ends."""

    def __init__(self, stream: TextIO, fail: Callable[[OSError], None]) -> None:
        self._stream = stream
        self._fail = fail

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with self._failing():
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with self._failing():
            self._stream.flush()

    @contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            with suppress(OSError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())
            self._fail(error)


class _NoTerminal(_Stream):
    """A stream on which nobody looks on: no progress is shown on it."""

    def isatty(self) -> bool:
        return False


@contextmanager
def quietly() -> Iterator[None]:
    """Nothing is printed but what is wrong."""
    with Path(os.devnull).open("w", encoding="utf-8") as nothing, ExitStack() as redirected:
        redirected.enter_context(redirect_stdout(nothing))
        if sys.stderr is not None:
            redirected.enter_context(redirect_stderr(cast(TextIO, _NoTerminal(sys.stderr, lambda error: None))))
        yield


def is_quiet() -> bool:
    """Whether this is called within `quietly`."""
    return isinstance(sys.stderr, _NoTerminal)


def print_json(document: Mapping[str, Any]) -> None:
    print(json.dumps(document, indent=2, ensure_ascii=False))


@contextmanager
def printing() -> Iterator[None]:
    """Results that cannot be printed end the command with a sentence. What is said beside them may get lost."""
    with ExitStack() as redirected:
        for stream, redirect, fail in (
            (sys.stdout, redirect_stdout, _refuse),
            (sys.stderr, redirect_stderr, lambda error: None),
        ):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
            if stream is not None:  # as it is where the caller has closed it
                redirected.enter_context(redirect(cast(TextIO, _Stream(stream, fail))))
        yield


def _refuse(error: OSError) -> None:
    if isinstance(error, BrokenPipeError):
        raise error
    raise InputError(f"The output cannot be written: {error.strerror}.") from error
