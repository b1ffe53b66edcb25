"""DuckDB's errors as those of any engine, as far as they are the user's to mend; any other is a defect, and passes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from discreet.engine.errors import EngineError, EngineFullError

_ERRNO = re.compile(r'"errno":"(\d+)"')


@contextmanager
def translated() -> Iterator[None]:
    try:
        yield
    except duckdb.OutOfMemoryException as error:
        raise EngineFullError(first_line(error)) from error
    except duckdb.IOException as error:
        told = _ERRNO.search(str(error))
        raise EngineError(first_line(error), int(told[1]) if told else None) from error
    except (duckdb.Error, RuntimeError) as error:
        if str(error) == "Query interrupted":  # how DuckDB passes Ctrl-C on
            raise KeyboardInterrupt from None
        raise


def first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0].rstrip(".")
