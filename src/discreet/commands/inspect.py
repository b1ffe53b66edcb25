"""The path of data that are only looked at: read, profile, propose, write a policy."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from discreet.commands.staging import write_whole
from discreet.commands.workspace import storage_errors, workspace
from discreet.errors import InputError
from discreet.kinds import KINDS, recognized
from discreet.policy.values import is_address
from discreet.profile.inspection import Asked
from discreet.read.database import Database, is_database
from discreet.read.in_memory import to_keep
from discreet.read.unpacking import STANDARD_INPUT


def inspect(
    data: str | Path | object,
    out: str | Path | None = None,
    *,
    kind: str | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    table: str | None = None,
    seed: int | None = None,
) -> Any:
    """Profiles data and proposes a policy for them; what is returned is the inspection of their kind.

    data: a file, several by a pattern, `-` for standard input, a database, or data in memory: a pandas, Polars, pyarrow
    or DuckDB table, a list of dicts, a dict of columns, or a list of lists of items. The `policy` of what is returned
    can be published as it is. out: where to write the starter policy; a file that exists is not replaced. kind: a kind
    of data; guessed by default. separator: what stands between the values of a CSV file that has one record of any
    length a line. encoding: of a text file. sheet: of an Excel file. table: of a database. seed: of what an inspection
    draws at random; unpredictable by default.
    """
    database = None
    if is_database(data):
        database = Database(str(data) if is_address(data) else Path(str(data)), table)
    if table is not None and database is None:
        raise InputError("table: only a database has tables; leave it out.")
    source = Path(data) if isinstance(data, str | Path) and database is None else None
    target = None if out is None else Path(out)
    if target is not None:
        _check_target(target)
    if kind is None:
        kind = recognized(data, separator, encoding)
    if kind not in KINDS:
        raise InputError(f"kind: {kind!r} is not a kind of data that can be inspected; say {' or '.join(KINDS)}.")
    written = {"encoding": encoding, "sheet": sheet}
    if database is not None:
        location = database.location
        place = location if isinstance(location, str) else _path_from(target, location)
        written |= {"database": place, "table": database.table}
    asked = Asked(
        data=database or source or to_keep(data),
        path=_path_from(target, source),
        called=_called(target),
        out=target,
        separator=separator,
        encoding=encoding,
        sheet=sheet,
        keys={key: value for key, value in written.items() if value is not None},
        seed=seed,
    )
    with workspace() as engine:
        inspection = KINDS[kind].inspect(engine, asked)
    if target is not None:
        _write(inspection.policy_text, target)
    return inspection


def _called(target: Path | None) -> str:
    return "POLICY" if target is None else str(target)


def _path_from(target: Path | None, source: Path | None) -> str | None:
    """The data as seen from the policy's folder; whole where the two have nothing in common."""
    if source is None:
        return None
    if target is None or source == STANDARD_INPUT:
        return str(source)
    try:
        return Path(os.path.relpath(source.resolve(), target.resolve().parent)).as_posix()
    except ValueError:  # another drive
        return str(source.resolve())


def _check_target(target: Path) -> None:
    if target.exists() or target.is_symlink():
        raise InputError(f"{target} exists already; choose another --out, or delete it first.")
    if not target.parent.is_dir():
        raise InputError(f"{target}: there is no folder {target.parent}; make it first, or choose another --out.")


def _write(policy: str, target: Path) -> None:
    """The whole file or nothing, and never over another one."""
    with storage_errors(target):
        try:
            write_whole(target, policy, replace=False)
        except FileExistsError:
            _check_target(target)
            raise
        except UnicodeEncodeError:
            raise InputError(
                f"{target}: the path of the data is not UTF-8, so a policy cannot name it; rename the file."
            ) from None
