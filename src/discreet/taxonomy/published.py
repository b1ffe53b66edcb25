"""What may stand in a published column: the nodes of its taxonomy and, with local recoding, labels made for a group.

A group of records whose values differ is published at the lowest node above them (`nodes`), or at a label of its own:

- `ranges`: `17..25`, its lowest and highest value: numbers by number, and after them what is none, in the order of the
  taxonomy's leaves (an order that does not depend on which other values there are);
- `sets`: `{Germany, Italy}`, its values; a backslash stands before `,`, `{`, `}` and backslashes in them;
- `means`: `23.4`, the mean of its records' numbers, with one decimal more than the most detailed of the column's values
  has, halves rounded up and zeros at the end left out.

A group of one value is published as this value. A group in which only some values are missing is published as the root
of the taxonomy, which is above all of them.

A published value is a code: the taxonomy's nodes by their numbers and then the labels that were made. What a reader
has to ask of one is answered here and nowhere else: which leaves it may stand for (`covers`), and how many they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Literal, TypeAlias, get_args

import numpy as np
from scipy.sparse import csr_array

from discreet.errors import InputError
from discreet.taxonomy.tree import MISSING, Taxonomy
from discreet.values.arrays import Bools, Int32s, Int64s
from discreet.values.words import briefly

Labelling: TypeAlias = Literal["nodes", "ranges", "sets", "means"]
LABELLINGS: tuple[Labelling, ...] = get_args(Labelling)
TO = ".."
_NUMBER = re.compile(r"[+-]?([0-9]{1,100}(\.[0-9]{0,100})?|\.[0-9]{1,100})([eE][+-]?[0-9]{1,2})?")
_MEAN = re.compile(r"0|-?(0\.[0-9]*[1-9]|[1-9][0-9]*(\.[0-9]*[1-9])?)")
_MARKED = re.compile(r"[\\,{}]")
_MEMBER = re.compile(r"(?:[^\\,{}]|\\[\\,{}])*")


def number_of(label: str) -> Fraction | None:
    """The number that a label is, in up to 100 digits before and after the point; None where it is none."""
    return Fraction(label) if _NUMBER.fullmatch(label) else None


@dataclass(frozen=True, eq=False)
class Scale:
    """The leaves of a taxonomy in a row: numbers by number, then what is none, as they are."""

    taxonomy: Taxonomy
    leaf_at: Int32s
    """place -> leaf; where there is a leaf of the missing value it is the last"""
    place_of: Int32s
    """leaf -> place"""
    numbers: tuple[Fraction, ...] | None
    """place -> number, without the missing value; None where another leaf is none"""

    @classmethod
    def of(cls, taxonomy: Taxonomy) -> Scale:
        labels = taxonomy.leaf_labels
        there = [leaf for leaf, label in enumerate(labels) if label != MISSING]
        numbers = [number_of(labels[leaf]) for leaf in there]
        found = sorted((number, labels[leaf], leaf) for leaf in there if (number := numbers[leaf]) is not None)
        others = [leaf for leaf in there if numbers[leaf] is None]
        ordered = [*(leaf for _, _, leaf in found), *others, *range(len(there), len(labels))]
        leaf_at = np.array(ordered, np.int32)
        known = None if others or not found else tuple(number for number, _, _ in found)
        return cls(taxonomy, leaf_at, np.argsort(leaf_at).astype(np.int32), known)

    @property
    def values(self) -> int:
        """Places without that of the missing value."""
        return len(self.leaf_at) - (self.taxonomy.labels[-1] == MISSING)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The label at each place."""
        return tuple(self.taxonomy.leaf_labels[leaf] for leaf in self.leaf_at.tolist())

    @cached_property
    def decimals(self) -> int:
        """How many the most detailed of the numbers has."""
        most = 0
        for number in self.numbers or ():
            while (number * 10**most).denominator > 1:
                most += 1
        return most


@dataclass(frozen=True)
class GroupLabel:
    """A label that was made for a group of records."""

    text: str
    low: int
    """the place of its lowest value"""
    high: int
    members: tuple[int, ...] | None = None
    """the places of its values, where it does not stand for all between the lowest and the highest"""

    @property
    def places(self) -> Int64s:
        """Of all values that it may stand for."""
        return np.arange(self.low, self.high + 1) if self.members is None else np.array(self.members, np.int64)


