"""What every command does first: the policy, a place to work, the data; and what it says when that fails."""

from __future__ import annotations

import errno
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb

from discreet.engine import DuckDBEngine
from discreet.errors import InputError
from discreet.policy import Policy, TablePolicy

MOST_NAMES = 30
LONGEST_NAME = 60
_ERRNO_OF_DUCKDB = re.compile(r'"errno":"(\d+)"')


def as_policy(policy: Policy | str | Path, settings: Mapping[str, object] | None = None) -> Policy:
    if not isinstance(policy, Policy):
        return Policy.load(policy, settings)
    return policy.with_settings(settings) if settings else policy


def as_table_policy(policy: Policy | str | Path, settings: Mapping[str, object] | None = None) -> TablePolicy:
    """The policy, for what is done with tables only."""
    found = as_policy(policy, settings)
    if not isinstance(found, TablePolicy):
        raise InputError(f"data.kind: this is done with tables, not with {found.data.kind}; use kind: table.")
    return found


@contextmanager
def workspace() -> Iterator[DuckDBEngine]:
    """An engine whose spilled rows are private and gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="discreet-") as folder:
        engine = DuckDBEngine(Path(folder))
        try:
            yield engine
        finally:
            engine.close()


@contextmanager
def storage_errors(target: Path) -> Iterator[None]:
    """A full disk or a folder that cannot be written is the user's to mend, so it gets a sentence."""
    try:
        yield
    except duckdb.OutOfMemoryException as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise InputError(f"{target}: not enough memory or temporary disk space ({reason}).") from error
    except (duckdb.IOException, OSError) as error:
        raise InputError(f"{target}: nothing was written, the disk said: {_disk_said(error)}.") from error


def _disk_said(error: Exception) -> str:
    """The operating system's own words and, for a full disk, the way out."""
    number = error.errno if isinstance(error, OSError) else None
    if told := _ERRNO_OF_DUCKDB.search(str(error)):
        number = int(told[1])
    if number is None:
        return str(error).partition("\n")[0].rstrip(".")
    return os.strerror(number) + ("; free some space" if number == errno.ENOSPC else "")


def load(engine: DuckDBEngine, policy: TablePolicy, data: object) -> tuple[str, ...]:
    """Loads the table in memory, or else the policy's file, and checks its columns against the roles."""
    source = policy.data.path if data is None else data
    if source is None:
        raise InputError("data.path: there is no data to publish; name a file, or hand a table over in Python.")
    columns = engine.load(source).columns
    _check_columns(policy, columns, source.name if isinstance(source, Path) else "the table")
    return columns


def _listed(names: Sequence[str]) -> str:
    """Names for a sentence that stays one, however many and however long they are."""
    shown = [name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}..." for name in names[:MOST_NAMES]]
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f"{', '.join(shown)}{more}"


def _check_columns(policy: TablePolicy, columns: Sequence[str], source: str) -> None:
    """Every column has a role, and every role a column."""
    absent = [name for name in policy.attributes if name not in columns]
    if absent:
        raise InputError(f"attributes.{absent[0]}: there is no such column in {source}; it has {_listed(columns)}.")
    unnamed = [name for name in columns if name not in policy.attributes]
    if unnamed:
        raise InputError(
            f"{source} has {'a column' if len(unnamed) == 1 else 'columns'} without a role: {_listed(unnamed)}; "
            "name it under attributes with its role (identifier drops it, insensitive publishes it as it is)."
        )
