"""What the sensitive values of a table stand for, where a record has several of them.

A row says one thing in each sensitive column, and a record says what its rows say: one row, or all rows of a person. So
a sensitive value of the table is a set of *sayings*, each with a value of every sensitive column. In a table with one
sensitive column and no person column, both are simply the column's values, in their order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from discreet.engine import ORIGINAL, Engine
from discreet.errors import InputError
from discreet.models.partition_limits import Order
from discreet.taxonomy import Taxonomy
from discreet.values.arrays import Int32s, Int64s, column_codes
from discreet.values.words import listed

SUPPRESSED = -1
"""The code of a suppressed sensitive value."""


@dataclass(frozen=True)
class ToldColumn:
    """A sensitive column in terms of the table's sensitive values, each of which tells one or several of its own."""

    name: str
    values: tuple[str, ...]
    categories: Mapping[str, tuple[int, ...]]
    """label of its taxonomy -> the values below it"""
    teller: Int32s
    """entry -> sensitive value of the table"""
    told: Int32s
    """entry -> value of this column that it tells"""
    tree: Taxonomy | None = None
    """its taxonomy, where it has one"""
    order: Order = "alphabetical"
    order_is_assumed: bool = False

    @property
    def is_all(self) -> bool:
        """Whether the table's sensitive values are simply this column's."""
        return len(self.told) == len(self.values) and np.array_equal(self.teller, self.told)

    def having(self) -> list[tuple[int, ...]]:
        """value of this column -> the table's sensitive values that tell it"""
        order = np.argsort(self.told, kind="stable")
        bounds = np.searchsorted(self.told[order], np.arange(len(self.values) + 1))
        tellers = self.teller[order].tolist()
        return [tuple(tellers[start:stop]) for start, stop in pairwise(bounds.tolist())]

    def counted(self, by_teller: Int64s) -> Int64s:
        """... x sensitive value of the table -> ... x value of this column"""
        counts = np.zeros((*by_teller.shape[:-1], len(self.values)), np.int64)
        np.add.at(counts.T, self.told, by_teller.T[self.teller])
        return counts


