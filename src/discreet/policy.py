"""The policy: the file a steward writes, parsed, validated, explained, and nothing else.

The keys are in `policy_sections`, the reading of the file in `policy_file`; here they come together. What
does not fit becomes one sentence that names the file, the key, the value and the way out.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Self, get_args

from pydantic import (
    BeforeValidator,
    Field,
    PrivateAttr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from discreet.errors import InputError
from discreet.models import TABLE_MODELS, KAnonymity, TableModel
from discreet.policy_file import as_mapping, read_policy_file, read_yaml, set_key, shown
from discreet.policy_sections import (
    PROMISES,
    TAXONOMIES,
    Attribute,
    Data,
    Format,
    Kind,
    Loss,
    Method,
    OnMissing,
    Output,
    Promises,
    Role,
    Search,
    Section,
    Suppression,
    listed,
    refuse,
    written_promise,
)
from discreet.recode.schemes import VALUE_SCHEMES

__all__ = [
    "FATES",
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


@dataclasses.dataclass(frozen=True)
class _Origin:
    """Where a policy comes from. Not compared: policies that say the same are equal."""

    written: Mapping[str, object] | None = dataclasses.field(default=None, compare=False)
    folder: Path = dataclasses.field(default=Path(), compare=False)
    source: str = dataclasses.field(default="policy", compare=False)

    def with_settings(self, settings: Mapping[str, object]) -> _Origin:
        """What would be written with other values at dotted keys; text is read as YAML."""
        written: object = self.written
        for key, value in settings.items():
            if isinstance(value, str):
                value = read_yaml(value, f"{self.source}: {key}")
            written = set_key(written, key, value, _schema_keys, self.source)
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

    data: Data = Field(description="what to publish: kind and path")
    attributes: Annotated[dict[str, Attribute], BeforeValidator(lambda value: {} if value is None else value)] = Field(
        description="for each column its role and, for a quasi-identifier, its taxonomy"
    )
    privacy: Promises = Field(description="the promise to keep: a model with its parameters, or a list of them")
    search: Search = Field(
        default_factory=Search, validate_default=True, description="how to look for the best release"
    )
    output: Output = Field(default_factory=Output, description="how to write the release")

    _origin: _Origin = PrivateAttr(default_factory=_Origin)

    @classmethod
    def load(cls, path: str | Path, settings: Mapping[str, object] | None = None) -> Policy:
        """The policy in a YAML file; paths in it are relative to its folder. settings: see with_settings."""
        path = Path(path)
        return cls._checked(_Origin(read_policy_file(path), path.parent, str(path)).with_settings(settings or {}))

    @classmethod
    def parse(cls, written: Mapping[str, object], folder: str | Path = Path()) -> Policy:
        """The policy in a mapping such as YAML or JSON gives; paths in it are relative to the folder."""
        return cls._checked(_Origin(as_mapping(written, "policy"), Path(folder)))

    @classmethod
    def _checked(cls, origin: _Origin) -> Policy:
        try:
            policy = cls.model_validate(origin.written, context={"folder": origin.folder})
        except ValidationError as error:
            raise InputError(_sentence(origin.source, error)) from None
        policy._origin = origin
        return policy

    def with_settings(self, settings: Mapping[str, object]) -> Policy:
        """This policy with other values at dotted keys, checked anew; text is read as YAML.

        What was left out stays left out, so a default that depends on other keys follows them.
        """
        origin = self._origin
        if origin.written is None:
            origin = dataclasses.replace(origin, written=self.as_dict())
        return self._checked(origin.with_settings(settings))

    def states(self, *key: str) -> bool:
        """Whether a key stands in the policy as it was written, and is not a default."""
        written: object = self._origin.written
        for part in key:
            if not isinstance(written, Mapping) or part not in written:
                return False
            written = written[part]
        return True

    @model_validator(mode="before")
    @classmethod
    def _only_tables(cls, value: Any) -> Any:
        # Before all else: a policy of another kind has other keys, and they are not what is wrong with it.
        data = value.get("data") if isinstance(value, Mapping) else None
        kind = data.get("kind") if isinstance(data, Mapping) else None
        if kind in get_args(Kind) and kind != "table":
            what = f"{kind} cannot be published yet: this version publishes tables; use kind: table"
            refuse([(("data", "kind"), what)])
        return value

    @field_validator("search", mode="before")
    @classmethod
    def _choose_suppression(cls, value: Any, info: ValidationInfo) -> Any:
        written = value.model_dump(exclude_unset=True) if isinstance(value, Search) else value or {}
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

    def as_dict(self) -> dict[str, Any]:
        """All settings, defaults included, as JSON can hold them; exact numbers are text such as "1/3".

        Paths are those to open from here, no longer relative to the policy file, so that `parse` gives an
        equal policy.
        """
        written = self.model_dump(mode="json")
        for name, attribute in self.attributes.items():
            if attribute.role != "quasi-identifier":
                written["attributes"][name] = {"role": attribute.role}
        return written

    def explain(self, *, searches: bool = True) -> str:
        """What this policy will do, in a few sentences; searches: False where a recoding found before is applied."""
        search = self.search
        fates = "; ".join(
            f"{listed(columns)} {'is' if len(columns) == 1 else 'are'} {fate}"
            for role, fate in FATES.items()
            if (columns := self.columns(role))
        )
        source = "the table it is given" if self.data.path is None else self.data.path
        sentences = [f"Publishes {source} as {self.output.format}: {fates}"]
        sentences += [f"The promise is {_told(model)}" for model in self.privacy]
        goal = "the least loss" if search.alpha == 0 else f"at most 1 + {search.alpha} times the least loss"
        if searches:
            sentences.append(f"The method {search.method} looks for the release with {goal} ({search.loss})")
        else:
            sentences.append("Values are generalized by the recoding that was found before")
        suppression = search.suppression
        sentences.append(f"Where that does not keep the promise, {SUPPRESSIONS[suppression]} ({suppression})")
        if search.guard_stars:
            sentences.append("Where a * would betray the one value that is missing, the whole group gets it")
        if searches and search.time_limit is not None:
            sentences.append(f"After {search.time_limit:g} seconds the best release so far is taken")
        if searches and search.top_h > 1:
            sentences.append(f"The release is drawn at random from the {search.top_h} best")
        return ". ".join(sentences) + "."


def _schema_keys(at: tuple[str, ...]) -> Collection[str]:
    """The keys that may stand at a place of the policy, for settings."""
    sections: Collection[type[Section]]
    match at:
        case ():
            sections = [Policy]
        case ("data",):
            sections = [Data]
        case ("attributes", _):
            sections = [Attribute]
        case ("attributes", _, "taxonomy"):
            sections = TAXONOMIES.values()
        case ("privacy",):
            sections = PROMISES.values()
        case ("privacy", index) if index.isdigit():
            sections = PROMISES.values()
        case ("search",):
            sections = [Search]
        case ("output",):
            sections = [Output]
        case _:
            sections = []
    return [key for section in sections for key in section.model_fields]


def _told(model: TableModel) -> str:
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
