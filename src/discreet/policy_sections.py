"""The sections of a policy, key by key: each a field with its type, its default and its description.

The keys of a promise are not repeated here: they are the fields of its dataclass in `discreet.models`.
What is wrong with a value is a sentence without the key; :func:`refuse` and pydantic know where it stands.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeAlias, Union, cast, get_type_hints

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    create_model,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

from discreet.errors import InputError
from discreet.models import TABLE_MODELS, ByFrequency, TableModel
from discreet.policy_file import decimal, exact, nearest, shown, whole
from discreet.taxonomy import (
    ROOT,
    Dates,
    Flat,
    Intervals,
    LabelledTaxonomy,
    Prefixes,
    TaxonomyBuilder,
    read_taxonomy,
)
from discreet.taxonomy.dates import Level

Kind: TypeAlias = Literal["table", "transactions", "query-log", "trees"]
Role: TypeAlias = Literal["identifier", "quasi-identifier", "sensitive", "class", "insensitive"]
OnMissing: TypeAlias = Literal["error", "suppress"]
Method: TypeAlias = Literal["l-plus-optimize"]
Loss: TypeAlias = Literal["lm", "dm", "cm"]
Suppression: TypeAlias = Literal["none", "vio-sa", "all-sa", "vio-rec", "all-rec"]
Format: TypeAlias = Literal["csv", "parquet"]

_MOST_SECONDS = 10**9


def refuse(faults: Iterable[tuple[tuple[str, ...], str]]) -> None:
    """Raise all faults, each a key (as seen from here) and a sentence; pydantic puts the rest in front."""
    if details := [
        InitErrorDetails(type=PydanticCustomError("policy", "{what}", {"what": what}), loc=key, input=None)
        for key, what in faults
    ]:
        raise ValidationError.from_exception_data("policy", details)


def _share(value: object) -> Fraction:
    share = exact(value)
    if not 0 <= share <= 1:
        raise ValueError(
            f"{shown(value)} is not between 0 and 1; a threshold is a share of a group, such as 0.3 or 1/3"
        )
    return share


def _not_negative(value: object) -> Fraction:
    number = exact(value)
    if number < 0:
        raise ValueError(f"{shown(value)} is below 0; write 0 for the optimum or a tolerance such as 0.05")
    return number


def _seconds(value: object) -> float | None:
    if value is None:
        return None
    seconds = exact(value)
    if not 0 < seconds <= _MOST_SECONDS:
        raise ValueError(
            f"{shown(value)} is not a number of seconds above 0; for no limit leave the key out or write null"
        )
    return float(seconds)


def _flag(value: object) -> object:
    if not isinstance(value, bool):
        raise ValueError(f"{shown(value)} is neither true nor false; write one of them without quotes")
    return value


def _path(value: object, info: ValidationInfo) -> Path:
    if not isinstance(value, str | Path) or not str(value).strip():
        raise ValueError(f"{shown(value)} is not a path; name a file, relative to the policy file")
    folder: Path = (info.context or {}).get("folder", Path())
    return folder / value


def _plain_decimal(number: Decimal) -> int | str:
    return int(number) if number == number.to_integral_value() else str(number)


_Numeric: TypeAlias = int | float | str
Share = Annotated[Fraction, PlainValidator(_share, json_schema_input_type=_Numeric), PlainSerializer(str)]
Tolerance = Annotated[Fraction, PlainValidator(_not_negative, json_schema_input_type=_Numeric), PlainSerializer(str)]
Count = Annotated[int, BeforeValidator(whole), Field(ge=1)]
Seconds = Annotated[float | None, PlainValidator(_seconds, json_schema_input_type=_Numeric | None)]
Flag = Annotated[bool, BeforeValidator(_flag)]
FilePath = Annotated[Path, PlainValidator(_path, json_schema_input_type=str), PlainSerializer(str)]
Number = Annotated[Decimal, PlainValidator(decimal, json_schema_input_type=_Numeric), PlainSerializer(_plain_decimal)]

_SHARES = TypeAdapter(dict[str, Share])


def _thresholds(value: object) -> Fraction | Mapping[str, Fraction] | ByFrequency:
    """One number for all sensitive values, a number for each, or the rule `{baseline: x, by: frequency}`.

    Two sensitive values may well be called baseline and by; then `by` has a number.
    """
    if not isinstance(value, Mapping):
        return _share(value)
    if not value:
        raise ValueError("there is no threshold; write one number for all values, or one for each")
    if value.keys() == {"baseline", "by"}:
        try:
            exact(value["by"])
        except ValueError:
            if value["by"] != "frequency":
                refuse([(("by",), f"{shown(value['by'])} is not a rule; the one rule is frequency")])
            return ByFrequency(_SHARES.validate_python({"baseline": value["baseline"]})["baseline"])
    return _SHARES.validate_python(value)


Thresholds = Annotated[
    Fraction | Mapping[str, Fraction] | ByFrequency,
    PlainValidator(_thresholds, json_schema_input_type=_Numeric | dict[str, _Numeric]),
]


class Section(BaseModel):
    """A mapping of the policy: its keys are known, and those without a default are there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _check_keys(cls, value: Any) -> Any:
        if isinstance(value, cls):
            return value
        if value is None:  # a section whose keys are all commented out
            value = {}
        fields = cls.model_fields
        if not isinstance(value, Mapping):
            raise ValueError(f"{shown(value)} is not a mapping; give the keys {', '.join(fields)}")
        unknown = [((key,), f"there is no such key; {nearest(key, fields)}") for key in value if key not in fields]
        missing = [
            ((key,), f"this key is missing; it says {field.description}")
            for key, field in fields.items()
            if field.is_required() and key not in value
        ]
        refuse(unknown + missing)
        return value


