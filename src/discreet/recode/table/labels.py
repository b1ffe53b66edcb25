"""What the groups of a local recoding are published as in a column that has labels other than nodes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from discreet.taxonomy.published import (
    GroupLabel,
    Labelling,
    PublishedValues,
    Scale,
    mean_label,
    range_label,
    set_label,
)
from discreet.values.arrays import Int32s, Int64s, column_codes

ROOT_NODE = 0


@dataclass(frozen=True, eq=False)
class GroupColumn:
    """The groups of a recoding in one column."""

    values: PublishedValues
    codes: Int32s
    """group -> its value; equal exactly where the text is equal"""
    low: Int32s
    """group -> the place of its lowest leaf"""
    high: Int32s

    def of_regions(self, region_of: Int64s) -> tuple[Int32s, PublishedValues]:
        """The values of regions, groups of equal text in every column. A mean stands for all leaves of its region.

        region_of: group -> its region; they are numbered from 0.
        """
        number, nodes = int(region_of.max()) + 1, len(self.values.taxonomy.labels)
        codes = np.empty(number, np.int32)
        codes[region_of] = self.codes
        low, high = np.full(number, np.iinfo(np.int32).max, np.int32), np.full(number, -1, np.int32)
        np.minimum.at(low, region_of, self.low)
        np.maximum.at(high, region_of, self.high)
        made = np.flatnonzero(codes >= nodes)
        keys = np.stack((codes[made] - nodes, low[made], high[made]))
        _, first, number_of = np.unique(column_codes(keys), return_index=True, return_inverse=True)
        codes[made] = nodes + number_of
        labels = [
            replace(self.values.made[label], low=lowest, high=highest)
            for label, lowest, highest in keys[:, first].T.tolist()
        ]
        return codes, PublishedValues(self.values.taxonomy, tuple(labels))


def label_groups(scale: Scale, labelling: Labelling, leaves: Int32s, starts: Int64s, counts: Int64s) -> GroupColumn:
    """Ranges, sets or means of groups of records. leaves, counts: of each entry; starts: where each group begins.

    A group in which only some values are missing is published as the root, which is above all of them.
    """
    taxonomy, places = scale.taxonomy, scale.place_of[leaves]
    low, high = np.minimum.reduceat(places, starts), np.maximum.reduceat(places, starts)
    is_missing, is_mixed = low >= scale.values, (low < scale.values) & (high >= scale.values)
    codes = np.where(is_mixed, ROOT_NODE, taxonomy.leaf_nodes[scale.leaf_at[low]]).astype(np.int32)
    is_made = ~is_missing & ~is_mixed & ((labelling == "means") | (low < high))
    groups = np.flatnonzero(is_made)
    match labelling:
        case "ranges":
            pairs, number_of = np.unique(np.stack((low[groups], high[groups])), axis=1, return_inverse=True)
            made = [range_label(scale, *pair) for pair in pairs.T.tolist()]
        case "sets":
            made, number_of = _sets(scale, places, starts, groups)
        case "means":
            made, number_of = _means(scale, places, starts, counts, groups)
        case "nodes":
            raise TypeError("The nodes above groups are found by their taxonomy.")
    codes[groups] = len(taxonomy.labels) + number_of.ravel()
    return GroupColumn(PublishedValues(taxonomy, tuple(made)), codes, low, high)


def _sets(scale: Scale, places: Int32s, starts: Int64s, groups: Int64s) -> tuple[list[GroupLabel], Int64s]:
    ends = np.append(starts[1:], len(places))
    number_of_set: dict[tuple[int, ...], int] = {}
    numbers = [
        number_of_set.setdefault(tuple(np.unique(places[start:stop]).tolist()), len(number_of_set))
        for start, stop in zip(starts[groups].tolist(), ends[groups].tolist(), strict=True)
    ]
    return [set_label(scale, members) for members in number_of_set], np.array(numbers, np.int64)


def _means(
    scale: Scale, places: Int32s, starts: Int64s, counts: Int64s, groups: Int64s
) -> tuple[list[GroupLabel], Int64s]:
    """Exactly: numbers are counted in units of their last decimal."""
    if not len(groups):  # all values are missing, of the column perhaps, which then has no numbers
        return [], np.empty(0, np.int64)
    assert scale.numbers is not None
    unit = 10**scale.decimals
    # Of missing values, whose groups are not asked for, any number will do.
    whole = [int(number * unit) for number in scale.numbers] + [0]
    largest = max(map(abs, whole)) * int(counts.sum())
    numbers = np.array(whole, np.int64 if largest < 1 << 62 else object)[np.minimum(places, scale.values)]
    sums = np.add.reduceat(numbers * counts, starts)[groups].tolist()
    sizes = np.add.reduceat(counts, starts)[groups].tolist()
    made: dict[str, tuple[int, GroupLabel]] = {}
    found = []
    for total, size in zip(sums, sizes, strict=True):
        label = mean_label(Fraction(total, unit), size, scale.decimals + 1, 0, 0)
        found.append(made.setdefault(label.text, (len(made), label))[0])
    return [label for _, label in made.values()], np.array(found, np.int64)
