"""Writes docs/reference.md from the code: commands, policy keys, promises, losses, measures, attacks, functions.

    python docs/make_reference.py

All that belongs to one kind of data comes from its record in `KINDS`, so what is registered there is told here. A test
fails while the file that is written differs from what the code says.
"""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import re
import textwrap
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import NoneType
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

import discreet
from discreet import cli
from discreet.commands.publication import ATTACK
from discreet.kinds import KINDS, Kind
from discreet.methods.method import Method, kept
from discreet.policy import Policy
from discreet.policy.promises import promise_section

REFERENCE = Path(__file__).with_name("reference.md")
WIDTH = 118

FILES = {
    "attack": {
        f"steward/{ATTACK}": "what the adversaries learnt, for programs",
        "steward/report.html": "written anew, with what this attack adds",
    },
    "compare": {
        "comparison.csv": "a row for each combination of settings, with its status, its loss, and what use and risk "
        "are left",
        "frontier.svg": "the loss against the first number that varies, and beside it what can be learnt from each "
        "release, where that is measured",
    },
}
"""Command -> file that it writes, whatever the data are -> what it holds; tests/docs checks it by what it wrote."""

TYPES: dict[object, str] = {
    Fraction: "number",
    Decimal: "number",
    int: "whole number",
    float: "number",
    bool: "`true` or `false`",
    str: "text",
    Path: "path",
    NoneType: "`null`",
}
MAPPING = "mapping"


def reference() -> str:
    """The whole document."""
    parts = [
        "# Reference",
        paragraph(
            "Written from the code by `python docs/make_reference.py`; change the code, not this page. For the meaning "
            "of the keys with examples see [the policy, key by key](policy.md), for a way through all of it [the "
            "tutorial](tutorial.md)."
        ),
        *commands(),
        *files(),
        *exit_codes(),
        *policy_keys(),
        *names(),
        *measures(),
        *attacks(),
        *python(),
    ]
    return "\n\n".join(parts) + "\n"


# --- Words ----------------------------------------------------------------------------------------------------------


def paragraph(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), WIDTH, break_long_words=False, break_on_hyphens=False)


def sentence(text: str) -> str:
    text = " ".join(text.split())
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', ':')) else '.'}"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown; in the text of a cell a bar would end the cell."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def code(text: str, language: str = "") -> str:
    return f"```{language}\n{text}\n```"


def first_paragraph(text: str | None) -> str:
    return " ".join((text or "").strip().partition("\n\n")[0].split())


