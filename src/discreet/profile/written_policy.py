"""What the starter policies of all kinds of data have in common: comments and values that YAML cannot misread."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from types import MappingProxyType

import yaml

USUAL_K = 5


SECONDS = 60


WIDTH = 80


_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:[ -][A-Za-z0-9_]+)*", re.ASCII)


_MISREAD = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}

LONGEST_SHOWN = 60

NOTHING: Mapping[str, str] = MappingProxyType({})


def comment(text: str, indent: str = "") -> Iterator[str]:
    """A comment in lines of at most 80 characters, as far as its words allow."""
    for line in textwrap.wrap(shown(text, 100 * LONGEST_SHOWN), WIDTH - 2 - len(indent), break_on_hyphens=False):
        yield f"{indent}# {line}"


def shown(text: str, most: int = LONGEST_SHOWN) -> str:
    """Text from the data in one line, cut, and without what moves a cursor or ends a comment."""
    cut = text if len(text) <= most else f"{text[: most - 1]}…"
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in cut
    )


def quoted(text: str) -> str:
    """Any text as a YAML scalar in one line."""
    if _PLAIN.fullmatch(text) and text.lower() not in _MISREAD:
        return text
    return yaml.safe_dump(text, default_style='"', allow_unicode=True, width=float("inf")).rstrip("\n")
