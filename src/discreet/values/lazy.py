"""A function given by the place where it is defined, imported when it is first called: naming it costs nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, cast


@dataclass(frozen=True)
class Lazy:
    """Calls what is defined at a place such as `discreet.search.table.samarati:samarati`.

    >>> Lazy("math:hypot")(3.0, 4.0)
    5.0
    """

    place: str

    def load(self) -> Callable[..., Any]:
        module, _, name = self.place.partition(":")
        return cast(Callable[..., Any], getattr(import_module(module), name))

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self.load()(*arguments, **named)


@dataclass(frozen=True)
class LazyValue:
    """Returns what is defined at a place, when it is asked for."""

    place: str

    def __call__(self) -> Any:
        return Lazy(self.place).load()
