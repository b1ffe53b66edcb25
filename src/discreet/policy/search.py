"""How a release is looked for: the keys that all methods share, and those that individual methods declare."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any, Literal, Self, TypeVar

from pydantic import Field, create_model, model_validator

from discreet.methods.method import Method, Option
from discreet.policy.section import POLICIES, Section
from discreet.policy.values import Count, CountFromZero, Flag, Seconds, Share, Tolerance, refuse
from discreet.values.words import listed


class Search(Section):
    """How the release is looked for, and what "best" means."""

    place = "search"

    method: str = Field(description="the method that looks for the release")
    loss: str = Field(description="the loss of information to keep small")
    time_limit: Seconds = Field(
        default=None, description="the seconds after which the best release so far is used; null for no limit"
    )
    alpha: Tolerance = Field(
        default=Fraction(0), description="stop at a loss proven to be at most 1 + alpha times the least"
    )

    @classmethod
    def methods(cls) -> Mapping[str, Method]:
        """The methods there are for this kind of data."""
        raise NotImplementedError

    def declared(self) -> Method:
        """What the method says about itself."""
        return self.methods()[self.method]

    def options(self) -> dict[str, Any]:
        """What else the method is asked for, besides the promise and the loss."""
        return {option.name: getattr(self, option.name) for option in self.declared().options}

    def explained(self) -> str:
        """What the method does, as a sentence."""
        method = self.declared()
        if method.does is not None:
            return f"The method {self.method} {method.does(self.options())}"
        if not method.optimal:
            return f"The method {self.method} looks for a release with little loss ({self.loss})"
        goal = "the least loss" if self.alpha == 0 else f"at most 1 + {self.alpha} times the least loss"
        return f"The method {self.method} looks for the release with {goal} ({self.loss})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Its class is made from the registries, so another process has to make it too.
        return _restored, (self.of_kind, self.__getstate__())

    @model_validator(mode="after")
    def _only_options_of_the_method(self) -> Self:
        own = self.options()
        refuse(
            (
                (option.name,),
                f"only {_having(self.methods(), option)} it, and the method is {self.method}; remove one of the two",
            )
            for method in self.methods().values()
            for option in method.options
            if option.name not in own and getattr(self, option.name) != option.default
        )
        return self


def _restored(kind: str, state: dict[Any, Any]) -> Search:
    section = POLICIES[kind].section_at("search")
    search: Search = section.__new__(section)
    search.__setstate__(state)
    return search


def as_written(value: object) -> object:
    """What was written, even for a section that has been read already: defaults are chosen again."""
    if isinstance(value, Search):
        return value.model_dump(exclude_unset=True)
    return {} if value is None else value


Kind = TypeVar("Kind", bound=Search)


def search_section(base: type[Kind], methods: Mapping[str, Method], losses: Mapping[str, Any]) -> type[Kind]:
    """The section with the names and options of all methods and losses there are."""
    options: dict[str, Option] = {}
    for option in (option for method in methods.values() for option in method.options):
        same = options.setdefault(option.name, option)
        if same != option or option.name in base.model_fields:
            raise ValueError(f"There are two keys {option.name!r} under search that mean different things.")
    with_methods = tuple((option, _havers(methods, option)) for option in options.values())
    return _made(base, tuple(methods), tuple(losses), with_methods)


def _having(methods: Mapping[str, Method], option: Option) -> str:
    havers = _havers(methods, option)
    return f"{listed(havers)} {'has' if len(havers) == 1 else 'have'}"


def _havers(methods: Mapping[str, Method], option: Option) -> tuple[str, ...]:
    return tuple(name for name, method in methods.items() if option.name in {own.name for own in method.options})


@cache
def _made(
    base: type[Kind],
    methods: tuple[str, ...],
    losses: tuple[str, ...],
    options: tuple[tuple[Option, tuple[str, ...]], ...],
) -> type[Kind]:
    keys: dict[str, Any] = {
        "method": (
            Literal[methods],
            Field(
                default=methods[0],
                description=f"the method: {listed(methods, 'or')}; by default the first of them that keeps the promise",
            ),
        ),
        "loss": (
            Literal[losses],
            Field(default=losses[0], description=f"the loss of information to keep small: {listed(losses, 'or')}"),
        ),
    }
    for option, havers in options:
        text = f"with {' and '.join(havers)}: {option.text}"
        keys[option.name] = (_type(option), Field(default=option.default, description=text))
    return create_model(base.__name__, __base__=base, __doc__=base.__doc__, **keys)


def _type(option: Option) -> Any:
    if option.type is int:
        return CountFromZero if option.least == 0 else Count
    return {bool: Flag, Fraction: Share}.get(option.type, option.type)
