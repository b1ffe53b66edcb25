"""The policy: the file a steward writes, parsed, validated, explained, and nothing else.

Values, sections, taxonomies, promises and methods have modules of their own; here is what policies of all kinds of data
have in common, and a module for each kind has its class. What does not fit becomes one sentence that names the file,
the key, the value and the way out. Only the policy file is opened.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

from pydantic import ModelWrapValidatorHandler, PrivateAttr, ValidationError, ValidationInfo, model_validator

from discreet.errors import InputError
from discreet.policy.file import as_mapping, read_policy_file, read_yaml, set_key, shown
from discreet.policy.promises import in_plain_words, promise_section, written_promise
from discreet.policy.search import Search
from discreet.policy.section import POLICIES, Data, Output, Reporting, Section
from discreet.policy.values import refuse
from discreet.values.words import listed

COMING = ("query-log", "trees")
"""Kinds of data that policies may name in a later version."""


@dataclasses.dataclass(frozen=True)
class _Origin:
    """Where a policy comes from. Not compared: policies that say the same are equal."""

    written: Mapping[str, object] | None = dataclasses.field(default=None, compare=False)
    folder: Path = dataclasses.field(default=Path(), compare=False)
    source: str = dataclasses.field(default="policy", compare=False)
    data: object = dataclasses.field(default=None, compare=False, repr=False)

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
    >>> policy.privacy[0].thresholds
    Fraction(3, 10)
    >>> policy.with_settings({"privacy.thresholds": "1/4"}).privacy[0].thresholds
    Fraction(1, 4)
    """

    place = ""

    if TYPE_CHECKING:  # each kind declares these itself, in the order in which its keys are read
        data: Data
        privacy: tuple[Any, ...]
        search: Search
        output: Output
        report: Reporting

    _origin: _Origin = PrivateAttr(default_factory=_Origin)

    @classmethod
    def load(cls, path: str | Path, settings: Mapping[str, object] | None = None) -> Self:
        """The policy in a YAML file; paths in it are relative to its folder. settings: see with_settings."""
        path = Path(path)
        origin = _Origin(read_policy_file(path), path.parent, str(path))
        return cls._checked(origin.with_settings(settings or {}, cls))

    @classmethod
    def parse(cls, written: Mapping[str, object], folder: str | Path = Path()) -> Self:
        """The policy in a mapping such as YAML or JSON yields; paths in it are relative to the folder."""
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
        """This policy with other values at dotted keys, checked again; text is read as YAML.

        What was left out stays left out, so a default that depends on other keys follows them.
        """
        origin = self._origin
        if origin.written is None:
            origin = dataclasses.replace(origin, written=self.as_dict())
        return self._checked(origin.with_settings(settings, type(self)))

    def about(self, data: object) -> Self:
        """This policy for data in memory, which `publish` and `compare` then take in place of a file; None for none."""
        policy = self.model_copy()
        policy._origin = dataclasses.replace(self._origin, data=data)
        return policy

    @property
    def in_memory(self) -> object:
        """The data in memory that this policy is about; None where they are in a file."""
        return self._origin.data

    def states(self, *key: str) -> bool:
        """Whether a key was written in the policy, and is not a default."""
        written: object = self._origin.written
        for part in key:
            if not isinstance(written, Mapping) or part not in written:
                return False
            written = written[part]
        return True

    @model_validator(mode="wrap")
    @classmethod
    def _of_its_kind(cls, value: Any, read: ModelWrapValidatorHandler[Self], info: ValidationInfo) -> Any:
        # First of all: a policy of another kind has other keys, and those are not what is wrong with it.
        if cls is Policy and not isinstance(value, Policy):
            return _policy_class(value).model_validate(value, context=info.context)
        if not isinstance(value, cls):
            _refuse_other_kinds(_kind(value, cls.of_kind), cls.of_kind)
        return read(value)

    @classmethod
    def models(cls) -> Mapping[str, type[Any]]:
        """The promises there are for this kind of data, by name."""
        raise NotImplementedError

    @classmethod
    def section_at(cls, place: str) -> type[Any]:
        """The section under a key that policies of all kinds have; the policy itself for the empty one."""
        raise NotImplementedError

    @classmethod
    def sections(cls) -> dict[str, type[Section]]:
        """All sections below the policy, each with a title."""
        raise NotImplementedError

    @classmethod
    def sections_below(cls, place: tuple[str, ...]) -> Collection[type[Section]]:
        """The sections allowed at a place that only this kind of data has."""
        raise NotImplementedError

    @classmethod
    def _keys_at(cls, place: tuple[str, ...]) -> Collection[str]:
        """The keys allowed at a place of the policy, for settings."""
        return [key for section in cls._sections_at(place) for key in section.model_fields]

    @classmethod
    def _sections_at(cls, place: tuple[str, ...]) -> Collection[type[Section]]:
        match place:
            case ():
                return [cls]
            case ("data" | "search" | "output" | "report" as key,):
                return [cls.section_at(key)]
            case ("privacy",):
                return [promise_section(model) for model in cls.models().values()]
            case ("privacy", index) if index.isdigit():
                return [promise_section(model) for model in cls.models().values()]
        return cls.sections_below(place)

    def files(self) -> list[Path]:
        """The files that it names, other than the data."""
        return [path for path in _paths(self) if path != self.data.path]

    def claims(self) -> dict[str, Any]:
        """What a certificate would say of data that keep this policy, as far as it can be said without them."""
        return {"kind": self.of_kind, "promise": [written_promise(model) for model in self.privacy]}

    def located(self) -> dict[str, Any]:
        """Like `as_dict`, with paths that are valid from anywhere."""
        return cast(Self, _located(self)).as_dict()

    def as_dict(self) -> dict[str, Any]:
        """All settings, defaults included, as JSON can hold them; exact numbers are text such as "1/3".

        Paths are those to open from here, no longer relative to the policy file, so that `parse` yields an
        equal policy.
        """
        return self.model_dump(mode="json")

    def explain(self, *, searches: bool = True) -> str:
        """What this policy will do, in a few sentences; searches: False where a recoding found earlier is applied."""
        sentences = [
            self._subject(),
            *(f"The promise is {in_plain_words(model, self._meaning(model))}" for model in self.privacy),
            *self._way(searches),
        ]
        return ". ".join(sentences) + "."

    def _subject(self) -> str:
        """What is published and what becomes of its parts."""
        raise NotImplementedError

    def _meaning(self, model: Any) -> str:
        """What a promise means for people, with its numbers."""
        raise NotImplementedError

    def _way(self, searches: bool) -> Iterator[str]:
        """How the promise is kept."""
        raise NotImplementedError


