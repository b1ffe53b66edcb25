"""Columns one by one: what kind of values they hold, how many, how many missing, how many that occur once.

A kind is only given when what follows from it works for `publish`: a column of numbers can be cut into intervals
and a column of dates into periods. So the patterns here accept at most what `taxonomy.intervals` and
`taxonomy.dates` accept. A column whose other values are few, such as a `?` for unknown, keeps its kind; these rows are
its exceptions.

Costs: each column is read once as text and coded; all else looks at its different values, and for a start at a
thousand of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from discreet.engine import Engine
from discreet.profile.hints import CODE, GIVEN_NAMES, hint, is_secret
from discreet.taxonomy import READY
from discreet.values.arrays import Int32s, Int64s

Kind = Literal["empty", "yes/no", "whole", "decimal", "date", "category", "code", "text", "long text"]
Pattern = Literal[
    "e-mail addresses",
    "phone numbers",
    "web addresses",
    "network addresses",
    "UUIDs",
    "social security numbers",
    "bank accounts",
    "card numbers",
    "dates",
    "names",
    "full names",
]

LONGEST_KEPT = 100
LOOKED_AT = 1000
NEARLY_ALL = 0.9
MOST_CATEGORIES = 50
MOST_EXCEPTIONS = 3
RARELY = 0.02
"""share of the rows: what is so rare does not make the kind of a column"""
LARGEST_NUMBER = 10**15
LONG_TEXT = 50
LONG_DIGITS = 10

_NUMBER = r"^\s*[+-]?(?:\d{1,15}(?:\.\d{0,20})?|\.\d{1,20})(?:[eE][+-]?\d{1,2})?\s*$"
_DATE = r"^\s*\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.*)?\s*$"
_DIGITS = r"^\d+$"
_LEADING_ZERO = r"^0\d"
_CODE = r"^[A-Za-z0-9][A-Za-z0-9 ./_-]*$"
_DAY, _MONTH, _YEAR = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])", r"(?:1[5-9]|2[01])\d{2}"
_CALENDAR_DATE = (
    rf"^(?:{_YEAR}[./-]{_MONTH}[./-]{_DAY}|(?:{_DAY}[./-]{_MONTH}|{_MONTH}[./-]{_DAY})[./-](?:{_YEAR}|\d{{2}}))"
    r"(?:[ T].*)?$"
)
_PERSONAL: dict[Pattern, str] = {
    "e-mail addresses": r"^[^@\s]+@[^@\s]+\.[^@\s]+$",
    "web addresses": r"^[a-z]{3,6}://\S+$",
    "network addresses": r"^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$",
    "UUIDs": r"^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$",
    "social security numbers": r"^(?:\d{3}-\d{2}-\d{4}|\d{3} \d{2} \d{4}|756\.\d{4}\.\d{4}\.\d{2})$",
    "bank accounts": (
        r"^[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]{4}){2} ?"
        r"(?:[A-Za-z0-9]{3}|[A-Za-z0-9]{4}(?: ?[A-Za-z0-9]{4}){0,4}(?: ?[A-Za-z0-9]{1,3})?)$"
    ),
    "card numbers": r"^[2-6]\d{3}(?:[ -]?\d{4}[ -]?\d{4}[ -]?\d{1,7}|[ -]?\d{6}[ -]?\d{5})$",
    "phone numbers": (
        r"^(?:\+\d[\d ()/.-]{5,18}|\(?0\d[\d]* ?[ ()/-][\d ()/-]{4,16}|\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}|"
        r"\(\d{3}\) ?\d{3}[ .-]?\d{4}|0\d{9,12})$"
    ),
}
"""They lead to a person, so half of the values is enough, of one pattern or several."""
_NAME = r"^\p{Lu}[\p{L}'\x{2019}.-]*,?(?: \p{L}{1,3}){0,2}(?: \p{Lu}[\p{L}'\x{2019}.-]*){1,3}$"
FEW_NOTES = 12
FEWEST_NAMES = 5
MANY_NAMES = 20
_YES_AND_NO = ({"yes", "no"}, {"true", "false"}, {"y", "n"}, {"t", "f"}, {"0", "1"}, {"ja", "nein"}, {"oui", "non"})
_SPACE = "\t\n\v\f\r "


@dataclass(frozen=True)
class Numbers:
    """The range of a column of numbers, and the range of the middle 98 % of its rows."""

    lowest: Fraction
    highest: Fraction
    low: Fraction
    high: Fraction
    running: bool
    """all whole, all different, none left out: they number the rows"""


@dataclass(frozen=True)
class Days:
    first: date
    last: date


@dataclass(frozen=True)
class Column:
    """What is known about one column; counts are of rows."""

    name: str
    kind: Kind
    rows: int
    distinct: int
    """different values, not counting the missing one"""
    missing: int
    unique: int
    """rows whose value occurs once; a missing value that is the only one counts"""
    largest: int
    """rows with the most frequent value"""
    exceptions: int
    """rows whose value is not of the kind"""
    shortest: int
    longest: int
    has_star: bool
    """is `*`, which a release uses for "anything", among the values?"""
    all_digits: bool = False
    pattern: Pattern | None = None
    numbers: Numbers | None = None
    days: Days | None = None
    ready: str | None = None
    """the taxonomy that ships with discreet and has a place for nearly all values"""
    prefixes: tuple[int, ...] = ()
    """lengths of prefixes, longest first, that sort the values into fewer and fewer groups"""
    categories: tuple[tuple[str, int], ...] = ()
    """the values with their counts, most frequent first and the missing one as empty text, where they are few"""

    @property
    def constant(self) -> bool:
        return self.distinct + (self.missing > 0) <= 1

    @property
    def present(self) -> int:
        """Rows that have a value."""
        return self.rows - self.missing

    @property
    def nearly_unique(self) -> bool:
        """Whether nearly every row that has a value has one of its own."""
        return self.distinct > 1 and self.distinct >= NEARLY_ALL * self.present

    @property
    def unique_share(self) -> float:
        return self.unique / self.rows

    @property
    def shape(self) -> str:
        """The length of its values, in words."""
        digits = "digit" if self.all_digits else "character"
        if self.shortest == self.longest:
            return f"{self.longest}-{digits} values"
        return f"values of {self.shortest:,} to {self.longest:,} {digits}s"


@dataclass(frozen=True)
class CodedColumn:
    """What is known about a column, its different values as Arrow text, and each row's value as a number."""

    column: Column
    values: Any
    codes: Int32s
    """missing values have the number after the last"""


