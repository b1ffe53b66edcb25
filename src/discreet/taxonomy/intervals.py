"""Taxonomies of numbers: 39 -> [37-42) -> [37-47) -> [37-57) -> [17-57) -> *.

Ranges are half-open: the lower bound belongs to them and the upper one does not, as their brackets show. All
arithmetic is exact, so 0.3 lies in [0.3-0.4) and not, as may happen in binary floating point, next to it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import count, groupby, pairwise
from typing import Literal

from discreet.errors import InputError
from discreet.taxonomy.placement import MadeFrom, Placement
from discreet.taxonomy.tree import ROOT, Taxonomy

MOST_LEAVES = 1_000_000

# Long enough for any float written out; Fraction alone would also take '1/3', and '1e999999999', whatever it costs.
_NUMBER = re.compile(r"[+-]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,3})?", re.ASCII)


@dataclass(frozen=True)
class Intervals:
    """Ranges of growing width over ``[start, end)``; the last of each width may be cut short by ``end``.

    A range is labelled ``[17-22)``. Where ``start`` is negative, all ranges are labelled ``[-5 to 0)``
    instead, so that a minus sign is never mistaken for the hyphen.

    ``leaves`` says what lies at the bottom: ``"intervals"``, the ranges of the first width; or ``"values"``,
    single numbers: all integers of ``[start, end)``, or, if a bound, a width or a value in range is
    not an integer, the numbers that occur in the data, with the ranges around them.

    Values are compared as numbers: ``39``, ``39.0`` and `` 39`` are the same. What is not a number, or is out of
    range, has no place.
    """

    widths: tuple[Decimal | int, ...]
    start: Decimal | int
    end: Decimal | int
    leaves: Literal["values", "intervals"] = "values"

    def __post_init__(self) -> None:
        widths = tuple(self.widths)
        object.__setattr__(self, "widths", widths)
        if not all(Decimal(number).is_finite() for number in (*widths, self.start, self.end)):
            raise InputError("intervals: the widths, start and end must be finite numbers.")
        if not widths or widths[0] <= 0:
            raise InputError("intervals: give at least one width, and only widths above 0, as in [5, 10, 20].")
        for width, wider in pairwise(widths):
            if wider <= width or Fraction(wider) % Fraction(width):
                raise InputError(
                    f"intervals: the width {wider} is not a multiple of the one before it, {width}; "
                    "each range must consist of whole smaller ones."
                )
        if self.end <= self.start:
            raise InputError(f"intervals: the end {self.end} must be above the start {self.start}.")
        if self.leaves not in ("values", "intervals"):
            raise InputError(f"intervals: leaves must be 'values' or 'intervals', not {self.leaves!r}.")

    def build(self, name: str, values: Sequence[str]) -> Placement:
        grid = _Grid.of(self)
        numbers = [grid.number(value) for value in values]
        if self.leaves == "intervals":
            stop = grid.index(grid.end - 1) + 1
            _refuse_too_many(name, stop, "use wider ranges")
            paths = [grid.ranges(index) for index in range(stop)]
            taxonomy = Taxonomy.from_paths(name, paths)
            leaves = [None if number is None else paths[grid.index(number)][0] for number in numbers]
            return Placement.by_label(taxonomy, leaves, MadeFrom.POLICY)

        present = sorted({number for number in numbers if number is not None})
        only_present = grid.places > 0 or any(number.denominator > 1 for number in present)
        _refuse_too_many(name, len(present) if only_present else grid.end - grid.start, "set leaves: intervals")
        bottom = present if only_present else range(grid.start, grid.end)
        values_and_ranges = (
            (grid.written(number), *ranges)
            for index, inside in groupby(bottom, grid.index)
            for ranges in [grid.ranges(index)]
            for number in inside
        )
        taxonomy = Taxonomy.from_paths(name, values_and_ranges if bottom else [(ROOT,)])
        leaves = [None if number is None else grid.written(number) for number in numbers]
        # Even where all integers have a leaf: a release must not tell that some record had another number.
        return Placement.by_label(taxonomy, leaves, MadeFrom.EACH_VALUE)


@dataclass(frozen=True)
class _Grid:
    """The ranges with whole numbers for bounds, in units of 10**-places: exact, and fast."""

    start: int
    end: int
    widths: tuple[int, ...]
    places: int

    @classmethod
    def of(cls, intervals: Intervals) -> _Grid:
        bounds = [Fraction(number) for number in (intervals.start, intervals.end, *intervals.widths)]
        places = _places(*bounds)
        start, end, *widths = (int(bound * 10**places) for bound in bounds)
        return cls(start, end, tuple(widths), places)

    def number(self, value: str) -> Fraction | None:
        """The value in units of the grid; None if it is not a number, or not one in range."""
        text = value.strip()
        if not _NUMBER.fullmatch(text):
            return None
        number = Fraction(text) * 10**self.places
        return number if self.start <= number < self.end else None

    def index(self, number: Fraction | int) -> int:
        """Which range of the finest width holds the number."""
        return int((number - self.start) // self.widths[0])

    def ranges(self, index: int) -> tuple[str, ...]:
        """The labels from a range of the finest width up to the root."""
        labels = []
        for width in self.widths:
            offset = index * self.widths[0] // width * width
            low, high = self.start + offset, min(self.start + offset + width, self.end)
            labels.append(f"[{self.written(low)}{' to ' if self.start < 0 else '-'}{self.written(high)})")
        return (*labels, ROOT)

    def written(self, number: Fraction | int) -> str:
        """A number, given in units of the grid, in plain digits without unnecessary zeros."""
        finer = _places(number) if number.denominator > 1 else 0
        places = self.places + finer
        digits = str(abs(int(number * 10**finer))).rjust(places + 1, "0")
        whole = len(digits) - places
        fraction = digits[whole:].rstrip("0")
        return ("-" if number < 0 else "") + digits[:whole] + ("." + fraction if fraction else "")


def _places(*numbers: Fraction | int) -> int:
    """The decimal places that the numbers need to be written out."""
    denominator = math.lcm(*(number.denominator for number in numbers))
    return next(places for places in count() if 10**places % denominator == 0)


def _refuse_too_many(name: str, leaves: int, way_out: str) -> None:
    if leaves > MOST_LEAVES:
        raise InputError(f"{name}: the intervals have {leaves:,} leaves, more than {MOST_LEAVES:,}; {way_out}.")
