"""Condensation of records that arrive one after the other, none of which is ever looked at again.

Paper: Aggarwal and Yu 2004 (dynamic maintenance); Aggarwal 2015, 20.3.1.4. A record goes to the group with the nearest
mean; a group of 2k is split in two (`condensed_groups.halves`). The first batch, if it has k records or more, is put
into groups as a whole; the larger it is, the better: halves of groups are only assumed. Kept are the sizes, means and
covariances of groups, and what numbers are measured in: the mean and the spread of the first batch. While fewer than k
records have come there is one group of fewer, and no release; the state then tells more of them than any release would,
so it belongs where originals belong. Ranges are not learnt from records, whose ends are somebody's: what is known
without them can be given, and made-up values beyond are moved to its ends.

    stream = discreet.CondensedStream({"age": 0, "weight": 1}, k=25, ranges={"age": (0, 110)})  # decimals by column
    stream.add({"age": [31, 45, 52], "weight": [61.5, 80.2, 70.0]})      # again and again
    stream.save("state.npz"); stream = discreet.CondensedStream.load("state.npz")
    rows = stream.draw(numpy.random.default_rng())

Two releases of one stream are drawn from groups of which most are the same: whoever has both averages what was drawn
and knows the means better. That is what the promise allows; no record is in it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.errors import InputError, NoReleaseError
from discreet.kernels.condensation import add_points
from discreet.search.table.condensed_groups import LARGEST, MOST_DECIMALS, CondensedGroups, Standard, condensed, halves
from discreet.values.arrays import Floats, Int64s

FORMAT = "discreet-condensed-stream/1"
UNLIMITED = (-np.inf, np.inf)


class GrowingGroups:
    """Groups that take in one point after the other and are split when they have 2k."""

    def __init__(self, width: int, kinds: int, k: int) -> None:
        self.k = k
        self.number = 1
        self._sizes = np.zeros(16, np.int64)
        self._means = np.zeros((16, width))
        self._moments = np.zeros((16, width, width))
        self._labels = np.zeros((16, kinds))

    @classmethod
    def continued(cls, groups: CondensedGroups, k: int) -> GrowingGroups:
        made = cls(groups.means.shape[1], groups.labels.shape[1], k)
        made.number = len(groups.sizes)
        made._sizes, made._means = groups.sizes.copy(), groups.means.copy()
        made._moments, made._labels = groups.moments.copy(), groups.labels.copy()
        return made

    @property
    def groups(self) -> CondensedGroups:
        """As they are now."""
        number = self.number
        return CondensedGroups(
            self._sizes[:number].copy(),
            self._means[:number].copy(),
            self._moments[:number].copy(),
            self._labels[:number].copy(),
        )

    def add(self, points: Floats, labels: Int64s) -> None:
        place = 0
        while place < len(points):
            full, place = add_points(
                points,
                labels,
                place,
                self.number,
                2 * self.k,
                self._sizes,
                self._means,
                self._moments,
                self._labels,
            )
            if full >= 0:
                self._split(full)

    def _split(self, group: int) -> None:
        if self.number == len(self._sizes):
            self._sizes, self._means, self._moments, self._labels = (
                np.concatenate([kept, np.zeros_like(kept)])
                for kept in (self._sizes, self._means, self._moments, self._labels)
            )
        other = self.number
        self.number += 1
        one, two, moments = halves(self._means[group], self._moments[group], int(self._sizes[group]))
        self._means[group], self._means[other] = one, two
        self._moments[group] = self._moments[other] = moments
        self._sizes[group] = self._sizes[other] = self.k
        self._labels[group] = self._labels[other] = self._labels[group] / 2


def _is_whole(number: object) -> bool:
    return isinstance(number, Integral) and not isinstance(number, bool)


def _range(column: str, given: Any) -> tuple[float, float]:
    try:
        least, most = map(float, given)
    except (TypeError, ValueError):
        least = most = np.nan
    if not least <= most:
        raise InputError(f"ranges: {column} needs two numbers, the least and the most; {given!r} is not that.")
    return least, most


class CondensedStream:
    """Groups of k to 2k - 1 records, as they grow; releases can be drawn at any time."""

    def __init__(
        self, columns: Mapping[str, int], k: int, ranges: Mapping[str, tuple[float, float]] | None = None
    ) -> None:
        """columns: the decimals that each column is published with; ranges: what its values lie between, if known."""
        if not columns or not _is_whole(k) or k < 2:
            raise InputError("A stream needs at least one column, and groups of k = 2 or more.")
        if not isinstance(columns, Mapping):
            raise InputError("The columns of a stream are a mapping: how many decimals each is published with.")
        for column, decimals in columns.items():
            if not _is_whole(decimals) or not 0 <= decimals <= MOST_DECIMALS:
                raise InputError(f"{column}: {decimals!r} is not a number of decimals from 0 to {MOST_DECIMALS}.")
        self.columns = {column: int(decimals) for column, decimals in columns.items()}
        self.k = int(k)
        self.ranges = {column: _range(column, given) for column, given in (ranges or {}).items()}
        if strangers := [column for column in self.ranges if column not in self.columns]:
            raise InputError(f"ranges: the stream has no column {strangers[0]!r}; it has {', '.join(self.columns)}.")
        self._standard: Standard | None = None
        self._growing = GrowingGroups(len(self.columns), 1, k)

    @property
    def records(self) -> int:
        """How many were added."""
        return int(self._growing.groups.sizes.sum())

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return len(self._growing.groups.sizes) if self.records else 0

    def add(self, batch: Mapping[str, Sequence[float] | npt.NDArray[Any]]) -> None:
        """Takes in records, as one sequence of numbers for each column, and keeps none of them."""
        if isinstance(batch, Sequence) or not hasattr(batch, "__contains__"):
            raise InputError("A batch is a mapping: one sequence of numbers for each column.")
        if missing := [column for column in self.columns if column not in batch]:
            raise InputError(
                f"The batch has no column {missing[0]!r}; the stream was made for {', '.join(self.columns)}."
            )
        try:
            numbers = np.stack([np.asarray(batch[column], np.float64) for column in self.columns], axis=1)
        except (TypeError, ValueError) as error:
            raise InputError(f"The columns of a batch are numbers, as many in each: {error}.") from None
        if not np.isfinite(numbers).all():
            column = list(self.columns)[int(np.flatnonzero(~np.isfinite(numbers).all(axis=0))[0])]
            raise InputError(f"{column}: a value is missing or not finite; leave such records out, or fill them.")
        if (far := np.abs(numbers).max(axis=0, initial=0) > LARGEST).any():
            column = list(self.columns)[int(np.flatnonzero(far)[0])]
            raise InputError(
                f"{column}: a value is beyond {LARGEST:.0e}; leave such records out, or take another unit."
            )
        if not len(numbers):
            return
        each, label = np.ones(len(numbers), np.int64), np.zeros(len(numbers), np.int64)
        if self._standard is None:
            self._standard = Standard.of(numbers, each)
            if len(numbers) >= self.k:
                groups = condensed(self._standard.points(numbers), label, 1, each, self.k)
                self._growing = GrowingGroups.continued(groups, self.k)
                return
        self._growing.add(self._standard.points(numbers), label)

    def draw(self, random: np.random.Generator, copies: int = 1) -> dict[str, Floats]:
        """So many made-up rows for each record, in random order, clipped to the ranges that were given, rounded."""
        groups = self._growing.groups
        if self._standard is None or groups.sizes.sum() < self.k:
            raise NoReleaseError(f"The stream has {self.records} records so far, and a group needs {self.k}; add more.")
        rows = self._standard.numbers(groups.drawn(copies, random)[0])[random.permutation(self.records * copies)]
        return {
            column: np.asarray(np.clip(rows[:, place], *self.ranges.get(column, UNLIMITED)).round(decimals), np.float64)
            for place, (column, decimals) in enumerate(self.columns.items())
        }

    def save(self, path: str | Path) -> None:
        """Writes the groups to a file (.npz), to go on with later; for the steward only."""
        groups = self._growing.groups
        about = {"format": FORMAT, "columns": self.columns, "k": self.k, "ranges": self.ranges}
        standard = self._standard or Standard(np.zeros(0), np.zeros(0))
        with Path(path).open("wb") as file:
            np.savez(
                file,
                about=np.array(json.dumps(about)),
                centers=standard.centers,
                spreads=standard.spreads,
                sizes=groups.sizes,
                means=groups.means,
                moments=groups.moments,
                labels=groups.labels,
            )

    @classmethod
    def load(cls, path: str | Path) -> CondensedStream:
        """Goes on with what was saved."""
        try:
            with np.load(Path(path), allow_pickle=False) as kept:
                about = json.loads(str(kept["about"]))
                if about["format"] != FORMAT:
                    raise InputError(
                        f"{path}: the format {about['format']!r} is not {FORMAT!r}, the one that is known."
                    )
                stream = cls(about["columns"], about["k"], about["ranges"])
                groups = CondensedGroups(kept["sizes"], kept["means"], kept["moments"], kept["labels"])
                if len(kept["centers"]):
                    stream._standard = Standard(kept["centers"], kept["spreads"])
        except (OSError, ValueError, KeyError) as error:
            raise InputError(f"{path}: this is no saved stream ({error}); name a file that save wrote.") from None
        stream._growing = GrowingGroups.continued(groups, about["k"])
        return stream
