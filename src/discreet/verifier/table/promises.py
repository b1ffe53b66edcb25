"""The promises about tables, each read from a certificate and checked by its definition; a new one is one entry here.

On every partition of n rows, or of n people where a column tells whose row each is:

- l+-diversity: a sensitive value with threshold p/q that m of them show keeps m * q <= p * n; so does a label of the
  values' taxonomy with such a threshold, of which m show a value at or below it;
- l-diversity: the same with 1/l for every value;
- k-anonymity: n >= k;
- condensed-groups: nothing can be checked but that there are as many rows as one group has to have;
- promises about all values of a partition together are in `histograms`.

Somebody shows a value who has a row with it. A suppressed value `*` counts in n and is itself no sensitive value.
Missing is a value like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from discreet.engine.published import PublishedGroups, Shares
from discreet.errors import InputError
from discreet.verifier.certificate import brief, mapping, only_keys, share, text, whole
from discreet.verifier.table.claims import SUPPRESSED, Columns
from discreet.verifier.table.histograms import READERS
from discreet.verifier.table.naming import partition, sensitive_column
from discreet.verifier.taxonomy import labels_above
from discreet.verifier.verdict import MOST_WITNESSES, Breach, counted, shown, some


class TablePromise(Protocol):
    """A promise about partitions; as text it says what is promised."""

    @property
    def model(self) -> str: ...

    @property
    def closed_under_union(self) -> bool:
        """Whether it holds of several groups together where it holds of each, as local recoding needs."""
        ...

    @property
    def says_nothing(self) -> bool:
        """Whether every release keeps it."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the promise should know."""
        ...

    @property
    def unproved(self) -> str | None:
        """What of it no file can prove, as a sentence."""
        ...

    def breaches(self, groups: PublishedGroups, columns: Columns) -> Iterator[Breach]: ...


@dataclass(frozen=True)
class Diversity:
    """l+-diversity and its special case l-diversity: thresholds for single values and labels, and one for the rest."""

    model: str
    column: str
    thresholds: Mapping[str, Fraction]
    default: Fraction | None
    """of every value without a threshold of its own"""
    labels: frozenset[str] = frozenset()
    """which of the thresholds bind a value together with all that lie below it"""
    of_column: str = ""
    """words that name the column where the promise does"""
    among: str = "a partition"
    idle: tuple[str, ...] = ()
    """thresholds of what the column's taxonomy does not have: no published value is one of these, or lies below"""
    closed_under_union: bool = True
    unproved: None = None

    @property
    def notes(self) -> tuple[str, ...]:
        if not self.idle:
            return ()
        named = some(list(map(brief, self.idle)))
        return (f"No published value of {self.column!r} is {named}, or lies below: so these thresholds bind nothing.",)

    @property
    def says_nothing(self) -> bool:
        return all(share == 1 for share in self.thresholds.values()) and self.default in (None, 1)

    def __str__(self) -> str:
        if self.default is not None and not self.thresholds:
            most = f"more than {self.default} of {self.among}"
            return f"{self.model}: no sensitive value{self.of_column} has {most}."
        shares = some([f"{shown(value)} {threshold}" for value, threshold in self.thresholds.items()])
        rest = "" if self.default is None else f"; {self.default} for any other"
        together = ", nor has a label with all that lies below it" if self.labels else ""
        most = f"more of {self.among} than its threshold{together} ({shares}{rest})"
        return f"{self.model}: no sensitive value{self.of_column} has {most}."

    def breaches(self, groups: PublishedGroups, columns: Columns) -> Iterator[Breach]:
        shares = Shares(self.thresholds, self.default, self._below(groups, columns))
        if self.default is None:
            yield from self._unbounded_values(groups, shares)
        number, cases = groups.above_share(self.column, shares, SUPPRESSED, MOST_WITNESSES)
        if number:
            yield Breach(
                self.model,
                f"{counted(number, 'time')} a sensitive value{self.of_column} has more of {self.among} than its "
                "threshold.",
                tuple(
                    f"partition {partition(columns, keys)} of {columns.members(size)}: {shown(value)}"
                    f"{' or below' if value in self.labels else ''} in {times}, more than {bound} of them"
                    for value, times, size, bound, keys in cases
                ),
            )

    def _below(self, groups: PublishedGroups, columns: Columns) -> list[tuple[str, str]]:
        """The visible values, each with every label above it that has a threshold."""
        parents = columns.sensitive[self.column]
        if parents is None or not self.labels:
            return []
        visible = [value for value, _ in groups.values(self.column) if value in parents and value != SUPPRESSED]
        pairs = []
        for pair in labels_above(parents, visible, self.labels):
            pairs.append(pair)
            columns.limits.allow("labels", len(pairs), f"The thresholds above values of {self.column!r}")
        return pairs

    def _unbounded_values(self, groups: PublishedGroups, shares: Shares) -> Iterator[Breach]:
        """A visible sensitive value without a threshold: nothing was promised about it, so nothing holds."""
        number, found = groups.values_without(self.column, shares, SUPPRESSED, MOST_WITNESSES)
        if number:
            yield Breach(
                "threshold",
                f"{counted(number, 'visible sensitive value')}{self.of_column} without a threshold.",
                tuple(f"{shown(value)} in {counted(rows, 'row')} has no threshold" for value, rows in found),
            )


