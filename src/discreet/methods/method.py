"""What a method says of itself, once: policy keys, `list`, the reference and the report are made from it.

A method's function stands in search/<kind>/; it is named here, and loaded when it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Option:
    """A key under `search` that a method has: its type, its default, and what it is for."""

    name: str
    text: str
    default: Any
    type: Any = int
    """int, bool, Fraction for a share, or a Literal of words"""
    least: int = 1
    """of a whole number"""


@dataclass(frozen=True, kw_only=True)
class Method:
    """A way to look for a release; kinds of data add what only their methods have to say."""

    name: str
    paper: str
    summary: str
    function: Callable[..., Any]
    """(problem, limits, random, listen), and its own options by name"""
    keeps: Callable[[Any], bool]
    """whether it can keep the promises of a model, a class"""
    options: tuple[Option, ...] = ()
    does: Callable[[Mapping[str, Any]], str] | None = None
    """what it does, by its options, where that is not to look for a small loss"""
    rule: bool
    """whether its result is a rule that treats all records alike and can be applied to others"""
    proves: bool
    """whether it proves a bound that no release of its kind goes below"""
    optimal: bool = False
    """whether it takes the release of least loss, so that whoever knows the method can conclude from what it left"""
    details: Mapping[str, str] = field(default_factory=dict)
    """what it tells of its own work: the name in the result, and what the report calls it"""
    warmed_up_by: tuple[Any, ...] = ()
    """promises whose search takes every compiled loop there is; none where nothing is compiled"""


def keepers(methods: Mapping[str, Method], models: Any) -> list[str]:
    """The methods that keep all of these promises, in order; the first is the default."""
    return [name for name, method in methods.items() if all(method.keeps(type(model)) for model in models)]


def kept(method: Method, models: Mapping[str, Any]) -> list[str]:
    """The names of the promises that a method keeps."""
    return [name for name, model in models.items() if method.keeps(model)]
