"""What no local recoding with groups of at least k records can go below, by the loss metric.

Give every record a price, such that in each tuple of nodes (one above some point in each attribute) with at least k
records the k highest prices add up to at most k times what a record pays for the tuple. Then no release with groups of
at least k records costs less than all prices together.

Proof: a group of n >= k records is published at some tuple, and each of its records pays the charge c of that tuple.
Its k highest prices add up to at most k c. So the k-th is at most c, and none of the others is higher: all n add up to
at most n c, what the group pays. Sum over all groups. (This is weak duality for the linear programme of partitions into
groups.) Any promise that asks for groups of that size can only cost more.

A point with k records or more has the price 0: it can stay as it is. The others begin at what a record pays for the
cheapest tuple above them that has k records, which is within all limits. Then prices rise together in small steps, each
as far as its tuples allow, and at last one by one: raised at once, the first would take all there is. At the end all
tuples are looked at once more, apart from the lists that were kept on the way.

Charges are whole numbers, rounded down where weights have many digits, so prices are exact, and never too high.

Where a column is published by ranges, sets or means, a group may pay less than any node above it: there is no bound.

Costs: one number for each point with fewer than k records and each choice of levels. Where these are too many, there is
no bound.
"""

from __future__ import annotations

from fractions import Fraction
from math import prod

import numpy as np

from discreet.kernels.prices import find_tuples, is_within, raise_prices
from discreet.search.limits import Limits
from discreet.search.table.points import PointTable

MOST_NUMBERS = 60_000_000
"""240 MB of them"""
STEPS = 2
"""in so many steps prices rise to about twice where they begin; more of them gain next to nothing"""
NUMBERS_PER_SECOND = 8_000_000
"""about so many can be gone through in the time allowed"""


def least_loss(table: PointTable, limits: Limits) -> Fraction | None:
    """The sum of prices, or None where there are too many tuples for the time and memory, or nothing is known."""
    k, taxonomies = table.problem.demand.smallest, table.problem.table.taxonomies
    points = table.points
    priced = np.flatnonzero(points.sizes < k).astype(np.int32)
    levels = [int(taxonomy.depth.max()) + 1 for taxonomy in taxonomies]
    most = MOST_NUMBERS if limits.time_limit is None else min(MOST_NUMBERS, NUMBERS_PER_SECOND * limits.time_limit)
    if table.charges.by_width.any() or not len(priced) or prod(levels) * len(priced) > most:
        return None
    nodes, charges = [], []
    for attribute, taxonomy in enumerate(taxonomies):
        above = taxonomy.leaf_nodes[points.leaves[:, attribute]].astype(np.int32)
        by_depth = [above]
        for depth in range(levels[attribute] - 2, -1, -1):
            above = np.where(taxonomy.depth[above] > depth, taxonomy.parents[above], above).astype(np.int32)
            by_depth.append(above)
        nodes += by_depth
        leaves = (taxonomy.stop_leaf - taxonomy.first_leaf - 1).astype(np.int64)
        charges.append(table.charges.steps[attribute] * leaves)
    tuples = np.empty((len(priced), prod(levels)), np.int32)
    charge_of_tuple = find_tuples(
        np.array(nodes, np.int32),
        np.cumsum([0, *levels[:-1]]),
        np.array(levels),
        np.concatenate(charges),
        np.cumsum([0, *map(len, charges[:-1])]),
        points.sizes,
        priced,
        k,
        tuples,
    )
    if len(charge_of_tuple) * k > MOST_NUMBERS:
        return None
    sizes = points.sizes[priced]
    prices = np.zeros(len(priced), np.int64)
    highest = np.full((len(charge_of_tuple), k), -1, np.int32)
    cheapest = np.array([charge_of_tuple[row[row >= 0]].min() for row in tuples])
    order = np.argsort(cheapest, kind="stable")
    rises = [cheapest, *[np.maximum(cheapest // STEPS, 1)] * STEPS, k * np.full_like(cheapest, cheapest.max())]
    for rise in rises:
        if limits.is_over:
            break
        raise_prices(prices, sizes, tuples, charge_of_tuple, highest, order, rise)
    if not is_within(prices, sizes, tuples, charge_of_tuple, k):
        raise AssertionError("prices are too high")
    return Fraction(int((prices * sizes).sum()), table.unit)
