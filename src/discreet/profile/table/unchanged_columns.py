"""Columns that are published as they are and could undo the generalizing of the others, and rows that are not people.

Nobody can say from the data alone whether a column is known to an adversary. What can be counted is how much it would
help the adversary: whether its values are nearly all different, and how many records become unique when it is known on
top of the quasi-identifiers.

A promise counts records, and means people. Where an identifier is repeated, the two are not the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from discreet.encode.table import Encoding
from discreet.engine import Engine
from discreet.policy import TablePolicy
from discreet.profile.hints import KNOWN, hint, is_secret, own
from discreet.taxonomy import MISSING

NEARLY_UNIQUE = 0.9
"""distinct values as a share of the rows that have one"""
ADDS_MUCH = 0.1
"""records that become unique, as a share of all"""
FEWEST_ROWS = 3
"""With two records all columns may differ, which means nothing."""
FEWEST_TO_JUDGE = 10
"""With so few records, the secrets may all differ and two persons may share a name."""
EACH_ITS_OWN = 0.95
"""distinct values as a share: below it, persons have several records"""
FEWEST_PERSONS = 0.1
"""distinct values as a share: below it, a column hardly tells persons apart"""


def warn_of_unchanged(engine: Engine, policy: TablePolicy, encoding: Encoding) -> Iterator[str]:
    """A sentence for each column that stays as it is and looks as if it should not, and for people with many rows."""
    rows = encoding.table.rows
    if rows < FEWEST_ROWS:
        return
    yield from _warn_of_repeats(engine, policy.columns("identifier"), rows)
    yield from _warn_of_own_secrets(engine, policy.columns("sensitive"), rows)
    unchanged = (*policy.columns("insensitive"), *policy.columns("class"))
    if not unchanged:
        return
    quasi_identifiers = policy.columns("quasi-identifier")
    unique: int | None = None
    for column in unchanged:
        role = policy.attributes[column].role
        distinct, present = _counts(engine, column)
        if distinct >= NEARLY_UNIQUE * present and distinct > 1:
            yield (
                f"{column} has the role {role} and is published as it is, but nearly every record has a value of its "
                f"own ({distinct:,} in {present:,} records): anyone who knows it finds the record. Give it the "
                "role identifier, which drops it, or quasi-identifier."
            )
            continue
        with_it = engine.unique_rows((*quasi_identifiers, column))
        if with_it < ADDS_MUCH * rows:
            continue  # so it does not add as many, either
        if unique is None:
            unique = engine.unique_rows(quasi_identifiers)
        added = with_it - unique
        if added >= ADDS_MUCH * rows:
            yield (
                f"{column} has the role {role} and is published as it is, but with it {added:,} more of {rows:,} "
                f"records are unique in the original than by the quasi-identifiers alone ({unique:,}). If others may "
                "know it, give it the role quasi-identifier."
            )


def _warn_of_repeats(engine: Engine, identifiers: tuple[str, ...], rows: int) -> Iterator[str]:
    """Whether persons have several records, by the identifier that tells most of them apart.

    A column whose name says that each person has one of their own is enough by itself. Any other may be dropped for
    other reasons than that it points to a person: it has to have many values, and a name that says nothing else.
    """
    if rows < FEWEST_TO_JUDGE:
        return
    own_ones = [column for column in identifiers if own(column, numbers=True)]
    others = [column for column in identifiers if not hint(column, KNOWN) and not is_secret(column)]
    most: tuple[str, int, int] | None = None
    for column in own_ones or others:
        if engine.unique_rows((column,)) >= EACH_ITS_OWN * rows:
            return
        distinct, present = _counts(engine, column)
        if present and (most is None or distinct * most[2] > most[1] * present):
            most = (column, distinct, present)
    if most is None:
        return
    column, distinct, present = most
    if distinct >= EACH_ITS_OWN * present or (not own_ones and distinct < FEWEST_PERSONS * present):
        return
    values = f"its {distinct:,} values" if distinct > 1 else "its only value"
    yield (
        f"{column} has the role identifier, and {present:,} records share {values}. If a value is a "
        "person, people have several records, and the promise counts records: all of a group may be one person's, who "
        "is then not hidden in it. Give it the role person, and groups count people; or keep one record for each "
        "person in the data."
    )


def _warn_of_own_secrets(engine: Engine, sensitive: tuple[str, ...], rows: int) -> Iterator[str]:
    for column in sensitive if rows >= FEWEST_TO_JUDGE else ():
        distinct, present = _counts(engine, column)
        if distinct >= NEARLY_UNIQUE * present and distinct > 1:
            yield (
                f"{column} is sensitive, and nearly every record has a value of its own ({distinct:,} in {present:,} "
                "records). Where the promise allows, it is published as it is: anyone who knows a value finds the "
                "record, and a text may even name the person. Group its values into a few classes in the data, or "
                "give it the role identifier, which drops it."
            )


def _counts(engine: Engine, column: str) -> tuple[int, int]:
    """How many different values there are, and how many records that have one."""
    values, counts = engine.distinct(column)
    present = [int(count) for value, count in zip(values, counts, strict=True) if value != MISSING]
    return len(present), sum(present)
