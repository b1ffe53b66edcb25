"""Taxonomies of codes that say more with each character, such as postal codes: 8049 -> 804* -> 8* -> *."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from discreet.errors import InputError
from discreet.taxonomy.placement import Placement
from discreet.taxonomy.tree import ROOT


@dataclass(frozen=True)
class Prefixes:
    """Above each value its prefixes of the given lengths, longest first, then ``*``.

    ``804*`` stands for the values that begin with 804, the value 804 included. A value shorter than a prefix
    has no such level: with the lengths 3 and 1, the value 80 lies right under ``8*``. The parent of a prefix
    is thus always the same, its own next shorter prefix, which makes the result a tree.
    """

    lengths: tuple[int, ...]

    def __post_init__(self) -> None:
        lengths = tuple(self.lengths)
        object.__setattr__(self, "lengths", lengths)
        if not lengths or lengths[-1] < 1 or any(longer <= shorter for longer, shorter in pairwise(lengths)):
            raise InputError(
                f"prefixes: the lengths {list(lengths)} must be positive and each smaller than the one "
                "before, as in [3, 1]."
            )

    def build(self, name: str, values: Sequence[str]) -> Placement:
        labels = {label for value in values for label in self.ancestors(value)}
        if taken := sorted(labels.intersection(values)):
            raise InputError(
                f"{name}: the value {taken[0]!r} occurs in the data, but is also the label of a prefix; "
                "rename it or give the column a taxonomy file."
            )
        return Placement.from_leaves(name, values, self.ancestors)

    def ancestors(self, value: str) -> list[str]:
        """The labels above a value, up to the root."""
        return [f"{value[:length]}*" for length in self.lengths if length <= len(value)] + [ROOT]
