"""Names that a policy can use besides promises, losses and methods."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Vocabulary:
    """The names that are allowed under one key."""

    title: str
    key: str
    meanings: Mapping[str, tuple[str, str]]
    """name -> what it means, and its paper"""
