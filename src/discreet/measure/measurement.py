"""What a measure says about itself and what it found: one entry of "utility" in the steward's result."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, Self, TypeAlias

Unit: TypeAlias = Literal["share", "count", "records"]


class Described(Protocol):
    """What a measure says about itself, whatever data it is made for."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def paper(self) -> str: ...
    @property
    def definition(self) -> str: ...
    @property
    def unit(self) -> Unit: ...
    @property
    def needs_sensitive(self) -> bool: ...


@dataclass(frozen=True)
class Measurement:
    """What one measure found, in the shape of result.json."""

    name: str
    title: str
    paper: str
    definition: str
    unit: Unit
    original: float | None
    """the same figure for the original; None where there is no such figure"""
    release: float | None
    """None where the figure does not exist or was not computed; the reading says why"""
    reading: str
    """one sentence for somebody who decides, not for somebody who computes"""
    details: Mapping[str, Any]

    @classmethod
    def of(
        cls,
        measure: Described,
        *,
        original: float | None,
        release: float | None,
        reading: str,
        details: Mapping[str, Any] | None = None,
    ) -> Self:
        return cls(
            measure.name,
            measure.title,
            measure.paper,
            measure.definition,
            measure.unit,
            original,
            release,
            reading,
            details or {},
        )

    def as_dict(self) -> dict[str, Any]:
        shallow = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {**shallow, "details": dict(self.details)}


def percent(share: float) -> str:
    """A share for a sentence; one that is not 0 or 1 is never shown as if it were."""
    if 0 < abs(share) < 0.001:
        return "less than 0.1%"
    if 0.999 < share < 1:
        return "over 99.9%"
    text = f"{share:,.1%}".replace(".0%", "%")
    return "just over 100%" if text == "100%" and share > 1 else text


def amount(number: float) -> str:
    """A number for a sentence, with three digits or so."""
    return f"{number:,.1f}".removesuffix(".0") if abs(number) >= 100 else f"{number:.3g}"


def records(number: int) -> str:
    return f"{number:,} {'record' if number == 1 else 'records'}"
