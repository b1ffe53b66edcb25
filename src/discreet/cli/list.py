"""discreet list: everything that a policy can name, every measure and every attack."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from discreet.cli.options import Commands, add_command, add_json
from discreet.cli.output import print_json
from discreet.report.terminal import heading, wrapped

if TYPE_CHECKING:
    from discreet.kinds import Kind

FORMAT = "discreet-list/1"


@dataclass(frozen=True)
class Entry:
    """What can be named: its name, what it is in a sentence, what goes with it, and where it comes from."""

    name: str
    summary: str
    details: tuple[str, ...]
    paper: str


@dataclass(frozen=True)
class Chapter:
    """Entries of one sort, for one kind of data or for all."""

    sort: str
    title: str
    kind: str | None
    key: str | None
    """where the policy names them"""
    entries: tuple[Entry, ...]


def add(commands: Commands) -> None:
    added = add_command(
        commands,
        "list",
        run,
        "every model, loss, measure, attack and method",
        "Lists what a policy can name and what a report measures, with parameters and papers.",
        "discreet list\ndiscreet list --json",
    )
    add_json(added)


def run(arguments: argparse.Namespace) -> int:
    if arguments.json:
        print_json({"format": FORMAT, "chapters": [asdict(chapter) for chapter in chapters()]})
        return 0
    for chapter in chapters():
        key = "" if chapter.key is None else f" ({chapter.key})"
        kind = "" if chapter.kind is None else f", kind {chapter.kind}"
        print(heading(wrapped(f"{chapter.title}{key}{kind}")))
        for entry in chapter.entries:
            print(f"  {entry.name}")
            for text in (entry.summary, *entry.details, *([f"Paper: {entry.paper}"] if entry.paper else [])):
                print(wrapped(text, "      ", "        "))
            print()
    return 0


def chapters() -> Iterator[Chapter]:
    """All there is, in the order in which it is listed."""
    from discreet.kinds import KINDS
    from discreet.methods.method import kept
    from discreet.policy.promises import promise_section

    for name, kind in KINDS.items():
        entries = []
        for key, model in kind.models().items():
            keys = promise_section(model).model_fields.items()
            parameters = [f"{parameter}: {field.description}" for parameter, field in keys if parameter != "model"]
            entries.append(_entry(key, model.__doc__, parameters, model.paper))
        yield Chapter("models", "Models, what a release promises", name, "privacy.model", tuple(entries))
    for name, kind in KINDS.items():
        entries = [
            _entry(key, type(loss).__doc__, kind.describe_loss(loss), loss.paper) for key, loss in kind.losses().items()
        ]
        yield Chapter("losses", "Losses, what a release should keep small", name, "search.loss", tuple(entries))
    for name, kind in KINDS.items():
        for vocabulary in kind.vocabularies():
            entries = [
                _entry(key, f"{meaning[0].upper()}{meaning[1:]}.", [], paper)
                for key, (meaning, paper) in vocabulary.meanings.items()
            ]
            yield Chapter("vocabulary", vocabulary.title, name, vocabulary.key, tuple(entries))
    for name, kind in KINDS.items():
        entries = [
            _entry(key, measure.definition, _needs(kind, measure), measure.paper)
            for key, measure in kind.measures().items()
        ]
        title = "Measures, what the report says about a release and its use"
        yield Chapter("measures", title, name, None, tuple(entries))
    for name, kind in KINDS.items():
        entries = [_entry(key, attack.summary, [], attack.paper) for key, attack in kind.attacks().items()]
        yield Chapter("attacks", "Attacks, what simulated adversaries try", name, None, tuple(entries))
    for name, kind in KINDS.items():
        entries = []
        for key, method in kind.methods().items():
            options = [f"{option.name}: {option.text} (default: {option.default})" for option in method.options]
            keeps = f"keeps {', '.join(kept(method, kind.models()))}"
            entries.append(_entry(key, method.summary, [keeps, *options], method.paper))
        title = "Methods, how the best release is looked for"
        yield Chapter("methods", title, name, "search.method", tuple(entries))


def _needs(kind: Kind, measure: Any) -> list[str]:
    return [f"needs {what}" for need, what in kind.needs.items() if getattr(measure, f"needs_{need}")]


def _entry(name: str, summary: str | None, details: list[str], paper: str) -> Entry:
    return Entry(name, (summary or "").partition("\n")[0], tuple(details), paper)
