"""The policy: the file a steward writes, parsed, validated, explained, and nothing else.

The keys are in `policy_sections`, the reading of the file in `policy_file`; here they come together, in a class for
each kind of data. What does not fit becomes one sentence that names the file, the key, the value and the way out.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, get_args

from pydantic import (
    BeforeValidator,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from discreet.errors import InputError
from discreet.models import (
    TABLE_MODELS,
    TRANSACTION_MODELS,
    KAnonymity,
    Model,
    PrivacyDegree,
    RhoUncertainty,
    TransactionModel,
)
from discreet.policy_file import as_mapping, read_policy_file, read_yaml, set_key, shown
from discreet.policy_sections import (
    ITEM_TAXONOMIES,
    PROMISES,
    TAXONOMIES,
    Attribute,
    Data,
    EvenTaxonomy,
    FlatTaxonomy,
    Format,
    Items,
    ItemTaxonomyChoice,
    Kind,
    Loss,
    Method,
    OnMissing,
    Output,
    Role,
    Search,
    Section,
    Suppression,
    TableData,
    TableOutput,
    TablePromises,
    TableSearch,
    TransactionData,
    TransactionMethod,
    TransactionOutput,
    TransactionPromise,
    TransactionSearch,
    listed,
    refuse,
    written_promise,
)
from discreet.recode.schemes import VALUE_SCHEMES
from discreet.search import METHODS
from discreet.taxonomy import LabelledTaxonomy, TaxonomyBuilder, read_taxonomy

__all__ = [
    "FATES",
    "ITEM_FATES",
    "POLICIES",
    "SUPPRESSIONS",
    "Attribute",
    "Data",
    "Format",
    "Kind",
    "Loss",
    "Method",
    "OnMissing",
    "Output",
    "Policy",
    "Role",
    "Search",
    "Suppression",
    "TableData",
    "TableOutput",
    "TablePolicy",
    "TableSearch",
    "TransactionData",
    "TransactionOutput",
    "TransactionPolicy",
    "TransactionSearch",
]

SUPPRESSIONS: dict[Suppression, str] = {
    "none": "nothing is deleted, only generalized further",
    "vio-sa": "the sensitive values that break it in a group are deleted there",
    "all-sa": "all sensitive values of the group that breaks it are deleted",
    "vio-rec": "as few records as possible of the group that breaks it are deleted",
    "all-rec": "all records of the group that breaks it are deleted",
}
"""Suppression scheme -> what happens where generalizing alone does not keep the promise."""
FATES: dict[Role, str] = {
    "identifier": "dropped",
    "quasi-identifier": "generalized",
    "sensitive": "protected",
    "class": "kept as the class",
    "insensitive": "kept unchanged",
}
"""Role -> what becomes of a column."""
ITEM_FATES: dict[TransactionMethod, str] = {
    "og": "generalized, each alike in all transactions",
    "mog": "generalized, each alike in all transactions",
    "apriori": "generalized, each alike in all transactions",
    "greedy-suppression": "kept as they are or left out of all transactions",
    "partition": "generalized, group by group of transactions",
    "permutation": "kept as they are, apart from the sensitive ones",
    "insertion": "kept as they are",
    "partial-suppression": "left out of some transactions",
    "global-suppression": "kept as they are or left out of all transactions",
    "td-control": "generalized or left out, each alike in all transactions",
    "trivial-suppression": "kept as they are",
}
"""Method -> what becomes of the items that are not sensitive, unless its options say otherwise."""
_MOST_ITEMS_TOLD = 10


@dataclasses.dataclass(frozen=True)
class _Origin:
    """Where a policy comes from. Not compared: policies that say the same are equal."""

    written: Mapping[str, object] | None = dataclasses.field(default=None, compare=False)
    folder: Path = dataclasses.field(default=Path(), compare=False)
    source: str = dataclasses.field(default="policy", compare=False)

    def with_settings(self, settings: Mapping[str, object], policy: type[Policy]) -> _Origin:
        """What would be written with other values at dotted keys; text is read as YAML."""
        written: object = self.written
        for key, value in settings.items():
            if isinstance(value, str):
                value = read_yaml(value, f"{self.source}: {key}")
            keys_at = (_policy_class(written) if policy is Policy else policy)._keys_at
            written = set_key(written, key, value, keys_at, self.source)
        return dataclasses.replace(self, written=as_mapping(written, self.source))


class Policy(Section):
    """What to publish, what to promise, and how to look for the best release that keeps the promise.

    >>> policy = Policy.parse({
    ...     "data": {"path": "patients.csv"},
    ...     "attributes": {"age": {"role": "quasi-identifier"}, "disease": {"role": "sensitive"}},
    ...     "privacy": {"model": "l-plus-diversity", "thresholds": 0.3},
    ... })
    >>> policy.privacy
    (LPlusDiversity(thresholds=Fraction(3, 10)),)
    >>> policy.with_settings({"privacy.thresholds": "1/4"}).privacy
    (LPlusDiversity(thresholds=Fraction(1, 4)),)
    """

    if TYPE_CHECKING:  # each kind declares these itself, in the order in which its keys are read
        data: Data
        privacy: tuple[Model, ...]
        search: Search
        output: Output

    _origin: _Origin = PrivateAttr(default_factory=_Origin)

    @classmethod
    def load(cls, path: str | Path, settings: Mapping[str, object] | None = None) -> Self:
        """The policy in a YAML file; paths in it are relative to its folder. settings: see with_settings."""
        path = Path(path)
        origin = _Origin(read_policy_file(path), path.parent, str(path))
        return cls._checked(origin.with_settings(settings or {}, cls))

    @classmethod
    def parse(cls, written: Mapping[str, object], folder: str | Path = Path()) -> Self:
        """The policy in a mapping such as YAML or JSON gives; paths in it are relative to the folder."""
        return cls._checked(_Origin(as_mapping(written, "policy"), Path(folder)))

    @classmethod
    def _checked(cls, origin: _Origin) -> Self:
        try:
            policy = cls.model_validate(origin.written, context={"folder": origin.folder})
        except ValidationError as error:
            raise InputError(_sentence(origin.source, error)) from None
        policy._origin = origin
        return policy

    def with_settings(self, settings: Mapping[str, object]) -> Self:
        """This policy with other values at dotted keys, checked anew; text is read as YAML.

        What was left out stays left out, so a default that depends on other keys follows them.
        """
        origin = self._origin
        if origin.written is None:
            origin = dataclasses.replace(origin, written=self.as_dict())
        return self._checked(origin.with_settings(settings, type(self)))

    def states(self, *key: str) -> bool:
        """Whether a key stands in the policy as it was written, and is not a default."""
        written: object = self._origin.written
        for part in key:
            if not isinstance(written, Mapping) or part not in written:
                return False
            written = written[part]
        return True

    @model_validator(mode="wrap")
    @classmethod
    def _of_its_kind(cls, value: Any, read: ModelWrapValidatorHandler[Self], info: ValidationInfo) -> Any:
        # Before all else: a policy of another kind has other keys, and they are not what is wrong with it.
        if cls is Policy and not isinstance(value, Policy):
            return _policy_class(value).model_validate(value, context=info.context)
        if not isinstance(value, cls):
            _refuse_other_kinds(_kind(value, cls.of_kind), cls.of_kind)
        return read(value)

    @classmethod
    def _keys_at(cls, place: tuple[str, ...]) -> Collection[str]:
        """The keys that may stand at a place of the policy, for settings."""
        return [key for section in cls._sections_at(place) for key in section.model_fields]

    @classmethod
    def _sections_at(cls, place: tuple[str, ...]) -> Collection[type[Section]]:
        raise NotImplementedError

    def as_dict(self) -> dict[str, Any]:
        """All settings, defaults included, as JSON can hold them; exact numbers are text such as "1/3".

        Paths are those to open from here, no longer relative to the policy file, so that `parse` gives an
        equal policy.
        """
        return self.model_dump(mode="json")

    def explain(self, *, searches: bool = True) -> str:
        """What this policy will do, in a few sentences; searches: False where a recoding found before is applied."""
        sentences = [
            self._subject(),
            *(f"The promise is {_told(model)}" for model in self.privacy),
            *self._way(searches),
        ]
        return ". ".join(sentences) + "."

    def _subject(self) -> str:
        """What is published and what becomes of its parts."""
        raise NotImplementedError

    def _way(self, searches: bool) -> Iterator[str]:
        """How the promise comes to be kept."""
        raise NotImplementedError


class TablePolicy(Policy):
    """How a table is published: the roles of its columns, the promise, the search for the best release."""

    of_kind = "table"

    data: TableData = Field(description="what to publish: kind and path")
    attributes: Annotated[dict[str, Attribute], BeforeValidator(lambda value: {} if value is None else value)] = Field(
        description="for each column its role and, for a quasi-identifier, its taxonomy"
    )
    privacy: TablePromises = Field(description="the promise to keep: a model with its parameters, or a list of them")
    search: TableSearch = Field(
        default_factory=TableSearch, validate_default=True, description="how to look for the best release"
    )
    output: TableOutput = Field(default_factory=TableOutput, description="how to write the release")

    @field_validator("search", mode="before")
    @classmethod
    def _choose_suppression(cls, value: Any, info: ValidationInfo) -> Any:
        written = value.model_dump(exclude_unset=True) if isinstance(value, TableSearch) else value or {}
        known = info.data.keys() >= {"attributes", "privacy"}
        if not known or not isinstance(written, Mapping) or "suppression" in written:
            return value
        values_can_go = (
            any(attribute.role == "sensitive" for attribute in info.data["attributes"].values())
            and not any(isinstance(model, KAnonymity) for model in info.data["privacy"])
            and written.get("loss", "lm") == "lm"
        )
        return {**written, "suppression": "vio-sa" if values_can_go else "vio-rec"}

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        refuse(self._contradictions())
        return self

    def _contradictions(self) -> Iterator[tuple[tuple[str, ...], str]]:
        if not self.columns("quasi-identifier"):
            yield (
                ("attributes",),
                "no column has the role quasi-identifier; give it to the columns by which a person could be known",
            )
        for role in ("sensitive", "class"):
            if len(columns := self.columns(role)) > 1:
                yield (
                    ("attributes",),
                    f"{listed(map(repr, columns))} have the role {role}, and only one column can; "
                    "give the others another role",
                )
        names = [model.name for model in self.privacy]
        for name in dict.fromkeys(names):
            if names.count(name) > 1:
                yield ("privacy",), f"the model {name} appears {names.count(name)} times; keep one of them"
            if TABLE_MODELS[name].needs_sensitive and self.sensitive is None:
                yield (
                    ("privacy",),
                    f"{name} needs a column with role sensitive; name one in attributes or promise k-anonymity",
                )
        if self.search.loss == "cm" and self.class_column is None:
            yield (
                ("search", "loss"),
                "the loss cm needs a column with role class; name one in attributes or use lm or dm",
            )
        if self.output.escape_formulas and self.output.format != "csv":
            yield (
                ("output", "escape_formulas"),
                f"{self.output.format} files have no formulas to escape; set it to false or write csv",
            )
        yield from self._contradictions_of_suppression(names)

    def _contradictions_of_suppression(self, names: list[str]) -> Iterator[tuple[tuple[str, ...], str]]:
        suppression, loss = self.search.suppression, self.search.loss
        if suppression in VALUE_SCHEMES:
            key = ("search", "suppression")
            if self.sensitive is None:
                yield (
                    key,
                    f"{suppression} deletes sensitive values, and no column has the role sensitive; "
                    "use none, vio-rec or all-rec",
                )
            if KAnonymity.name in names:
                yield (
                    key,
                    f"{suppression} deletes sensitive values, and that cannot make a group larger, as k-anonymity "
                    "may need; use none, vio-rec or all-rec",
                )
            if loss != "lm":
                yield key, f"{loss} counts records: it goes with none, vio-rec, all-rec, not with {suppression}"
        if self.search.guard_stars and suppression != "vio-sa":
            yield (
                ("search", "guard_stars"),
                f"true goes only with the suppression vio-sa, not with {suppression}; set it to false",
            )

    def columns(self, role: Role) -> tuple[str, ...]:
        """The columns with this role, in the order of the policy."""
        return tuple(name for name, attribute in self.attributes.items() if attribute.role == role)

    @property
    def sensitive(self) -> str | None:
        """The sensitive column."""
        return next(iter(self.columns("sensitive")), None)

    @property
    def class_column(self) -> str | None:
        """The column whose groups the loss cm keeps pure."""
        return next(iter(self.columns("class")), None)

    @classmethod
    def _sections_at(cls, place: tuple[str, ...]) -> Collection[type[Section]]:
        match place:
            case ():
                return [TablePolicy]
            case ("data",):
                return [TableData]
            case ("attributes", _):
                return [Attribute]
            case ("attributes", _, "taxonomy"):
                return TAXONOMIES.values()
            case ("privacy",):
                return [PROMISES[name] for name in TABLE_MODELS]
            case ("privacy", index) if index.isdigit():
                return [PROMISES[name] for name in TABLE_MODELS]
            case ("search",):
                return [TableSearch]
            case ("output",):
                return [TableOutput]
            case _:
                return []

    def as_dict(self) -> dict[str, Any]:
        written = super().as_dict()
        for name, attribute in self.attributes.items():
            if attribute.role != "quasi-identifier":
                written["attributes"][name] = {"role": attribute.role}
        return written

    def _subject(self) -> str:
        fates = "; ".join(
            f"{listed(columns)} {'is' if len(columns) == 1 else 'are'} {fate}"
            for role, fate in FATES.items()
            if (columns := self.columns(role))
        )
        source = "the table it is given" if self.data.path is None else self.data.path
        return f"Publishes {source} as {self.output.format}: {fates}"

    def _way(self, searches: bool) -> Iterator[str]:
        search = self.search
        goal = "the least loss" if search.alpha == 0 else f"at most 1 + {search.alpha} times the least loss"
        if searches:
            yield f"The method {search.method} looks for the release with {goal} ({search.loss})"
        else:
            yield "Values are generalized by the recoding that was found before"
        yield f"Where that does not keep the promise, {SUPPRESSIONS[search.suppression]} ({search.suppression})"
        if search.guard_stars:
            yield "Where a * would betray the one value that is missing, the whole group gets it"
        if searches and search.time_limit is not None:
            yield f"After {search.time_limit:g} seconds the best release so far is taken"
        if searches and search.top_h > 1:
            yield f"The release is drawn at random from the {search.top_h} best"


LARGEST_PARAMETER = 10**9
"""Of a promise about transactions: times a count it has to fit 64 bits."""


class TransactionPolicy(Policy):
    """How transactions are published: the taxonomy of their items, which are sensitive, the promise, the search.

    >>> policy = TransactionPolicy.parse({
    ...     "data": {"kind": "transactions", "path": "baskets.dat"},
    ...     "sensitive": ["Viagra"],
    ...     "privacy": {"model": "kl-privacy", "k": 5, "l": 2, "m": 3},
    ... })
    >>> policy.promise
    KLPrivacy(k=5, l=2, m=3, n=0)
    >>> policy.search.method, policy.with_settings({"privacy": "{model: privacy-degree, p: 4}"}).search.method
    ('og', 'permutation')
    """

    of_kind = "transactions"

    data: TransactionData = Field(description="what to publish: kind, path and separator")
    taxonomy: ItemTaxonomyChoice = Field(
        default=FlatTaxonomy(),
        description="how the items that are not sensitive are generalized: a file, even, or * (the default)",
    )
    sensitive: Items = Field(
        default=(), description="the sensitive items: a list, or a file with one a line; none by default"
    )
    on_missing: Literal["error", "drop"] = Field(
        default="error",
        description="what to do with items that are neither in the taxonomy nor sensitive: error, or drop them",
    )
    privacy: TransactionPromise = Field(description="the promise to keep: a model with its parameters")
    search: TransactionSearch = Field(
        default_factory=TransactionSearch, validate_default=True, description="how to look for the best release"
    )
    output: TransactionOutput = Field(default_factory=TransactionOutput, description="how to write the release")

    @field_validator("search", mode="before")
    @classmethod
    def _choose_method(cls, value: Any, info: ValidationInfo) -> Any:
        written = value.model_dump(exclude_unset=True) if isinstance(value, TransactionSearch) else value or {}
        if "privacy" not in info.data or not isinstance(written, Mapping) or "method" in written:
            return value
        return {**written, "method": _methods_for(info.data["privacy"][0])[0]}

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        refuse(self._contradictions())
        return self

    def _contradictions(self) -> Iterator[tuple[tuple[str, ...], str]]:
        method, model = self.search.method, self.promise
        for key, value in written_promise(model).items():
            exact = Fraction(str(value)) if key != "model" else Fraction(0)
            if max(exact.numerator, exact.denominator) > LARGEST_PARAMETER:
                yield (
                    ("privacy", key),
                    f"{value} has too many digits to be compared exactly with millions of counts; write up to nine",
                )
        if method not in (able := _methods_for(model)):
            yield ("search", "method"), f"{method} cannot keep {model.name}; use {' or '.join(able)}"
        if isinstance(model, PrivacyDegree | RhoUncertainty) and not self.sensitive:
            yield (
                ("privacy",),
                f"{model.name} is about sensitive items, and there are none; name them under sensitive or "
                "promise km-anonymity",
            )
        if method == "permutation" and self.output.format != "same":
            yield (
                ("output", "format"),
                f"permutation writes groups, a CSV file of their own shape, and not {self.output.format}; leave the "
                "key out",
            )

    @property
    def promise(self) -> TransactionModel:
        """The one promise."""
        return self.privacy[0]

    def sensitive_items(self) -> tuple[str, ...]:
        """The sensitive items, each once; a file of them is read here."""
        items = _read_items(self.sensitive) if isinstance(self.sensitive, Path) else self.sensitive
        return tuple(dict.fromkeys(items))

    def taxonomy_builder(self) -> TaxonomyBuilder:
        """What makes the taxonomy of the items that are not sensitive; a taxonomy file is read here."""
        if not isinstance(self.taxonomy, Path):
            return self.taxonomy.builder()
        try:
            return LabelledTaxonomy(read_taxonomy(self.taxonomy, "items"))
        except InputError as error:
            raise InputError(f"taxonomy: {error}") from None

    @classmethod
    def _sections_at(cls, place: tuple[str, ...]) -> Collection[type[Section]]:
        match place:
            case ():
                return [TransactionPolicy]
            case ("data",):
                return [TransactionData]
            case ("taxonomy",):
                return ITEM_TAXONOMIES.values()
            case ("privacy",):
                return [PROMISES[name] for name in TRANSACTION_MODELS]
            case ("privacy", index) if index.isdigit():
                return [PROMISES[name] for name in TRANSACTION_MODELS]
            case ("search",):
                return [TransactionSearch]
            case ("output",):
                return [TransactionOutput]
            case _:
                return []

    def _subject(self) -> str:
        source = "the transactions it is given" if self.data.path is None else self.data.path
        shape = "in the shape they have" if self.output.format == "same" else f"as {self.output.format}"
        if self.search.method == "permutation":
            shape = "in groups, as two CSV files"
        parts = [f"items are {self._fate_of_items()}"]
        if isinstance(self.sensitive, Path):
            parts.append(f"the items in {self.sensitive} are protected")
        elif len(self.sensitive) > _MOST_ITEMS_TOLD:
            parts.append(f"{len(self.sensitive)} sensitive items are protected")
        elif self.sensitive:
            parts.append(f"{listed(self.sensitive)} {'is' if len(self.sensitive) == 1 else 'are'} protected")
        return f"Publishes {source} {shape}: {'; '.join(parts)}"

    def _fate_of_items(self) -> str:
        match self.search.options():
            case {"improve": int(times)} if times:
                return "kept as they are but for a few, which are left out of some transactions"
            case {"leave_out": "all-but-one"}:
                return "left out, all but one of each transaction"
        return ITEM_FATES[self.search.method]

    def _way(self, searches: bool) -> Iterator[str]:
        search = self.search
        if not searches:
            yield "Items are generalized by the recoding that was found before"
        elif search.method == "trivial-suppression":
            left_out = {"sensitive": "every sensitive item", "all-but-one": "all items but one of each transaction"}
            yield f"The method trivial-suppression leaves out {left_out[search.leave_out]}, whatever the loss"
        elif search.method != "og":
            yield f"The method {search.method} looks for a release with little loss ({search.loss})"
        else:
            goal = "the least loss" if search.alpha == 0 else f"at most 1 + {search.alpha} times the least loss"
            yield f"The method og looks for the release with {goal} ({search.loss})"
        yield f"The taxonomy of the items is {self._told_taxonomy()}"
        if self.on_missing == "drop":
            yield "Items that are neither in it nor sensitive are left out"
        if searches and search.time_limit is not None:
            yield f"After {search.time_limit:g} seconds the best release so far is taken"

    def _told_taxonomy(self) -> str:
        match self.taxonomy:
            case EvenTaxonomy():
                return f"made at random, {self.taxonomy.even} children under a node (seed {self.taxonomy.seed})"
            case FlatTaxonomy():
                return "flat, with * above all of them"
            case path:
                return f"in {path}"


POLICIES: dict[Kind, type[Policy]] = {"table": TablePolicy, "transactions": TransactionPolicy}
"""Kind of data -> the class of its policies; the first is the default."""


def _kind(written: object, default: object) -> object:
    data = written.get("data") if isinstance(written, Mapping) else None
    return data.get("kind", default) if isinstance(data, Mapping) else default


def _policy_class(written: object) -> type[Policy]:
    """The class for the kind that is written; for one that is none, a class that says so."""
    kind = _kind(written, "table")
    return next((found for known, found in POLICIES.items() if known == kind), TablePolicy)


def _refuse_other_kinds(kind: object, expected: Kind | None) -> None:
    if kind == expected:
        return
    *most, last = map(repr, get_args(Kind))
    what = f"{shown(kind)} cannot stand here; write {', '.join(most)} or {last}"
    if kind in tuple(POLICIES):
        what = f"{kind} stands here, and a policy for kind: {expected} is expected; use the right one"
    elif kind in get_args(Kind):
        what = (
            f"{kind} cannot be published yet: this version publishes tables and transactions; use "
            f"kind: {' or kind: '.join(POLICIES)}"
        )
    refuse([(("data", "kind"), what)])


def _methods_for(model: TransactionModel) -> list[str]:
    return [name for name, method in METHODS.items() if model.name in method.models]


def _read_items(path: Path) -> list[str]:
    """The items of a file with one a line."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"sensitive: {path}: there is no such file of items; check the path.") from None
    except OSError as error:
        raise InputError(f"sensitive: {path}: the file of items cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise InputError(f"sensitive: {path}: line {line} is not UTF-8; save the file as UTF-8.") from None
    items = [line.strip() for line in re.split(r"\r\n|\r|\n", text) if line.strip()]
    if not items:
        raise InputError(f"sensitive: {path}: the file has no item; write one a line, or leave the key out.")
    return items


def _told(model: Model) -> str:
    parameters = ", ".join(f"{key} {_inline(value)}" for key, value in written_promise(model).items() if key != "model")
    meaning = (inspect.getdoc(type(model)) or "").partition("\n")[0].rstrip(".")
    return f"{model.name} with {parameters}: {meaning[:1].lower()}{meaning[1:]}"


def _inline(value: object) -> str:
    if not isinstance(value, Mapping):
        return str(value)
    if value.get("by") == "frequency":
        return f"{value['baseline']}, more for values more frequent than the average"
    return ", ".join(f"{share} for {key or 'missing values'}" for key, share in value.items())


def _sentence(source: str, error: ValidationError) -> str:
    first, *more = error.errors(include_url=False)
    value = shown(first["input"])
    match first["type"]:
        case "literal_error":
            what = f"{value} cannot stand here; write {first['ctx']['expected'].replace('True', 'true')}"
        case "dict_type":
            what = f"{value} is not a mapping; write key: value"
        case "tuple_type":
            what = f"{value} is not a list; write it in brackets, as in [3, 1]"
        case "value_error":
            what = str(first["ctx"]["error"])
        case _:
            what = first["msg"]
    key = ".".join(map(str, first["loc"]))
    errors = "error" if len(more) == 1 else "errors"
    follow = f" ({len(more)} more {errors} after this one)" if more else ""
    return f"{source}: {key}: {what.rstrip('.')}{follow}."