class Data(Section):
    """What is to be published."""

    kind: Kind = Field(default="table", description="what the data are; this version publishes tables")
    path: FilePath | None = Field(
        default=None,
        description="the file with the data, relative to the policy file; not needed for a table given in Python",
    )


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
    """A value is published as it is or as `*`; also written as "*", and what a column without taxonomy has."""

    flat: Literal[True] = Field(default=True, description="true: nothing between a value and *")

    def builder(self) -> TaxonomyBuilder:
        return Flat()


BuiltTaxonomy: TypeAlias = IntervalTaxonomy | PrefixTaxonomy | DateTaxonomy | FlatTaxonomy
TAXONOMIES: dict[str, type[BuiltTaxonomy]] = {
    "intervals": IntervalTaxonomy,
    "prefixes": PrefixTaxonomy,
    "dates": DateTaxonomy,
    "flat": FlatTaxonomy,
}


def _taxonomy(value: object, info: ValidationInfo) -> Path | BuiltTaxonomy:
    if isinstance(value, BuiltTaxonomy):
        return value
    if value == ROOT:
        return FlatTaxonomy()
    if isinstance(value, str | Path):
        return _path(value, info)
    if not isinstance(value, Mapping):
        raise ValueError(
            f"{shown(value)} is not a taxonomy; name a file, give one of {', '.join(TAXONOMIES)}, or leave the key "
            'out for "*"'
        )
    forms = [form for form in TAXONOMIES if form in value]
    if not forms:
        key = next(iter(value), "nothing")
        raise ValueError(f"{key} does not say what kind of taxonomy this is; {nearest(key, TAXONOMIES)}")
    if len(forms) > 1:
        raise ValueError(f"a column has one taxonomy, not {listed(forms)} at once; keep one of them")
    taxonomy = TAXONOMIES[forms[0]].model_validate(value)
    try:
        taxonomy.builder()
    except InputError as error:
        raise ValueError(str(error)) from None
    return taxonomy


TaxonomyChoice = Annotated[Path | BuiltTaxonomy, BeforeValidator(_taxonomy, json_schema_input_type=str | BuiltTaxonomy)]


class Attribute(Section):
    """A column: what it tells about a person, and how it may be generalized."""

    role: Role = Field(
        description="what the column is: identifier (dropped), quasi-identifier (generalized), sensitive "
        "(protected), class (for the loss cm) or insensitive (kept)"
    )
    taxonomy: TaxonomyChoice = Field(
        default=FlatTaxonomy(),
        description="how a quasi-identifier is generalized: a file, intervals, prefixes, dates, or * (the default)",
    )
    on_missing: OnMissing = Field(
        default="error", description="what to do with values that are not in the taxonomy: error or suppress"
    )

    @model_validator(mode="after")
    def _only_quasi_identifiers_are_generalized(self) -> Self:
        if self.role != "quasi-identifier":
            refuse(
                ((key,), f"only a quasi-identifier has it, and the role is {self.role}; remove one of the two")
                for key in ("taxonomy", "on_missing")
                if key in self.model_fields_set
            )
        return self

    def builder(self, name: str) -> TaxonomyBuilder:
        """What makes the taxonomy of the column with this name; a taxonomy file is read here."""
        if not isinstance(self.taxonomy, Path):
            return self.taxonomy.builder()
        try:
            return LabelledTaxonomy(read_taxonomy(self.taxonomy, name))
        except InputError as error:
            raise InputError(f"attributes.{name}.taxonomy: {error}") from None