def read_column(engine: Engine, name: str) -> CodedColumn:
    values, codes = engine.coded(name, LONGEST_KEPT)
    return CodedColumn(describe(name, values, codes), values, codes)


def describe(name: str, values: Any, codes: Int32s) -> Column:
    """The facts of a column from its different values (Arrow text) and its rows' numbers of them."""
    rows, distinct = len(codes), len(values)
    counts = np.bincount(codes, minlength=distinct + 1).astype(np.int64)
    missing = int(counts[distinct])
    lengths = np.asarray(pc.utf8_length(values), np.int64)
    facts: dict[str, Any] = {
        "name": name,
        "rows": rows,
        "distinct": distinct,
        "missing": missing,
        "unique": int(np.count_nonzero(counts == 1)),
        "largest": int(counts.max()),
        "exceptions": 0,
        "shortest": int(lengths.min()) if distinct else 0,
        "longest": int(lengths.max()) if distinct else 0,
        "has_star": bool(pc.any(pc.equal(values, "*")).as_py()),
    }
    if distinct <= MOST_CATEGORIES:
        facts["categories"] = _categories(values, counts)
    present = counts[:distinct]
    return Column(**{**facts, **_kind(name, values, present, lengths), **_ready(name, values, present)})


def _categories(values: Any, counts: Int64s) -> tuple[tuple[str, int], ...]:
    named = zip([*values.to_pylist(), ""], counts.tolist(), strict=True)
    return tuple(sorted(((value, count) for value, count in named if count), key=lambda pair: (-pair[1], pair[0])))


