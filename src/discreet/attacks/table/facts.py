"""What an adversary may learn about somebody: the values of every sensitive column, and the categories promised about.

In most tables these are simply the values of the one sensitive column. Where there are several columns, where a person
has several rows, or where a category has a threshold of its own, a record has several of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.attacks.table.groups import Groups, Thresholds
from discreet.encode.joint import ToldColumn
from discreet.encode.table import EncodedTable
from discreet.models.demands import together
from discreet.models.partition_limits import Demand, PartitionLimits
from discreet.models.table import TableModel
from discreet.search.table.problem import demand_of
from discreet.values.arrays import Int32s, Int64s


@dataclass(frozen=True)
class Facts:
    names: tuple[str, ...]
    thresholds: Thresholds
    teller: Int32s
    """entry -> sensitive value of the table, ascending"""
    told: Int32s
    """entry -> fact that whoever has the value has"""
    is_plain: bool
    """whether facts are the table's sensitive values, so that a record has exactly one"""

    @classmethod
    def of(cls, promises: Sequence[TableModel], table: EncodedTable) -> Facts:
        demand = demand_of(promises, table)
        if not table.is_joint and not (isinstance(demand, PartitionLimits) and demand.sums):
            same = np.arange(len(table.sensitive_values), dtype=np.int32)
            return cls(table.sensitive_values, _promised(demand), same, same, is_plain=True)
        names: list[str] = []
        thresholds: list[Fraction | None] = []
        entries: list[tuple[int, int]] = []
        for column in table.told:
            prefix = f"{column.name}: " if len(table.told) > 1 else ""
            limits = _limits(promises, table, column)
            first = len(names)
            names += [f"{prefix}{value}" for value in column.values]
            thresholds += _promised(limits)
            entries += zip(column.teller.tolist(), (column.told + first).tolist(), strict=True)
            having = column.having()
            for limit in limits.sums if isinstance(limits, PartitionLimits) else ():
                entries += [
                    (teller, len(names)) for teller in {code for value in limit.values for code in having[value]}
                ]
                names.append(f"{prefix}{limit.label}")
                thresholds.append(_below_one(limit.share))
        teller, told = np.array(sorted(entries), np.int32).reshape(-1, 2).T
        return cls(tuple(names), tuple(thresholds), teller.copy(), told.copy(), is_plain=False)

    def tellers(self) -> list[list[int]]:
        """fact -> the table's sensitive values that tell it"""
        tellers: list[list[int]] = [[] for _ in self.names]
        for teller, told in zip(self.teller.tolist(), self.told.tolist(), strict=True):
            tellers[told].append(teller)
        return tellers

    def counts(self, table: EncodedTable) -> Int64s:
        """How many records of the original have each."""
        of_values = np.array(table.sensitive_column.counts, np.int64)
        return np.bincount(self.told, weights=of_values[self.teller], minlength=len(self.names)).astype(np.int64)

    def groups(self, keys: Int32s, sensitive: Int32s, counts: Int64s) -> Groups:
        """Records by their keys, with the facts that they show; a sensitive code below 0 is a suppressed value."""
        if self.is_plain:
            return Groups.of(keys, sensitive, counts, len(self.names))
        return Groups.telling(keys, sensitive, counts, self.teller, self.told, len(self.names))


def _limits(promises: Sequence[TableModel], table: EncodedTable, column: ToldColumn) -> Demand:
    of_column = table.by_column[column.name]
    return together([model.demand(of_column) for model in promises if model.column in (column.name, None)])


def _promised(demand: Demand) -> tuple[Fraction | None, ...]:
    return tuple(map(_below_one, demand.shares))


def _below_one(share: Fraction) -> Fraction | None:
    """A share as a threshold; none where it limits nothing."""
    return None if share >= 1 else share
