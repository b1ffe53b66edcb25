"""What one partition costs, and the least it can cost however it is split further.

A price is a pair (fixed, weight): with g the generalization cost of one record (only lm has one), the
partition costs fixed + weight * g. So a change of g needs no second look at the records.

A partition comes as its histogram of sensitive values (and of sensitive value x class for cm) and, for the
bounds of dm and cm, as its *atoms*: the groups into which it falls when every open value is specialized down
to the leaves. Whatever cut is chosen below, its partitions are unions of atoms.

Why the bounds hold. Let U be any cut below.

The greatest lawful remainder (kernels/lawful). Whatever parts a partition P is split into, what is kept of them is
lawful together, and so at most as much as the greatest lawful remainder R of P. With a record scheme at least |P| - |R|
records go; where only limits are promised, of each value at least what R lacks of it. With all-sa the parts
left alone are lawful and so is their union: at least |P| - |R| sensitive values go, which is tighter than the
single application of Lemma 3.3. For vio-sa each value is on its own and Lemma 3.3 is applied once. |R| may be replaced
by anything larger, as it is where R is known by a bound only.

lm. All atoms of a partition have the same generalization cost at the most specific cut below, g: an open value
costs nothing there and a locked one what it costs anyway. Theorems 3.5 and 3.6 then read
(penalty * removed, |P|) and (penalty * removed, |R|); a deleted record costs more than any g.

dm, all-rec and none (Corollary 3.7). What is kept is a union of atoms and each record in it pays at least
the size of its atom; at least d = |P| - |R| records go for |T| each, which is never less. Cheapest: take the d
records from the largest atoms.

dm, vio-rec (where Lemma 3.2 fails, as sizes are counted after the deletion). If U keeps r_a records of atom a,
a kept record pays at least r_a, so U costs at least sum r_a^2 + |T| (|a| - r_a), with sum r_a <= |R|. Each term
is convex in r_a, and one record more costs 2 r_a - 1 - |T|, negative up to (|T| + 1) / 2. So the minimum levels
the largest atoms: r_a = min(|a|, level), with level at most half of |T| and low enough for d deletions.

cm. U costs |P| less the records kept in the majority class of their part. Of each part's majority class c, at
most its records are kept, and splitting to atoms only raises the sum of majorities: at most the sum over the
atoms of their majorities stays. At most |R| stays, too. With all-rec atoms go as a whole, at least |P| - |R|
records in all, and the majority of an atom is at least its size over the number of classes: that much goes from
the sum of majorities.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .cache import njit
from .codes import (
    ALL_RECORDS,
    ALL_VALUES,
    DISCERNIBILITY,
    LOSS_METRIC,
    NO_SUPPRESSION,
    VIOLATING_RECORDS,
    VIOLATING_VALUES,
)
from .lawful import Promise, greatest_remainder, is_lawful

Int64s = npt.NDArray[np.int64]


GENERALIZATION_BOUND = 1
"""what is kept costs at least what it costs at the most specific cut (Lemma 3.2)"""
SUPPRESSION_BOUND = 2
"""so much has to be suppressed (Lemma 3.3)"""
WHOLE_PARTS_BOUND = 4
"""what follows when suppression takes partitions as a whole: the greatest remainder for all-sa, whole atoms for cm"""
ALL_BOUNDS = GENERALIZATION_BOUND | SUPPRESSION_BOUND | WHOLE_PARTS_BOUND


class Rules(NamedTuple):
    """The suppression scheme, the loss and the promise, as numbers."""

    scheme: int
    loss: int
    promise: Promise
    rows: int
    penalty: int
    """lm: for one suppressed value or record"""
    classes: int
    guard_stars: bool
    bounds: int
    """which of the bounds below to use; all of them but for measuring what each is worth"""


# The columns of a price, as written by price_partition.
POSSIBLE, BOUND_FIXED, BOUND_WEIGHT, COST_FIXED, COST_WEIGHT = range(5)
PRICE_COLUMNS = 5


@njit(cache=True)
def _kept(histogram: Int64s, slot: int, size: int, rules: Rules, remainder: Int64s) -> int:
    """The most records that can stay of a violating partition; with vio-rec, so many do."""
    return int(greatest_remainder(histogram, slot, size, rules.promise, rules.scheme == VIOLATING_RECORDS, remainder))


@njit(cache=True)
def _levelled(atoms: Int64s, count: int, least_deleted: int, rows: int) -> int:
    """dm, vio-rec: the least of sum r^2 + rows * deleted over all r <= atoms with so many deleted."""
    level = (rows + 1) // 2
    deleted, largest = 0, 0
    for index in range(count):
        largest = max(largest, atoms[index])
        deleted += max(0, atoms[index] - level)
    spared = 0
    if deleted < least_deleted:
        low, high = 0, min(level, largest)
        while low < high:  # the highest level that deletes enough
            level = (low + high + 1) // 2
            deleted = 0
            for index in range(count):
                deleted += max(0, atoms[index] - level)
            if deleted >= least_deleted:
                low = level
            else:
                high = level - 1
        level = low
        deleted = 0
        for index in range(count):
            deleted += max(0, atoms[index] - level)
        spared = deleted - least_deleted  # so many atoms stay one above the level
    cost = spared * (2 * level + 1) + rows * (deleted - spared)
    for index in range(count):
        kept = min(atoms[index], level)
        cost += kept * kept
    return cost


@njit(cache=True)
def _without_the_largest(atoms: Int64s, count: int, deleted: int, rows: int) -> int:
    """dm, all-rec: the records of the largest atoms go, the others pay the size of their atom.

    The border is the smallest size with at most `deleted` records in larger atoms: these go as a whole, the rest
    of the deletions falls on atoms of that size.
    """
    low, high = 0, 0
    for index in range(count):
        high = max(high, atoms[index])
    while low < high:
        border = (low + high) // 2
        above = 0
        for index in range(count):
            if atoms[index] > border:
                above += atoms[index]
        if above <= deleted:
            high = border
        else:
            low = border + 1
    border = low
    cost = deleted * rows
    rest = deleted
    for index in range(count):
        if atoms[index] > border:
            rest -= atoms[index]
        else:
            cost += atoms[index] * atoms[index]
    return cost - rest * border


@njit(cache=True)
def _majority(by_class: Int64s, slot: int, classes: int, values: int, most: Int64s) -> int:
    """The largest class when of value v at most most[0, v] records are kept, the best ones for that class."""
    majority = 0
    for label in range(classes):
        kept = 0
        for value in range(values):
            kept += min(by_class[slot, value * classes + label], most[0, value])
        majority = max(majority, kept)
    return majority


@njit(cache=True)
def _least_removed_once(histogram: Int64s, slot: int, size: int, shares: Int64s) -> int:
    """Lemma 3.3, applied once to each value."""
    least = 0
    for value in range(histogram.shape[1]):
        excess = histogram[slot, value] * shares[value, 1] - shares[value, 0] * size
        if excess > 0:
            step = shares[value, 1] - shares[value, 0]
            least += (excess + step - 1) // step
    return least


@njit(cache=True)
def _price_unlawful_lm(
    histogram: Int64s, slot: int, size: int, rules: Rules, remainder: Int64s, prices: Int64s
) -> None:
    """Bound and cost of a violating partition in lm; both weights come as the partition's size."""
    if rules.scheme == VIOLATING_VALUES:
        starred, visible = 0, 0
        for value in range(histogram.shape[1]):
            count = histogram[slot, value]
            if count * rules.promise.shares[value, 1] > rules.promise.shares[value, 0] * size:
                starred += count
            elif count > 0:
                visible += 1
        least = _least_removed_once(histogram, slot, size, rules.promise.shares)
        if rules.guard_stars and visible == histogram.shape[1] - 1:
            starred = size
        prices[slot, BOUND_FIXED] = rules.penalty * least
        prices[slot, COST_FIXED] = rules.penalty * starred
        return
    kept = _kept(histogram, slot, size, rules, remainder)
    prices[slot, BOUND_FIXED] = rules.penalty * (size - kept)
    prices[slot, COST_FIXED] = rules.penalty * size
    if rules.scheme == ALL_VALUES:
        if not rules.bounds & WHOLE_PARTS_BOUND:
            prices[slot, BOUND_FIXED] = rules.penalty * _least_removed_once(histogram, slot, size, rules.promise.shares)
        return
    prices[slot, BOUND_WEIGHT] = kept
    if rules.scheme == VIOLATING_RECORDS:
        prices[slot, COST_FIXED] = prices[slot, BOUND_FIXED]
        prices[slot, COST_WEIGHT] = kept
    else:
        prices[slot, COST_WEIGHT] = 0


