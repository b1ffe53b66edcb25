"""The command line: what the Python functions do, one command each.

Nothing heavy is imported here, only inside the commands, so that `discreet --help` answers at once.

Exit codes: 0 done; 1 the promise does not hold; 2 bad input or usage; 3 no release can keep the promise with this
policy; 70 a defect of discreet; 129 ended by SIGHUP, cleaned up, nothing published; 130 interrupted by Ctrl-C;
141 the reader of the output went away; 143 ended by SIGTERM, cleaned up, nothing published. Results go to stdout,
everything else to stderr; an error is one sentence there, and `--debug` puts the traceback before it.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import nullcontext

from discreet import __version__
from discreet.cli import attack, compare, completion, demo, inspect, publish, tidy, verify
from discreet.cli import list as list_command
from discreet.cli.options import Parser
from discreet.cli.output import printing, quietly
from discreet.errors import DiscreetError, InputError
from discreet.report.terminal import toned
from discreet.search.interrupt import stop_signals
from discreet.values.words import printable

COMMANDS = (inspect, publish, verify, attack, compare, demo, list_command, tidy, completion)
"""A command is a module with one function, add, and one entry here."""
DEFECT, INTERRUPTED, NO_READER = 70, 130, 141
OF_SIGNAL = 128
"""As a shell says it: this much and the number of the signal that ended a program."""
INTERRUPTED_SENTENCE = "Interrupted; nothing was published."
OBJECTS_UNTIL_COLLECTION = 10_000
"""Python's own 700 make it look for garbage dozens of times while modules are loaded, which leave none."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    debug = "--debug" in arguments
    _start_lightly()
    with stop_signals() as stop, printing():
        try:
            return _run(arguments)
        except KeyboardInterrupt as interrupt:
            code = INTERRUPTED if stop.number is None else OF_SIGNAL + stop.number
            return _fail(str(interrupt) or INTERRUPTED_SENTENCE, code, debug)
        except DiscreetError as error:
            return _fail(str(error), error.exit_code, debug)
        except BrokenPipeError:
            return NO_READER
        except Exception as error:  # noqa: BLE001 - the last resort: whatever it is, the user gets a sentence
            if stop.number is not None:  # some libraries swallow an interrupt and stumble over what is missing then
                return _fail(INTERRUPTED_SENTENCE, OF_SIGNAL + stop.number, debug)
            what = f"{type(error).__name__}: {error}".partition("\n")[0].rstrip(".")
            return _fail(f"This is a defect of discreet ({what}); please report it, --debug shows more.", DEFECT, debug)


def _start_lightly() -> None:
    """What a process of its own need not do; before numpy is loaded."""
    gc.set_threshold(OBJECTS_UNTIL_COLLECTION)
    # numpy's linear algebra, of which next to nothing is used here, starts threads that spin until there is work.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _run(arguments: Sequence[str]) -> int:
    try:
        parsed = parser().parse_args(arguments)
        if parsed.quiet and getattr(parsed, "json", False):
            raise InputError("--quiet prints nothing and --json a document; give one of them.")
        with quietly() if parsed.quiet else nullcontext():
            code: int = parsed.run(parsed)
        return code
    finally:
        if sys.stdout is not None:
            sys.stdout.flush()


def _fail(sentence: str, code: int, debug: bool) -> int:
    if debug:
        traceback.print_exc()
    print(f"{toned('discreet:', 'bad', sys.stderr)} {printable(sentence)}", file=sys.stderr)
    return code


def parser() -> argparse.ArgumentParser:
    whole = Parser(
        prog="discreet",
        description="Publish data about people: write what you promise into a policy, and get the\n"
        "release that keeps the promise with the least loss of information, checked by a\n"
        "second program.",
        epilog="Begin with:  discreet demo\n\n"
        "Exit codes: 0 done, 1 the promise does not hold, 2 bad input or usage,\n"
        "3 no release can keep the promise with this policy, 70 a defect of discreet,\n"
        "130 interrupted, 129 and 143 ended by SIGHUP and SIGTERM (cleaned up, nothing\n"
        "published).",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    whole.add_argument("--version", action="version", version=f"discreet {__version__}")
    whole.add_argument("--debug", action="store_true", help="show the traceback of an error")
    commands = whole.add_subparsers(metavar="COMMAND", required=True, parser_class=Parser)
    for command in COMMANDS:
        command.add(commands)
    return whole