def _kind(name: str, values: Any, counts: Int64s, lengths: Int64s) -> dict[str, Any]:
    """The kind and what goes with it."""
    if not len(values):
        return {"kind": "empty"}
    sample = values.slice(0, LOOKED_AT)
    if len(values) == 2 and {str(value).lower() for value in sample.to_pylist()} in _YES_AND_NO:
        return {"kind": "yes/no"}
    is_code = _is_digit_code(name, values, counts, sample, lengths)
    if not is_code and (found := _numbers(values, counts, sample)):
        return found
    if found := _dates(values, counts, sample):
        return found
    if pattern := _pattern(sample):
        return {"kind": "text", "pattern": pattern}
    mean = float((lengths * counts).sum() / counts.sum())
    few = len(values) <= MOST_CATEGORIES and len(values) <= counts.sum() / 2
    names = {"pattern": _names(sample)}
    # A note that is repeated, as in all rows of a person, is not a category; a long name of a secret may be one.
    wordy = len(values) > FEW_NOTES and _share(sample, r"\S\s+\S+\s+\S") >= 0.5
    if few and not is_code and ((mean <= LONG_TEXT and not wordy) or is_secret(name)):
        return {"kind": "category", **names}
    if mean > LONG_TEXT or lengths.max() > LONGEST_KEPT:
        return {"kind": "long text"}
    if is_code or _is_code(sample, lengths, counts):
        # A value such as 80* would be taken for a prefix.
        has_stars = pc.any(pc.match_substring(values, "*")).as_py()
        return {
            "kind": "code",
            "all_digits": is_code,
            "prefixes": () if has_stars else _prefix_lengths(_usual(values, counts, lengths)),
        }
    return {"kind": "text", **names}


def _ready(name: str, values: Any, counts: Int64s) -> dict[str, Any]:
    """What follows for a column whose values a taxonomy that ships with discreet knows; nothing for any other."""
    sample = values.slice(0, LOOKED_AT).to_pylist()
    for key, ready in READY.items():
        if len(sample) < 2 or sum(map(ready.has_place, sample)) < NEARLY_ALL * len(sample):
            continue
        if hint(name, ready.hints) is None and 2 * sum(map(ready.is_telling, sample)) < len(sample):
            continue
        fits = np.array([ready.has_place(value) for value in values.to_pylist()])
        others = int(counts[~fits].sum())
        if others <= (1 - NEARLY_ALL) * int(counts.sum()):
            kind: Kind = "category" if key == "countries" else "code"
            return {"kind": kind, "ready": key, "exceptions": others, "numbers": None, "days": None, "pattern": None}
    return {}


def _pattern(sample: Any) -> Pattern | None:
    """How the values are written."""
    are_dates = pc.match_substring_regex(sample, _CALENDAR_DATE)
    if _mean(are_dates) >= NEARLY_ALL:
        return "dates"
    others = sample.filter(pc.invert(are_dates))
    matching = {pattern: pc.match_substring_regex(others, expression) for pattern, expression in _PERSONAL.items()}
    any_of_them = np.logical_or.reduce([np.asarray(matches) for matches in matching.values()])
    if 2 * np.count_nonzero(any_of_them) < len(sample):
        return None
    return max(matching, key=lambda pattern: _mean(matching[pattern]))


def _names(sample: Any) -> Pattern | None:
    """Whether the values look like names of persons.

    Either half of them hold a frequent given name, or nearly all consist of capitalized words of which neither the
    first nor the last is mostly the same, as it is in `North Ward` and `South Ward`. Two or three such values could be
    anything.
    """
    tokens = [text.replace(",", " ").split() for text in sample.to_pylist()]
    are_full = _share(sample, _NAME) >= 0.8
    if 2 * sum(any(word.lower() in GIVEN_NAMES for word in text[:4]) for text in tokens) >= len(tokens):
        return "full names" if are_full else "names"
    if 1 < len(tokens) < FEWEST_NAMES or not are_full:
        return None
    several = min(len(tokens) / 2, MANY_NAMES)
    differ = all(len({text[place] for text in tokens if text}) >= several for place in (0, -1))
    return "full names" if differ else None


def _share(values: Any, expression: str) -> float:
    """The share of the values that match."""
    return _mean(pc.match_substring_regex(values, expression))


def _mean(matches: Any) -> float:
    return float(pc.mean(matches.cast(pa.int8())).as_py()) if len(matches) else 0.0


def _is_digit_code(name: str, values: Any, counts: Int64s, sample: Any, lengths: Int64s) -> bool:
    """Digits that only look like a number: with zeros in front, long and all of one length, or named so.

    What else is in very few rows does not count.
    """
    if _share(sample, _DIGITS) < 0.5:
        return False
    fits = np.asarray(pc.match_substring_regex(values, _DIGITS))
    if counts[~fits].sum() > RARELY * counts.sum():
        return False
    values, lengths = values.filter(pa.array(fits)), lengths[fits]
    same_length = lengths.min() == lengths.max()
    if same_length and (lengths[0] >= LONG_DIGITS or (lengths[0] >= 3 and hint(name, CODE))):
        return True
    return lengths.max() > 1 and bool(pc.any(pc.match_substring_regex(values, _LEADING_ZERO)).as_py())


