"""The command line: what the Python functions do, one command each.

Nothing heavy is imported here but inside the commands, so that `discreet --help` answers at once.

Exit codes: 0 done; 1 the promise does not hold; 2 bad input or usage; 3 no release can keep the promise with this
policy; 70 a defect of discreet; 130 interrupted; 141 whoever read the output went away. Results go to stdout,
everything else to stderr; an error is one sentence there, and `--debug` puts the traceback before it.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import textwrap
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Any, NoReturn

from discreet import __version__
from discreet.errors import DiscreetError, InputError

if TYPE_CHECKING:
    from rich.text import Text

    from discreet.comparing import Row
    from discreet.policy import Policy
    from discreet.publishing import Publication
    from discreet.search.events import Listener, SearchEvent
    from discreet.verify import Verdict

DEFECT, INTERRUPTED, NO_READER = 70, 130, 141
INTERRUPTED_SENTENCE = "Interrupted; nothing was published."
WIDTH = 80
MARGIN = 12
SECONDS_BEFORE_COMPILING_IS_SAID = 1.5
DEMOS = Path(__file__).parent / "demo"


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    debug = "--debug" in arguments
    try:
        parsed = _parser().parse_args(arguments)
        code: int = parsed.run(parsed)
        sys.stdout.flush()
        return code
    except DiscreetError as error:
        return _fail(str(error), error.exit_code, debug)
    except KeyboardInterrupt:
        return _fail(INTERRUPTED_SENTENCE, INTERRUPTED, debug)
    except BrokenPipeError:
        # What is still buffered would fail once more, loudly, when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NO_READER
    except Exception as error:  # noqa: BLE001 - the last resort: whatever it is, the user gets a sentence
        if str(error) == "Query interrupted":  # how DuckDB passes Ctrl-C on
            return _fail(INTERRUPTED_SENTENCE, INTERRUPTED, debug)
        what = f"{type(error).__name__}: {error}".partition("\n")[0].rstrip(".")
        return _fail(f"This is a defect of discreet ({what}); please report it, --debug shows more.", DEFECT, debug)


def _fail(sentence: str, code: int, debug: bool) -> int:
    if debug:
        traceback.print_exc()
    print(f"discreet: {_printable(sentence)}", file=sys.stderr)
    return code


# --- The commands -------------------------------------------------------------------------------------------


def _publish(arguments: argparse.Namespace) -> int:
    from discreet.policy import Policy

    settings = _settings(arguments.set)
    if arguments.time_limit is not None:
        settings["search.time_limit"] = arguments.time_limit
    policy = Policy.load(arguments.policy).with_settings(settings)
    out = arguments.out or arguments.policy.with_name(f"{arguments.policy.stem}-published")
    _run_publish(policy, out, force=arguments.force, seed=arguments.seed)
    return 0


def _run_publish(policy: Policy, out: Path, *, force: bool, seed: int | None = None) -> Publication:
    print(_wrapped(policy.explain()), end="\n\n", flush=True)
    _warm_up()
    from discreet.publishing import publish

    with _live_line() as listen:
        publication = publish(policy, out, force=force, seed=seed, listen=listen)
    _print_result(publication)
    for warning in publication.warnings:
        print(f"Warning: {_printable(warning)}", file=sys.stderr)
    return publication


def _print_result(publication: Publication) -> None:
    result = publication.result
    loss, suppressed, groups, search = (result[key] for key in ("loss", "suppressed", "partitions", "search"))
    _field("Status", _status(result))
    _field("Loss", f"{_number(loss['cost'])} ({loss['name']})")
    _field("Normalized", f"{loss['normalized']:.2%}, where 100% is a release of nothing but *")
    _field(
        "Suppressed",
        f"{_counted(suppressed['records'], 'record')}, {_counted(suppressed['values'], 'sensitive value')}",
    )
    sizes = f", of {groups['smallest']:,} to {_counted(groups['largest'], 'record')}" if groups["count"] else ""
    _field("Groups", f"{groups['count']:,}{sizes}")
    _field("Cuts", f"{_number(search['cuts_examined'])} examined of {_number(search['cuts_total'])}")
    _field("Seconds", f"{search['seconds']:.2f}")
    _field("Verified", "the release, read again from its files, keeps the promise")
    _field("Release", publication.release)
    _field("Report", f"{publication.report} (for the steward only)", wrap=False)


def _status(result: Mapping[str, Any]) -> str:
    if result["status"] == "optimal":
        return "optimal: proved that no release loses less"
    return f"feasible: proved that at most {result['gap']:.2%} of the loss can be saved"


def _verify(arguments: argparse.Namespace) -> int:
    from discreet.verify import verify_release

    verdict = verify_release(arguments.folder)
    _print_verdict(verdict)
    return 0 if verdict.holds else 1


def _print_verdict(verdict: Verdict) -> None:
    for promise in verdict.promise:
        _field("Promise", promise)
    _field("Verdict", "PASS: the promise holds" if verdict.holds else "FAIL: the promise does not hold")
    _field("Checked", f"{_counted(verdict.rows, 'row')} in {_counted(verdict.partitions, 'partition')}")
    for note in verdict.notes:
        _field("Note", note)
    for breach in verdict.breaches:
        _field("Breach", breach.sentence)
        for witness in breach.witnesses:
            _field("", f"- {witness}")


def _compare(arguments: argparse.Namespace) -> int:
    from discreet.policy import Policy

    vary = _variations(arguments.vary)
    policy = Policy.load(arguments.policy)
    _warm_up()
    from discreet.comparing import compare

    print(f"{'settings':<36}{'status':<11}{'loss':>16}{'normalized':>12}")
    compare(policy, vary, arguments.out, tell=lambda row: _print_row(row, vary))
    print()
    _field("Table", arguments.out / "comparison.csv")
    return 0


def _print_row(row: Row, vary: Mapping[str, object]) -> None:
    settings = " ".join(f"{key.rpartition('.')[2]}={row[key]}" for key in vary)
    if len(settings) > 35:
        settings = f"{settings[:34]}…"
    measures = "" if row["reason"] else f"{_number(row['cost']):>16}{row['normalized']:>12.2%}"
    print(_printable(f"{settings:<36}{row['status']:<11}{measures}".rstrip()), flush=True)
    if row["reason"]:
        print(_wrapped(row["reason"], "    ", "    "), flush=True)


def _demo(arguments: argparse.Namespace) -> int:
    from discreet.policy import Policy
    from discreet.verify import verify_release

    path = DEMOS / arguments.kind / "policy.yaml"
    print(
        f"A steward wrote this policy for data of an invented hospital:\n\n{textwrap.indent(path.read_text(), '    ')}"
    )
    print("discreet publish says:\n")
    publication = _run_publish(Policy.load(path), arguments.out, force=arguments.force)
    print("\ndiscreet verify, which reads the published files alone, says:\n")
    verdict = verify_release(publication.folder)
    _print_verdict(verdict)
    print("\nWhere to look:\n")
    _field("Policy", path)
    _field("Release", publication.release)
    _field("Report", publication.report)
    return 0 if verdict.holds else 1


def _list(arguments: argparse.Namespace) -> int:
    from discreet.losses import LOSSES
    from discreet.models import MODELS
    from discreet.policy import SUPPRESSIONS
    from discreet.policy_sections import PROMISES
    from discreet.search import METHODS

    print("Models, what a release promises (privacy.model)")
    for name, model in MODELS.items():
        keys = PROMISES[name].model_fields.items()
        _entry(
            name, model.__doc__, [f"{key}: {field.description}" for key, field in keys if key != "model"], model.paper
        )
    print("Losses, what a release should keep small (search.loss)")
    for name, loss in LOSSES.items():
        needs = ["needs a column with the role class"] if loss.needs_class else []
        _entry(name, type(loss).__doc__, [f"goes with {', '.join(loss.schemes)}", *needs], loss.paper)
    print("Suppression, what happens where a group breaks the promise (search.suppression)")
    for scheme, meaning in SUPPRESSIONS.items():
        _entry(scheme, f"{meaning[0].upper()}{meaning[1:]}.", [], "Liu 2010, 3.1.3")
    print("Methods, how the best release is looked for (search.method)")
    for name, method in METHODS.items():
        _entry(name, method.summary, [f"for data of kind {method.kind}"], method.paper)
    return 0


def _entry(name: str, summary: str | None, details: Sequence[str], paper: str) -> None:
    print(f"  {name}")
    for text in ((summary or "").partition("\n")[0], *details, f"Paper: {paper}"):
        print(_wrapped(text, "      ", "        "))
    print()


# --- While it runs ------------------------------------------------------------------------------------------


def _warm_up() -> None:
    """Has the search compiled before its clock starts, and says so when that takes a while."""
    from discreet.search.table.warm_up import warm_up

    sentence = "Compiling the search for this machine; this happens only once."
    notice = Timer(SECONDS_BEFORE_COMPILING_IS_SAID, lambda: print(sentence, file=sys.stderr, flush=True))
    notice.daemon = True
    notice.start()
    try:
        warm_up()
    finally:
        notice.cancel()


class _Progress:
    """The listener that shows the last search event as one line; rich asks for it a few times a second."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.event: SearchEvent | None = None

    def __call__(self, event: SearchEvent) -> None:
        self.event = event

    def __rich__(self) -> Text:
        from rich.text import Text

        return Text(progress_line(time.monotonic() - self.started, self.event), no_wrap=True, overflow="ellipsis")


