"""Insertion: rho-uncertainty by putting sensitive items back into the release that has none.

The release without sensitive items is safe, since no rule is left; so is one in which records of a single item stay
whole, because a rule needs something known. From there the sensitive occurrences are put back in random order, each
where no rule becomes too sure (kernels/insertion), and what was refused is tried again until a whole round puts nothing
back.

With `improve` the records are then, as often as asked, cut to what they share with another one and filled up again
(kernels/refill). That stays where a record ends larger: it gives up an item, mostly one that sets it apart, for two.
So anyone who knows an item of a person and does not find it knows that their record gained something, mostly sensitive:
{a}, {a, s}, {a, t}, {a, x, s, t} become {a}, {a, s}, {a, t}, {a, s, t} for rho = 1/2, and that x is missing gives away
s and t. The promise does not cover it, as it is about items that are found. By default nothing is improved.

Promises: rho-uncertainty; the release is maximal, no missing occurrence could be put back on its own; and, unless
improved, all items that are not sensitive stay. It does not promise that no other release loses less, but reports a
lower bound.

Why it is maximal. Nothing can be put back into a lonely record (kernels/insertion) that was not cut, so it is not even
tried. All other missing occurrences were refused in the last round, in which nothing changed.

Costs: a look at the records that hold the same sensitive item for each occurrence and round; seconds on sparse data.
In the worst case there are as many sets to look at as a record has subsets. An improvement takes longer than the rest.
If stopped early, the release is just as safe, but not maximal.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np

from discreet.kernels.insertion import Release, find_lonely, put_back
from discreet.kernels.refill import refill
from discreet.models.rho_uncertainty import RhoUncertainty
from discreet.search.events import Listener, SearchEvent, ignore
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.transactions.problem import TransactionProblem, cannot_keep
from discreet.search.transactions.records import Bools, Records, with_denominator_up_to
from discreet.search.transactions.stoppable import run_stoppable
from discreet.values.arrays import Int64s

PIECE = 5_000
"""This much is done between two reports of progress."""


def insertion(
    problem: TransactionProblem,
    limits: Limits,
    random: np.random.Generator,
    listen: Listener = ignore,
    improve: int = 0,
) -> SearchResult:
    """Puts sensitive items back until no more can be, in an order drawn at random."""
    if not isinstance(problem.model, RhoUncertainty):
        raise cannot_keep("insertion", problem.model)
    work = _Insertion(problem, problem.model.rho, limits, random, listen)
    work.put_back()
    for _ in range(improve):
        if not work.improve():
            break
        work.put_back()
    return work.result()


class _Insertion:
    """The release in the making."""

    def __init__(
        self,
        problem: TransactionProblem,
        rho: Fraction,
        limits: Limits,
        random: np.random.Generator,
        listen: Listener,
    ) -> None:
        self.problem, self.limits, self.random, self.listen = problem, limits, random, listen
        self.records = records = Records.of(problem.transactions)
        self.rows = records.items.rows
        self.kept: Bools = ~records.is_sensitive | (records.items.sizes == 1)[self.rows]
        self.release = _release(records, self.kept)
        rho = with_denominator_up_to(rho, len(records.items))
        self.bounds = rho.numerator, rho.denominator, records.first_sensitive
        self.events: list[SearchEvent] = []
        self.rounds = self.tried = 0
        self._note()
        self.is_lonely: Bools = np.zeros(len(records.sources), bool)
        run_stoppable(partial(find_lonely, *self.bounds, self.release, self.is_lonely), limits)

    def put_back(self) -> None:
        """Puts back what is missing, until a whole round puts nothing back."""
        places = self.random.permutation(np.flatnonzero(~self.kept & ~self.is_lonely[self.rows]))
        # Record by record, in random order, and in random order within a record.
        rank = self.random.permutation(len(self.is_lonely))
        places = places[np.argsort(rank[self.rows[places]], kind="stable")]
        is_changed = True
        while is_changed:
            self.rounds += 1
            for piece in _pieces(places):
                loop = partial(put_back, piece, self.rows[piece], *self.bounds, self.release)
                self.tried += run_stoppable(loop, self.limits)
                self._note()
                if self.limits.is_over:
                    return
            left = places[~self.kept[places]]
            is_changed = len(left) < len(places)
            places = left

    def improve(self) -> bool:
        """Cuts and refills every record once; returns whether that gained anything."""
        order = np.lexsort((self.random.random(len(self.rows)), self.rows))
        is_cut = np.zeros(len(self.is_lonely), bool)
        for piece in _pieces(self.random.permutation(len(self.is_lonely))):
            run_stoppable(partial(refill, piece, order, *self.bounds, self.release, is_cut), self.limits)
            self._note()
            if self.limits.is_over:
                break
        self.is_lonely &= ~is_cut
        return bool(is_cut.any())

    def result(self) -> SearchResult:
        is_sensitive = self.records.is_sensitive
        details = {
            "sensitive_occurrences": int(is_sensitive.sum()),
            "put_back": int((self.kept & is_sensitive).sum()),
            "deleted_other": int((~self.kept & ~is_sensitive).sum()),
            "rounds": self.rounds,
            "tried": self.tried,
        }
        return self.records.result(self.problem, self.kept, self.limits, self.events, self.listen, details)

    def _note(self) -> None:
        left_out = len(self.kept) - int(np.count_nonzero(self.kept))
        self.events.append(SearchEvent(self.limits.seconds, Fraction(left_out), None, self.tried))
        self.listen(self.events[-1])


def _pieces(numbers: Int64s) -> list[Int64s]:
    return np.array_split(numbers, len(numbers) // PIECE + 1)


def _release(records: Records, kept: Bools) -> Release:
    """What is kept, and for each item which records keep it."""
    items, rows = records.items.items, records.items.rows
    first_holder = np.concatenate(([0], np.cumsum(records.supports))).astype(np.int64)
    holders = rows[np.lexsort((~kept, items))].astype(np.int32)  # the keeping ones first
    held = np.bincount(items[kept], minlength=records.item_count).astype(np.int64)
    return Release(records.items.offsets, records.items.items, kept, first_holder, holders, held)