@njit(cache=True)
def price_partition(
    histogram: Int64s,
    by_class: Int64s,
    slot: int,
    size: int,
    atoms: Int64s,
    atom_count: int,
    majorities: int,
    rules: Rules,
    remainder: Int64s,
    prices: Int64s,
) -> None:
    """Writes bound and cost of the partition in row `slot` of the histograms to that row of `prices`.

    atoms: the sizes of the atoms (dm); majorities: the sum of their majority classes (cm). With at most one atom
    the partition cannot be split and the bound of dm and cm is the cost. For lm the caller decides that: it may
    then take the cost for the bound.
    """
    prices[slot, POSSIBLE] = 1
    prices[slot, BOUND_FIXED] = 0
    prices[slot, BOUND_WEIGHT] = size
    prices[slot, COST_FIXED] = 0
    prices[slot, COST_WEIGHT] = size
    lawful = is_lawful(histogram, slot, size, rules.promise)
    if not lawful and rules.scheme == NO_SUPPRESSION:
        prices[slot, POSSIBLE] = 0
        return
    if rules.loss == LOSS_METRIC:
        if not lawful:
            _price_unlawful_lm(histogram, slot, size, rules, remainder, prices)
        if not rules.bounds & SUPPRESSION_BOUND:
            prices[slot, BOUND_FIXED] = 0
            prices[slot, BOUND_WEIGHT] = size
        if not rules.bounds & GENERALIZATION_BOUND:
            prices[slot, BOUND_WEIGHT] = 0
        return

    prices[slot, BOUND_WEIGHT] = 0
    prices[slot, COST_WEIGHT] = 0
    kept = size
    if lawful:
        for value in range(histogram.shape[1]):
            remainder[0, value] = histogram[slot, value]
    else:
        kept = _kept(histogram, slot, size, rules, remainder)
    stays = lawful or rules.scheme == VIOLATING_RECORDS  # the remainder does; else all records go
    removed = size - kept if rules.bounds & SUPPRESSION_BOUND else 0
    if rules.loss == DISCERNIBILITY:
        cost = kept * kept + rules.rows * (size - kept) if stays else rules.rows * size
        if atom_count <= 1:
            bound = cost
        elif not rules.bounds & GENERALIZATION_BOUND:
            bound = rules.rows * removed
        elif rules.scheme == VIOLATING_RECORDS:
            bound = _levelled(atoms, atom_count, removed, rules.rows)
        else:
            bound = _without_the_largest(atoms, atom_count, removed, rules.rows)
    else:
        cost = size - _majority(by_class, slot, rules.classes, rules.promise.blocks[0, 1], remainder) if stays else size
        if atom_count <= 1:
            bound = cost
        elif not rules.bounds & GENERALIZATION_BOUND:
            bound = removed
        else:
            bound = max(removed, size - majorities)
            if rules.scheme == ALL_RECORDS and rules.bounds & WHOLE_PARTS_BOUND:
                bound = max(bound, size - majorities + (removed + rules.classes - 1) // rules.classes)
    prices[slot, BOUND_FIXED] = bound
    prices[slot, COST_FIXED] = cost
