"""Taxonomies as a policy describes them: a file, or how to build one. No file is opened here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, Field, ValidationInfo

from discreet.errors import InputError
from discreet.policy.file import nearest, shown
from discreet.policy.section import Section
from discreet.policy.values import Count, CountFromZero, Number, path
from discreet.taxonomy import READY, ROOT, Dates, Even, Flat, Intervals, Prefixes, TaxonomyBuilder
from discreet.taxonomy.dates import Level
from discreet.values.vocabulary import Vocabulary
from discreet.values.words import listed


class IntervalTaxonomy(Section):
    """Numbers by ranges of growing width: 39 -> [37-42) -> [37-47) -> *."""

    intervals: tuple[Number, ...] = Field(description="the widths of the ranges, each a multiple of the one before")
    start: Number = Field(description="where the ranges begin")
    end: Number = Field(description="where the ranges end; no value reaches it")
    leaves: Literal["values", "intervals"] = Field(
        default="values", description="what the most detailed release shows: single values, or the finest intervals"
    )

    def builder(self) -> TaxonomyBuilder:
        return Intervals(self.intervals, self.start, self.end, self.leaves)


class PrefixTaxonomy(Section):
    """Codes by their first characters: 8049 -> 804* -> 8* -> *."""

    prefixes: tuple[Count, ...] = Field(description="how many characters to keep, longest first")

    def builder(self) -> TaxonomyBuilder:
        return Prefixes(self.prefixes)


class DateTaxonomy(Section):
    """Dates by calendar periods: 2024-03-05 -> 2024-03 -> 2024 -> *."""

    dates: tuple[Level, ...] = Field(description="the periods, finest first: day, month, quarter, year, decade")

    def builder(self) -> TaxonomyBuilder:
        return Dates(self.dates)


class FlatTaxonomy(Section):
    """A value is published as it is or as `*`; also written as "*", and the default."""

    flat: Literal[True] = Field(default=True, description="true: nothing between a value and *")

    def builder(self) -> TaxonomyBuilder:
        return Flat()


def _ready(value: object) -> str:
    if not isinstance(value, str) or value not in READY:
        raise ValueError(f"{shown(value)} is not a taxonomy that ships with discreet; {nearest(str(value), READY)}")
    return value


class ReadyMadeTaxonomy(Section):
    """A taxonomy that ships with discreet: FR -> Western Europe -> Europe -> *; `discreet list` has all of them."""

    ready: Annotated[str, BeforeValidator(_ready)] = Field(
        description=f"which taxonomy: {listed(READY, 'or')}",
    )

    def builder(self) -> TaxonomyBuilder:
        return READY[self.ready]


READY_MADE = Vocabulary(
    "Taxonomies that ship with discreet",
    "taxonomy.ready",
    {
        name: (f"{ready.summary[0].lower()}{ready.summary[1:].rstrip('.')}", ready.source)
        for name, ready in READY.items()
    },
)


class EvenTaxonomy(Section):
    """Items placed at random under nodes with the same number of children, where nothing says what the items mean."""

    even: Count = Field(description="how many children a node has, at least 2")
    seed: CountFromZero = Field(default=0, description="which of the random taxonomies: a whole number of at least 0")

    def builder(self) -> TaxonomyBuilder:
        return Even(self.even, self.seed)


BuiltTaxonomy: TypeAlias = IntervalTaxonomy | PrefixTaxonomy | DateTaxonomy | ReadyMadeTaxonomy | FlatTaxonomy
TAXONOMIES: dict[str, type[BuiltTaxonomy]] = {
    "intervals": IntervalTaxonomy,
    "prefixes": PrefixTaxonomy,
    "dates": DateTaxonomy,
    "ready": ReadyMadeTaxonomy,
    "flat": FlatTaxonomy,
}
"""Key that says how the taxonomy of a column is built -> its section."""
BuiltItemTaxonomy: TypeAlias = EvenTaxonomy | ReadyMadeTaxonomy | FlatTaxonomy
ITEM_TAXONOMIES: dict[str, type[BuiltItemTaxonomy]] = {
    "even": EvenTaxonomy,
    "ready": ReadyMadeTaxonomy,
    "flat": FlatTaxonomy,
}
"""The same for the taxonomy of items."""


def _taxonomy(
    value: object, info: ValidationInfo, forms: Mapping[str, type[BuiltTaxonomy | EvenTaxonomy]]
) -> Path | BuiltTaxonomy | EvenTaxonomy:
    if isinstance(value, BuiltTaxonomy | EvenTaxonomy):
        return value
    if value == ROOT:
        return FlatTaxonomy()
    if isinstance(value, str | Path):
        return path(value, info)
    if not isinstance(value, Mapping):
        raise ValueError(
            f"{shown(value)} is not a taxonomy; name a file, give one of {', '.join(forms)}, or leave the key "
            'out for "*"'
        )
    given = [form for form in forms if form in value]
    if not given:
        key = next(iter(value), "nothing")
        raise ValueError(f"{key} does not say what kind of taxonomy this is; {nearest(key, forms)}")
    if len(given) > 1:
        raise ValueError(f"only one taxonomy is allowed, not {listed(given)} at once; keep one of them")
    taxonomy = forms[given[0]].model_validate(value)
    try:
        taxonomy.builder()
    except InputError as error:
        raise ValueError(str(error)) from None
    return taxonomy


def _column_taxonomy(value: object, info: ValidationInfo) -> object:
    return _taxonomy(value, info, TAXONOMIES)


def _item_taxonomy(value: object, info: ValidationInfo) -> object:
    return _taxonomy(value, info, ITEM_TAXONOMIES)


TaxonomyChoice = Annotated[
    Path | BuiltTaxonomy, BeforeValidator(_column_taxonomy, json_schema_input_type=str | BuiltTaxonomy)
]
ItemTaxonomyChoice = Annotated[
    Path | BuiltItemTaxonomy, BeforeValidator(_item_taxonomy, json_schema_input_type=str | BuiltItemTaxonomy)
]
