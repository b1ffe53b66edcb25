"""What is wrong with a published table, row by row: the slow twin of the verifier of tables.

Written from the definitions alone. A partition is the rows that are equal in all quasi-identifiers. It consists of its
rows, or of its people where a column tells whose row each is. A value has those with a row that shows it, a label of a
taxonomy those with a row that shows a value at or below it. Nothing of discreet is imported.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

STAR = "*"
Row = Mapping[str, str]
Parents = Mapping[str, str | None]


@dataclass(frozen=True)
class Diverse:
    """A limit for single values and labels, and one for every other value."""

    column: str
    thresholds: Mapping[str, Fraction]
    default: Fraction | None


@dataclass(frozen=True)
class Certified:
    """What is claimed of a table."""

    keys: Sequence[str]
    taxonomies: Mapping[str, Parents]
    """of some of the sensitive columns"""
    person: str | None
    k: int
    promises: Sequence[Diverse]


def at_or_above(value: str, parents: Parents) -> list[str]:
    """The value and all labels above it."""
    way = [value]
    while (upper := parents.get(way[-1])) is not None:
        way.append(upper)
    return way


def partitions(rows: Sequence[Row], keys: Sequence[str]) -> list[list[Row]]:
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    return list(groups.values())


def size(rows: Collection[Row], person: str | None) -> int:
    return len(rows) if person is None else len({row[person] for row in rows})


def faults(rows: Sequence[Row], claims: Certified) -> set[tuple[str, str]]:
    """What is wrong, as kind and column."""
    found = set()
    groups = partitions(rows, claims.keys)
    if claims.person is not None:
        for row in rows:
            homes = [group for group in groups if any(other[claims.person] == row[claims.person] for other in group)]
            if row[claims.person] in ("", STAR) or len(homes) > 1:
                found.add(("person", claims.person))
    for column, parents in claims.taxonomies.items():
        if any(row[column] not in parents and row[column] not in ("", STAR) for row in rows):
            found.add(("taxonomy", column))
    for group in groups:
        whole = size(group, claims.person)
        if whole < claims.k:
            found.add(("small", ""))
        for promise in claims.promises:
            parents = claims.taxonomies.get(promise.column, {})
            visible = [row for row in group if row[promise.column] != STAR]
            for value in {row[promise.column] for row in visible}:
                if promise.default is None and not set(at_or_above(value, parents)) & promise.thresholds.keys():
                    found.add(("threshold", promise.column))
                if promise.default is not None and value not in promise.thresholds:
                    showing = [row for row in visible if row[promise.column] == value]
                    if size(showing, claims.person) > promise.default * whole:
                        found.add(("share", promise.column))
            for label, threshold in promise.thresholds.items():
                below = [row for row in visible if label in at_or_above(row[promise.column], parents)]
                if size(below, claims.person) > threshold * whole:
                    found.add(("share", promise.column))
    return found