_PARAMETERS: dict[object, tuple[Any, str]] = {
    int: (Count, "a whole number of at least 1"),
    Fraction: (Share, "a number between 0 and 1, such as 0.3 or 1/3"),
    Fraction | Mapping[str, Fraction] | ByFrequency: (
        Thresholds,
        "the largest share of a group that may show a sensitive value: one number between 0 and 1 for all "
        "values, one for each value, or {baseline: 1/5, by: frequency}",
    ),
}
"""Type of a model's dataclass field -> how the policy reads it, and what the policy says of it."""


def _promise_section(model: type[TableModel]) -> type[Section]:
    """The section of a promise, made from the fields of its dataclass."""
    hints = get_type_hints(model)
    keys: dict[str, Any] = {
        "model": (Literal[model.name], Field(description=f"the promise: {', '.join(TABLE_MODELS)}"))
    }
    for field in dataclasses.fields(cast(Any, model)):
        kind, description = _PARAMETERS[hints[field.name]]
        default = ... if field.default is dataclasses.MISSING else field.default
        keys[field.name] = (kind, Field(default=default, description=description))
    return create_model(model.__name__, __base__=Section, __doc__=inspect.getdoc(model), **keys)


PROMISES: dict[str, type[Section]] = {name: _promise_section(model) for name, model in TABLE_MODELS.items()}
"""Name of a model -> the section that describes it in a policy."""


def _promise(value: object) -> TableModel:
    if isinstance(value, tuple(TABLE_MODELS.values())):
        return cast(TableModel, value)
    if not isinstance(value, Mapping):
        raise ValueError(f"{shown(value)} is not a mapping; write it as {{model: k-anonymity, k: 5}}")
    name = value.get("model")
    if "model" not in value:
        refuse([(("model",), f"this key is missing; it says the promise: {', '.join(TABLE_MODELS)}")])
    if not isinstance(name, str) or name not in TABLE_MODELS:
        refuse([(("model",), f"{shown(name)} is not a model; {nearest(str(name), TABLE_MODELS)}")])
    parameters = dict(PROMISES[str(name)].model_validate(value))
    del parameters["model"]
    return cast(Callable[..., TableModel], TABLE_MODELS[str(name)])(**parameters)


def _one_or_several(value: object, several: ValidatorFunctionWrapHandler) -> tuple[TableModel, ...]:
    if not isinstance(value, list | tuple):
        return (_promise(value),)
    if not value:
        raise ValueError(f"there is no promise to keep; name a model: {', '.join(TABLE_MODELS)}")
    return cast(tuple[TableModel, ...], several(value))


def written_promise(model: TableModel) -> dict[str, object]:
    """A promise as a policy states it, exact numbers as text."""
    fields = dataclasses.fields(cast(Any, model))
    return {"model": model.name} | {field.name: _written(getattr(model, field.name)) for field in fields}


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


_AnyPromise: Any = Union[tuple(PROMISES.values())]  # noqa: UP007 - made from what is registered
Promise = Annotated[
    TableModel, PlainValidator(_promise, json_schema_input_type=_AnyPromise), PlainSerializer(written_promise)
]
Promises = Annotated[
    tuple[Promise, ...], WrapValidator(_one_or_several, json_schema_input_type=_AnyPromise | list[_AnyPromise])
]


class Search(Section):
    """How the release is looked for, and what "best" means."""

    method: Method = Field(default="l-plus-optimize", description="the method: l-plus-optimize")
    loss: Loss = Field(default="lm", description="the loss of information to keep small: lm, dm or cm")
    suppression: Suppression = Field(
        default="vio-sa",
        description="what may be deleted besides generalizing: none, vio-sa, all-sa, vio-rec or all-rec; by "
        "default vio-sa where it can keep the promise and goes with the loss, else vio-rec",
    )
    time_limit: Seconds = Field(
        default=None, description="the seconds after which the best release so far is taken; null for no limit"
    )
    alpha: Tolerance = Field(
        default=Fraction(0), description="stop at a loss proven to be at most 1 + alpha times the least"
    )
    top_h: Count = Field(default=1, description="draw the release at random from this many of the best")
    guard_stars: Flag = Field(
        default=False,
        description="with vio-sa: also delete the other values where a * would betray the one that is missing",
    )


class Output(Section):
    """How the release is written."""

    format: Format = Field(default="csv", description="the format of the released data: csv or parquet")
    escape_formulas: Flag = Field(
        default=False,
        description="in CSV files, put an apostrophe before cells that a spreadsheet would run as a formula",
    )


def listed(words: Iterable[str]) -> str:
    """Words as a sentence lists them: a, b and c."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last
