"""What verification finds: values only, the same for every kind of data."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from discreet.values.notebook import named_lines
from discreet.values.words import counted as counted_with_commas

FORMAT = "discreet-verdict/1"
MOST_WITNESSES = 10
LONGEST_VALUE = 60


@dataclass(frozen=True)
class Breach:
    """One check that failed: which, in a sentence with how often, and some of the places."""

    kind: str
    sentence: str
    witnesses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """Whether a release keeps its promise, what was checked, and what contradicts it."""

    holds: bool
    promise: tuple[str, ...]
    rows: int
    partitions: int
    breaches: tuple[Breach, ...] = ()
    notes: tuple[str, ...] = ()
    hollow: str | None = None
    """why the promise holds without protecting anybody, as a sentence"""
    unproved: str | None = None
    """what of the promise no file can prove, as a sentence"""
    row: str = "row"
    """what a row is called"""
    partition: str = "partition"
    people: int | None = None
    """how many there are, where a pseudonym tells whose row each is"""

    @property
    def records(self) -> int:
        """How many there are of what groups consist of: rows, or people where these are told."""
        return self.rows if self.people is None else self.people

    @property
    def sentence(self) -> str:
        """What is to be said first."""
        if not self.holds:
            return "FAIL: the promise does not hold"
        if self.hollow:
            return f"PASS, but nobody is protected by it: {self.hollow}"
        return f"NOT PROVED, only not contradicted: {self.unproved}" if self.unproved else "PASS: the promise holds"

    @property
    def checked(self) -> str:
        """What was looked at, in words."""
        return f"{counted_with_commas(self.rows, self.row)} in {counted_with_commas(self.partitions, self.partition)}"

    def as_dict(self) -> dict[str, Any]:
        """All of it, as JSON can hold it."""
        return {"format": FORMAT, **asdict(self)}

    def _repr_html_(self) -> str:
        lines = [("Promise", promise) for promise in self.promise]
        lines += [("Verdict", self.sentence), ("Checked", self.checked)]
        lines += [("Note", note) for note in self.notes]
        for breach in self.breaches:
            lines += [("Breach", breach.sentence), *(("", witness) for witness in breach.witnesses)]
        return named_lines(lines)


def within_witness_limit(breaches: Iterable[Breach]) -> tuple[Breach, ...]:
    """The same breaches with at most ten witnesses over all, the first ones first."""
    left = MOST_WITNESSES
    kept = []
    for breach in breaches:
        witnesses = breach.witnesses[:left]
        left -= len(witnesses)
        kept.append(replace(breach, witnesses=witnesses))
    return tuple(kept)


def some(words: Sequence[str]) -> str:
    """A list for a sentence that stays readable however long it is."""
    shown = ", ".join(words[:MOST_WITNESSES])
    rest = len(words) - MOST_WITNESSES
    return f"{shown} and {rest} more" if rest > 0 else shown


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """`1 row`, `3 rows`."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or f'{noun}s'}"


def shown(value: str) -> str:
    """A published value as it may be printed: missing is named, control characters are escaped, a long one is cut."""
    if len(value) > LONGEST_VALUE:
        return f"{value[:LONGEST_VALUE]!r}..."
    return repr(value) if value else "(missing)"