def _is_code(sample: Any, lengths: Int64s, counts: Int64s) -> bool:
    """Short, with a digit in it, and mostly of one length."""
    if lengths.max() > 20 or _share(sample, _CODE) < 0.95 or _share(sample, r"\d") < 0.8:
        return False
    by_length = np.bincount(lengths, weights=counts)
    usual = int(by_length.argmax())
    return usual >= 3 and float(by_length[max(usual - 1, 0) : usual + 2].sum()) >= 0.8 * float(counts.sum())


def _fitting(values: Any, counts: Int64s, sample: Any, expression: str) -> npt.NDArray[np.bool_] | None:
    """Which values match, when all but very few rows do."""
    if _share(sample, expression) < 0.5:
        return None
    fits = np.asarray(pc.match_substring_regex(values, expression))
    return fits if _few_exceptions(fits, counts) else None


def _few_exceptions(fits: npt.NDArray[np.bool_], counts: Int64s) -> bool:
    """A few values, even if some are frequent, or many in very few rows."""
    others = np.flatnonzero(~fits)
    rows, total = counts[others].sum(), counts.sum()
    few = len(others) <= MOST_EXCEPTIONS and rows <= 0.2 * total
    return bool(fits.any()) and (few or bool(rows <= RARELY * total))


def _numbers(values: Any, counts: Int64s, sample: Any) -> dict[str, Any] | None:
    fits = _fitting(values, counts, sample, _NUMBER)
    if fits is None:
        return None
    texts = pc.utf8_ltrim(pc.utf8_trim(values.filter(pa.array(fits)), _SPACE), "+")
    numbers = np.array(texts.to_pylist(), np.float64)
    if np.abs(numbers).max() >= LARGEST_NUMBER:
        return None
    order = np.argsort(numbers)
    ordered, cumulated = numbers[order], np.cumsum(counts[fits][order])
    middle = np.searchsorted(cumulated, cumulated[-1] * np.array([0.01, 0.99]))
    low, high = ordered[np.minimum(middle, len(ordered) - 1)]
    whole = bool((numbers == np.floor(numbers)).all())
    # A text is read as the nearest float, so the true ends lie within the next one.
    lowest, highest = ordered[0], ordered[-1]
    if not whole:
        lowest, highest = math.nextafter(lowest, -math.inf), math.nextafter(highest, math.inf)
    running = whole and len(numbers) == int(counts.sum()) and highest - lowest + 1 == len(numbers)
    return {
        "kind": "whole" if whole else "decimal",
        "exceptions": int(counts[~fits].sum()),
        "numbers": Numbers(Fraction(lowest), Fraction(highest), Fraction(low), Fraction(high), running),
    }


def _dates(values: Any, counts: Int64s, sample: Any) -> dict[str, Any] | None:
    fits = _fitting(values, counts, sample, _DATE)
    if fits is None:
        return None
    written = pc.utf8_slice_codeunits(pc.utf8_trim(values, _SPACE), 0, 10)
    day_of = {text: _day(text) for text in pc.unique(written.filter(pa.array(fits))).to_pylist()}
    days = [day for day in day_of.values() if day]
    if len(days) < len(day_of):
        false_days = pa.array([text for text, day in day_of.items() if day is None], written.type)
        fits &= ~np.asarray(pc.is_in(written, value_set=false_days))
        if not days or not _few_exceptions(fits, counts):
            return None
    return {"kind": "date", "exceptions": int(counts[~fits].sum()), "days": Days(min(days), max(days))}


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _usual(values: Any, counts: Int64s, lengths: Int64s) -> Any:
    """The values without those whose length is rare: six codes among thousands say nothing about the others."""
    rows = np.bincount(lengths, weights=counts)
    usual = np.flatnonzero(rows > RARELY * rows.sum())
    return values.filter(pa.array(np.isin(lengths, usual)))


def _prefix_lengths(values: Any) -> tuple[int, ...]:
    """At most three lengths, each telling at least three times as many values apart as the next shorter one."""
    chosen: list[int] = []
    groups = 1
    for length in range(1, int(pc.max(pc.utf8_length(values)).as_py())):
        found = len(pc.unique(pc.utf8_slice_codeunits(values, 0, length)))
        if found >= min(3 * groups, groups + 20) and found >= 2 and 2 * found <= len(values):
            chosen.append(length)
            groups = found
    return tuple(reversed(chosen[:3]))