def progress_line(seconds: float, event: SearchEvent | None) -> str:
    """What is known, in less than 80 columns."""
    if event is None:
        return f"{seconds:.0f} s  preparing"
    known = [f"{seconds:.0f} s"]
    if event.incumbent is not None:
        known.append(f"best {_number(float(event.incumbent), 9)}")
    if event.bound is not None:
        known.append(f"bound {_number(float(event.bound), 9)}")
    if event.gap is not None:
        known.append(f"gap {event.gap:.2%}")
    known.append(f"{_number(event.examined, 9)} cuts")
    return "  ".join(known)


@contextmanager
def _live_line() -> Iterator[Listener]:
    """A line that lives while the search does, on a terminal only."""
    if not sys.stderr.isatty():
        yield lambda event: None
        return
    from rich.console import Console
    from rich.live import Live

    progress = _Progress()
    with Live(progress, console=Console(stderr=True), transient=True, redirect_stdout=False, redirect_stderr=False):
        yield progress


# --- Words --------------------------------------------------------------------------------------------------


def _printable(text: str) -> str:
    """Data may hold what moves a terminal's cursor; here it is only shown."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def _wrapped(text: str, first: str = "", following: str = "") -> str:
    return textwrap.fill(
        _printable(text),
        WIDTH,
        initial_indent=first,
        subsequent_indent=following,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _field(name: str, text: str | Path, *, wrap: bool = True) -> None:
    """A named line; a path stays in one piece."""
    label = f"{name:<{MARGIN}}"
    if wrap and isinstance(text, str):
        print(_wrapped(text, label, " " * MARGIN))
    else:
        print(f"{label}{_printable(str(text))}")


def _number(number: float | str, digits: int = 15) -> str:
    """A number in full up to so many digits before the point; one that is text already stays."""
    if isinstance(number, str):
        return number
    if abs(number) >= 10**digits:
        return f"{Decimal(number):.4e}"  # a count can be larger than any float
    return f"{number:,.0f}" if isinstance(number, int) or abs(number) >= 10**6 else f"{number:,.2f}"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


# --- The options --------------------------------------------------------------------------------------------


def _settings(written: Sequence[str]) -> dict[str, object]:
    """`key=value` each, the value as YAML."""
    return dict(_key_and_value(text, "--set search.suppression=vio-rec") for text in written)


def _variations(written: Sequence[str]) -> dict[str, list[object]]:
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
        raise InputError(f"--vary {source}: a bracket or a quote has no partner; add the one that is missing.")
    if "" in values:
        raise InputError(f"--vary {source}: a value is empty; write null where you mean none.")
    return values


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors are sentences like all others."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message}; see `{self.prog} --help`.")


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 on")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="discreet",
        description="Publish data about people: write what you promise into a policy, and get the\n"
        "release that keeps the promise with the least loss of information, checked by a\n"
        "second program.",
        epilog="Begin with:  discreet demo\n\n"
        "Exit codes: 0 done, 1 the promise does not hold, 2 bad input or usage,\n"
        "3 no release can keep the promise with this policy, 70 a defect of discreet,\n"
        "130 interrupted.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"discreet {__version__}")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Parser)

    def command(
        name: str, run: Callable[[argparse.Namespace], int], summary: str, description: str, example: str
    ) -> argparse.ArgumentParser:
        added: argparse.ArgumentParser = commands.add_parser(
            name,
            help=summary,
            description=description,
            epilog=f"Example:\n{textwrap.indent(example, '  ')}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        added.add_argument("--debug", action="store_true", help=argparse.SUPPRESS)
        added.set_defaults(run=run)
        return added

    publish = command(
        "publish",
        _publish,
        "anonymize a table by a policy, verify the release and write it",
        "Anonymizes the data of a policy, verifies the release and writes two folders:\n"
        "release/, the only thing to publish, and steward/, with the report and what was\n"
        "found out on the way. Ctrl-C ends the search with the best release so far.",
        "discreet publish policy.yaml --out published --set privacy.thresholds=1/4",
    )
    publish.add_argument("policy", metavar="POLICY", type=Path, help="the policy, a YAML file")
    publish.add_argument(
        "--out", metavar="DIR", type=Path, help="the folder to write (default: next to POLICY, as POLICY-published)"
    )
    publish.add_argument("--force", action="store_true", help="replace DIR when it is a former release")
    publish.add_argument(
        "--seed",
        metavar="N",
        type=_seed,
        help="make the run reproducible, for tests; without it no one can repeat the order of rows",
    )
    publish.add_argument("--time-limit", metavar="SECONDS", help="then take the best release so far")
    publish.add_argument(
        "--set", metavar="KEY=VALUE", action="append", default=[], help="another value for a key of the policy"
    )

    verify = command(
        "verify",
        _verify,
        "check the promise of a release, from its files alone",
        "Reads a release and nothing else, and checks by definition whether it keeps the\n"
        "promise in its certificate. Shows up to 10 witnesses of a breach.",
        "discreet verify published",
    )
    verify.add_argument("folder", metavar="DIR", type=Path, help="the folder that publish wrote, or its release/")

    compare = command(
        "compare",
        _compare,
        "try several settings of a policy and put them side by side",
        "Searches the best release for every combination of settings, publishes none of\n"
        "them, and writes one table, DIR/comparison.csv.",
        "discreet compare policy.yaml --vary privacy.thresholds=1/2,1/4 \\\n"
        "    --vary search.suppression=vio-sa,vio-rec --out comparison",
    )
    compare.add_argument("policy", metavar="POLICY", type=Path, help="the policy, a YAML file")
    compare.add_argument(
        "--vary",
        metavar="KEY=V1,V2",
        action="append",
        required=True,
        help="a key of the policy and the values to try; may be given several times",
    )
    compare.add_argument("--out", metavar="DIR", type=Path, required=True, help="the folder to write")

    demo = command(
        "demo",
        _demo,
        "the whole way on data that ship with discreet",
        "Shows a policy, publishes by it, verifies the release and says where to look.",
        "discreet demo --out demo-output",
    )
    demo.add_argument(
        "kind", metavar="KIND", nargs="?", choices=("table",), default="table", help="the kind of data: table (default)"
    )
    demo.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        default=Path("discreet-demo"),
        help="the folder to write (default: discreet-demo)",
    )
    demo.add_argument("--force", action="store_true", help="replace DIR when it is a former release")

    command(
        "list",
        _list,
        "every model, loss, suppression scheme and method",
        "Lists what a policy can name, with parameters and papers.",
        "discreet list",
    )
    return parser
