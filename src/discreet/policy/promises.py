"""Promises as a policy states them: the keys of a promise are the fields of its dataclass in `discreet.models`."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Hashable, Mapping
from fractions import Fraction
from functools import cache
from typing import Annotated, Any, Literal, cast, get_args, get_origin, get_type_hints

from pydantic import Field, PlainValidator, TypeAdapter, create_model

from discreet.models.l_plus_diversity import ByFrequency
from discreet.models.parameters import AboveZero, AtLeastOne, FromZero
from discreet.models.reference import Reference
from discreet.policy.file import nearest, shown
from discreet.policy.section import POLICIES, Section
from discreet.policy.values import (
    ColumnName,
    Count,
    CountFromZero,
    NumberAboveZero,
    NumberFromOne,
    NumberFromZero,
    ReferenceChoice,
    Share,
    ShareOrNone,
    Thresholds,
    refuse,
)
from discreet.values.words import listed

Models = Mapping[str, type[Any]]
"""Name -> model, of one kind of data."""

_PARAMETERS: dict[object, tuple[Any, str]] = {
    int: (Count, "a whole number of at least 1"),
    AtLeastOne: (NumberFromOne, "a number of at least 1, such as 3 or 5/2"),
    AboveZero: (NumberAboveZero, "a number above 0, such as 2 or 1/2"),
    FromZero: (NumberFromZero, "the largest distance from the reference, such as 1/5"),
    Reference: (
        ReferenceChoice,
        "the distribution to compare with: coarse, exact, or a share for each value; by default that of the release "
        "where nothing is suppressed, and coarse elsewhere",
    ),
    Fraction: (Share, "a number between 0 and 1, such as 0.3 or 1/3"),
    Fraction | Mapping[str, Fraction] | ByFrequency: (
        Thresholds,
        "the largest share of a group that may show a sensitive value: one number between 0 and 1 for all "
        "values, one for each value (or label of the column's taxonomy), or {baseline: 1/5, by: frequency}",
    ),
    Fraction | None: (
        ShareOrNone,
        "the largest share for values that have none of their own under thresholds",
    ),
    str | None: (
        ColumnName,
        "the sensitive column that it is about; needed where there are several",
    ),
}
"""Type of a model's dataclass field -> how the policy reads it, and what the policy says about it."""
_FROM_ZERO = (CountFromZero, "a whole number of at least 0")
"""The same for a number that is 0 by default."""


def promise_section(model: type[Any]) -> type[Section]:
    """The section of a promise, made from the fields of its dataclass."""
    return _made(cast(Hashable, model))


@cache
def _made(model: Any) -> type[Section]:
    hints = get_type_hints(model)
    keys: dict[str, Any] = {"model": (Literal[model.name], Field(description="the name of the promise"))}
    for field in dataclasses.fields(model):
        hint = hints[field.name]
        if get_origin(hint) is Literal:
            kind, description = hint, listed(get_args(hint), "or")
        else:
            kind, description = _FROM_ZERO if field.default == 0 else _PARAMETERS[hint]
        default = ... if field.default is dataclasses.MISSING else field.default
        keys[field.name] = (kind, Field(default=default, description=description))
    return create_model(model.__name__, __base__=Section, __doc__=inspect.getdoc(model), **keys)


def read_promises(value: object, models: Models, example: str) -> tuple[Any, ...]:
    """One promise, or a list of them."""
    if not isinstance(value, list | tuple):
        return (_read_promise(value, models, example),)
    if not value:
        raise ValueError(f"there is no promise to keep; name a model: {', '.join(models)}")
    each = Annotated[Any, PlainValidator(lambda entry: _read_promise(entry, models, example))]
    return TypeAdapter(tuple[each, ...]).validate_python(tuple(value))


def _read_promise(value: object, models: Models, example: str) -> Any:
    if isinstance(value, tuple(models.values())):
        return value
    if not isinstance(value, Mapping):
        raise ValueError(f"{shown(value)} is not a mapping; write it as {example}")
    name = value.get("model")
    if "model" not in value:
        refuse([(("model",), f"this key is missing; it names the promise: {', '.join(models)}")])
    if not isinstance(name, str) or name not in models:
        refuse([(("model",), _not_a_model(name, models))])
    parameters = dict(promise_section(models[str(name)]).model_validate(value))
    del parameters["model"]
    return models[str(name)](**parameters)


def _not_a_model(name: object, models: Models) -> str:
    for kind, policy in POLICIES.items():
        if isinstance(name, str) and name in policy.models() and policy.models() is not models:
            return f"{name} is a promise about data of kind {kind}; choose from {', '.join(models)}"
    return f"{shown(name)} is not a model; {nearest(str(name), models)}"


def written_promise(model: Any) -> dict[str, object]:
    """A promise as a policy states it, exact numbers as text."""
    given = {field.name: _written(getattr(model, field.name)) for field in dataclasses.fields(model)}
    return {"model": model.name} | {key: value for key, value in given.items() if value is not None}


def _written(value: object) -> object:
    match value:
        case Fraction():
            return str(value)
        case ByFrequency():
            return {"baseline": str(value.baseline), "by": "frequency"}
        case Mapping():
            return {key: str(share) for key, share in value.items()}
        case _:
            return value


def in_plain_words(model: Any, meaning: str) -> str:
    """A promise with its numbers and what it means."""
    parameters = ", ".join(f"{key} {_inline(value)}" for key, value in written_promise(model).items() if key != "model")
    return f"{model.name} with {parameters}: {meaning[:1].lower()}{meaning[1:].rstrip('.')}"


def _inline(value: object) -> str:
    if not isinstance(value, Mapping):
        return str(value)
    if value.get("by") == "frequency":
        return f"{value['baseline']}, more for values that are more frequent than average"
    return ", ".join(f"{share} for {key or 'missing values'}" for key, share in value.items())