@dataclass(frozen=True, eq=False)
class PublishedValues:
    """What may stand in a column; the values are numbered, first the nodes of the taxonomy, then what was made."""

    taxonomy: Taxonomy
    made: tuple[GroupLabel, ...] = ()

    @cached_property
    def scale(self) -> Scale:
        return Scale.of(self.taxonomy)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """value -> its text"""
        return (*self.taxonomy.labels, *(label.text for label in self.made))

    @cached_property
    def leaf_counts(self) -> Int64s:
        """value -> how many leaves it may stand for"""
        made = [label.high - label.low + 1 if label.members is None else len(label.members) for label in self.made]
        nodes = self.taxonomy.stop_leaf - self.taxonomy.first_leaf
        return np.append(nodes, np.array(made, np.int64)).astype(np.int64)

    def leaf_count(self, value: int) -> int:
        return int(self.leaf_counts[value])

    @cached_property
    def is_original(self) -> Bools:
        """value -> whether it is one of the original's, and not a coarser one"""
        leaves = np.zeros(len(self.taxonomy.labels), bool)
        leaves[self.taxonomy.leaf_nodes] = True
        return np.append(leaves, np.array([label.low == label.high for label in self.made], bool))

    def covers(self, values: Int32s | None = None) -> csr_array:
        """value x leaf -> whether a record published with this value may have that leaf; all values if none is named.

        A mean that was read from a release may stand for any number; one that was made, for those in its group's range.
        """
        asked = np.arange(len(self.labels)) if values is None else values
        nodes, number = len(self.taxonomy.labels), self.leaf_counts[asked]
        starts = np.concatenate(([0], np.cumsum(number))).astype(np.int64)
        first = np.append(self.taxonomy.first_leaf, np.zeros(len(self.made), np.int32))[asked].astype(np.int64)
        leaves = np.arange(starts[-1]) - np.repeat(starts[:-1] - first, number)
        for row in np.flatnonzero(asked >= nodes).tolist():
            label = self.made[int(asked[row]) - nodes]
            leaves[starts[row] : starts[row + 1]] = np.sort(self.scale.leaf_at[label.places])
        shape = (len(asked), len(self.taxonomy.leaf_nodes))
        return csr_array((np.ones(len(leaves), np.bool_), leaves, starts), shape=shape)

    def ends(self) -> tuple[Int64s, Int64s]:
        """value -> the lowest and the highest place of what it may stand for"""
        count = len(self.taxonomy.leaf_nodes)
        low, high = np.full(len(self.taxonomy.labels), count), np.full(len(self.taxonomy.labels), -1)
        for node in range(len(low) - 1, -1, -1):
            if self.taxonomy.is_leaf(node):
                low[node] = high[node] = self.scale.place_of[self.taxonomy.first_leaf[node]]
            if (parent := int(self.taxonomy.parents[node])) >= 0:
                low[parent], high[parent] = min(low[parent], low[node]), max(high[parent], high[node])
        return (
            np.append(low, np.array([label.low for label in self.made], np.int64)).astype(np.int64),
            np.append(high, np.array([label.high for label in self.made], np.int64)).astype(np.int64),
        )

    @cached_property
    def spans(self) -> tuple[Int64s, Int64s]:
        """value -> the first leaf it may stand for, in the taxonomy's own order, and the one after the last"""
        first, last = list(self.taxonomy.first_leaf), list(self.taxonomy.stop_leaf - 1)
        for label in self.made:
            leaves = self.scale.leaf_at[label.places]
            first.append(leaves.min())
            last.append(leaves.max())
        return np.array(first, np.int64), np.array(last, np.int64) + 1

    def named(self, values: Iterable[int], labelling: Labelling) -> set[str]:
        """The nodes that these values name, which are those whose place in the taxonomy their reader needs."""
        nodes, at = len(self.taxonomy.labels), self.scale.labels
        found = set()
        for value in values:
            if value < nodes:
                found.add(self.taxonomy.labels[value])
            elif labelling != "means":
                label = self.made[value - nodes]
                found.update(at[place] for place in label.members or (label.low, label.high))
        return found


Priced: TypeAlias = Taxonomy | PublishedValues
"""What a loss looks at: its values are numbered, the first is the root, and each may stand for so many leaves."""


