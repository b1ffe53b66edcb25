"""The way of a table that is only looked at: read, profile, propose, write a policy."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.engine import DuckDBEngine
from discreet.errors import InputError
from discreet.profile import (
    CodedTable,
    Column,
    Combination,
    Keys,
    Proposal,
    all_pairs,
    minimal_keys,
    most_identifying,
    propose,
    read_columns,
    starter_policy,
)

FORMAT = "discreet-inspection/1"
MOST_COMBINATIONS = 10


@dataclass(frozen=True)
class Inspection:
    """What a table tells, and what is proposed for it."""

    rows: int
    columns: tuple[Column, ...]
    proposals: tuple[Proposal, ...]
    """parallel to the columns"""
    singles: tuple[Combination, ...]
    """parallel to the columns"""
    pairs: tuple[Combination, ...]
    """all pairs of columns; in a very wide and long table, those of the most distinct columns"""
    identifying: Mapping[int, tuple[Combination, ...]]
    """2, 3 and 4 -> the most identifying combinations of so many columns that are not identifiers, best first"""
    quasi_identifiers: Combination
    """all proposed quasi-identifiers together"""
    keys: Keys
    policy: str
    """the starter policy, YAML"""
    out: Path | None
    """where the starter policy was written"""

    @property
    def all_pairs_counted(self) -> bool:
        return 2 * len(self.pairs) == len(self.columns) * (len(self.columns) - 1)

    def as_dict(self) -> dict[str, Any]:
        """All of it, as JSON can hold it."""
        return {
            "format": FORMAT,
            "rows": self.rows,
            "columns": [
                _column(column, proposal) for column, proposal in zip(self.columns, self.proposals, strict=True)
            ],
            "combinations": {
                "singles": [_combination(counted) for counted in self.singles],
                "pairs": [_combination(counted) for counted in self.pairs],
                "all_pairs_counted": self.all_pairs_counted,
                "most_identifying": {
                    str(size): [_combination(counted) for counted in found] for size, found in self.identifying.items()
                },
                "quasi_identifiers": _combination(self.quasi_identifiers),
            },
            "keys": {
                "columns": [list(key) for key in self.keys.columns],
                "total": self.keys.total,
                "complete_to": self.keys.complete_to,
            },
            "policy": self.policy,
        }


def _column(column: Column, proposal: Proposal) -> dict[str, Any]:
    return {
        "name": column.name,
        "kind": column.kind,
        "distinct": column.distinct,
        "missing": column.missing,
        "unique": column.unique,
        "unique_share": column.unique_share,
        "role": proposal.role,
        "reason": proposal.reason,
        "review": proposal.review,
        "taxonomy": None if proposal.taxonomy is None else dict(proposal.taxonomy),
    }


def _combination(counted: Combination) -> dict[str, Any]:
    return {
        "columns": list(counted.columns),
        "distinct": counted.distinct,
        "unique": counted.unique,
        "in_classes_under_5": counted.small,
        "distinction": counted.distinction,
        "separation": counted.separation,
    }


def inspect(data: str | Path | object, out: str | Path | None = None) -> Inspection:
    """Profiles a table and proposes a policy for it.

    data: a file, or a table in memory that speaks Arrow. out: where to write the starter policy; a file that exists
    is not replaced.
    """
    source = Path(data) if isinstance(data, str | Path) else None
    target = None if out is None else Path(out)
    if target is not None:
        _check_target(target)
    with tempfile.TemporaryDirectory(prefix="discreet-") as folder:
        engine = DuckDBEngine(Path(folder))
        try:
            shape = engine.load(data if source is None else source)
            columns, codes = read_columns(engine, shape.columns)
        finally:
            engine.close()
    table = CodedTable(shape.columns, codes)
    proposals = propose(columns)
    pairs = all_pairs(table)
    open_columns = [
        place
        for place, (column, proposal) in enumerate(zip(columns, proposals, strict=True))
        if proposal.role != "identifier" and not column.constant
    ]
    quasi = tuple(place for place, proposal in enumerate(proposals) if proposal.role == "quasi-identifier")
    identifying = most_identifying(table, pairs, open_columns)
    policy = starter_policy(columns, proposals, _path_from(target, source), "POLICY" if target is None else str(target))
    inspection = Inspection(
        rows=shape.rows,
        columns=columns,
        proposals=proposals,
        singles=tuple(table.combination((place,)) for place in range(len(columns))),
        pairs=tuple(pairs.values()),
        identifying={size: tuple(found[:MOST_COMBINATIONS]) for size, found in identifying.items()},
        quasi_identifiers=table.combination(quasi),
        keys=minimal_keys(table, pairs),
        policy=policy,
        out=target,
    )
    if target is not None:
        _write(policy, target)
    return inspection


def _path_from(target: Path | None, source: Path | None) -> str | None:
    """The data as seen from the policy's folder; whole where the two have nothing in common."""
    if source is None:
        return None
    if target is None:
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
    unfinished = target.with_name(f".{target.name[:100]}.unfinished-{secrets.token_hex(4)}")
    try:
        with unfinished.open("x", encoding="utf-8", newline="\n") as file:
            file.write(policy)
        _check_target(target)
        unfinished.rename(target)
    except UnicodeEncodeError:
        raise InputError(
            f"{target}: the path of the data is not UTF-8, so a policy cannot name it; rename the file."
        ) from None
    except OSError as error:
        raise InputError(f"{target}: nothing was written, the disk said: {error.strerror or error}.") from error
    finally:
        unfinished.unlink(missing_ok=True)
