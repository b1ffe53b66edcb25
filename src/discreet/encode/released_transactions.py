"""Released transactions as their reader counts them: the distinct published ones, placed in the original's taxonomy."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.encode.transactions import Int64s, Sets


@dataclass(frozen=True, eq=False)
class ReleasedTransactions:
    """The distinct transactions of a release with their counts; nodes and codes are those of the encoded original."""

    nodes: Sets
    """distinct published transaction -> nodes of the taxonomy"""
    sensitive: Sets
    """distinct published transaction -> codes of its sensitive items; all empty where they are published apart"""
    counts: Int64s
    groups: Int64s | None = None
    """where sensitive items are published apart: the group of each distinct transaction (then distinct within it)"""
    group_sensitive: Int64s | None = None
    """group x sensitive item -> how many transactions of the group have it"""

    @property
    def transactions(self) -> int:
        return int(self.counts.sum())
