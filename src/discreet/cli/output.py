"""Printing to a disk that is full or a reader who has gone, which is no defect of discreet."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
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
