"""The taxonomy of a column without one: every value right below ``*``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from discreet.errors import InputError
from discreet.taxonomy.placement import Placement
from discreet.taxonomy.tree import ROOT


@dataclass(frozen=True)
class Flat:
    """A value is published as it is or as ``*``."""

    def build(self, name: str, values: Sequence[str]) -> Placement:
        if ROOT in values:
            raise InputError(
                f"{name}: the value '*' occurs in the data, but '*' stands for any value; "
                "rename it or give the column a taxonomy."
            )
        return Placement.from_leaves(name, values, lambda _: [ROOT])