@dataclass
class JointValues:
    """The sensitive values of a table, numbered as they are met."""

    columns: tuple[str, ...]
    sayings: dict[tuple[int, ...], int] = field(default_factory=dict)
    """a value of each sensitive column -> number of the saying"""
    sets: dict[tuple[int, ...], int] = field(default_factory=dict)
    """sayings, ascending -> sensitive value of the table"""

    def told(
        self, values: Mapping[str, tuple[str, ...]], categories: Mapping[str, Mapping[str, tuple[int, ...]]]
    ) -> tuple[ToldColumn, ...]:
        """values, categories: of each sensitive column."""
        sayings = list(self.sayings)
        found = []
        for place, name in enumerate(self.columns):
            entries = sorted({(code, sayings[saying][place]) for said, code in self.sets.items() for saying in said})
            teller, told = np.array(entries, np.int32).reshape(-1, 2).T
            found.append(ToldColumn(name, values[name], categories[name], teller.copy(), told.copy()))
        return tuple(found)

    def labels(self, values: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        """A name for each sensitive value of the table."""
        sayings = [
            " / ".join(values[name][code] for name, code in zip(self.columns, saying, strict=True))
            for saying in self.sayings
        ]
        return tuple(", ".join(sayings[saying] for saying in said) for said in self.sets)


@dataclass(frozen=True)
class Records:
    """The distinct records of a table: rows or, with a person column, people."""

    single: Int32s
    """column of which a record has one value x record -> its code"""
    sensitive: Int32s
    """record -> sensitive value of the table, SUPPRESSED for a star; 0 throughout where no column is sensitive"""
    counts: Int64s


def count_records(
    engine: Engine,
    single: Mapping[str, Mapping[str, int]],
    sensitive: Mapping[str, Mapping[str, int]],
    person: str | None,
    joint: JointValues,
    table: str = ORIGINAL,
) -> Records:
    """Counts the distinct records of a stored table. single, sensitive: column -> the code of each value.

    joint: learns what it does not know yet.
    """
    codes = {**single, **sensitive}
    if person is None:
        columns, counts = engine.count(codes, table)
        said = _sayings(columns[len(single) :], joint)
        values = np.array([_value((saying,), joint) for saying in range(len(joint.sayings))], np.int32)
        return Records(columns[: len(single)], _of_records(said, values), counts)
    owners, columns = engine.owned(person, codes, table)
    starts = np.flatnonzero(np.append(True, owners[1:] != owners[:-1]))
    own = columns[: len(single)]
    _check_constant(own, starts, owners, tuple(single), person)
    sets = _sets(_sayings(columns[len(single) :], joint), starts, joint)
    people = np.vstack((own[:, starts], sets - SUPPRESSED))
    _, first, number = np.unique(column_codes(people), return_index=True, return_inverse=True)
    return Records(own[:, starts[first]], sets[first], np.bincount(number, minlength=len(first)).astype(np.int64))


def _sayings(columns: Int32s, joint: JointValues) -> Int32s:
    """row -> the number of what it says; SUPPRESSED where that is starred"""
    if not len(columns):
        joint.sayings.setdefault((), 0)
        return np.zeros(columns.shape[1], np.int32)
    _, first, number = np.unique(column_codes(columns - SUPPRESSED), return_index=True, return_inverse=True)
    numbers = [
        SUPPRESSED if min(saying) < 0 else joint.sayings.setdefault(saying, len(joint.sayings))
        for saying in map(tuple, columns[:, first].T.tolist())
    ]
    return np.array(numbers, np.int32)[number]


def _value(said: tuple[int, ...], joint: JointValues) -> int:
    return joint.sets.setdefault(said, len(joint.sets))


def _of_records(said: Int32s, values: Int32s) -> Int32s:
    return np.where(said < 0, SUPPRESSED, values[said]).astype(np.int32)


def _sets(said: Int32s, starts: Int64s, joint: JointValues) -> Int32s:
    """person -> the number of what their rows say together; rows are sorted by person"""
    owner = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(said))))
    pairs = np.unique(np.stack((owner, said)), axis=1)
    first = np.searchsorted(pairs[0], np.arange(len(starts)))
    length = np.diff(np.append(first, pairs.shape[1]))
    # Two people say the same when they do so at every place; the numbers of equal beginnings are refined step by step.
    same = np.zeros(len(starts), np.int64)
    for place in range(int(length.max(initial=0))):
        longer = np.flatnonzero(length > place)
        both = np.stack((same[longer], pairs[1, first[longer] + place] - SUPPRESSED))
        number = np.unique(column_codes(both), return_inverse=True)[1]
        same[longer] = same.max() + 1 + number
    _, example, number = np.unique(same, return_index=True, return_inverse=True)
    numbers = []
    for person in example.tolist():
        said_by = tuple(pairs[1, first[person] : first[person] + length[person]].tolist())
        numbers.append(SUPPRESSED if SUPPRESSED in said_by else _value(said_by, joint))
    return np.array(numbers, np.int32)[number]


def _check_constant(own: Int32s, starts: Int64s, owners: Int64s, columns: Sequence[str], person: str) -> None:
    """A person is in one group, whatever is published, only if their rows agree in every quasi-identifier."""
    first = np.repeat(own[:, starts], np.diff(np.append(starts, len(owners))), axis=1)
    differs = {
        column: len(np.unique(owners[row != of_first]))
        for column, row, of_first in zip(columns, own, first, strict=True)
    }
    varying = {column: people for column, people in differs.items() if people}
    if varying:
        told = listed(f"{column} for {people:,}" for column, people in varying.items())
        raise InputError(
            f"The rows of one {person} differ in quasi-identifiers: {told} of {len(starts):,} people. Groups count "
            "people, so everybody needs one value; settle it in the data, set at_most to a level at which it is the "
            "same, or give the column another role."
        )
