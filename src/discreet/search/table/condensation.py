"""condensation: rows made up from the means and covariances of groups of at least k records.

Papers: Aggarwal and Yu 2004; Aggarwal 2015 (Data Mining), 20.3.1.4. Records are numbers in every column but the class.
They are put into groups of k to 2k - 1 that lie near one another; of each group its mean and its covariances are kept;
and as many rows are drawn from it as it has records (`copies` times as many): independently along the eigenvectors of
the covariances, uniformly, with the eigenvalue as the variance. So a group has as many rows as records, and on average
their mean and covariances; what is drawn is clipped and rounded.

Groups. Without `stream`: the record farthest from the mean of those left and the k - 1 nearest to it, again and again
(Laszlo and Mukherjee 2005); the last k to 2k - 1 are one group. With `stream`: a tenth of the records, drawn at random,
are grouped so, and the others come one after the other to the group with the nearest mean; a group of 2k is split. This
is what search/table/condensed_stream does with records that arrive later. Distances are of standardized columns. With
`per_class` each class has groups of its own, as in the paper; without, a row's class is drawn by the shares that
classes have in its group. All columns are treated alike, sensitive ones too: who knows which column somebody knows?

Promises condensed-groups and nothing else: every row was made from groups of at least k. It is no k-anonymity, and no
file can prove it. What it does not give: a group of k copies of one record has no variance, and its rows are that
record, k times; a third of the groups of Adult's five numbers at k = 10 are of this kind. k people have that record
then, as with k-anonymity. Means and covariances of k people, drawn from as often as anybody likes, are not noise.

Clipping. Drawn values may be impossible: negative gains. Clipping at the least and the greatest value of a column would
tell everybody that these occur, and the oldest patient is somebody. So a range ends at the mean of the k least values
and at that of the k greatest, rounded inwards: it is of groups of k, like everything else that is published, and is the
least or greatest value only where k records have it, or no other number lies between the ends. Values beyond are moved
to the end, which `clipped` counts. The certificate states the ends of what is published, which anybody can see. A value
is rounded to so many decimals as at least k records have, which costs neighbours' votes on whole numbers some accuracy;
`more_decimals` gives it back, and makes copies of equal records stand out, as only they are whole then.

Proves nothing about the loss, which is sse: what lies within groups. With `stream` it is what the groups know of it.
Needs: numbers in all columns that are published but the class, none missing; at least k records, of each class with
`per_class`. Costs: (different records)^2 / k, in blocks of 20,000; with `stream`, records * groups.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from discreet.errors import InputError, NoReleaseError
from discreet.losses.sse import share_within
from discreet.recode.table.recoded import NewNumbers, Numbers
from discreet.search.events import Listener, SearchEvent, ignore
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.table.condensed_groups import LARGEST, MOST_DECIMALS, CondensedGroups, Standard, condensed
from discreet.search.table.condensed_stream import GrowingGroups
from discreet.search.table.problem import TableProblem
from discreet.taxonomy import MISSING
from discreet.values.arrays import Floats, Int64s
from discreet.values.words import briefly

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,2})?", re.ASCII)
FIRST_PART = 10
"""One record in so many is there when a stream begins."""
MOST_ROWS = 100_000_000
"""that `copies` may ask for; they have to fit into memory"""


def condensation(
    problem: TableProblem,
    limits: Limits | None = None,
    random: np.random.Generator | None = None,
    listen: Listener = ignore,
    *,
    per_class: bool = True,
    stream: bool = False,
    copies: int = 1,
    more_decimals: int = 0,
) -> SearchResult:
    """Makes up `copies` rows for each record. It ends when it is done: there is no part of it to publish."""
    limits = limits or Limits()
    random = random or np.random.default_rng()
    records = NumberRecords.of(problem)
    if copies > 1 and problem.table.rows * copies > MOST_ROWS:
        raise InputError(
            f"search.copies: {copies:,} for each of {problem.table.rows:,} records are more than {MOST_ROWS:,} rows; "
            "write fewer."
        )
    k = problem.demand.smallest
    groups = CondensedGroups.together(
        [_grouped(records, chosen, k, stream, random) for chosen in records.parts(per_class, k)]
    )
    cost = share_within(groups.within, float(records.counts @ (records.points**2).sum(axis=1)))
    event = SearchEvent(limits.seconds, cost, None, len(groups.sizes))
    listen(event)
    recoded, clipped = records.made_up(groups, copies, more_decimals, random)
    alike = int((np.abs(groups.moments).max(axis=(1, 2)) <= 1e-9 * groups.sizes).sum())
    details = {"groups": len(groups.sizes), "without_variance": alike, "clipped": round(clipped, 6)}
    return SearchResult.ended(recoded, cost, limits, [event], details)


def _grouped(
    records: NumberRecords, chosen: Int64s, k: int, stream: bool, random: np.random.Generator
) -> CondensedGroups:
    points, labels, counts = records.points[chosen], records.labels[chosen], records.counts[chosen]
    if not stream:
        return condensed(points, labels, records.kinds, counts, k)
    order = random.permutation(np.repeat(np.arange(len(counts)), counts))
    first, others = np.split(order, [max(k, len(order) // FIRST_PART)])
    counted = np.bincount(first, minlength=len(counts))
    there = np.flatnonzero(counted)
    growing = GrowingGroups.continued(condensed(points[there], labels[there], records.kinds, counted[there], k), k)
    growing.add(np.ascontiguousarray(points[others]), labels[others])
    return growing.groups


@dataclass(frozen=True, eq=False)
class NumberRecords:
    """The records of a table as numbers, each distinct one with how often it occurs."""

    problem: TableProblem
    columns: tuple[str, ...]
    decimals: tuple[int, ...]
    standard: Standard
    points: Floats
    """record x column, standardized"""
    labels: Int64s
    """the class; 0 throughout where none is told apart"""
    counts: Int64s

    @classmethod
    def of(cls, problem: TableProblem) -> NumberRecords:
        table = problem.table
        if table.rows < problem.demand.smallest:
            raise NoReleaseError(
                f"No release keeps the promise: the table has {table.rows} records, and rows are made from groups of "
                f"at least {problem.demand.smallest}; promise a smaller k, or publish more records."
            )
        k = problem.demand.smallest
        columns, decimals, numbers = [], [], []
        for name, taxonomy, leaves in zip(table.attributes, table.taxonomies, table.leaves, strict=True):
            codes = leaves.astype(np.int64)
            columns.append(name)
            numbers.append(_numbers(name, taxonomy.leaf_labels, codes))
            decimals.append(_decimals(taxonomy.leaf_labels, codes, table.counts, k))
        if len(table.sensitive_values) > 1 or table.told:
            name = table.told[0].name if table.told else "the sensitive column"
            sensitive = table.sensitive.astype(np.int64)
            columns.append(name)
            numbers.append(_numbers(name, table.sensitive_values, sensitive))
            decimals.append(_decimals(table.sensitive_values, sensitive, table.counts, k))
        matrix = np.stack(numbers, axis=1)
        standard = Standard.of(matrix, table.counts)
        return cls(
            problem,
            tuple(columns),
            tuple(decimals),
            standard,
            standard.points(matrix),
            table.classes.astype(np.int64),
            table.counts,
        )

    @property
    def kinds(self) -> int:
        return len(self.problem.table.class_values)

    def parts(self, per_class: bool, k: int) -> list[Int64s]:
        """The records that may be in one group."""
        if not per_class or self.kinds == 1:
            return [np.arange(len(self.counts))]
        parts = []
        for label, value in enumerate(self.problem.table.class_values):
            part = np.flatnonzero(self.labels == label)
            records = int(self.counts[part].sum())
            if 0 < records < k:
                raise NoReleaseError(
                    f"No release keeps the promise with search.per_class: {records} of the records have the class "
                    f"{briefly(value) if value else 'of missing values'}, and groups need {k}; set search.per_class: "
                    "false, join the class to another, or promise a smaller k."
                )
            if records:
                parts.append(part)
        return parts

    def made_up(
        self, groups: CondensedGroups, copies: int, more_decimals: int, random: np.random.Generator
    ) -> tuple[NewNumbers, float]:
        """Rows, and the share of their values that were clipped."""
        points, labels = groups.drawn(copies, random)
        rows, ends = self.standard.numbers(points), self.standard.numbers(self._ends())
        columns: dict[str, Sequence[str | None]] = {}
        ranges, clipped = {}, 0
        published = [min(MOST_DECIMALS, decimals + more_decimals) for decimals in self.decimals]
        for place, (name, decimals) in enumerate(zip(self.columns, published, strict=True)):
            least, most = _inwards(float(ends[0, place]), float(ends[1, place]), decimals)
            rounded = np.round(rows[:, place], decimals)
            clipped += int(((rounded < least) | (rounded > most)).sum())
            within = np.clip(rounded, least, most)
            columns[name] = [_written(value, decimals) for value in within.tolist()]
            ranges[name] = Numbers(
                _written(float(within.min()), decimals), _written(float(within.max()), decimals), decimals
            )
        return (
            NewNumbers(columns, self.labelled(labels), ranges, groups.sizes),
            clipped / (len(rows) * len(self.columns)),
        )

    def _ends(self) -> Floats:
        """For each column the mean of its k least values and that of its k greatest."""
        k = self.problem.demand.smallest
        ends = np.empty((2, len(self.columns)))
        for place, column in enumerate(self.points.T):
            for end, order in enumerate((np.argsort(column, kind="stable"), np.argsort(-column, kind="stable"))):
                upto = np.minimum(np.cumsum(self.counts[order]), k)
                ends[end, place] = np.average(column[order], weights=np.diff(upto, prepend=0))
        return ends

    def labelled(self, labels: Int64s) -> list[str | None] | None:
        """The classes of rows as they are published; None where there are none."""
        values = self.problem.table.class_values
        return [values[label] or None for label in labels.tolist()] if len(values) > 1 or values[0] else None


def _numbers(column: str, values: Sequence[str], codes: Int64s) -> Floats:
    """The numbers of a column; codes: those of its values that occur. A value that is no number is an error."""
    numbers = np.zeros(len(values))
    for code in np.unique(codes).tolist():
        value = values[code]
        if value == MISSING:
            raise InputError(
                f"{column}: a value is missing, and condensation needs a number in every record; fill it, leave such "
                f"records out, or drop the column with attributes.{column}.role: identifier."
            )
        if not NUMBER.fullmatch(value) or abs(float(value)) > LARGEST:
            raise InputError(
                f"{column}: {briefly(value)} is no number (of up to 15 digits), and condensation makes rows up from "
                f"numbers in every column but the class; drop the column with attributes.{column}.role: identifier, "
                "leave out its taxonomy where that makes ranges of numbers, or use another method and promise."
            )
        numbers[code] = float(value)
    return numbers[codes]


def _decimals(values: Sequence[str], codes: Int64s, counts: Int64s, k: int) -> int:
    """So many as at least k records have."""
    records = np.bincount(codes, weights=counts, minlength=len(values))
    having = np.zeros(MOST_DECIMALS + 1)
    for code in np.flatnonzero(records).tolist():
        exponent = Decimal(values[code]).normalize().as_tuple().exponent
        having[min(MOST_DECIMALS, max(0, -int(exponent)))] += records[code]
    return int(np.flatnonzero(np.cumsum(having[::-1])[::-1] >= k)[-1])


def _inwards(least: float, most: float, decimals: int) -> tuple[float, float]:
    """The ends of a range as published numbers, rounded towards each other where there is one in between.

    Rounded to the nearest, the mean of the k greatest values may come out as the greatest, which fewer than k have.
    """
    tiny = 64 * np.finfo(float).eps * max(abs(least), abs(most))  # of k equal values the mean is this value
    low, high = round(least, decimals), round(most, decimals)
    above = round(low + 10.0**-decimals, decimals) if low < least - tiny else low
    below = round(high - 10.0**-decimals, decimals) if high > most + tiny else high
    return (above, below) if above <= below else (low, high)


def _written(value: float, decimals: int) -> str:
    """A number with up to so many decimals, as it is published."""
    text = f"{value:.{decimals}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text
