"""How options are written: `key=value`, lists of values, seeds; and the parser whose errors are sentences."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from discreet.errors import InputError

Commands = Any
"""What argparse's add_subparsers returns, which has no public name."""


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are sentences like all the others."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message}; see `{self.prog} --help`.")


def add_command(
    commands: Commands,
    name: str,
    run: Callable[[argparse.Namespace], int],
    summary: str,
    description: str,
    example: str,
) -> argparse.ArgumentParser:
    """A command with its help; what it is given beyond that is added to the parser returned."""
    added: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=description,
        epilog=f"Example:\n{textwrap.indent(example, '  ')}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    added.add_argument("--quiet", action="store_true", help="print nothing but warnings and errors")
    added.add_argument("--debug", action="store_true", help=argparse.SUPPRESS)
    added.set_defaults(run=run)
    return added


def add_json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print all of it as one JSON document, for programs")


def seed_of(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return int(text)


def settings_of(written: Sequence[str]) -> dict[str, object]:
    """`key=value` each, the value as YAML."""
    return dict(_key_and_value(text, "--set search.suppression=vio-rec") for text in written)


def variations_of(written: Sequence[str]) -> dict[str, list[object]]:
    """`key=v1,v2` each."""
    variations: dict[str, list[object]] = {}
    for text in written:
        key, values = _key_and_value(text, "--vary privacy.l=2,4")
        if key in variations:
            raise InputError(f"--vary {key} is given twice; give all its values at once, separated by commas.")
        variations[key] = list(split_values(values, text))
    return variations


def _key_and_value(text: str, example: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key.strip() or not equals:
        raise InputError(f"{example.partition(' ')[0]} {text}: this is not key=value; write it as {example}.")
    return key.strip(), value


def split_values(text: str, source: str) -> list[str]:
    """The values between commas; a comma inside brackets, braces or quotes belongs to its value.

    >>> split_values("1/2,{a: 1/3, b: 1},'x,y'", "example")
    ['1/2', '{a: 1/3, b: 1}', "'x,y'"]
    """
    values = [""]
    depth, quote = 0, ""
    for character in text:
        before = values[-1].rstrip()[-1:]
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"" and before in ("", "[", "{", ",", ":"):  # elsewhere it is an apostrophe
            quote = character
        elif character in "[{":
            depth += 1
        elif character in "]}":
            depth -= 1
        if character == "," and not quote and depth == 0:
            values.append("")
        else:
            values[-1] += character
    values = [value.strip() for value in values]
    if quote or depth:
        raise InputError(f"--vary {source}: a bracket or a quote has no counterpart; add the missing one.")
    if "" in values:
        raise InputError(f"--vary {source}: a value is empty; write null where you mean none.")
    return values
