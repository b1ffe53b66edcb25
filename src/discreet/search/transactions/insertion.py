"""Insertion: rho-uncertainty by putting sensitive items back into the release that has none.

The release without sensitive items is safe, since no rule is left; so is one in which records of a single item stay
whole, for a rule needs something known. From there the sensitive occurrences are put back in random order, each where
no rule becomes too sure (kernels/insertion), and what was refused is tried again until a whole round puts nothing back.

Promises: rho-uncertainty; all items that are not sensitive stay; and the release is maximal, no occurrence that is
missing could be put back alone. Not that no other release loses less; what none can go below is told.

Why it is maximal. An occurrence that is refused for good is refused by items that are not sensitive, whose support
never changes while the rule's own only grows. All others were refused in the last round, in which nothing changed.

Costs: a look at the records that hold the same sensitive item for each occurrence and round; on sparse data seconds.
Stopped early, it is as safe, and not maximal.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from discreet.encode.transactions import Int64s
from discreet.kernels.insertion import Release, put_back
from discreet.models import RhoUncertainty
from discreet.search.events import Listener, SearchEvent, ignore
from discreet.search.limits import Limits
from discreet.search.transactions.problem import TransactionProblem, TransactionResult, cannot_keep
from discreet.search.transactions.records import Bools, Records
from discreet.search.transactions.stoppable import run_stoppable

Counts = tuple[int, int]
"""put back, refused but not for good"""


def insertion(
    problem: TransactionProblem, limits: Limits, random: np.random.Generator, listen: Listener = ignore
) -> TransactionResult:
    """Puts sensitive items back until no more can be. The order is drawn at random."""
    model = problem.model
    if not isinstance(model, RhoUncertainty):
        raise cannot_keep("insertion", model)
    transactions = problem.transactions
    records = Records.of(transactions)
    sensitive_occurrences = int(records.is_sensitive.sum())
    events: list[SearchEvent] = []

    def note(left_out: int, tried: int) -> None:
        events.append(SearchEvent(limits.seconds, Fraction(left_out), Fraction(0), tried))
        listen(events[-1])

    kept = ~records.is_sensitive | (records.items.sizes == 1)[records.items.rows]
    note(int((~kept).sum()), 0)
    places = np.flatnonzero(~kept)
    # Record by record, in random order, and so within a record.
    places = random.permutation(places)
    places = places[np.argsort(random.permutation(len(records.sources))[records.items.rows[places]], kind="stable")]
    release = _release(records, kept)
    rounds, tried = 0, 0
    while len(places) and not limits.is_over:
        rounds += 1
        tried += len(places)
        refused = np.empty(len(places), np.int64)
        rows = records.items.rows[places]

        def one_round(stop: Int64s, places: Int64s = places, rows: Int64s = rows, refused: Int64s = refused) -> Counts:
            rho = model.rho
            return put_back(
                places, rows, rho.numerator, rho.denominator, records.first_sensitive, release, stop, refused
            )

        inserted, left = run_stoppable(one_round, limits)
        note(int((~kept).sum()), tried)
        if inserted == 0:
            break
        places = places[refused[:left]]
    details = {
        "sensitive_occurrences": sensitive_occurrences,
        "put_back": sensitive_occurrences - int((~kept).sum()),
        "rounds": rounds,
        "tried": tried,
    }
    return records.result(problem, kept, limits, events, details)


def _release(records: Records, kept: Bools) -> Release:
    """What is kept, and by item which records keep it."""
    items, rows = records.items.items, records.items.rows
    first_holder = np.concatenate(([0], np.cumsum(records.supports))).astype(np.int64)
    holders = rows[np.lexsort((~kept, items))].astype(np.int32)  # the keeping ones first
    held = np.bincount(items[kept], minlength=records.item_count).astype(np.int64)
    return Release(records.items.offsets, records.items.items, kept, first_holder, holders, held)
