"""What an attack says about itself: the report, the terminal and the reference are made from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

FORMAT = "discreet-attack/1"


@dataclass(frozen=True)
class Attack:
    """One simulated adversary; its part of the attack's document is there under its name.

    An attack that has a title is shown by `reading` and figures alone: its part is `{"applies": False, "reading":
    ...}` or `{"applies": True, ..., "reading": ...}`.
    """

    name: str
    paper: str
    summary: str
    """who attacks, in a sentence"""
    function: Callable[[Any], dict[str, Any]]
    """what is attacked, in the terms of the kind of data -> the part of the document"""
    label: str = ""
    """of its line in the terminal"""
    title: str = ""
    """of its part of the report"""
    question: str = ""
    """that it answers there"""
    beyond: Callable[[Mapping[str, Any]], str] | None = None
    """what it found beyond the promise, as part of a sentence; empty where it found nothing"""
