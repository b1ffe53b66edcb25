"""trivial-suppression: rho-uncertainty without a search, the baseline to compare other methods with.

Two simple releases have no rule, so they keep every rho, even 0:

- sensitive: every sensitive occurrence goes, even from records of a single item, and all others stay. A rule needs a
  sensitive item. It is what the measure items-lost calls trivial.
- all-but-one: one item of each record stays, sensitive or not, drawn at random. A rule needs two items of a record.

Promises: rho-uncertainty, and nothing about how good the release is: `insertion` starts from the first and a little
more, and so never loses more than that.

Why at random. One item of each record stays whichever it is, so the loss is the same, and a rule for the choice would
reveal something about what has gone. If it were the rarest, anyone who sees an item would know that the record had none
rarer; if it were a sensitive one wherever there is one, records published with another would be known to have none, and
everyone with a sensitive item would be published with one.

What someone who knows how it was made can learn all the same:

- sensitive: a record that is published without items had nothing but sensitive ones, or nothing at all.
- all-but-one: anyone who knows an item that only one person has, and does not find it, knows that another item of that
  person was drawn. If they know the other records too, they may find out which: {a, b} and {y, s} become {a} and {s},
  and s is in no other record. The promise does not cover that. It is about known items that are found, here as with
  every method that leaves out items that are not sensitive. Items of short records are drawn more often, so the
  frequencies are not those of the original.

Costs: a look at each occurrence.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import numpy as np

from discreet.models.rho_uncertainty import RhoUncertainty
from discreet.search.events import Listener, SearchEvent, ignore
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.transactions.problem import TransactionProblem, cannot_keep
from discreet.search.transactions.records import Bools, Records

LeaveOut = Literal["sensitive", "all-but-one"]


def trivial_suppression(
    problem: TransactionProblem,
    limits: Limits,
    random: np.random.Generator,
    listen: Listener = ignore,
    *,
    leave_out: LeaveOut = "sensitive",
) -> SearchResult:
    """Leaves out every sensitive item, or all items of each record but one that is drawn at random."""
    if not isinstance(problem.model, RhoUncertainty):
        raise cannot_keep("trivial-suppression", problem.model)
    records = Records.of(problem.transactions)
    kept = ~records.is_sensitive if leave_out == "sensitive" else _one_of_each(records, random)
    event = SearchEvent(limits.seconds, Fraction(int((~kept).sum())), None, 1)
    listen(event)
    details = {
        "deleted_sensitive": int((~kept & records.is_sensitive).sum()),
        "deleted_other": int((~kept & ~records.is_sensitive).sum()),
    }
    return records.result(problem, kept, limits, [event], listen, details)


def _one_of_each(records: Records, random: np.random.Generator) -> Bools:
    """Occurrence -> is it the one that its record keeps?"""
    kept = np.zeros(len(records.items.items), bool)
    filled = np.flatnonzero(records.items.sizes)
    kept[records.items.offsets[filled] + random.integers(records.items.sizes[filled])] = True
    return kept
