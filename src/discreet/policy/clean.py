"""What a policy says about dirty cells: how they are cleaned before anything else is done with them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, PlainSerializer, PlainValidator, model_validator

from discreet.policy.file import shown
from discreet.policy.section import Section
from discreet.policy.values import Flag, refuse
from discreet.values.cleaning import Case, Cleaning, Decimals, OnUnreadable

_FORMAT = re.compile(r"([dmY])([^\w\s]?)([dmY])\2([dmY])")


def _texts(value: object) -> tuple[str, ...]:
    """One text or a list of them."""
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return (str(value),)
    if not isinstance(value, list | tuple):
        raise ValueError(f"{shown(value)} is not a list; write the texts in brackets, as in [n/a, unknown]")
    # YAML reads null as nothing, and it is one of the markers that files have.
    texts = ["null" if item is None else str(item).lower() if isinstance(item, bool) else item for item in value]
    refuse(
        ((str(place),), f"{shown(item)} is not a text; write it in quotes")
        for place, item in enumerate(texts)
        if not isinstance(item, str | int | float)
    )
    return tuple(map(str, texts))


def _formats(value: object) -> tuple[str, ...]:
    formats = _texts(value)
    for text in formats:
        found = _FORMAT.fullmatch(text)
        if found is None or {found[1], found[3], found[4]} != set("dmY"):
            raise ValueError(
                f"{shown(text)} is not a format of dates; write d, m and Y once each, with the same sign between them, "
                "such as d.m.Y, m/d/Y or Y-m-d"
            )
    return formats


def _mapping(value: object) -> Mapping[str, str]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{shown(value)} is not a mapping; write {{value: value}}, as in {{femal: female}}")
    refuse(
        ((str(key),), f"{shown(target)} is not a value; write a text, or null for no value")
        for key, target in value.items()
        if not isinstance(target, str | int | float | None)
    )
    return {str(key): "" if target is None else _written(target) for key, target in value.items()}


def _written(target: object) -> str:
    return str(target).lower() if isinstance(target, bool) else str(target)


Texts = Annotated[
    tuple[str, ...], PlainValidator(_texts, json_schema_input_type=str | list[str]), PlainSerializer(list)
]
Formats = Annotated[
    tuple[str, ...], PlainValidator(_formats, json_schema_input_type=str | list[str]), PlainSerializer(list)
]
Replacements = Annotated[Mapping[str, str], BeforeValidator(_mapping), PlainSerializer(dict)]


class CleanTable(Section):
    """What is done to every column of a table, before anything else."""

    trim: Flag = Field(
        default=False,
        description="true: blanks at both ends go, runs of blanks become one, and so do characters that nobody sees",
    )
    missing: Texts = Field(default=(), description="texts that mean that there is no value, such as [n/a, unknown]")


class CleanColumn(CleanTable):
    """What is done to the cells of a column, in this order, besides what is done to every column."""

    case: Case | None = Field(default=None, description="lower, upper or title: the case of all letters")
    map: Replacements = Field(
        default_factory=dict,
        description="values and what they are to be, such as {femal: female}; null for no value. Trimmed, and in the "
        "case of the column",
    )
    date: Formats = Field(
        default=(),
        description="the format of dates, such as d.m.Y, or several, of which the first that fits counts; they become "
        "2024-03-05, without the time",
    )
    decimal: Decimals | None = Field(
        default=None,
        description="comma where numbers are written 1.234,5; point where they are written 1,234.5; they become 1234.5",
    )
    on_unreadable: OnUnreadable = Field(
        default="error",
        description="what to do with values that are no such date or number: error, or suppress, which takes them for "
        "missing",
    )

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if self.date and self.decimal:
            refuse([(("decimal",), "a column has dates or numbers; remove date or decimal")])
        if "on_unreadable" in self.model_fields_set and not (self.date or self.decimal):
            refuse([(("on_unreadable",), "it goes with date or decimal, and there is neither; remove it")])
        return self

    def stated(self) -> dict[str, Any]:
        """What is said about the column, as a policy writes it."""
        return self.model_dump(mode="json", exclude_unset=True)


def cleaning_of(table: CleanTable, column: CleanColumn) -> Cleaning:
    """What is done to a column: what it asks for itself, and what is done to every column."""
    return Cleaning(
        trim=column.trim if "trim" in column.model_fields_set else table.trim,
        case=column.case,
        missing=tuple(dict.fromkeys((*table.missing, *column.missing))),
        map=column.map,
        date=column.date,
        decimal=column.decimal,
        on_unreadable=column.on_unreadable,
    )
