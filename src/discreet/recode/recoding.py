"""The hinge between search and data: what was found, apart from the data it was found on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from discreet.taxonomy import Cut

FORMAT = "discreet-recoding/1"


@dataclass(frozen=True)
class Recoding:
    """A cut for each quasi-identifier and the suppression scheme that goes with them.

    Which values and records are suppressed is not part of it: that follows from the scheme, the promise and the
    rows it is applied to, so a recoding can be applied to other rows of the same shape.
    """

    cuts: Mapping[str, tuple[str, ...]]
    """quasi-identifier -> the labels of its cut"""
    suppression: str
    guard_stars: bool = False

    @classmethod
    def of(cls, attributes: tuple[str, ...], cuts: tuple[Cut, ...], suppression: str, guard_stars: bool) -> Recoding:
        return cls({name: cut.labels for name, cut in zip(attributes, cuts, strict=True)}, suppression, guard_stars)

    def as_dict(self) -> dict[str, object]:
        return {
            "format": FORMAT,
            "cuts": {name: list(labels) for name, labels in self.cuts.items()},
            "suppression": self.suppression,
            "guard_stars": self.guard_stars,
        }