def listed(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


# --- The command line -----------------------------------------------------------------------------------------------


def commands() -> Iterator[str]:
    whole = cli.parser()
    yield "## Commands"
    yield paragraph(sentence(whole.description or ""))
    yield table(["option", "meaning"], [option(action) for action in shown(whole)])
    [subcommands] = [action for action in whole._actions if isinstance(action, argparse._SubParsersAction)]
    for name, command in subcommands.choices.items():
        yield f"### discreet {name}"
        yield paragraph(command.description or "")
        yield code("\n".join(_wrapped(f"{command.prog} ", usage(command))))
        rows = [option(action) for action in shown(command)]
        if rows:
            yield table(["argument", "meaning"], rows)
        yield "Example:"
        yield code(textwrap.dedent((command.epilog or "").partition("\n")[2]), "sh")


def shown(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    hidden = (argparse._HelpAction, argparse._SubParsersAction)
    return [action for action in parser._actions if not isinstance(action, hidden) and action.help != argparse.SUPPRESS]


def written(action: argparse.Action) -> str:
    """An argument as it is typed."""
    value = "" if action.nargs == 0 else str(action.metavar or action.dest)
    return " ".join([*action.option_strings[-1:], value]).strip()


def usage(command: argparse.ArgumentParser) -> list[str]:
    words = []
    for action in shown(command):
        again = "..." if isinstance(action, argparse._AppendAction) else ""
        optional = not action.required
        words.append(f"[{written(action)}]{again}" if optional else f"{written(action)}{again and f' [{again}]'}")
    return words


def _wrapped(first: str, words: Sequence[str]) -> Iterator[str]:
    """Words in lines that fit the width of documents; an option stays with its value."""
    line = first
    for word in words:
        if len(line) + len(word) > WIDTH:
            yield line.rstrip()
            line = " " * len(first)
        line += f"{word} "
    yield line.rstrip()


def option(action: argparse.Action) -> tuple[str, str]:
    needed = " (needed)" if action.required and action.option_strings else ""
    return f"`{written(action)}`", f"{action.help or ''}{needed}"


def files() -> Iterator[str]:
    yield "## Files"
    yield paragraph("In the folder that `--out` names, or DIR:")
    for kind in KINDS.values():
        yield f"### What publish writes, kind {kind.name}"
        yield files_table(kind.files)
    for command, described in FILES.items():
        yield f"### What {command} writes"
        yield files_table(described)
    for kind in KINDS.values():
        columns = listed([*kind.row_columns, "reason"])
        yield paragraph(f"Columns of `comparison.csv`, kind {kind.name}: the keys that vary, {columns}.")
    yield paragraph(
        "Publish `release` and nothing else. `steward` tells what was suppressed and what the original looks like. "
        "`inspect` writes one file, the policy that `--out` names. `compare` keeps `unfinished.jsonl` in its folder "
        "while it runs, so that the same command can go on; it is gone at the end."
    )


def files_table(described: Mapping[str, str]) -> str:
    return table(["file", "holds"], [(f"`{file}`", meaning) for file, meaning in described.items()])


def exit_codes() -> Iterator[str]:
    stated = re.search(r"Exit codes: (.*?)\.\s", cli.__doc__ or "", re.DOTALL)
    assert stated is not None
    rows = [entry.strip().split(maxsplit=1) for entry in " ".join(stated[1].split()).split(";")]
    yield "## Exit codes"
    yield table(["code", "means"], rows)


# --- The policy -----------------------------------------------------------------------------------------------------


def policy_keys() -> Iterator[str]:
    yield "## Policy"
    yield paragraph(
        f"{sentence(first_paragraph(Policy.__doc__))} Its keys depend on the kind of data, `data.kind`: "
        f"{listed(KINDS)}."
    )
    for kind in KINDS.values():
        policy = kind.policy()
        for title, section in {f"Policy, kind {kind.name}": policy, **policy.sections()}.items():
            yield f"### {title}"
            yield paragraph(sentence(first_paragraph(section.__doc__)))
            yield keys(section)


def keys(section: type[BaseModel]) -> str:
    return table(
        ["key", "type", "default", "meaning"],
        [
            (f"`{name}`", type_in_yaml(field.annotation), default(field), field.description or "")
            for name, field in section.model_fields.items()
        ],
    )


def type_in_yaml(annotation: Any) -> str:
    """A type as somebody writes a value of it in YAML."""
    if annotation in TYPES:
        return TYPES[annotation]
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return type_in_yaml(inner[0])
    if origin is typing.Literal:
        return " or ".join(f"`{str(word).lower() if isinstance(word, bool) else word}`" for word in inner)
    if origin is tuple:
        entry = type_in_yaml(inner[0])
        return f"{entry} or list of {several(entry)}" if entry == MAPPING else f"list of {several(entry)}"
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        return f"{MAPPING} of {type_in_yaml(inner[0])} to {type_in_yaml(inner[1])}"
    if inner:
        return " or ".join(dict.fromkeys(type_in_yaml(part) for part in inner))
    return MAPPING


def several(words: str) -> str:
    return words if words.endswith("`") else f"{words}s"


def default(field: FieldInfo) -> str:
    if field.is_required():
        return "needed"
    value = field.default
    if value is None and NoneType not in typing.get_args(field.annotation):
        return "its defaults"
    if value is None or isinstance(value, str | int | Fraction):
        return value_in_yaml(value)
    if isinstance(value, BaseModel):
        return '`"*"`'
    if value == ():
        return "none"
    return "its defaults"


def value_in_yaml(value: object) -> str:
    if value is None:
        return "`null`"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def names() -> Iterator[str]:
    yield "## Promises"
    yield table(
        ["`privacy.model`", "promises", "keys", "kind of data", "paper"],
        [
            (f"`{name}`", first_paragraph(model.__doc__), listed(parameters(model)), kind.name, model.paper)
            for kind in KINDS.values()
            for name, model in kind.models().items()
        ],
    )
    for vocabulary in (vocabulary for kind in KINDS.values() for vocabulary in kind.vocabularies()):
        yield f"## {vocabulary.title}"
        yield table(
            [f"`{vocabulary.key}`", "means", "paper"],
            [(f"`{name}`", meaning, paper) for name, (meaning, paper) in vocabulary.meanings.items()],
        )
    yield "## Losses"
    yield table(
        ["`search.loss`", "what a release should keep small", "what belongs to it", "kind of data", "paper"],
        [
            (
                f"`{name}`",
                first_paragraph(type(loss).__doc__),
                "; ".join(kind.describe_loss(loss)),
                kind.name,
                loss.paper,
            )
            for kind in KINDS.values()
            for name, loss in kind.losses().items()
        ],
    )
    yield "## Methods"
    yield table(
        ["`search.method`", "what it does", "keeps", "its own keys under `search`", "kind of data", "paper"],
        [
            (
                f"`{name}`",
                method.summary,
                listed(kept(method, kind.models())),
                options(method),
                kind.name,
                method.paper,
            )
            for kind in KINDS.values()
            for name, method in kind.methods().items()
        ],
    )


def parameters(model: type[Any]) -> list[str]:
    return [key for key in promise_section(model).model_fields if key != "model"]


def options(method: Method) -> str:
    return "; ".join(f"`{key.name}`: {key.text} (default {value_in_yaml(key.default)})" for key in method.options)


# --- What is measured and attacked ----------------------------------------------------------------------------------


def measures() -> Iterator[str]:
    yield "## Measures"
    yield paragraph(
        "What the report and `utility` in `steward/result.json` say of a release, read back from the published file. "
        "What has to be learnt from it by a machine needs scikit-learn: `pip install 'discreet[learn]'`."
    )
    for kind in KINDS.values():
        yield f"### Measures, kind {kind.name}"
        for name, measure in kind.measures().items():
            yield f"#### {measure.title}"
            yield paragraph(measure.definition)
            yield paragraph(f"Name: `{name}`. Unit: {measure.unit}. {needs(kind, measure)}Paper: {measure.paper}.")


def needs(kind: Kind, measure: Any) -> str:
    needed = [what for need, what in kind.needs.items() if getattr(measure, f"needs_{need}")]
    return f"Needs {' and '.join(needed)}. " if needed else ""


def attacks() -> Iterator[str]:
    yield "## Attacks"
    yield paragraph(
        "What `attack` tries, each a key of `steward/attack.json`; `publish` tries the same without a known file and "
        "puts it into the report. Where `before` and `after` are keys beside them, they tell of the adversary of the "
        "promise, and the attacks are those of adversaries who know what it does not cover."
    )
    for kind in KINDS.values():
        yield f"### Attacks, kind {kind.name}"
        for name, attack in kind.attacks().items():
            yield f"#### {name}"
            yield paragraph(sentence(attack.summary))
            yield paragraph(f"Paper: {attack.paper}.")


# --- Python ---------------------------------------------------------------------------------------------------------


def python() -> Iterator[str]:
    yield "## Python"
    public = {name: getattr(discreet, name) for name in discreet.__all__ if name != "__version__"}
    functions = {name: thing for name, thing in public.items() if inspect.isroutine(thing)}
    classes = {name: thing for name, thing in public.items() if inspect.isclass(thing)}
    for name, function in functions.items():
        yield f"### discreet.{name}"
        yield code(signature(f"discreet.{name}", function), "python")
        yield from prose(inspect.getdoc(function))
    classes |= {f"policy.{kind.policy().__name__}": kind.policy() for kind in KINDS.values()}
    for name, thing in sorted(classes.items()):
        yield f"### discreet.{name}"
        yield from prose(inspect.getdoc(thing))
        fields = [field.name for field in dataclasses.fields(thing)] if dataclasses.is_dataclass(thing) else []
        if fields:
            yield paragraph(f"Fields: {listed(fields)}.")
        members = list(members_of(thing))
        if members:
            yield table(["member", "meaning"], members)


def signature(name: str, function: Callable[..., object]) -> str:
    """As it is written, on one line or a line for each parameter."""
    found = inspect.signature(function)
    parameters = []
    keyword_only = False
    for parameter in found.parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            parameters.append("*")
            keyword_only = True
        text = f"*{parameter.name}" if parameter.kind is parameter.VAR_POSITIONAL else parameter.name
        if parameter.annotation is not parameter.empty:
            text += f": {type_of(parameter.annotation)}"
        if parameter.default is not parameter.empty:
            text += f" = {value_of(parameter.default)}"
        parameters.append(text)
    answer = f" -> {type_of(found.return_annotation)}" if found.return_annotation is not found.empty else ""
    line = f"{name}({', '.join(parameters)}){answer}"
    if len(line) <= WIDTH:
        return line
    return f"{name}(\n" + "".join(f"    {parameter},\n" for parameter in parameters) + f"){answer}"


def type_of(annotation: object) -> str:
    """An annotation as it is written, without the modules."""
    return re.sub(r"\b[a-z_]+(\.[a-z_]+)*\.", "", annotation if isinstance(annotation, str) else named(annotation))


def named(annotation: object) -> str:
    is_plain = isinstance(annotation, type) and not typing.get_args(annotation)
    return annotation.__name__ if is_plain and isinstance(annotation, type) else str(annotation)


def value_of(value: object) -> str:
    if isinstance(value, Path):
        return f"Path({str(value)!r})"
    if inspect.isroutine(value):
        return "..." if value.__name__ == "<lambda>" else value.__name__
    return repr(value)


def prose(documentation: str | None) -> Iterator[str]:
    """The paragraphs without the examples."""
    for text in (documentation or "").split("\n\n"):
        if not text.lstrip().startswith((">>>", "    ")):
            yield paragraph(plain(text))


def plain(text: str) -> str:
    """Code in a docstring, as Markdown writes it."""
    return re.sub(r"(:\w+:)?`+([^`]+)`+", r"`\2`", text)


def members_of(thing: type) -> Iterator[tuple[str, str]]:
    """Methods and properties that have a sentence of their own."""
    for name, member in vars(thing).items():
        if name.startswith(("_", "model_")):
            continue
        function = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        documentation = (function.fget if isinstance(function, property) else function).__doc__
        if not documentation or not (inspect.isfunction(function) or isinstance(function, property)):
            continue
        shown_name = name if isinstance(function, property) else re.sub(r" -> .*", "", one_line(name, function))
        yield f"`{shown_name}`", sentence(plain(first_paragraph(documentation)))


def one_line(name: str, function: Callable[..., object]) -> str:
    return " ".join(signature(name, function).split()).replace("( ", "(").replace(", )", ")")


if __name__ == "__main__":
    REFERENCE.write_text(reference(), encoding="utf-8")
