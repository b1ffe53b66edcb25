"""discreet list: everything that a policy can name, every measure and every attack."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from discreet.cli.options import Commands, add_command
from discreet.report.terminal import wrapped

if TYPE_CHECKING:
    from discreet.kinds import Kind


def add(commands: Commands) -> None:
    add_command(
        commands,
        "list",
        run,
        "every model, loss, measure, attack and method",
        "Lists what a policy can name and what a report measures, with parameters and papers.",
        "discreet list",
    )


def run(arguments: argparse.Namespace) -> int:
    from discreet.kinds import KINDS
    from discreet.methods.method import kept
    from discreet.policy.promises import promise_section

    for name, kind in KINDS.items():
        print(f"Models, what a release promises (privacy.model), kind {name}")
        for key, model in kind.models().items():
            keys = promise_section(model).model_fields.items()
            parameters = [f"{parameter}: {field.description}" for parameter, field in keys if parameter != "model"]
            _entry(key, model.__doc__, parameters, model.paper)
    for name, kind in KINDS.items():
        print(f"Losses, what a release should keep small (search.loss), kind {name}")
        for key, loss in kind.losses().items():
            _entry(key, type(loss).__doc__, kind.describe_loss(loss), loss.paper)
    for kind in KINDS.values():
        for vocabulary in kind.vocabularies():
            print(f"{vocabulary.title} ({vocabulary.key})")
            for key, (meaning, paper) in vocabulary.meanings.items():
                _entry(key, f"{meaning[0].upper()}{meaning[1:]}.", [], paper)
    for name, kind in KINDS.items():
        print(f"Measures, what the report says about a release and its use, kind {name}")
        for key, measure in kind.measures().items():
            _entry(key, measure.definition, _needs(kind, measure), measure.paper)
    for name, kind in KINDS.items():
        print(f"Attacks, what simulated adversaries try, kind {name}")
        for key, attack in kind.attacks().items():
            _entry(key, attack.summary, [], attack.paper)
    for name, kind in KINDS.items():
        print(f"Methods, how the best release is looked for (search.method), kind {name}")
        for key, method in kind.methods().items():
            options = [f"{option.name}: {option.text} (default: {option.default})" for option in method.options]
            _entry(key, method.summary, [f"keeps {', '.join(kept(method, kind.models()))}", *options], method.paper)
    return 0


def _needs(kind: Kind, measure: Any) -> list[str]:
    return [f"needs {what}" for need, what in kind.needs.items() if getattr(measure, f"needs_{need}")]


def _entry(name: str, summary: str | None, details: Sequence[str], paper: str) -> None:
    print(f"  {name}")
    for text in ((summary or "").partition("\n")[0], *details, f"Paper: {paper}"):
        print(wrapped(text, "      ", "        "))
    print()
