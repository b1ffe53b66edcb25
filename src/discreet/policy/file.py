"""From what a steward wrote to plain values, without guessing: YAML, exact numbers, dotted settings.

YAML reads `no` as false, `12:30` as 750 and 0.3 as a binary fraction close to it. In a policy, `NO` may be a
country and 0.3 is a promise. So a scalar stays the text that was written, except true, false and null; the
schema knows where a number is meant, and reads it from that text, exactly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path
from typing import Any

import yaml

from discreet.errors import InputError

_NULL = "tag:yaml.org,2002:null"
_BOOL = "tag:yaml.org,2002:bool"

# Bounded, since Fraction('1e999999999') would take all memory there is.
_NUMBER = re.compile(r"[+-]?(?:\d{1,100}(?:\.\d{0,100})?|\.\d{1,100})(?:[eE][+-]?\d{1,2})?", re.ASCII)
_RATIO = re.compile(r"([+-]?\d{1,100})\s*/\s*(\d{1,100})", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d{1,18}", re.ASCII)

MOST_REPEATED = 100_000
"""Values that a policy may have by aliases, beyond those that are written."""


def read_policy_file(path: Path) -> dict[str, object]:
    """The top-level mapping of a policy file; whatever is not one gets a sentence of its own."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such policy file; check the path.") from None
    except OSError as error:
        raise InputError(f"{path}: the policy file cannot be read: {error.strerror}.") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}: line {line} is not UTF-8; save the file as UTF-8.") from None
    written = read_yaml(text, str(path))
    if written is None:
        raise InputError(f"{path}: the policy is empty; write at least data, attributes and privacy.")
    return as_mapping(written, str(path))


def as_mapping(written: object, source: str) -> dict[str, object]:
    """A copy with text for keys, at every depth; None as a key is the empty text, the missing value."""
    try:
        return _copied_mapping(written, source)
    except RecursionError:
        raise _too_deep(source) from None


def _copied_mapping(written: object, source: str) -> dict[str, object]:
    if not isinstance(written, Mapping):
        raise InputError(
            f"{source}: the policy is {shown(written)}, not a mapping; write it as key: value, "
            "beginning with data, attributes and privacy."
        )
    copy: dict[str, object] = {}
    for key, value in written.items():
        name = "" if key is None else str(_copied(key, source))
        if name in copy:
            raise InputError(f"{source}: the key {name!r} appears twice; keep one of them.")
        copy[name] = _copied(value, source)
    return copy


def _copied(value: object, source: str) -> object:
    if isinstance(value, Mapping):
        return _copied_mapping(value, source)
    if isinstance(value, list | tuple):
        return [_copied(item, source) for item in value]
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise InputError(
                f"{source}: {shown(value)} holds half a character, which no file can hold; remove it."
            ) from None
    return value


def read_yaml(text: str, source: str) -> object:
    """The one document in a text: mappings, lists, text, true, false and None."""
    try:
        return yaml.load(text, Loader=_StrictLoader)
    except yaml.constructor.ConstructorError as error:
        raise InputError(f"{source}: {_line(error)}{error.problem}.") from None
    except yaml.MarkedYAMLError as error:
        raise InputError(
            f"{source}: {_line(error)}this is not YAML: {_problem(error)}; check the indentation, and put "
            "text with special characters in quotes."
        ) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise InputError(
            f"{source}: line {line}: the character {chr(int(error.character))!r} is not allowed in YAML; remove it."
        ) from None
    except RecursionError:
        raise _too_deep(source) from None


def _too_deep(source: str) -> InputError:
    return InputError(f"{source}: this is nested too deeply for a policy; check its brackets.")


def _line(error: yaml.MarkedYAMLError) -> str:
    return f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""


def _problem(error: yaml.MarkedYAMLError) -> str:
    # PyYAML ends a text with a NUL of its own and then reports it.
    return str(error.problem).replace(repr("\0"), "the end")


