"""Combinations of columns: how many records they single out, and which of them are keys.

Papers: Motwani and Xu 2007 (distinction: different combinations / rows; separation: the share of pairs of rows that
differ). Papenbrock and Naumann 2017 (HyUCC: unique column combinations from sampled pairs of rows and counting).

Two missing values are equal. All counts are of the whole table and exact.

**Minimal keys** are the combinations of up to four columns in which no two rows are alike and that contain no smaller
key. They are found level by level. A combination is left aside only for one of these reasons:

- it holds a key already found, so it is not minimal;
- its columns, or its pairs of columns, have too few different values: the product of their counts bounds the number
  of different combinations, and below the number of rows two rows must be alike;
- all its columns are in the agree set of a known pair of rows (the columns in which the two are alike), so this
  pair is alike in the combination.

Each of the three is a proof. Every other combination is counted, in all rows that are still alike in a part of it
(rows that differ in a part differ in the whole). When two rows are alike, they and some more become known pairs, which
is what makes counting rare. So what is returned is exactly the minimal keys: nothing is sampled but the pairs that
refute. For a small table all pairs are known at the start, and nothing needs to be counted.

Costs: exponential in the worst case, so the work is bounded. When the bound is met, `Keys.complete_to` says up to
which size the keys are all there.

**The most identifying combinations** of three and four columns come from a beam: the best few pairs are extended by
every other column, the best few of these again. Their numbers are exact, but that no other combination of the size
singles out more is likely and not proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import numpy.typing as npt

from discreet.values.arrays import Int32s, Int64s

Bytes = npt.NDArray[np.uint8]
Columns = tuple[int, ...]

SMALL_CLASS = 5
LARGEST_KEY = 4
BEAM = 8
MOST_PAIR_VISITS = 500_000_000
MOST_KEY_VISITS = 300_000_000
VISITS_OF_A_COUNT = 20_000
MOST_CANDIDATES = 2_000_000
ALL_PAIRS_UP_TO = 400
SAMPLED_ROWS = 40_000
WITNESSES = 60
BLOCK = 4096
MOST_AGREE_SETS = 8192
LARGEST_CODE = 1 << 62


@dataclass(frozen=True)
class Combination:
    """How identifying some columns are together."""

    columns: tuple[str, ...]
    rows: int
    distinct: int
    unique: int
    """rows that are like no other row"""
    small: int
    """rows in classes of fewer than 5"""
    alike_pairs: int
    """pairs of rows that are alike"""

    @property
    def distinction(self) -> float:
        return self.distinct / self.rows

    @property
    def separation(self) -> float:
        return 1 - self.alike_pairs / (self.rows * (self.rows - 1) / 2)


@dataclass(frozen=True)
class Keys:
    """The minimal unique column combinations."""

    columns: tuple[tuple[str, ...], ...]
    """the first of them, small ones first"""
    total: int
    complete_to: int
    """all keys of up to so many columns were found"""

    @property
    def more(self) -> int:
        return self.total - len(self.columns)


@dataclass(frozen=True)
class CodedTable:
    """Columns as numbers from 0 on, in which equal numbers stand for equal values."""

    names: tuple[str, ...]
    codes: tuple[Int32s, ...]
    widths: tuple[int, ...] = field(init=False)
    """per column: one more than its largest number"""
    distinct: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "widths", tuple(int(code.max()) + 1 for code in self.codes))
        occurring = (int(np.count_nonzero(np.bincount(code))) for code in self.codes)
        object.__setattr__(self, "distinct", tuple(occurring))

    @property
    def rows(self) -> int:
        return len(self.codes[0])

    def combination(self, columns: Columns) -> Combination:
        """The exact counts of a combination of columns."""
        rows, names = self.rows, tuple(self.names[column] for column in columns)
        if any(self.distinct[column] == rows for column in columns):
            return Combination(names, rows, rows, rows, rows, 0)
        return _counted(names, rows, class_sizes(*self._packed(columns)), alone=0)

    def extensions(self, columns: Columns, others: Sequence[int]) -> Iterator[tuple[Columns, Combination]]:
        """The combination with each of the other columns added.

        Rows that are unique without the other column are unique with it, so only the rest is counted.
        """
        rows, ids = np.arange(self.rows), np.zeros(self.rows, np.int64)
        for column in columns:
            rows, ids = _still_alike(rows, ids, self.codes[column])
        classes = int(ids.max()) + 1 if len(ids) else 0
        for other in others:
            longer = tuple(sorted((*columns, other)))
            packed = ids * self.widths[other] + self.codes[other][rows]
            sizes = class_sizes(packed, classes * self.widths[other])
            names = tuple(self.names[column] for column in longer)
            yield longer, _counted(names, self.rows, sizes, alone=self.rows - len(rows))

    def _packed(self, columns: Columns) -> tuple[Int64s, int]:
        """One number for each row, equal exactly where the rows are alike, and one more than the largest."""
        packed, width = self.codes[columns[0]].astype(np.int64), self.widths[columns[0]]
        for column in columns[1:]:
            if width * self.widths[column] >= LARGEST_CODE:
                different, packed = np.unique(packed, return_inverse=True)
                width = len(different)
            packed = packed * self.widths[column] + self.codes[column]
            width *= self.widths[column]
        return packed, width


def _counted(names: tuple[str, ...], rows: int, sizes: Int64s, alone: int) -> Combination:
    """A combination from the sizes of its classes and the number of rows in none of them, each alone."""
    return Combination(
        columns=names,
        rows=rows,
        distinct=alone + len(sizes),
        unique=alone + int(np.count_nonzero(sizes == 1)),
        small=alone + int(sizes[sizes < SMALL_CLASS].sum()),
        alike_pairs=int((sizes * (sizes - 1)).sum()) // 2,
    )


def class_sizes(packed: Int64s, width: int) -> Int64s:
    """How often each number below the width occurs, without those that do not."""
    if width <= 2 * len(packed) + 1000:
        counts = np.bincount(packed).astype(np.int64)
        return counts[counts > 0]
    ordered = np.sort(packed.astype(np.int32) if width < 2**31 else packed)
    ends = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    return np.diff(ends, prepend=0, append=len(ordered))


# --- The most identifying -----------------------------------------------------------------------------------


def all_pairs(table: CodedTable) -> dict[Columns, Combination]:
    """Every pair of columns; of a table so wide that this would take long, those of the most distinct columns."""
    counted = pair_columns(table)
    return {pair: table.combination(pair) for pair in combinations(counted, 2)}


def pair_columns(table: CodedTable) -> list[int]:
    """The columns whose pairs are counted: as many of the most distinct ones as the bound on work allows."""
    by_distinct = sorted(range(len(table.names)), key=lambda column: -table.distinct[column])
    most = int((2 * MOST_PAIR_VISITS / max(table.rows, VISITS_OF_A_COUNT)) ** 0.5)
    return sorted(by_distinct[: max(most, 2)])


def most_identifying(
    table: CodedTable, pairs: Mapping[Columns, Combination], among: Sequence[int]
) -> dict[int, list[Combination]]:
    """The combinations of 2, 3 and 4 of the given columns that single out most records, best first.

    What singles out every record is not extended, and what holds it is left out: it would do the same.
    """
    allowed = set(among)
    found = {2: [(pair, counted) for pair, counted in pairs.items() if allowed.issuperset(pair)]}
    for size in (3, 4):
        shorter = sorted(found[size - 1], key=_identifying)
        beam = [(columns, counted) for columns, counted in shorter if counted.unique < counted.rows][:BEAM]
        longer: dict[Columns, Combination] = {}
        for columns, _ in beam:
            others = [
                column for column in among if column not in columns and tuple(sorted((*columns, column))) not in longer
            ]
            longer.update(table.extensions(columns, others))
        complete = [set(columns) for columns, counted in shorter if counted.unique == counted.rows]
        found[size] = [
            (columns, counted)
            for columns, counted in longer.items()
            if not any(part.issubset(columns) for part in complete)
        ]
    return {size: [counted for _, counted in sorted(found[size], key=_identifying)] for size in found}


def _identifying(counted: tuple[Columns, Combination]) -> tuple[int, int, int, Columns]:
    columns, combination = counted
    return -combination.unique, -combination.small, -combination.distinct, columns


# --- Keys ---------------------------------------------------------------------------------------------------


def minimal_keys(table: CodedTable, pairs: Mapping[Columns, Combination] | None = None, most: int = 100) -> Keys:
    """The minimal keys of up to four columns, at most so many of them by name.

    pairs: counts that are known already.
    """
    search = _KeySearch(table, {pair: counted.distinct for pair, counted in (pairs or {}).items()})
    found = search.run()
    named = [tuple(table.names[column] for column in key) for key in found[:most]]
    return Keys(tuple(named), len(found), search.complete_to)


class _KeySearch:
    """One search for keys. Inside it, columns are numbered from the most distinct on, so that the first columns of a
    combination leave few rows alike, and the rest is decided by looking at these."""

    def __init__(self, table: CodedTable, known: Mapping[Columns, int]) -> None:
        self.table = table
        self.rows = table.rows
        varying = [column for column, distinct in enumerate(table.distinct) if 1 < distinct < table.rows]
        self.order = sorted(varying, key=lambda column: (-table.distinct[column], column))
        self.codes = [table.codes[column] for column in self.order]
        self.distinct = np.array([table.distinct[column] for column in self.order], np.float64)
        number = {column: place for place, column in enumerate(self.order)}
        self.pair_distinct = self.distinct[:, None] * self.distinct[None, :]
        self.key_pairs = set()
        for (one, other), distinct in known.items():
            if one in number and other in number:
                first, second = sorted((number[one], number[other]))
                self.pair_distinct[first, second] = self.pair_distinct[second, first] = distinct
                if distinct == table.rows:
                    self.key_pairs.add((first, second))
        self.agree_sets = _AgreeSets(len(self.order))
        self.knows_all_pairs = False
        self.visits = 0
        self.complete_to = LARGEST_KEY
        self._parts: dict[Columns, tuple[Int64s, Int64s]] = {}

    def run(self) -> list[Columns]:
        keys: list[Columns] = [(column,) for column, count in enumerate(self.table.distinct) if count == self.rows]
        if self.order:
            self._learn_pairs()
            refuted = np.arange(len(self.order), dtype=np.int32)[:, None]
            found = [np.empty((0, size), np.int32) for size in range(2)]
            for size in range(2, LARGEST_KEY + 1):
                candidates = self._candidates(refuted, found)
                if candidates is None:
                    self.complete_to = size - 1
                    break
                is_key = self._decide(candidates)
                if is_key is None:
                    self.complete_to = size - 1
                    break
                refuted = candidates[~is_key]
                found.append(candidates[is_key])
                new = (tuple(sorted(self.order[place] for place in key)) for key in found[-1].tolist())
                keys.extend(sorted(new))
        return keys

    def _candidates(self, refuted: Int32s, found: Sequence[Int32s]) -> Int32s | None:
        """All combinations of the next size that hold no key; None when they are too many."""
        count = len(self.order)
        last = refuted[:, -1]
        extensions = count - 1 - last
        if extensions.sum() > MOST_CANDIDATES:
            return None
        parents = np.repeat(np.arange(len(refuted)), extensions)
        starts = np.repeat(np.cumsum(extensions) - extensions, extensions)
        added = np.arange(len(parents)) - starts + last[parents] + 1
        candidates = np.column_stack((refuted[parents], added)).astype(np.int32)
        size = candidates.shape[1]
        holds = np.zeros(len(candidates), np.bool_)
        for smaller in range(2, size):
            known = np.unique(_numbered(found[smaller], count))
            for part in combinations(range(size), smaller):
                holds |= np.isin(_numbered(candidates[:, part], count), known)
        return candidates[~holds]

    def _decide(self, candidates: Int32s) -> npt.NDArray[np.bool_] | None:
        """Which of the candidates are keys; None when finding out would take too long."""
        is_open = self._may_be_unique(candidates)
        is_open[is_open] = ~self.agree_sets.cover(candidates[is_open])
        if self.knows_all_pairs:
            return is_open
        is_key = np.zeros(len(candidates), np.bool_)
        undecided = np.flatnonzero(is_open)
        for block in _chunks(len(undecided), BLOCK):
            waiting = undecided[block]
            waiting = waiting[~self.agree_sets.cover(candidates[waiting])]
            learnt = []
            while len(waiting):
                first, waiting = waiting[0], waiting[1:]
                columns = tuple(candidates[first].tolist())
                if columns in self.key_pairs:
                    is_key[first] = True
                    continue
                if self.visits > MOST_KEY_VISITS:
                    return None
                witnesses = self._witnesses(columns)
                if not len(witnesses):
                    is_key[first] = True
                    continue
                learnt.append(self._agreement(witnesses[:, 0], witnesses[:, 1]))
                waiting = waiting[~_covered(candidates[waiting], np.packbits(learnt[-1].T, axis=1))]
            if learnt:
                self.agree_sets.add(np.concatenate(learnt))
                self.agree_sets.forget_small()
        return is_key

    def _may_be_unique(self, candidates: Int32s) -> npt.NDArray[np.bool_]:
        """Exact in floats: a product that is rounded is far above the number of rows."""
        size = candidates.shape[1]
        may = np.ones(len(candidates), np.bool_)
        for pair in combinations(range(size), 2):
            rest = [place for place in range(size) if place not in pair]
            bound = self.pair_distinct[candidates[:, pair[0]], candidates[:, pair[1]]].copy()
            if len(rest) == 2:
                bound *= self.pair_distinct[candidates[:, rest[0]], candidates[:, rest[1]]]
            elif rest:
                bound *= self.distinct[candidates[:, rest[0]]]
            may &= bound >= self.rows
        return may

    def _learn_pairs(self) -> None:
        """Agree sets of all pairs of rows or, in a larger table, of neighbours in sorted orders."""
        if self.rows <= ALL_PAIRS_UP_TO:
            self.agree_sets.add(self._agreement(*np.triu_indices(self.rows, 1)))
            self.knows_all_pairs = True
            return
        sample = np.unique(np.linspace(0, self.rows - 1, SAMPLED_ROWS).astype(np.int64))
        for place, code in enumerate(self.codes):
            second = self.codes[(place + 1) % len(self.codes)]
            third = self.codes[(place + 2) % len(self.codes)]
            order = sample[np.lexsort((third[sample], second[sample], code[sample]))]
            self.agree_sets.add(self._agreement(order[1:], order[:-1]))
            self.agree_sets.forget_small()

    def _agreement(self, some: Int64s, others: Int64s) -> npt.NDArray[np.bool_]:
        """pair x column -> are the two rows alike?"""
        return np.column_stack([code[some] == code[others] for code in self.codes])

    def _witnesses(self, columns: Columns) -> Int64s:
        """Some pairs of rows that are alike in the columns; none for a key."""
        rows, ids = self._alike(columns[:-1])
        self.visits += max(len(rows), VISITS_OF_A_COUNT)
        rows, ids = _still_alike(rows, ids, self.codes[columns[-1]])
        if not len(rows):
            return np.empty((0, 2), np.int64)
        order = np.argsort(ids, kind="stable") if len(ids) < 4 * SAMPLED_ROWS else _some_classes(ids)
        neighbours = np.flatnonzero(ids[order[1:]] == ids[order[:-1]])
        chosen = neighbours[np.linspace(0, len(neighbours) - 1, WITNESSES).astype(np.int64)]
        return np.column_stack((rows[order[chosen]], rows[order[chosen + 1]]))

    def _alike(self, columns: Columns) -> tuple[Int64s, Int64s]:
        """The rows that are not unique in the columns, and the number of each one's class.

        Kept for the beginnings of the combination at hand: combinations come in lexicographic order.
        """
        if columns in self._parts:
            return self._parts[columns]
        if columns:
            before = self._alike(columns[:-1])
            self.visits += max(len(before[0]), VISITS_OF_A_COUNT)
            found = _still_alike(*before, self.codes[columns[-1]])
        else:
            found = np.arange(self.rows), np.zeros(self.rows, np.int64)
        beginnings = {columns[:length] for length in range(len(columns))}
        self._parts = {part: kept for part, kept in self._parts.items() if part in beginnings}
        self._parts[columns] = found
        return found


def _still_alike(rows: Int64s, ids: Int64s, code: Int32s) -> tuple[Int64s, Int64s]:
    """Of rows in classes, those that are still alike to another of their class in one more column."""
    if not len(rows):
        return rows, ids
    width = int(code.max()) + 1
    packed = ids * width + code[rows]
    if (int(ids.max()) + 1) * width <= 4 * len(rows) + 1000:
        counts = np.bincount(packed)
        stay = counts[packed] > 1
        number = np.cumsum(counts > 1) - 1
        return rows[stay], number[packed[stay]]
    bits = len(rows).bit_length()
    if int(packed.max()) < LARGEST_CODE >> bits:
        # Number and place in one: sorting these is much faster than finding the order of the numbers.
        ordered = np.sort(packed << bits | np.arange(len(rows)))
        order, packed = ordered & ((1 << bits) - 1), ordered >> bits
    else:
        order = np.argsort(packed)
        packed = packed[order]
    again = packed[1:] == packed[:-1]
    stay = np.append(again, False) | np.append(False, again)
    begins = np.append(True, ~again)[stay]
    return rows[order[stay]], np.cumsum(begins) - 1


def _some_classes(ids: Int64s) -> Int64s:
    """The places of the members of a few classes, class by class."""
    chosen = np.flatnonzero(ids % max(int(ids.max()) // WITNESSES, 1) == 0)[: 4 * SAMPLED_ROWS]
    order = chosen[np.argsort(ids[chosen], kind="stable")]
    return order if (ids[order[1:]] == ids[order[:-1]]).any() else np.argsort(ids, kind="stable")


def _numbered(chosen: Int32s, count: int) -> Int64s:
    """One number for each row of columns."""
    number = np.zeros(len(chosen), np.int64)
    for place in range(chosen.shape[1]):
        number = number * count + chosen[:, place]
    return number


class _AgreeSets:
    """Sets of columns in which some two rows are alike: for each column the sets that have it, as bits."""

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.sets = np.zeros((0, columns), np.bool_)
        self.bits: Bytes = np.zeros((columns, 0), np.uint8)

    def add(self, sets: npt.NDArray[np.bool_]) -> None:
        """Takes in the sets of two columns and more."""
        sets = sets[sets.sum(axis=1) >= 2]
        if len(sets):
            sets = np.unpackbits(np.unique(np.packbits(sets, axis=1), axis=0), axis=1, count=self.columns).astype(
                np.bool_
            )
        self.sets = np.concatenate((self.sets, sets))
        # Large sets cover most, so they come first.
        self.sets = self.sets[np.argsort(-self.sets.sum(axis=1), kind="stable")]
        self.bits = np.packbits(self.sets.T, axis=1)

    def forget_small(self) -> None:
        """Of very many sets keeps the largest; what the others would have refuted is then counted."""
        self.sets = self.sets[:MOST_AGREE_SETS]
        self.bits = np.packbits(self.sets.T, axis=1)

    def cover(self, candidates: Int32s) -> npt.NDArray[np.bool_]:
        """Which candidates lie within one of the sets."""
        return _covered(candidates, self.bits)


def _covered(candidates: Int32s, bits: Bytes) -> npt.NDArray[np.bool_]:
    """Which candidates have a bit in common; the first bits, which settle the most, are looked at first."""
    covered = np.zeros(len(candidates), np.bool_)
    open_ones = np.arange(len(candidates))
    start, length = 0, 32
    while start < bits.shape[1] and len(open_ones):
        block = np.ascontiguousarray(bits[:, start : start + length])
        for part in _chunks(len(open_ones), max(1, (1 << 22) // block.shape[1])):
            chosen = candidates[open_ones[part]]
            together = block[chosen[:, 0]]
            for place in range(1, chosen.shape[1]):
                together &= block[chosen[:, place]]
            covered[open_ones[part]] = together.any(axis=1)
        open_ones = open_ones[~covered[open_ones]]
        start, length = start + length, 2 * length
    return covered


def _chunks(count: int, size: int) -> Iterator[slice]:
    for start in range(0, count, size):
        yield slice(start, start + size)
