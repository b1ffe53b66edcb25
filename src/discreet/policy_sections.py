"""The sections of a policy, key by key: each a field with its type, its default and its description.

The keys of a promise are not repeated here: they are the fields of its dataclass in `discreet.models`.
What is wrong with a value is a sentence without the key; :func:`refuse` and pydantic know where it stands.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias, Union, cast, get_type_hints

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
from discreet.models import (
    MODELS,
    TABLE_MODELS,
    TRANSACTION_MODELS,
    ByFrequency,
    Model,
    TableModel,
    TransactionModel,
)
from discreet.policy_file import decimal, exact, nearest, shown, whole
from discreet.taxonomy import (
    ROOT,
    Dates,
    Even,
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
TableMethod: TypeAlias = Literal["l-plus-optimize"]
TransactionMethod: TypeAlias = Literal[
    "og",
    "mog",
    "apriori",
    "greedy-suppression",
    "partition",
    "permutation",
    "insertion",
    "partial-suppression",
    "global-suppression",
    "td-control",
    "trivial-suppression",
]
Method: TypeAlias = Literal[TableMethod, TransactionMethod]
Loss: TypeAlias = Literal["lm", "dm", "cm", "ncp"]
Suppression: TypeAlias = Literal["none", "vio-sa", "all-sa", "vio-rec", "all-rec"]
Format: TypeAlias = Literal["csv", "parquet", "same", "dat", "long", "basket"]

_MOST_SECONDS = 10**9
_DELIMITED = re.compile(r".*\.[ct]sv(\.(gz|zst))?", re.IGNORECASE)


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


def _separator(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or len(value) != 1 or not value.isascii() or value in '"\r\n\0':
        raise ValueError(f'{shown(value)} is not a separator; write one ASCII character in quotes, such as "," or ";"')
    return value


def _sensitive(value: object, info: ValidationInfo) -> Path | tuple[str, ...]:
    if value is None:  # a list whose items are all commented out
        return ()
    if isinstance(value, str | Path):
        return _path(value, info)
    if not isinstance(value, list | tuple):
        raise ValueError(
            f"{shown(value)} is neither a list nor a file; write the items in brackets, or name a file with one a line"
        )
    refuse(
        ((str(place),), f"{shown(item)} is not an item; write its text in quotes")
        for place, item in enumerate(value)
        if isinstance(item, bool) or not isinstance(item, str | int) or not str(item).strip()
    )
    return tuple(map(str, value))


def _plain_decimal(number: Decimal) -> int | str:
    return int(number) if number == number.to_integral_value() else str(number)


_Numeric: TypeAlias = int | float | str
Share = Annotated[Fraction, PlainValidator(_share, json_schema_input_type=_Numeric), PlainSerializer(str)]
Tolerance = Annotated[Fraction, PlainValidator(_not_negative, json_schema_input_type=_Numeric), PlainSerializer(str)]
Count = Annotated[int, BeforeValidator(whole), Field(ge=1)]
CountFromZero = Annotated[int, BeforeValidator(partial(whole, least=0)), Field(ge=0)]
Seconds = Annotated[float | None, PlainValidator(_seconds, json_schema_input_type=_Numeric | None)]
Flag = Annotated[bool, BeforeValidator(_flag)]
FilePath = Annotated[Path, PlainValidator(_path, json_schema_input_type=str), PlainSerializer(str)]
Separator = Annotated[str | None, PlainValidator(_separator, json_schema_input_type=str | None)]
Items = Annotated[Path | tuple[str, ...], BeforeValidator(_sensitive, json_schema_input_type=str | list[str] | None)]
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

    of_kind: ClassVar[Kind | None] = None
    """The kind of data that alone has this section; sections for other kinds have the same parent class."""

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
        unknown = [((key,), cls._no_such_key(key)) for key in value if key not in fields]
        missing = [
            ((key,), f"this key is missing; it says {field.description}")
            for key, field in fields.items()
            if field.is_required() and key not in value
        ]
        refuse(unknown + missing)
        return value

    @classmethod
    def _no_such_key(cls, key: str) -> str:
        siblings: list[type] = cls.__mro__[1].__subclasses__()
        for sibling in siblings:
            if cls.of_kind and issubclass(sibling, Section) and sibling.of_kind and key in sibling.model_fields:
                return f"it goes with data of kind {sibling.of_kind}, and these are of kind {cls.of_kind}; remove it"
        return f"there is no such key; {nearest(key, cls.model_fields)}"


class Data(Section):
    """What is to be published."""

    kind: Kind = Field(default="table", description="what the data are; this version publishes tables and transactions")
    path: FilePath | None = Field(
        default=None,
        description="the file with the data, relative to the policy file; not needed for data given in Python",
    )


class TableData(Data):
    """The table that is to be published."""

    of_kind = "table"


class TransactionData(Data):
    """The transactions that are to be published, each a set of items."""

    of_kind = "transactions"

    kind: Literal["transactions"] = Field(default="transactions", description="what the data are: transactions")
    separator: Separator = Field(
        default=None,
        description="in a CSV file with a transaction a line, the character between items; null for every other file",
    )

    @model_validator(mode="after")
    def _only_delimited_files_have_a_separator(self) -> Self:
        if self.separator is not None and not (self.path and _DELIMITED.fullmatch(self.path.name)):
            named = f"data.path is {self.path.name}" if self.path else "data.path names none"
            refuse([(("separator",), f"it goes only with a .csv or .tsv file, and {named}; remove it")])
        return self


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


class EvenTaxonomy(Section):
    """Items at random under nodes with equally many children each, for items whose meaning nobody wrote down."""

    even: Count = Field(description="how many children a node has, at least 2")
    seed: CountFromZero = Field(default=0, description="which of the random taxonomies, a whole number of at least 0")

    def builder(self) -> TaxonomyBuilder:
        return Even(self.even, self.seed)


BuiltTaxonomy: TypeAlias = IntervalTaxonomy | PrefixTaxonomy | DateTaxonomy | FlatTaxonomy
TAXONOMIES: dict[str, type[BuiltTaxonomy]] = {
    "intervals": IntervalTaxonomy,
    "prefixes": PrefixTaxonomy,
    "dates": DateTaxonomy,
    "flat": FlatTaxonomy,
}
"""Key that says how the taxonomy of a column is built -> its section."""
BuiltItemTaxonomy: TypeAlias = EvenTaxonomy | FlatTaxonomy
ITEM_TAXONOMIES: dict[str, type[BuiltItemTaxonomy]] = {"even": EvenTaxonomy, "flat": FlatTaxonomy}
"""The same for the taxonomy of items."""


def _taxonomy(
    value: object, info: ValidationInfo, forms: Mapping[str, type[BuiltTaxonomy | EvenTaxonomy]]
) -> Path | BuiltTaxonomy | EvenTaxonomy:
    if isinstance(value, BuiltTaxonomy | EvenTaxonomy):
        return value
    if value == ROOT:
        return FlatTaxonomy()
    if isinstance(value, str | Path):
        return _path(value, info)
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
        raise ValueError(f"there is one taxonomy, not {listed(given)} at once; keep one of them")
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
_FROM_ZERO = (CountFromZero, "a whole number of at least 0")
"""The same for a number of things of which there are none by default."""


def _promise_section(model: type[Model]) -> type[Section]:
    """The section of a promise, made from the fields of its dataclass."""
    hints = get_type_hints(model)
    names = (name for name, other in MODELS.items() if other.kind == model.kind)
    keys: dict[str, Any] = {"model": (Literal[model.name], Field(description=f"the promise: {', '.join(names)}"))}
    for field in dataclasses.fields(cast(Any, model)):
        kind, description = _FROM_ZERO if field.default == 0 else _PARAMETERS[hints[field.name]]
        default = ... if field.default is dataclasses.MISSING else field.default
        keys[field.name] = (kind, Field(default=default, description=description))
    return create_model(model.__name__, __base__=Section, __doc__=inspect.getdoc(model), **keys)


PROMISES: dict[str, type[Section]] = {name: _promise_section(model) for name, model in MODELS.items()}
"""Name of a model -> the section that describes it in a policy."""


def _promise(value: object, models: Mapping[str, type[Model]], example: str) -> Model:
    if isinstance(value, tuple(models.values())):
        return cast(Model, value)
    if not isinstance(value, Mapping):
        raise ValueError(f"{shown(value)} is not a mapping; write it as {example}")
    name = value.get("model")
    if "model" not in value:
        refuse([(("model",), f"this key is missing; it says the promise: {', '.join(models)}")])
    if isinstance(name, str) and name in MODELS.keys() - models.keys():
        what = f"{name} is a promise about data of kind {MODELS[name].kind}; known here are {', '.join(models)}"
        refuse([(("model",), what)])
    if not isinstance(name, str) or name not in models:
        refuse([(("model",), f"{shown(name)} is not a model; {nearest(str(name), models)}")])
    parameters = dict(PROMISES[str(name)].model_validate(value))
    del parameters["model"]
    return cast(Callable[..., Model], models[str(name)])(**parameters)


def _table_promise(value: object) -> TableModel:
    return cast(TableModel, _promise(value, TABLE_MODELS, "{model: k-anonymity, k: 5}"))


def _transaction_promise(value: object) -> TransactionModel:
    return cast(TransactionModel, _promise(value, TRANSACTION_MODELS, "{model: km-anonymity, k: 5, m: 2}"))


def _one_or_several(value: object, several: ValidatorFunctionWrapHandler) -> tuple[TableModel, ...]:
    if not isinstance(value, list | tuple):
        return (_table_promise(value),)
    if not value:
        raise ValueError(f"there is no promise to keep; name a model: {', '.join(TABLE_MODELS)}")
    return cast(tuple[TableModel, ...], several(value))


def _exactly_one(value: object, in_a_list: ValidatorFunctionWrapHandler) -> tuple[TransactionModel]:
    if not isinstance(value, list | tuple):
        return (_transaction_promise(value),)
    if not value:
        raise ValueError(f"there is no promise to keep; name a model: {', '.join(TRANSACTION_MODELS)}")
    if len(value) > 1:
        raise ValueError(
            f"transactions are published with one promise, not with {len(value)} at once; keep one of them"
        )
    return cast(tuple[TransactionModel], in_a_list(value))


def written_promise(model: Model) -> dict[str, object]:
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


def _any_of(models: Iterable[str]) -> Any:
    return Union[tuple(PROMISES[name] for name in models)]  # noqa: UP007 - made from what is registered


_TablePromise: Any = _any_of(TABLE_MODELS)
_TransactionPromise: Any = _any_of(TRANSACTION_MODELS)
TablePromises = Annotated[
    tuple[
        Annotated[
            TableModel,
            PlainValidator(_table_promise, json_schema_input_type=_TablePromise),
            PlainSerializer(written_promise),
        ],
        ...,
    ],
    WrapValidator(_one_or_several, json_schema_input_type=_TablePromise | list[_TablePromise]),
]
TransactionPromise = Annotated[
    tuple[
        Annotated[
            TransactionModel,
            PlainValidator(_transaction_promise, json_schema_input_type=_TransactionPromise),
            PlainSerializer(written_promise),
        ]
    ],
    WrapValidator(_exactly_one, json_schema_input_type=_TransactionPromise | list[_TransactionPromise]),
]


class Search(Section):
    """How the release is looked for, and what "best" means."""

    method: Method = Field(description="the method that looks for the release")
    loss: Loss = Field(default="lm", description="the loss of information to keep small")
    time_limit: Seconds = Field(
        default=None, description="the seconds after which the best release so far is taken; null for no limit"
    )
    alpha: Tolerance = Field(
        default=Fraction(0), description="stop at a loss proven to be at most 1 + alpha times the least"
    )


class TableSearch(Search):
    """How the release of a table is looked for, and what "best" means."""

    of_kind = "table"

    method: TableMethod = Field(default="l-plus-optimize", description="the method: l-plus-optimize")
    loss: Literal["lm", "dm", "cm"] = Field(
        default="lm", description="the loss of information to keep small: lm, dm or cm"
    )
    suppression: Suppression = Field(
        default="vio-sa",
        description="what may be deleted besides generalizing: none, vio-sa, all-sa, vio-rec or all-rec; by "
        "default vio-sa where it can keep the promise and goes with the loss, else vio-rec",
    )
    top_h: Count = Field(default=1, description="draw the release at random from this many of the best")
    guard_stars: Flag = Field(
        default=False,
        description="with vio-sa: also delete the other values where a * would betray the one that is missing",
    )


METHOD_OPTIONS: dict[Method, tuple[str, ...]] = {
    "insertion": ("improve",),
    "partial-suppression": ("aim", "t_max", "b_max"),
    "trivial-suppression": ("leave_out",),
}
"""Method -> the keys under search that it alone has."""


class TransactionSearch(Search):
    """How the release of transactions is looked for, and what "best" means."""

    of_kind = "transactions"

    method: TransactionMethod = Field(
        default="og",
        description="the method: og, mog, apriori, greedy-suppression, partition, permutation, insertion, "
        "partial-suppression, global-suppression, td-control or trivial-suppression; by default the first of them that "
        "keeps the promise",
    )
    loss: Literal["lm", "ncp"] = Field(default="lm", description="the loss of information to keep small: lm or ncp")
    improve: CountFromZero = Field(
        default=0,
        description="with insertion: how often all transactions are cut and filled up again to keep more items; each "
        "time may cost some items that are not sensitive",
    )
    aim: Literal["rules", "distribution"] = Field(
        default="rules",
        description="with partial-suppression: what to keep, the rules between items or their frequencies",
    )
    t_max: Count = Field(
        default=500, description="with partial-suppression: the estimated cost above which the data are cut in halves"
    )
    b_max: Count = Field(
        default=1_000_000, description="with partial-suppression: how many unsafe rules are looked at together"
    )
    leave_out: Literal["sensitive", "all-but-one"] = Field(
        default="sensitive",
        description="with trivial-suppression: every sensitive item, or all items but one of each transaction",
    )

    def options(self) -> dict[str, Any]:
        """What the method is asked for besides the promise and the loss."""
        return {key: getattr(self, key) for key in METHOD_OPTIONS.get(self.method, ())}

    @model_validator(mode="after")
    def _only_options_of_the_method(self) -> Self:
        refuse(
            ((key,), f"only {method} has it, and the method is {self.method}; remove one of the two")
            for method, keys in METHOD_OPTIONS.items()
            for key in keys
            if method != self.method and getattr(self, key) != type(self).model_fields[key].default
        )
        return self


class Output(Section):
    """How the release is written."""

    format: Format = Field(description="the format of the released data")


class TableOutput(Output):
    """How the release of a table is written."""

    of_kind = "table"

    format: Literal["csv", "parquet"] = Field(
        default="csv", description="the format of the released data: csv or parquet"
    )
    escape_formulas: Flag = Field(
        default=False,
        description="in CSV files, put an apostrophe before cells that a spreadsheet would run as a formula",
    )


class TransactionOutput(Output):
    """How the release of transactions is written."""

    of_kind = "transactions"

    format: Literal["same", "dat", "long", "basket", "parquet"] = Field(
        default="same",
        description="the shape of the released data: same (as the original), dat (a line a transaction, blanks between "
        "items), long (CSV with the columns transaction and item), basket (CSV, a line a transaction) or parquet",
    )


def listed(words: Iterable[str]) -> str:
    """Words as a sentence lists them: a, b and c."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last
