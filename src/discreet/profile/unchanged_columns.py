"""Columns that are published as they are and could undo the generalizing of the others.

Nobody can tell from the data alone whether a column is known to an adversary. What can be counted is how much it would
help him: whether its values are nearly all different, and how many records become unique when it is known on top of
the quasi-identifiers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
import numpy.typing as npt

from discreet.policy import Policy
from discreet.taxonomy import MISSING

NEARLY_UNIQUE = 0.9
"""distinct values as a share of the rows that have one"""
ADDS_MUCH = 0.1
"""records that become unique, as a share of all"""
FEWEST_ROWS = 3
"""Of two records all columns may differ, and mean nothing."""


class CountingEngine(Protocol):
    """What is asked of an engine here."""

    def distinct(self, column: str, table: str = ...) -> tuple[tuple[str, ...], npt.NDArray[np.int64]]: ...

    def unique_rows(self, columns: tuple[str, ...]) -> int: ...


def warn_of_unchanged(engine: CountingEngine, policy: Policy, rows: int) -> Iterator[str]:
    """A sentence for each column that stays as it is and looks as if it should not."""
    unchanged = (*policy.columns("insensitive"), *policy.columns("class"))
    if not unchanged or rows < FEWEST_ROWS:
        return
    quasi_identifiers = policy.columns("quasi-identifier")
    unique = engine.unique_rows(quasi_identifiers)
    for column in unchanged:
        role = policy.attributes[column].role
        values, counts = engine.distinct(column)
        present = [int(count) for value, count in zip(values, counts, strict=True) if value != MISSING]
        if len(present) >= NEARLY_UNIQUE * sum(present) and len(present) > 1:
            yield (
                f"{column} has the role {role} and is published as it is, but nearly every record has a value of its "
                f"own ({len(present):,} in {sum(present):,} records): whoever knows it finds the record. Give it the "
                "role identifier, which drops it, or quasi-identifier."
            )
            continue
        added = engine.unique_rows((*quasi_identifiers, column)) - unique
        if added >= ADDS_MUCH * rows:
            yield (
                f"{column} has the role {role} and is published as it is, but with it {added:,} more of {rows:,} "
                f"records are unique in the original than by the quasi-identifiers alone ({unique:,}). If others may "
                "know it, give it the role quasi-identifier."
            )