def check_labelling(taxonomy: Taxonomy, labelling: Labelling) -> None:
    """Refuses a column whose values could not be told from the labels of groups, or have no mean."""
    name, root_is_leaf = taxonomy.name, taxonomy.is_leaf(0)
    for label in taxonomy.labels:
        if labelling == "ranges" and (TO in label or label.startswith(".") or label.endswith(".")):
            raise InputError(
                f"attributes.{name}.labels: the value {briefly(label)} has dots that could be taken for those of a "
                f"range, as in 'low{TO}high'; rename it, or use the labels nodes or sets."
            )
        if labelling == "sets" and label.startswith("{") and label.endswith("}"):
            raise InputError(
                f"attributes.{name}.labels: the value {briefly(label)} looks like a set, '{{a, b}}'; rename it, or use "
                "the labels nodes or ranges."
            )
    if labelling != "means":
        return
    for label in taxonomy.leaf_labels:
        if label != MISSING and number_of(label) is None:
            raise InputError(
                f"{name}: the value {briefly(label)} is not a number, and means need numbers; clean the column, or "
                f"publish it in another way (attributes.{name}.labels, search.method)."
            )
    if not root_is_leaf and number_of(taxonomy.labels[0]) is not None:
        raise InputError(
            f"{name}: its taxonomy's root is {briefly(taxonomy.labels[0])}, which could be taken for a mean; call it *."
        )


def range_label(scale: Scale, low: int, high: int) -> GroupLabel:
    labels = scale.taxonomy.leaf_labels
    return GroupLabel(f"{labels[scale.leaf_at[low]]}{TO}{labels[scale.leaf_at[high]]}", low, high)


def set_label(scale: Scale, members: Sequence[int]) -> GroupLabel:
    """members: places, in order."""
    labels = scale.taxonomy.leaf_labels
    told = (_MARKED.sub(r"\\\g<0>", labels[scale.leaf_at[place]]) for place in members)
    return GroupLabel(f"{{{', '.join(told)}}}", members[0], members[-1], tuple(members))


def mean_label(total: Fraction, records: int, decimals: int, low: int, high: int) -> GroupLabel:
    """The mean of so many numbers; low, high: the places of the lowest and the highest of them."""
    rounded = (total / records * 10**decimals + Fraction(1, 2)).__floor__()
    whole, part = divmod(abs(rounded), 10**decimals)
    digits = f"{part:0{decimals}d}".rstrip("0") if decimals else ""
    return GroupLabel(f"{'-' if rounded < 0 else ''}{whole}{'.' if digits else ''}{digits}", low, high)


def read_values(
    taxonomy: Taxonomy, labelling: Labelling, texts: Iterable[str]
) -> tuple[PublishedValues, Mapping[str, int]]:
    """What stands in a published column, and the code of each text that may stand there; others have none."""
    values = PublishedValues(taxonomy)
    codes = {label: node for node, label in enumerate(taxonomy.labels)}
    if labelling == "nodes":
        return values, codes
    if labelling == "means":
        # Of the nodes only the root, above the missing value and a number, and the missing value itself are published.
        codes = {label: code for label, code in codes.items() if code == 0 or label == MISSING}
        codes = {label: code for label, code in codes.items() if not _MEAN.fullmatch(label)}
    scale = values.scale
    place_of = {label: place for place, label in enumerate(scale.labels[: scale.values])}
    made: list[GroupLabel] = []
    for text in texts:
        if text in codes:
            continue
        label = _read(text, labelling, place_of)
        if label is not None:
            codes[text] = len(taxonomy.labels) + len(made)
            made.append(label)
    return PublishedValues(taxonomy, tuple(made)), codes


def _read(text: str, labelling: Labelling, place_of: Mapping[str, int]) -> GroupLabel | None:
    if labelling == "means":
        # Any of the numbers may have gone into it.
        return GroupLabel(text, 0, len(place_of) - 1) if _MEAN.fullmatch(text) else None
    if labelling == "ranges":
        low, _, high = text.partition(TO)
        ends = place_of.get(low, -1), place_of.get(high, -1)
        return GroupLabel(text, *ends) if 0 <= ends[0] < ends[1] else None
    places = [place_of.get(member, -1) for member in _members(text)]
    if len(places) < 2 or places[0] < 0 or any(one >= other for one, other in pairwise(places)):
        return None
    return GroupLabel(text, places[0], places[-1], tuple(places))


def _members(text: str) -> list[str]:
    """The members of a set as it is written; none where it is not written like one."""
    if not (text.startswith("{") and text.endswith("}")):
        return []
    found, place, end = [], 1, len(text) - 1
    while place <= end:
        member = _MEMBER.match(text, place, end)
        assert member is not None
        found.append(re.sub(r"\\(.)", r"\1", member.group(), flags=re.DOTALL))
        if member.end() == end:
            return found
        if not text.startswith(", ", member.end()):
            return []
        place = member.end() + 2
    return []
