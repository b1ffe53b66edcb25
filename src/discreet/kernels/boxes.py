"""What it costs to publish some records at the lowest nodes above all of them.

Leaves are numbered in the order of their taxonomy, so the lowest node above some leaves is the one above the first and
the last of them. A group of records is a *box*: its lowest and highest leaf in each attribute. Between two neighbouring
leaves there is a *border*, the lowest node above both. The lowest node above all leaves of a range is the highest of
the borders in between, and a node costs at least what a node below it costs; so the charge of a range is the largest
charge of its borders. The largest of any range is the larger of two entries of a table that has, for each border, the
largest of the next 1, 2, 4, ... of them. Where an attribute has few leaves, every range has an entry of its own, which
is faster to look up.

Some attributes are not published at nodes, but as ranges or other labels made for the group. Then the charge goes by
the width of the range, and what stands in `leaves` are places in a row. A missing value is further away than all
others, for a group that has it and others is published at the root.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .cache import njit

Bools = npt.NDArray[np.bool_]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]


class Points(NamedTuple):
    """The distinct combinations of quasi-identifiers, each with its records."""

    leaves: Int32s
    """point x attribute"""
    sizes: Int64s
    first_entry: Int64s
    """point -> the first of its entries; one more at the end"""
    columns: Int32s
    """entry -> column of the histogram in which its records count"""
    counts: Int64s


class Charges(NamedTuple):
    """What one record pays in each attribute for the range of leaves of its group."""

    largest: Int64s
    """for attribute, power of two and border: the largest charge of so many borders"""
    first: Int64s
    """attribute -> where its part of `largest` begins"""
    leaves: Int64s
    """attribute -> number of leaves"""
    power: Int64s
    """number of borders -> the greatest power of two that is not larger: its exponent"""
    steps: Int64s
    """attribute -> the charge for one more leaf"""
    ranges: Int64s
    """for attribute, lowest and highest leaf: the charge"""
    first_range: Int64s
    """attribute -> where its part of `ranges` begins, or -1 where it has none"""
    by_width: Bools
    """attribute -> whether it is charged by width"""


@njit(cache=True)
def charge(charges: Charges, attribute: int, low: int, high: int) -> int:
    """What a record pays for the lowest node above these leaves, or for their range."""
    if low == high:
        return 0
    if charges.by_width[attribute]:
        return int(charges.steps[attribute] * min(high - low, charges.leaves[attribute] - 1))
    if charges.first_range[attribute] >= 0:
        return int(charges.ranges[charges.first_range[attribute] + low * charges.leaves[attribute] + high])
    power = charges.power[high - low]
    begin = charges.first[attribute] + power * charges.leaves[attribute]
    return int(max(charges.largest[begin + low], charges.largest[begin + high - (1 << power)]))


@njit(cache=True)
def charge_of_box(charges: Charges, lows: Int32s, highs: Int32s) -> int:
    """What a record pays in all attributes together."""
    total = 0
    for attribute in range(len(lows)):
        total += charge(charges, attribute, lows[attribute], highs[attribute])
    return int(total)


@njit(cache=True)
def width_of_box(charges: Charges, lows: Int32s, highs: Int32s) -> int:
    """The same, if ranges of leaves were published as they are, in place of the nodes above them."""
    total = 0
    for attribute in range(len(lows)):
        total += charges.steps[attribute] * min(highs[attribute] - lows[attribute], charges.leaves[attribute] - 1)
    return int(total)