@dataclass(frozen=True)
class Anonymity:
    """k-anonymity: no partition is small."""

    k: int
    least: str
    """k in words"""
    model: str = "k-anonymity"
    closed_under_union: bool = True
    notes: tuple[str, ...] = ()
    unproved: None = None

    @property
    def says_nothing(self) -> bool:
        return self.k == 1

    def __str__(self) -> str:
        return f"{self.model}: every partition has at least {self.least}."

    def breaches(self, groups: PublishedGroups, columns: Columns) -> Iterator[Breach]:
        number, found = groups.smaller_than(self.k, MOST_WITNESSES)
        if number:
            yield Breach(
                self.model,
                f"{counted(number, 'partition')} with fewer than {self.least}.",
                tuple(
                    f"partition {partition(columns, keys)}: {columns.members(size)}, fewer than {self.k}"
                    for size, keys in found
                ),
            )


@dataclass(frozen=True)
class CondensedGroups:
    """condensed-groups: how rows were made, which they do not show. All that can be seen is that there are enough."""

    k: int
    model: str = "condensed-groups"
    closed_under_union: bool = True
    notes: tuple[str, ...] = ()
    unproved: str = (
        "the rows do not show from how many people they were made; it is the steward's word that the promise is kept, "
        "and this is no certificate of it."
    )

    @property
    def says_nothing(self) -> bool:
        return self.k == 1

    def __str__(self) -> str:
        return (
            f"No file can prove this; the steward states it: {self.model}, every row was made from the means and "
            f"covariances of groups of at least {counted(self.k, 'person', 'people')}."
        )

    def breaches(self, groups: PublishedGroups, columns: Columns) -> Iterator[Breach]:
        if groups.rows < self.k:
            yield Breach(
                self.model,
                f"{counted(groups.rows, 'row')}, and a group of at least {self.k} records makes as many rows at least.",
            )


def _read_condensed_groups(entry: Mapping[str, object], columns: Columns, where: str) -> TablePromise:
    only_keys(entry, {"model", "k"}, where)
    bare = [column for column in (*columns.quasi_identifiers, *columns.sensitive) if column not in columns.numbers]
    if columns.recoding != "synthetic" or bare:
        raise InputError(
            f"{where}: condensed-groups is about rows of numbers that were made up, and nothing says that "
            f"{'these were' if columns.recoding != 'synthetic' else f'those of {bare[0]!r} were'}."
        )
    if others := [column for column, role in columns.roles.items() if role in ("insensitive", "person")]:
        raise InputError(
            f"{where}: condensed-groups leaves no column as it was but the class, and {others[0]!r} is one."
        )
    return CondensedGroups(whole(entry["k"], f"{where}: k"))


def _read_anonymity(entry: Mapping[str, object], columns: Columns, where: str) -> TablePromise:
    only_keys(entry, {"model", "k"}, where)
    k = whole(entry["k"], f"{where}: k")
    return Anonymity(k, columns.members(k))


def _read_l_diversity(entry: Mapping[str, object], columns: Columns, where: str) -> TablePromise:
    only_keys(entry, {"model", "l"}, where, {"column"})
    return _diversity(entry, columns, where, {}, Fraction(1, whole(entry["l"], f"{where}: l")))


def _read_l_plus_diversity(entry: Mapping[str, object], columns: Columns, where: str) -> TablePromise:
    only_keys(entry, {"model", "thresholds"}, where, {"column", "default"})
    if not isinstance(entry["thresholds"], Mapping):
        if "default" in entry:
            raise InputError(f"{where}: default goes with thresholds for single values, and here is one for all.")
        return _diversity(entry, columns, where, {}, share(entry["thresholds"], f"{where}: thresholds"))
    stated = mapping(entry["thresholds"], f"{where}: thresholds")
    if SUPPRESSED in stated:
        raise InputError(f"{where}: {SUPPRESSED!r} stands for a suppressed value and can have no threshold.")
    thresholds = {value: share(bound, f"{where}: threshold of {value!r}") for value, bound in stated.items()}
    default = share(entry["default"], f"{where}: default") if "default" in entry else None
    return _diversity(entry, columns, where, thresholds, default)


def _diversity(
    entry: Mapping[str, object],
    columns: Columns,
    where: str,
    thresholds: Mapping[str, Fraction],
    default: Fraction | None,
) -> Diversity:
    column = sensitive_column(entry, columns, where)
    parents = columns.sensitive[column]
    labels = idle = frozenset[str]()
    if parents is not None:
        idle = frozenset(thresholds.keys() - parents.keys() - {""})
        labels = frozenset(thresholds.keys() & set(parents.values()))
    return Diversity(
        str(entry["model"]),
        column,
        thresholds,
        default,
        labels,
        f" of {column!r}" if "column" in entry else "",
        "a partition" if columns.person is None else "the people of a partition",
        idle=tuple(sorted(idle)),
    )


TABLE_PROMISES: dict[str, Callable[[Mapping[str, object], Columns, str], TablePromise]] = {
    "condensed-groups": _read_condensed_groups,
    "k-anonymity": _read_anonymity,
    "l-diversity": _read_l_diversity,
    "l-plus-diversity": _read_l_plus_diversity,
    **READERS,
}
"""Model -> what reads its entry of a certificate."""


def read_promises(entries: Sequence[object], columns: Columns, where: str) -> list[TablePromise]:
    """Read promises; a model or a parameter that this version does not know is an error, never a pass."""
    return [
        _read_promise(mapping(entry, where), columns, f"{where} {place}")
        for place, entry in enumerate(entries, start=1)
    ]


def _read_promise(entry: Mapping[str, object], columns: Columns, where: str) -> TablePromise:
    model = text(entry.get("model"), f"{where}: model")
    if model not in TABLE_PROMISES:
        raise InputError(f"{where}: the model {model!r} is not one this version can verify.")
    promise = TABLE_PROMISES[model](entry, columns, where)
    if columns.recoding == "local" and not promise.closed_under_union:
        raise InputError(f"{where}: {promise.model} does not hold of overlapping groups because it holds of each.")
    return promise