class _StrictLoader(yaml.SafeLoader):
    """Keys are text as written and occur once; only true, false and null are more than text."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - as PyYAML declares it

    def get_single_data(self) -> Any:
        # Deep, so that PyYAML refuses an alias inside its own anchor instead of building an endless value.
        node = self.get_single_node()
        if node is None:
            return None
        _refuse_explosion(node)
        return self.construct_object(node, deep=True)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        mapping: dict[Hashable, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise _refused("a key is a list or a mapping; write text", key_node)
            key = "" if key_node.tag == _NULL else str(key_node.value)
            if key in mapping:
                raise _refused(f"the key {key!r} appears twice; keep one of them", key_node)
            mapping[key] = self.construct_object(value_node, deep=deep)
        return mapping


def _refuse_explosion(root: yaml.Node) -> None:
    """Aliases of aliases of aliases can stand for more values than there is time to look at."""
    size_of: dict[yaml.Node, int] = {}

    def size(node: yaml.Node) -> int:
        if node not in size_of:
            size_of[node] = 1  # of an alias inside its own anchor, which is refused when it is built
            inner = node.value if isinstance(node, yaml.CollectionNode) else ()
            size_of[node] += sum(sum(map(size, part)) if isinstance(part, tuple) else size(part) for part in inner)
        return size_of[node]

    if size(root) - len(size_of) > MOST_REPEATED:
        raise _refused(f"aliases repeat more than {MOST_REPEATED:,} values; write out those that are meant", root)


def _refused(problem: str, node: yaml.Node) -> yaml.constructor.ConstructorError:
    return yaml.constructor.ConstructorError(None, None, problem, node.start_mark)


_StrictLoader.add_implicit_resolver(_NULL, re.compile(r"(?:~|null|Null|NULL|)\Z"), ["~", "n", "N", ""])
_StrictLoader.add_implicit_resolver(_BOOL, re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z"), ["t", "T", "f", "F"])


def exact(value: object) -> Fraction:
    """A number as it is written: 0.3 is 3/10, even where Python holds it as a float.

    >>> exact("0.3"), exact(0.3), exact("1/3")
    (Fraction(3, 10), Fraction(3, 10), Fraction(1, 3))
    """
    if isinstance(value, Fraction):
        return value
    if ratio := _RATIO.fullmatch(_text(value)):
        if int(ratio[2]) == 0:
            raise ValueError(f"{shown(value)} divides by zero; write a number such as 0.3 or 1/3")
        return Fraction(int(ratio[1]), int(ratio[2]))
    if not _NUMBER.fullmatch(_text(value)):
        raise ValueError(f"{shown(value)} is not a number; write one such as 0.3 or 1/3")
    return Fraction(_text(value))


def decimal(value: object) -> Decimal:
    """A number with finitely many digits, so that labels can show it."""
    if not _NUMBER.fullmatch(_text(value)):
        raise ValueError(f"{shown(value)} is not a decimal number; write one such as 5 or 0.5")
    return Decimal(_text(value))


def whole(value: object, least: int = 1) -> int:
    """An integer that is not below the least."""
    if _text(value).lstrip("+").isdigit() and not _WHOLE.fullmatch(_text(value)):
        raise ValueError(f"{shown(value)} has more than 18 digits; write a smaller number")
    if not _WHOLE.fullmatch(_text(value)) or int(_text(value)) < least:
        raise ValueError(f"{shown(value)} is not a whole number of at least {least}")
    return int(_text(value))


def _text(value: object) -> str:
    """The number's text; empty for what is not a number: true is not 1."""
    is_number = isinstance(value, str | int | float | Decimal) and not isinstance(value, bool)
    return str(value).strip() if is_number else ""


def shown(value: object) -> str:
    """A value as a sentence may show it: numbers bare, text in quotes, nothing too long."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    is_text = isinstance(value, str) and not _NUMBER.fullmatch(value) and not _RATIO.fullmatch(value)
    text = repr(value) if is_text else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def nearest(word: str, known: Iterable[str]) -> str:
    """The way out of a misspelling: the known word nearest to it, or, if none is near, all of them.

    In a dotted word any beginning may be meant: what follows `a.b` in `a.b.role` does not count against it.
    """
    spelt = {key.casefold(): key for key in known}
    parts = word.casefold().split(".")
    for length in range(len(parts), 0, -1):
        if close := get_close_matches(".".join(parts[:length]), spelt, n=1):
            return f"the nearest is {spelt[close[0]]!r}"
    return f"choose from {', '.join(key or repr(key) for key in spelt.values())}"


def set_key(
    written: object,
    dotted: str,
    value: object,
    schema_keys: Callable[[tuple[str, ...]], Collection[str]],
    source: str,
    at: tuple[str, ...] = (),
) -> object:
    """A copy of what is written with the value at the dotted key.

    A step is the longest fitting key that is written there or that the schema knows there, so that a
    column `a.b` can be reached. Columns and sensitive values are not added: a misspelt one would leave the
    old setting as it was, unseen.
    """
    if isinstance(written, list):
        here = [str(index) for index in range(len(written))]
    else:
        here = list(dict.fromkeys([*(written if isinstance(written, Mapping) else ()), *schema_keys(at)]))
    steps = [key for key in here if f"{dotted}.".startswith(f"{key}.")]
    if not steps:
        if isinstance(written, list):
            way_out = f"{'.'.join(at)} is a list, so write {'.'.join(at)}.0.{dotted}"
        elif here:
            way_out = nearest(dotted, here)
        else:
            way_out = f"set {'.'.join(at)} as a whole"
        raise InputError(f"{source}: {'.'.join((*at, dotted))}: there is no such key; {way_out}.")
    key = max(steps, key=len)
    if key != dotted:
        below = _written_below(written, key)
        value = set_key(below, dotted[len(key) + 1 :], value, schema_keys, source, (*at, key))
    if isinstance(written, list):
        return [value if index == int(key) else item for index, item in enumerate(written)]
    return {**(written if isinstance(written, Mapping) else {}), key: value}


def _written_below(written: object, key: str) -> object:
    if isinstance(written, list):
        return written[int(key)]
    return written.get(key) if isinstance(written, Mapping) else None
