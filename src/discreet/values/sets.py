"""Many sets of whole numbers in two arrays, and which of them are equal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.values.arrays import Int32s, Int64s


@dataclass(frozen=True, eq=False)
class Sets:
    """Many sets of whole numbers: set i is items[offsets[i]:offsets[i + 1]], ascending and without repeats.

    >>> sets = Sets.of([[2, 0], [], [1]])
    >>> [numbers.tolist() for numbers in sets]
    [[0, 2], [], [1]]
    """

    offsets: Int64s
    items: Int32s

    @classmethod
    def of(cls, sets: Iterable[Iterable[int]]) -> Sets:
        """From sets in any order within; for a few sets, as in tests and demos."""
        rows = [sorted(set(numbers)) for numbers in sets]
        offsets = np.concatenate(([0], np.cumsum([len(row) for row in rows], dtype=np.int64))).astype(np.int64)
        return cls(offsets, np.array([number for row in rows for number in row], np.int32))

    @classmethod
    def from_pairs(cls, rows: Int64s, numbers: npt.NDArray[np.integer], length: int) -> Sets:
        """As many sets as `length` says, from pairs of a set and a number in it, in any order and with repeats.

        Numbers below 0 are ignored.
        """
        width = int(numbers.max(initial=0)) + 1
        codes = rows * width
        codes += numbers
        codes = codes[numbers >= 0]
        # Not np.unique: its hashing takes fifty times as long as sorting on codes like these.
        codes.sort()
        codes = codes[np.concatenate(([True], codes[1:] != codes[:-1]))[: len(codes)]]
        sizes = np.bincount(codes // width, minlength=length)
        return cls(np.concatenate(([0], np.cumsum(sizes))).astype(np.int64), (codes % width).astype(np.int32))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[Int32s]:
        return (self[index] for index in range(len(self)))

    def __getitem__(self, index: int) -> Int32s:
        return self.items[self.offsets[index] : self.offsets[index + 1]]

    @cached_property
    def sizes(self) -> Int64s:
        return np.diff(self.offsets)

    @cached_property
    def rows(self) -> Int64s:
        """Parallel to items: the number of the set that each belongs to."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.sizes)

    def take(self, index: npt.NDArray[np.integer]) -> Sets:
        """The sets with these numbers, in this order."""
        sizes = self.sizes[index]
        offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        places = np.arange(offsets[-1]) - np.repeat(offsets[:-1] - self.offsets[index], sizes)
        return Sets(offsets, self.items[places])

    def mapped(self, number_of: npt.NDArray[np.integer]) -> Sets:
        """Every item replaced by number_of[item]; what becomes equal within a set is merged, what is below 0 goes."""
        return Sets.from_pairs(self.rows, np.asarray(number_of, np.int64)[self.items], len(self))

    def supports(self, counts: Int64s, numbers: int) -> Int64s:
        """Number -> how many sets have it, set i being counted counts[i] times.

        >>> Sets.of([[2, 0], [], [2]]).supports(np.array([3, 1, 1]), 4).tolist()
        [3, 0, 4, 0]
        """
        return np.bincount(self.items, weights=np.repeat(counts, self.sizes), minlength=numbers).astype(np.int64)

    def joined(self, others: Sets, first: int) -> Sets:
        """Each set joined with the one at the same place in `others`, whose number 0 becomes `first`.

        >>> [numbers.tolist() for numbers in Sets.of([[2, 0], []]).joined(Sets.of([[1], [0]]), first=3)]
        [[0, 2, 4], [3]]
        """
        rows = np.concatenate((self.rows, others.rows))
        return Sets.from_pairs(rows, np.concatenate((self.items, others.items + first)), len(self))


def distinct(*columns: Sets) -> tuple[Int64s, Int64s]:
    """The distinct rows: the first row of each kind, and for every row the number of its kind.

    Rows are found equal by a random sum over their items and then compared item by item; if two different rows ever
    have the same sum, another one is drawn.
    """
    for seed in range(1, 1_000_000):
        random = np.random.default_rng(seed)
        keys = np.zeros(len(columns[0]), np.uint64)
        for sets in columns:
            salt = random.integers(0, 2**64, int(sets.items.max(initial=-1)) + 1, np.uint64)
            running = np.concatenate((np.zeros(1, np.uint64), np.cumsum(salt[sets.items], dtype=np.uint64)))
            keys = keys * np.uint64(0x9E3779B97F4A7C15) + running[sets.offsets[1:]] - running[sets.offsets[:-1]]
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        like = first[group]
        if all(
            np.array_equal(sets.sizes[like], sets.sizes) and np.array_equal(sets.take(like).items, sets.items)
            for sets in columns
        ):
            return np.asarray(first, np.int64), np.asarray(group, np.int64)
    raise AssertionError("unreachable")
