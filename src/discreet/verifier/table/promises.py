"""The promises about tables, each read from a certificate and checked by its definition; a new one is one entry here.

On every partition of n rows:

- l+-diversity: a sensitive value with threshold p/q that shows in m of the rows keeps m * q <= p * n;
- l-diversity: the same with 1/l for every value;
- k-anonymity: n >= k.

A suppressed value `*` counts in n and is itself no sensitive value. Missing is a value like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from discreet.engine.published import PublishedGroups
from discreet.errors import InputError
from discreet.verifier.certificate import mapping, only_keys, share, text, whole
from discreet.verifier.table.claims import SUPPRESSED, Columns
from discreet.verifier.verdict import MOST_WITNESSES, Breach, counted, shown, some


class TablePromise(Protocol):
    """A promise about partitions; as text it says what is promised."""

    @property
    def model(self) -> str: ...

    @property
    def needs_sensitive(self) -> bool: ...

    @property
    def closed_under_union(self) -> bool:
        """Whether it holds of several groups together where it holds of each, as local recoding needs."""
        ...

    @property
    def says_nothing(self) -> bool:
        """Whether every release keeps it."""
        ...

    def breaches(self, groups: PublishedGroups, columns: Columns) -> Iterator[Breach]: ...


@dataclass(frozen=True)
class Diversity:
    """l+-diversity and its special case l-diversity: one threshold for all values, or one for each."""

    model: str
    thresholds: Fraction | Mapping[str, Fraction]
    needs_sensitive: bool = True
    closed_under_union: bool = True

    @property
    def says_nothing(self) -> bool:
        shares = [self.thresholds] if isinstance(self.thresholds, Fraction) else self.thresholds.values()
        return all(share == 1 for share in shares)

    def __str__(self) -> str:
        if isinstance(self.thresholds, Fraction):
            return f"{self.model}: no sensitive value has more than {self.thresholds} of a partition."
        shares = [f"{shown(value)} {threshold}" for value, threshold in self.thresholds.items()]
        return f"{self.model}: no sensitive value has more of a partition than its threshold ({some(shares)})."

    def breaches(self, groups: PublishedGroups, columns: Columns) -> Iterator[Breach]:
        if isinstance(self.thresholds, Mapping):
            yield from _unbounded_values(groups, self.thresholds)
        number, cases = groups.above_share(self.thresholds, SUPPRESSED, MOST_WITNESSES)
        if number:
            yield Breach(
                self.model,
                f"{counted(number, 'time')} a sensitive value has more of a partition than its threshold.",
                tuple(
                    f"partition {partition(columns, keys)} of {counted(size, 'row')}: {shown(value)} in "
                    f"{times}, more than {bound} of them"
                    for value, times, size, bound, keys in cases
                ),
            )


def _unbounded_values(groups: PublishedGroups, thresholds: Mapping[str, Fraction]) -> Iterator[Breach]:
    """A visible sensitive value without a threshold: nothing was promised about it, so nothing holds."""
    number, found = groups.values_without(thresholds, SUPPRESSED, MOST_WITNESSES)
    if number:
        yield Breach(
            "threshold",
            f"{counted(number, 'visible sensitive value')} without a threshold.",
            tuple(f"{shown(value)} in {counted(rows, 'row')} has no threshold" for value, rows in found),
        )


@dataclass(frozen=True)
class Anonymity:
    """k-anonymity: no partition is small."""

    k: int
    model: str = "k-anonymity"
    needs_sensitive: bool = False
    closed_under_union: bool = True

    @property
    def says_nothing(self) -> bool:
        return self.k == 1

    def __str__(self) -> str:
        return f"{self.model}: every partition has at least {counted(self.k, 'row')}."

    def breaches(self, groups: PublishedGroups, columns: Columns) -> Iterator[Breach]:
        number, found = groups.smaller_than(self.k, MOST_WITNESSES)
        if number:
            yield Breach(
                self.model,
                f"{counted(number, 'partition')} with fewer than {counted(self.k, 'row')}.",
                tuple(
                    f"partition {partition(columns, keys)}: {counted(size, 'row')}, fewer than {self.k}"
                    for size, keys in found
                ),
            )


def partition(columns: Columns, values: Sequence[str]) -> str:
    """A partition as a witness names it."""
    cells = zip(columns.quasi_identifiers, values, strict=True)
    return "(" + ", ".join(f"{column!r}: {shown(value)}" for column, value in cells) + ")"


def _read_anonymity(entry: Mapping[str, object], where: str) -> TablePromise:
    only_keys(entry, {"model", "k"}, where)
    return Anonymity(whole(entry["k"], f"{where}: k"))


def _read_l_diversity(entry: Mapping[str, object], where: str) -> TablePromise:
    only_keys(entry, {"model", "l"}, where)
    return Diversity("l-diversity", Fraction(1, whole(entry["l"], f"{where}: l")))


def _read_l_plus_diversity(entry: Mapping[str, object], where: str) -> TablePromise:
    only_keys(entry, {"model", "thresholds"}, where)
    return Diversity("l-plus-diversity", _read_thresholds(entry["thresholds"], where))


TABLE_PROMISES: dict[str, Callable[[Mapping[str, object], str], TablePromise]] = {
    "k-anonymity": _read_anonymity,
    "l-diversity": _read_l_diversity,
    "l-plus-diversity": _read_l_plus_diversity,
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
    promise = TABLE_PROMISES[model](entry, where)
    if promise.needs_sensitive and columns.sensitive is None:
        raise InputError(f"{where}: {promise.model} is about a sensitive column, and no column is one.")
    if columns.recoding == "local" and not promise.closed_under_union:
        raise InputError(f"{where}: {promise.model} does not hold of overlapping groups because it holds of each.")
    return promise


def _read_thresholds(entry: object, where: str) -> Fraction | Mapping[str, Fraction]:
    if not isinstance(entry, Mapping):
        return share(entry, f"{where}: thresholds")
    thresholds = mapping(entry, f"{where}: thresholds")
    if SUPPRESSED in thresholds:
        raise InputError(f"{where}: {SUPPRESSED!r} stands for a suppressed value and can have no threshold.")
    return {value: share(bound, f"{where}: threshold of {value!r}") for value, bound in thresholds.items()}
