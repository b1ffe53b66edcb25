"""A table that is only looked at: its columns, how identifying they are, and a policy to begin with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from discreet.engine import Engine, TableShape
from discreet.errors import InputError
from discreet.policy import Policy
from discreet.profile.inspection import FORMAT, Asked, proposed_policy
from discreet.profile.table.columns import Column, read_column
from discreet.profile.table.combinations import (
    CodedTable,
    Combination,
    Keys,
    all_pairs,
    minimal_keys,
    most_identifying,
)
from discreet.profile.table.proposal import Proposal, propose
from discreet.profile.table.quality import Quality, judge_table
from discreet.profile.table.starter_policy import starter_policy
from discreet.read.table import load_table
from discreet.read.text import RowError
from discreet.values.notebook import grid

MOST_COMBINATIONS = 10


@dataclass(frozen=True)
class Inspection:
    """What a table reveals, and what is proposed for it."""

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
    quality: Quality
    """what is dirty in the columns that are to be published; all else here is told of the table when it is cleaned"""
    policy_text: str
    """the starter policy, YAML with comments"""
    out: Path | None
    """where the starter policy was written"""
    data: object = field(repr=False, compare=False)
    """what was looked at: a path, a table of a database, or data in memory"""
    kind: ClassVar[str] = "table"

    @property
    def all_pairs_counted(self) -> bool:
        return 2 * len(self.pairs) == len(self.columns) * (len(self.columns) - 1)

    @property
    def policy(self) -> Policy:
        """The starter policy, as `publish` and `compare` take it; data in memory go with it."""
        return proposed_policy(self.policy_text, self.out, self.data)

    def as_dict(self) -> dict[str, Any]:
        """All of it, as JSON can hold it."""
        return {
            "format": FORMAT,
            "kind": self.kind,
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
            "quality": self.quality.as_dicts(),
            "policy": self.policy_text,
        }

    def _repr_html_(self) -> str:
        rows = [
            (
                *(
                    column.name,
                    column.kind,
                    f"{column.distinct:,}",
                    f"{column.missing:,}",
                    f"{column.unique_share:.1%}",
                ),
                *(proposal.role, proposal.reason, proposal.review),
            )
            for column, proposal in zip(self.columns, self.proposals, strict=True)
        ]
        heads = ("column", "type", "distinct", "missing", "unique", "proposed role", "why", "a human should look at")
        return f"<p>{self.rows:,} records</p>{grid(heads, rows)}"


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


def inspect_table(engine: Engine, asked: Asked) -> Inspection:
    if asked.separator is not None:
        raise InputError("separator is only for transactions; leave it out, or say that the kind is transactions.")
    shape = _load(engine, asked)
    coded = {name: read_column(engine, name) for name in shape.columns}
    quality = judge_table(list(coded.values()))
    for changed in engine.clean(quality.cleanings()):
        coded[changed.column] = read_column(engine, changed.column)
    columns = tuple(found.column for found in coded.values())
    table = CodedTable(shape.columns, tuple(found.codes for found in coded.values()))
    proposals = propose(columns)
    quality = quality.of({proposal.column for proposal in proposals if proposal.role != "identifier"})
    pairs = all_pairs(table)
    open_columns = [
        place
        for place, (column, proposal) in enumerate(zip(columns, proposals, strict=True))
        if proposal.role != "identifier" and not column.constant
    ]
    quasi = tuple(place for place, proposal in enumerate(proposals) if proposal.role == "quasi-identifier")
    identifying = most_identifying(table, pairs, open_columns)
    together = table.combination(quasi)
    policy = starter_policy(columns, proposals, asked.path, asked.called, asked.keys, quality, together)
    return Inspection(
        rows=shape.rows,
        columns=columns,
        proposals=proposals,
        singles=tuple(table.combination((place,)) for place in range(len(columns))),
        pairs=tuple(pairs.values()),
        identifying={size: tuple(found[:MOST_COMBINATIONS]) for size, found in identifying.items()},
        quasi_identifiers=together,
        keys=minimal_keys(table, pairs),
        quality=quality,
        policy_text=policy,
        out=asked.out,
        data=asked.data,
    )


def _load(engine: Engine, asked: Asked) -> TableShape:
    try:
        return load_table(engine, asked.data, encoding=asked.encoding, sheet=asked.sheet)
    except RowError as error:
        if "where the header has" not in error.fault:
            raise
        raise InputError(
            f"{str(error).removesuffix('.')}; or, if each line is a basket of items, say --kind transactions "
            "--separator ','."
        ) from error
