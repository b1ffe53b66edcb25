"""The way of data that are only looked at: read, profile, propose, write a policy."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

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
from discreet.profile.guess import has_long_header, looks_like_transactions
from discreet.profile.transaction_policy import starter_transaction_policy
from discreet.profile.transactions import Item, TransactionProfile, profile_transactions
from discreet.read import TableShape
from discreet.read.text import RowError
from discreet.read.transactions import Shape, read_transactions

Kind = Literal["table", "transactions"]

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
            "kind": "table",
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


@dataclass(frozen=True)
class TransactionInspection:
    """What transactions tell, and what is proposed for them."""

    profile: TransactionProfile
    shape: Shape
    separator: str | None
    """basket only"""
    policy: str
    """the starter policy, YAML"""
    out: Path | None
    """where the starter policy was written"""

    def as_dict(self) -> dict[str, Any]:
        """All of it, as JSON can hold it."""
        profile = self.profile
        return {
            "format": FORMAT,
            "kind": "transactions",
            "shape": self.shape,
            "separator": self.separator,
            "transactions": profile.transactions,
            "items": profile.items,
            "occurrences": profile.occurrences,
            "duplicates": profile.duplicates,
            "lengths": asdict(profile.lengths),
            "most_frequent": _items(profile.most_frequent),
            "least_frequent": _items(profile.least_frequent),
            "items_in_under_5": profile.rare_items,
            "whole": {"distinct": profile.distinct, "unique": profile.unique, "in_groups_under_5": profile.small},
            "knowing": [
                {
                    "present": found.present,
                    "absent": found.absent,
                    "singled_out": found.single,
                    "among_under_5": found.small,
                    "draws": found.draws,
                }
                for found in profile.exposures
            ],
            "sensitive": _items(profile.sensitive),
            "too_frequent_to_protect": _items(profile.too_frequent),
            "policy": self.policy,
        }


def _items(items: tuple[Item, ...]) -> list[dict[str, Any]]:
    return [asdict(item) for item in items]


# Python keeps overloads for good, and with them this module and DuckDB, which complains at the end of the process.
if TYPE_CHECKING:

    @overload
    def inspect(
        data: str | Path | object, out: str | Path | None = None, *, kind: Literal["table"], separator: None = None
    ) -> Inspection: ...
    @overload
    def inspect(
        data: str | Path | object,
        out: str | Path | None = None,
        *,
        kind: Literal["transactions"],
        separator: str | None = None,
        seed: int | None = None,
    ) -> TransactionInspection: ...
    @overload
    def inspect(
        data: str | Path | object,
        out: str | Path | None = None,
        *,
        kind: Kind | None = None,
        separator: str | None = None,
        seed: int | None = None,
    ) -> Inspection | Any: ...  # which of the two, only the data tell


def inspect(
    data: str | Path | object,
    out: str | Path | None = None,
    *,
    kind: Kind | None = None,
    separator: str | None = None,
    seed: int | None = None,
) -> Inspection | TransactionInspection:
    """Profiles a table or transactions and proposes a policy for them.

    data: a file, or a table in memory that speaks Arrow. out: where to write the starter policy; a file that exists
    is not replaced. kind: table or transactions; guessed by default, as transactions where nothing else is possible.
    separator: what stands between the items of a CSV file that has one transaction a line. seed: of the random draws
    by which transactions are tried; unpredictable by default.
    """
    source = Path(data) if isinstance(data, str | Path) else None
    target = None if out is None else Path(out)
    if target is not None:
        _check_target(target)
    if kind is None:
        kind = "transactions" if separator is not None or looks_like_transactions(data) else "table"
    inspection: Inspection | TransactionInspection
    if kind == "transactions":
        inspection = _inspect_transactions(data, source, target, separator, seed)
    elif separator is not None:
        raise InputError("separator is only for transactions; leave it out, or say that the kind is transactions.")
    else:
        inspection = _inspect_table(data, source, target)
    if target is not None:
        _write(inspection.policy, target)
    return inspection


def _inspect_transactions(
    data: object, source: Path | None, target: Path | None, separator: str | None, seed: int | None
) -> TransactionInspection:
    if source is not None and separator is None and has_long_header(source) is False:
        raise InputError(
            f"{source}: its columns are not 'transaction' and 'item'; if each line is one transaction, say what stands "
            "between its items, for example --separator ','."
        )
    raw = read_transactions(data if source is None else source, separator)
    if not raw.items:
        raise InputError(f"{raw.name} has only empty transactions; give some that have items.")
    profile = profile_transactions(raw, np.random.default_rng(seed))
    policy = starter_transaction_policy(profile, separator, _path_from(target, source), _called(target))
    return TransactionInspection(profile, raw.shape, raw.separator, policy, target)


def _inspect_table(data: object, source: Path | None, target: Path | None) -> Inspection:
    with tempfile.TemporaryDirectory(prefix="discreet-") as folder:
        engine = DuckDBEngine(Path(folder))
        try:
            shape = _load(engine, data if source is None else source)
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
    policy = starter_policy(columns, proposals, _path_from(target, source), _called(target))
    return Inspection(
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


def _load(engine: DuckDBEngine, data: object) -> TableShape:
    try:
        return engine.load(data)
    except RowError as error:
        if "where the header has" not in error.fault:
            raise
        raise InputError(
            f"{str(error).removesuffix('.')}; or, if each line is a basket of items, say --kind transactions "
            "--separator ','."
        ) from error


def _called(target: Path | None) -> str:
    return "POLICY" if target is None else str(target)


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