def _kind(written: object, default: object) -> object:
    data = written.get("data") if isinstance(written, Mapping) else None
    return data.get("kind", default) if isinstance(data, Mapping) else default


def _policy_class(written: object) -> type[Policy]:
    """The class for the kind that is written; for an unknown one, a class that says so."""
    first = next(iter(POLICIES))
    kind = _kind(written, first)
    return cast(type[Policy], POLICIES[kind if isinstance(kind, str) and kind in POLICIES else first])


def _refuse_other_kinds(kind: object, expected: str | None) -> None:
    if kind == expected:
        return
    *most, last = map(repr, (*POLICIES, *COMING))
    what = f"{shown(kind)} is not allowed here; write {', '.join(most)} or {last}"
    if isinstance(kind, str) and kind in POLICIES:
        what = f"this is {kind}, but a policy for kind: {expected} is expected; use the right one"
    elif kind in COMING:
        what = (
            f"{kind} cannot be published yet: this version publishes data of the kinds {listed(POLICIES)}; use "
            f"kind: {' or kind: '.join(POLICIES)}"
        )
    refuse([(("data", "kind"), what)])


def _paths(value: object) -> Iterator[Path]:
    """All paths in a section, at any depth."""
    match value:
        case Path():
            yield value
        case Section():
            for key in type(value).model_fields:
                yield from _paths(getattr(value, key))
        case Mapping():
            for inner in value.values():
                yield from _paths(inner)
        case tuple():
            for inner in value:
                yield from _paths(inner)


def _located(value: Any) -> Any:
    """A copy in which all paths are absolute; what was left out stays left out."""
    match value:
        case Path():
            return value.absolute()
        case Section():
            old = {key: getattr(value, key) for key in type(value).model_fields}
            new = {key: _located(inner) for key, inner in old.items()}
            return value.model_copy(update={key: inner for key, inner in new.items() if inner != old[key]})
        case dict():
            return {key: _located(inner) for key, inner in value.items()}
    return value


def _sentence(source: str, error: ValidationError) -> str:
    first, *more = error.errors(include_url=False)
    value = shown(first["input"])
    match first["type"]:
        case "literal_error":
            what = f"{value} is not allowed here; write {first['ctx']['expected'].replace('True', 'true')}"
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
