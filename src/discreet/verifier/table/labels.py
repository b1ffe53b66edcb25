"""What a column may hold where local recoding gave groups labels of their own, by the certificate's `labels`.

- nodes: labels of the column's taxonomy.
- ranges: these, and `LOW..HIGH` of two of its leaves, the lower one first.
- sets: labels of the taxonomy, and `{a, b}` of two or more of its leaves, in order and each once; a backslash stands
  before a comma, a brace or a backslash in one of them.
- means: decimal numbers; the missing value and the root of the taxonomy.

Leaves are in order by number, those that are numbers, and after them the others, as in the file of the taxonomy. A
number has up to 100 digits before and after the point: a stranger's may have millions, or an exponent of that kind.
"""

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import pairwise
from types import MappingProxyType

from discreet.errors import InputError
from discreet.verifier.certificate import NAME, brief, text
from discreet.verifier.taxonomy import Parents

DECIMAL = re.compile(r"0|-?(0\.[0-9]*[1-9]|[1-9][0-9]*(\.[0-9]*[1-9])?)")
NUMBER = re.compile(r"[+-]?([0-9]{1,100}(\.[0-9]{0,100})?|\.[0-9]{1,100})([eE][+-]?[0-9]{1,2})?")
LABELS: Mapping[str, str] = MappingProxyType(
    {
        "nodes": "not in its taxonomy",
        "ranges": "neither in its taxonomy nor a range of two of its values",
        "sets": "neither in its taxonomy nor a set of its values",
        "means": "not a number",
    }
)
"""How a column may be labelled -> what is wrong with a value that it may not hold."""

Holds = Callable[[str], bool]


def read_labels(settings: Mapping[str, object], parents: Parents, recoding: str, where: str) -> tuple[str, Holds]:
    """How a column is labelled, and whether it may hold a value."""
    labelling = text(settings.get("labels", "nodes"), f"{where}: labels")
    if labelling not in LABELS:
        raise InputError(f"{where}: the labels {brief(labelling)} are unknown; known are {', '.join(LABELS)}.")
    if labelling != "nodes" and recoding != "local":
        raise InputError(f"{where}: {labelling} are labels of single groups, and {NAME} says recoding: {recoding}.")
    if labelling == "nodes":
        return labelling, parents.__contains__
    if labelling == "means":
        root = next(node for node, parent in parents.items() if parent is None)
        return labelling, lambda value: bool(DECIMAL.fullmatch(value)) or value in ("", root)
    places = _places(parents)
    is_made = _is_range if labelling == "ranges" else _is_set
    return labelling, lambda value: value in parents or is_made(value, places)


def _places(parents: Parents) -> Mapping[str, int]:
    """The values of a column, from the lowest to the highest; the missing value has no place."""
    inner = set(parents.values())
    leaves = [node for node in parents if node not in inner and node]
    numbers = sorted((leaf for leaf in leaves if NUMBER.fullmatch(leaf)), key=lambda leaf: (Fraction(leaf), leaf))
    others = [leaf for leaf in leaves if not NUMBER.fullmatch(leaf)]
    return {leaf: place for place, leaf in enumerate([*numbers, *others])}


def _is_range(value: str, places: Mapping[str, int]) -> bool:
    low, dots, high = value.partition("..")
    return bool(dots) and low in places and high in places and places[low] < places[high]


def _is_set(value: str, places: Mapping[str, int]) -> bool:
    members = _members(value)
    if len(members) < 2 or not places.keys() >= set(members):
        return False
    return all(places[one] < places[other] for one, other in pairwise(members))


def _members(value: str) -> list[str]:
    """Character by character; nothing where it is not written as a set."""
    if value[:1] != "{" or value[-1:] != "}":
        return []
    members, member, place, end = [], "", 1, len(value) - 1
    while place < end:
        character = value[place]
        if character == "\\":
            place += 1
            if place == end or value[place] not in "\\,{}":
                return []
            member += value[place]
        elif character == ",":
            if value[place + 1] != " ":
                return []
            place += 1
            members.append(member)
            member = ""
        elif character in "{}":
            return []
        else:
            member += character
        place += 1
    return [*members, member] if place == end else []
