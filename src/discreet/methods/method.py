"""What a method says about itself, once: policy keys, `list`, the reference and the report are made from it.

A method's function is in search/<kind>/; it is named here, and loaded when it runs.
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
    """for a whole number"""


@dataclass(frozen=True, kw_only=True)
class Method:
    """A way to look for a release; each kind of data adds what only its methods have to say."""

    name: str
    paper: str
    summary: str
    function: Callable[..., Any]
    """(problem, limits, random, listen), and its own options by name"""
    keeps: Callable[[Any], bool]
    """whether it can keep the promises of a model, a class"""
    options: tuple[Option, ...] = ()
    does: Callable[[Mapping[str, Any]], str] | None = None
    """what it does, given its options, where that is something other than looking for a small loss"""
    rule: bool
    """whether its result is a rule that treats all records the same way and can be applied to others"""
    proves: bool
    """whether it proves a lower bound on the loss of any release of its kind"""
    optimal: bool = False
    """whether it takes the release of least loss, so that anyone who knows the method can conclude something from it"""
    details: Mapping[str, str] = field(default_factory=dict)
    """what it reports about its own work: the name in the result, and what the report calls it"""
    warmed_up_by: tuple[Any, ...] = ()
    """promises whose search runs every compiled loop there is; none where nothing is compiled"""
    warmed_up_with: tuple[Mapping[str, Any], ...] = ({},)
    """the options with which that takes every way through the loops"""


def keepers(methods: Mapping[str, Method], models: Any) -> list[str]:
    """The methods that keep all of these promises, in order; the first is the default."""
    return [name for name, method in methods.items() if all(method.keeps(type(model)) for model in models)]


def kept(method: Method, models: Mapping[str, Any]) -> list[str]:
    """The names of the promises that a method keeps."""
    return [name for name, model in models.items() if method.keeps(model)]
