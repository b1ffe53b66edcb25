"""partial-suppression: rho-uncertainty by deleting single occurrences of items, sensitive ones or others.

Paper: Jia, Hu, Pan, Xie, Xu, Zhu and Lo 2014 (PartialSuppressor, SanitizeBuffer, DnCSplitData). A buffer is filled with
unsafe rules q -> e. As long as one of them is unsafe, the best of all (d, q, e) is taken, q -> e unsafe and d in q + e,
and d is deleted from as many of the records with q + e, drawn at random, as it takes: N(d). Then the buffer is filled
again, until there is no unsafe rule. What is best depends on the aim:

- rules: the least leftover(d) N(d), the share of d's occurrences that are still there times the deletions. An item that
  has lost many loses more, so that few items have their rules changed.
- distribution: the greatest leftover(d) / N(d). An item that has lost few loses more, so that all lose equally and each
  item's share of all occurrences stays the same.

Among equals sensitive items come first, then the more frequent one, then the rule found first. Longer rules are found
first, as deletions from the records with q + e make shorter rules within it safer, too, but not the other way round.

Promises: rho-uncertainty; nothing about how good the release is. With the aim `rules` only sensitive items are ever
deleted: e takes no more deletions than an item of q, none of whose occurrences were deleted before.

Large data are cut into random halves until the cost of each part, |T| 2^(N / |T|) / |D(T)| for N occurrences of |D(T)|
items in |T| records, is at most t_max. Parts that are safe make a safe whole: for a sensitive e not in q, each has
sup(q + e) <= rho sup(q), even where sup(q) = 0, and both sides add up. Nothing is divided, so a part without q needs no
special care. Leftovers are over the part and all parts done before it: a part of Retail has one or two occurrences of
most items, and decisions based on these alone do not balance. Parts run a few at a time, the same ones together on any
machine, and each has random numbers of its own; so the release does not depend on the number of cores.

If stopped early, a part that is not done deletes all sensitive items that are left in records of two items or more.
Then no record has a sensitive item with another, sup(q + e) = 0 for all q and e, and the part is safe, hence the whole.

Why it ends: an unsafe rule takes at least one deletion, and there are finitely many occurrences. Why it is safe: it
ends when the exact search (kernels/unsafe_rules.py) has found nothing for any sensitive item e since the last deletion
that could make a rule q -> e unsafe. That is one of an item of q from a record without e: from one with e, both
supports fall by one, and sup(q + e) - 1 <= rho sup(q) - 1 <= rho (sup(q) - 1).

Where the paper cannot be followed:

- It calls q safe if no sensitive e follows, though e in q always does. Here e is not in q, and q is not empty.
- Its loop starts with i and safe unset, never empties the buffer, counts supports over the records that were read into
  it, and may leave the last record unread. Here every fill starts empty, with supports over the whole part.
- It puts all 2^|t| subsets of a record into the buffer. Here q is closed in the records with e: one of these rules is
  unsafe wherever any is. And the buffer first has the longest alone, from a whole record r less e to e, until all of
  these are safe: then most others are too, and the search for them is short. Searched for at once, a frequent item of
  BMS-WebView-2 has 80,000 closed unsafe rules.
- N(d) is a real number there, 0.3 for a rule of one record at 0.7, and undefined for a d that is unsafe with q but is
  neither in q nor e. Here it is the least whole number, and d is in q + e.
- It updates supports by what a record has after the deletion, so that the sets with d keep theirs. Here what it had
  before counts, and every support in the buffer is exact after each deletion. A safe rule may become unsafe when one of
  q's items goes from a record without e: in the buffer it is seen at once, elsewhere in the next fill.
- For the distribution it takes the greatest P(d) log(P(d) / P0(d)) / N(d), P(d) = sup(d) / |T| being the share now and
  P0(d) the original one. Such a share never grows, no value is positive, and the greatest value favours more deletions;
  with shares of all occurrences it does grow. But this is d's part of the divergence, not what a deletion changes in
  it. For rare items it is near 0 however much they have lost, so they go first where no item is too frequent. The
  derivative of p log(p / p0) is log(p / p0) + 1: it grows with P(d) / P0(d), which is the leftover times the same for
  all items.
- Its parts know nothing of each other. So rare sensitive items of Retail lose nearly all occurrences and the most
  frequent items too few, and the divergence is five times as large.
- It assigns half of the items to each part when it means the records: two parts with half of a record each can be safe
  and the record not. And it need not end on a single long record, which is not cut here.

Costs: a handful of searches for unsafe rules in each part take most of the time. A buffer takes some 40 bytes for each
rule, and 8 for each item and each record of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from math import log2
from typing import Literal

import numpy as np

from discreet.kernels.rule_sanitation import SANITIZED, Progress, sanitize
from discreet.kernels.unsafe_rules import (
    CLOSED,
    OPEN,
    OPEN_WHERE_TOUCHED,
    RULES,
    Part,
    Rules,
    find_unsafe_records,
    find_unsafe_rules,
    room_for_rules,
)
from discreet.models.rho_uncertainty import RhoUncertainty
from discreet.search.events import Listener, SearchEvent, ignore
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.transactions.problem import TransactionProblem, cannot_keep
from discreet.search.transactions.records import Bools, Records, with_denominator_up_to
from discreet.search.transactions.stoppable import run_stoppable
from discreet.values.arrays import Int32s, Int64s
from discreet.values.sets import Sets

Aim = Literal["rules", "distribution"]

ENTRIES_OF_A_RULE = 16
"""The buffer has room for b_max rules of this many items, and as many records, on average."""

PARTS_AT_A_TIME = 4
"""What these have left is known to those after them. More would keep more cores busy, but the shares less well."""


def partial_suppression(
    problem: TransactionProblem,
    limits: Limits,
    random: np.random.Generator,
    listen: Listener = ignore,
    *,
    aim: Aim = "rules",
    t_max: int = 500,
    b_max: int = 1_000_000,
) -> SearchResult:
    """Deletes occurrences until no rule is unsafe; details: how many, of how many rules, in how many parts."""
    model, transactions = problem.model, problem.transactions
    if not isinstance(model, RhoUncertainty):
        raise cannot_keep("partial-suppression", model)
    events: list[SearchEvent] = []

    def note(cost: Fraction | None, sanitized: int) -> None:
        events.append(SearchEvent(limits.seconds, cost, None, sanitized))
        listen(events[-1])

    note(None, 0)
    records = Records.of(transactions)
    parts = list(_parts(records.items, random.permutation(len(records.items)), t_max))
    generators = random.spawn(len(parts))
    rho = with_denominator_up_to(model.rho, len(records.items))
    kept = np.ones(len(records.items.items), bool)

    def run(stop: Int64s) -> int:
        left, had = np.zeros((2, records.item_count), np.int64)
        sanitized = 0
        with ThreadPoolExecutor(os.cpu_count()) as executor:
            for first in range(0, len(parts), PARTS_AT_A_TIME):
                task = _Task(records, rho, aim, b_max, stop, left, had)
                together = slice(first, first + PARTS_AT_A_TIME)
                for done in executor.map(task.suppressed, parts[together], generators[together]):
                    kept[done.places] = done.part.kept
                    items = records.items.items[done.places]
                    left = left + np.bincount(items[done.part.kept], minlength=len(left))
                    had = had + np.bincount(items, minlength=len(had))
                    sanitized += int(done.progress.done[SANITIZED])
                    note(None, sanitized)
        return sanitized

    sanitized = run_stoppable(run, limits)
    note(Fraction(int((~kept).sum())), sanitized)
    details = {
        "deleted_sensitive": int((~kept & records.is_sensitive).sum()),
        "deleted_other": int((~kept & ~records.is_sensitive).sum()),
        "sanitized_rules": sanitized,
        "parts": len(parts),
    }
    return records.result(problem, kept, limits, events, listen, details)


def _parts(items: Sets, order: Int64s, t_max: int) -> Iterator[Int64s]:
    """The records in this order, halved until each part costs at most t_max or is one record."""
    part = items.take(order)
    occurrences, distinct = len(part.items), len(np.unique(part.items))
    # Cost(T) as a logarithm, as 2^(N / |T|) need not be a float.
    if len(order) < 2 or log2(len(order)) + occurrences / len(order) <= log2(max(1, distinct)) + log2(t_max):
        yield order
    else:
        half = len(order) // 2
        yield from _parts(items, order[:half], t_max)
        yield from _parts(items, order[half:], t_max)


@dataclass(frozen=True, eq=False)
class _Task:
    """What all parts have in common."""

    records: Records
    rho: Fraction
    aim: Aim
    b_max: int
    stop: Int64s
    left: Int64s
    """item -> how many occurrences are left in the parts that are done"""
    had: Int64s
    """item -> how many these had"""

    def suppressed(self, rows: Int64s, random: np.random.Generator) -> _Suppression:
        """Makes the part of these records safe.

        Its items have numbers of their own, the sensitive ones last, each kind by support: so the branches of a search
        are small. Its records are sorted by length, so that rules come in the order in which equals are chosen.
        """
        records = self.records
        rows = rows[np.argsort(-records.items.sizes[rows], kind="stable")]
        sizes = records.items.sizes[rows]
        offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        places = np.arange(offsets[-1]) + np.repeat(records.items.offsets[rows] - offsets[:-1], sizes)
        present, codes, supports = np.unique(records.items.items[places], return_inverse=True, return_counts=True)
        order = np.lexsort((supports, present >= records.first_sensitive))
        present = present[order]
        number = np.empty(len(present), np.int32)
        number[order] = np.arange(len(present))
        owners = np.repeat(np.arange(len(rows), dtype=np.int32), sizes)
        ascending = np.lexsort((number[codes], owners))
        items, supports = number[codes][ascending], supports[order]
        part = Part(
            offsets,
            items,
            np.ones(len(items), bool),
            np.concatenate(([0], np.cumsum(supports))),
            owners[np.argsort(items, kind="stable")],
        )
        room = ENTRIES_OF_A_RULE * self.b_max
        suppression = _Suppression(
            self,
            part,
            places[ascending],
            owners,
            int((present < records.first_sensitive).sum()),
            room_for_rules(self.b_max, room + int(sizes.max(initial=0)), room + len(rows)),
            Progress(
                self.left[present] + supports,
                self.had[present] + supports,
                random.random(len(items)),
                np.zeros(2, np.int64),
            ),
        )
        suppression.run()
        return suppression


@dataclass(frozen=True, eq=False)
class _Suppression:
    """A part that is being made safe."""

    task: _Task
    part: Part
    places: Int64s
    """its occurrences, as places among those of all records"""
    owners: Int32s
    """occurrence -> its record"""
    first_sensitive: int
    rules: Rules
    """the buffer"""
    progress: Progress

    def run(self) -> None:
        self._sanitize_whole_records()
        if not self._sanitize_all():
            left = np.bincount(self.owners[self.part.kept], minlength=len(self.part.offsets) - 1)
            self.part.kept[(self.part.items >= self.first_sensitive) & (left[self.owners] > 1)] = False

    def _sanitize_whole_records(self) -> None:
        """Until every r less e -> e is safe, but for rules that a deletion from another record made unsafe."""
        rho, stop = self.task.rho, self.task.stop
        is_open = np.ones(len(self.part.offsets) - 1, bool)
        while is_open.any() and not stop[0]:
            self.rules.filled[:] = 0
            find_unsafe_records(
                self.part, rho.numerator, rho.denominator, self.first_sensitive, is_open, self.rules, stop
            )
            is_open[self.owners[self._sanitize_buffer()]] = True

    def _sanitize_all(self) -> bool:
        """Until every rule is safe; False if stopped before.

        A sensitive item e is closed when a search finds no unsafe rule q -> e. One becomes unsafe when sup(q) falls
        and sup(q + e) > 0 does not: an item of q is deleted from a record, and another record still has q with e.
        Such records are touched, and q is in no others with e, so that e is searched again in these alone.
        """
        rho, stop = self.task.rho, self.task.stop
        state = np.where(np.arange(len(self.progress.supports)) < self.first_sensitive, CLOSED, OPEN)
        is_touched = np.zeros(len(self.part.offsets) - 1, bool)
        while state.any() and not stop[0]:
            self.rules.filled[:] = 0
            find_unsafe_rules(self.part, rho.numerator, rho.denominator, state, is_touched, self.rules, stop)
            if not state.any():
                is_touched[:] = False
            state[self.rules.sensitive[: self.rules.filled[RULES]]] = OPEN
            is_touched |= self._still_having(self.part.items[self._sanitize_buffer()])
            beside = self.part.items[is_touched[self.owners] & self.part.kept]
            beside = beside[beside >= self.first_sensitive]
            state[beside] = np.maximum(state[beside], OPEN_WHERE_TOUCHED)
        return not state.any()

    def _sanitize_buffer(self) -> Int64s:
        """Makes all rules of the buffer safe; returns the occurrences that were deleted."""
        rho, before = self.task.rho, self.part.kept.copy()
        for_rules = self.task.aim == "rules"
        sanitize(self.part, self.rules, self.progress, rho.numerator, rho.denominator, for_rules, self.task.stop)
        return np.flatnonzero(before & ~self.part.kept)

    def _still_having(self, items: Int32s) -> Bools:
        """Record -> does it have one of these items?"""
        is_one = np.zeros(len(self.progress.supports), bool)
        is_one[items] = True
        having = np.zeros(len(self.part.offsets) - 1, bool)
        having[self.owners[is_one[self.part.items] & self.part.kept]] = True
        return having
