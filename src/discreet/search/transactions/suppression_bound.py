"""How many occurrences any release by suppression alone must leave out to keep rho-uncertainty.

Promises: no release that only leaves out occurrences and keeps rho-uncertainty leaves out fewer. It says nothing about
releases that generalize.

Why it is valid. Let a record be released with the items Y: at least two, and k >= 1 of them sensitive. For a sensitive
e in Y the rule Y - e -> e holds in s = sup(Y) >= 1 records and must have sup(Y - e) >= s / rho, a whole number. So at
least ceil(s / rho) - s >= ceil(1 / rho) - 1 =: c records hold Y - e without e. A record that lacks e and one that lacks
another sensitive item of Y, but holds all the rest, are two: there are k c different records, none of them the record
itself, and c of them hold Y - e, for each e. Suppression adds nothing, so they hold it in the original too.

What a record can lose. Let r be an original record with D left out of it, |D| = d, and Y = r - D. If Y has no sensitive
item, d is at least the number of sensitive items of r; if Y has one item, d = |r| - 1; with Y empty it is more. The
smaller of the two, m, is what r loses at most in the sum. For fewer deletions, d < m, the fact above holds. Write C(r')
for the items of r that another record r' lacks. It may serve e, that is hold Y - e, only if C(r') - e lies in D.
So where N is known to lie in D, only those with |C(r') - e - N| <= d - |N| may serve e. If these are fewer than c, e
must itself be in D, and N grows. This is repeated until nothing changes. Then d is refuted

- if |N| > d, or if every sensitive item of r is in N;
- if there are too few to serve all. Of the sensitive items outside N at most d - |N| are not kept, and at least one is;
  each is served by c records of its own. Records with |C(r') - N| <= d - |N| may serve any of them, the others only an
  item that they lack, and of those e needs no more than c.

The least d that is not refuted is a bound for r; each record is charged for its own occurrences, so their sum is a
bound for all. Equal records are looked at once.

Costs: a record that lacks at most d + 1 items of r has one of the d + 2 rarest items of r. Only the records with these
are looked up, for d = 0, 1, 2, ... until one is not refuted, or until looking up more than MOST_LOOKED_UP would be
needed. Then d counts as if it could not be refuted, which keeps the bound valid and lowered it by less than 0.1% of all
occurrences on public data. 2 seconds for 77,512 click streams, 9 for 88,162 market baskets.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import ceil

import numpy as np

from discreet.encode.transactions import EncodedTransactions
from discreet.kernels.row_sets import rows_of_items
from discreet.kernels.suppression_bound import least_deletions
from discreet.search.limits import Limits
from discreet.search.transactions.stoppable import run_stoppable

MOST_LOOKED_UP = 4_000
"""Other records, repeats included, that are looked up for one record."""


def suppression_bound(transactions: EncodedTransactions, rho: Fraction, limits: Limits) -> int:
    """No release by suppression alone that keeps rho-uncertainty leaves out fewer occurrences, sensitive or not.

    If stopped early, the bound is lower, but just as valid.
    """
    needed = ceil(1 / rho) - 1 if rho else transactions.transactions
    if needed <= 0:
        return 0
    supports = np.concatenate((transactions.leaf_occurrences, transactions.sensitive_occurrences))
    by_rarity = np.argsort(supports, kind="stable")
    rank = np.empty(len(by_rarity), np.int64)
    rank[by_rarity] = np.arange(len(by_rarity))
    leaves = len(transactions.leaf_occurrences)
    records = transactions.sets.joined(transactions.sensitive, leaves).mapped(rank)
    holders = rows_of_items(records.offsets, records.items, len(rank))
    refute = partial(
        least_deletions,
        records.offsets,
        records.items,
        transactions.counts,
        *holders,
        by_rarity >= leaves,
        needed,
        MOST_LOOKED_UP,
    )
    least = run_stoppable(refute, limits)
    return int(least @ transactions.counts)
