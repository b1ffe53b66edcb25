"""discreet publish: a policy in, a verified release out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.cli.options import Commands, add_command, seed_of, settings_of
from discreet.cli.progress import live_line
from discreet.report.terminal import amount, field, toned, wrapped
from discreet.values.leavable import LEAVABLE
from discreet.values.words import listed, printable

if TYPE_CHECKING:
    from discreet.commands.publish import Publication
    from discreet.policy import Policy

FORCE = "replace DIR if it is an earlier publication and holds nothing else"


def add(commands: Commands) -> None:
    added = add_command(
        commands,
        "publish",
        run,
        "anonymize data by a policy, verify the release and write it",
        "Anonymizes the data of a policy, verifies the release and writes two folders:\n"
        "release/, the only thing to publish, and steward/, with the report and what was\n"
        "found out along the way. Ctrl-C ends the search with the best release so far;\n"
        "SIGTERM and SIGHUP end everything, and nothing is published.",
        "discreet publish policy.yaml --out published --set privacy.thresholds=1/4",
    )
    added.add_argument("policy", metavar="POLICY", type=Path, help="the policy, a YAML file")
    added.add_argument(
        "--out", metavar="DIR", type=Path, help="the folder to write (default: next to POLICY, as POLICY-published)"
    )
    added.add_argument("--force", action="store_true", help=FORCE)
    added.add_argument(
        "--strict", action="store_true", help="publish nothing where there is something to warn of (exit code 2)"
    )
    added.add_argument(
        "--allow-empty",
        action="store_true",
        help="publish a release without records where the promise leaves none (exit code 3 otherwise)",
    )
    added.add_argument(
        "--seed",
        metavar="N",
        type=seed_of,
        help="make the run reproducible, for tests; without it no one can repeat the order of rows",
    )
    added.add_argument(
        "--recoding",
        metavar="FILE",
        type=Path,
        help="apply a steward/recoding.json that was found before to these data, instead of searching",
    )
    added.add_argument("--time-limit", metavar="SECONDS", help="then take the best release so far")
    added.add_argument(
        "--without",
        metavar="PARTS",
        help=f"leave out what takes time and the release does not need: {listed(LEAVABLE)}, with commas between them",
    )
    added.add_argument(
        "--set", metavar="KEY=VALUE", action="append", default=[], help="another value for a key of the policy"
    )


def run(arguments: argparse.Namespace) -> int:
    from discreet.policy import Policy

    settings = settings_of(arguments.set)
    if arguments.time_limit is not None:
        settings["search.time_limit"] = arguments.time_limit
    if arguments.without is not None:
        settings["report.without"] = arguments.without.split(",")
    policy = Policy.load(arguments.policy, settings)
    out = arguments.out or arguments.policy.with_name(f"{arguments.policy.stem}-published")
    publish_and_print(
        policy,
        out,
        force=arguments.force,
        strict=arguments.strict,
        allow_empty=arguments.allow_empty,
        seed=arguments.seed,
        recoding=arguments.recoding,
    )
    return 0


def publish_and_print(
    policy: Policy,
    out: Path,
    *,
    force: bool,
    strict: bool = False,
    allow_empty: bool = False,
    seed: int | None = None,
    recoding: Path | None = None,
) -> Publication:
    print(wrapped(_explained(policy, recoding)), end="\n\n", flush=True)
    from discreet.commands.publish import publish

    with live_line() as show:
        publication = publish(
            policy,
            out,
            recoding=recoding,
            force=force,
            strict=strict,
            allow_empty=allow_empty,
            seed=seed,
            listen=show,
            watch=show,
        )
    with standing(publication):
        _print_result(publication)
        for warning in publication.warnings:
            print(f"{toned('Warning:', 'beware', sys.stderr)} {printable(warning)}", file=sys.stderr)
    return publication


@contextmanager
def standing(publication: Publication) -> Iterator[None]:
    """An interrupt comes too late to stop the publication, and says so."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"Interrupted, but {publication.folder} was published before.") from None


def _explained(policy: Policy, recoding: Path | None) -> str:
    if recoding is None:
        return policy.explain()
    from discreet.commands.publish import with_recoding

    return with_recoding(policy, recoding)[0].explain(searches=False)


def _print_result(publication: Publication) -> None:
    from discreet.kinds import KINDS

    result = publication.result
    loss = result["loss"]
    for sentence in (*result["hollow"], *result["unprotected"]):
        print(field("Beware", sentence, tone="beware"))
    print(field("Status", _status(result)))
    for sentence in result["gone"]:
        print(field("Yet", sentence))
    print(field("Loss", f"{amount(loss['cost'])} ({loss['name']})"))
    print(field("Normalized", f"{loss['normalized']:.2%}, where 100% is {loss['everything']}"))
    for line in KINDS[result["kind"]].result_lines(result):
        print(line)
    hollow = ", which protects nobody" if result["hollow"] else ""
    if result["left_out"]:
        print(field("Left out", f"{listed(result['left_out'])}, by report.without"))
    if result["unproved"]:
        print(field("Not proved", result["unproved"], tone="beware"))
        print(field("Verified", "the release, read again from its files, does not contradict the promise"))
    else:
        print(field("Verified", f"the release, read again from its files, keeps the promise{hollow}"))
    print(field("Release", publication.release))
    print(field("Report", f"{publication.report} (for the steward only)", wrap=False))


def _status(result: Mapping[str, Any]) -> str:
    from discreet.report.summary import proves_nothing

    if result["status"] == "applied":
        return "applied: the recoding was found before; nothing was searched"
    if result["status"] == "optimal" and result["rounding"]:
        proved = "optimal: proved that no release by this method loses less"
        return f"{proved}, up to {result['rounding']:.0e} of the loss by rounding"
    if result["status"] == "optimal":
        return "optimal: proved that no release by this method loses less"
    if not result["loss"]["cost"]:
        return "feasible: nothing is lost by this measure"
    if proves_nothing(result):
        return "feasible: nothing is proved about what another release could save"
    return f"feasible: proved that at most {result['gap']:.2%} of the loss can be saved"
