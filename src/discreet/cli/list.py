"""discreet list: everything that a policy can name, and every measure."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from discreet.cli.options import Commands, add_command
from discreet.cli.words import wrapped


def add(commands: Commands) -> None:
    add_command(
        commands,
        "list",
        run,
        "every model, loss, suppression scheme, measure and method",
        "Lists what a policy can name and what a report measures, with parameters and papers.",
        "discreet list",
    )


def run(arguments: argparse.Namespace) -> int:
    from discreet.losses import ITEM_LOSSES, LOSSES
    from discreet.measure import MEASURES
    from discreet.models import TABLE_MODELS, TRANSACTION_MODELS
    from discreet.policy import SUPPRESSIONS
    from discreet.policy_sections import PROMISES
    from discreet.search import METHODS

    for kind, models in (("table", TABLE_MODELS), ("transactions", TRANSACTION_MODELS)):
        print(f"Models, what a release promises (privacy.model), kind {kind}")
        for name, model in models.items():
            keys = PROMISES[name].model_fields.items()
            parameters = [f"{key}: {field.description}" for key, field in keys if key != "model"]
            _entry(name, model.__doc__, parameters, model.paper)
    print("Losses, what a release should keep small (search.loss), kind table")
    for name, loss in LOSSES.items():
        needs = ["needs a column with the role class"] if loss.needs_class else []
        _entry(name, type(loss).__doc__, [f"goes with {', '.join(loss.schemes)}", *needs], loss.paper)
    print("Losses, what a release should keep small (search.loss), kind transactions")
    for name, item_loss in ITEM_LOSSES.items():
        _entry(name, type(item_loss).__doc__, [], item_loss.paper)
    print("Suppression, what happens where a group breaks the promise (search.suppression)")
    for scheme, meaning in SUPPRESSIONS.items():
        _entry(scheme, f"{meaning[0].upper()}{meaning[1:]}.", [], "Liu 2010, 3.1.3")
    print("Measures, what the report says of a release and its use")
    for name, measure in MEASURES.items():
        needs = [f"needs a {role} column" for role in ("sensitive", "class") if getattr(measure, f"needs_{role}")]
        _entry(name, measure.definition, needs, measure.paper)
    for kind in dict.fromkeys(method.kind for method in METHODS.values()):
        print(f"Methods, how the best release is looked for (search.method), kind {kind}")
        for name, method in METHODS.items():
            if method.kind == kind:
                _entry(name, method.summary, [f"keeps {', '.join(method.models)}"], method.paper)
    return 0


def _entry(name: str, summary: str | None, details: Sequence[str], paper: str) -> None:
    print(f"  {name}")
    for text in ((summary or "").partition("\n")[0], *details, f"Paper: {paper}"):
        print(wrapped(text, "      ", "        "))
    print()
