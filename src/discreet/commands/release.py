"""The two folders of a publication: release/, which anybody may see, and steward/, which only the steward should.

The release is written first, under another name; it is verified, measured and attacked as its readers will see it, and
called release only when everything else is done.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import discreet
from discreet.commands.page import render_html
from discreet.commands.publication import CERTIFICATE, CERTIFICATE_FORMAT, RELEASE, REPORT, RESULT, STEWARD
from discreet.engine import Engine
from discreet.errors import NoReleaseError, PromiseBrokenError
from discreet.kinds import Kind
from discreet.recode.written import Written, write_json
from discreet.search.solving import Solved
from discreet.values import steps
from discreet.verifier import Verdict, verify_release

NOT_ATTACKED = (
    "The release was not attacked, so nobody has looked what it tells those who know more than the promise assumes; "
    "discreet attack does."
)


def write_publication(
    kind: Kind,
    engine: Engine,
    solved: Solved[Any, Any, Any],
    original: Any,
    folder: Path,
    random: np.random.Generator,
    seed: int | None,
    *,
    allow_empty: bool,
) -> tuple[Verdict, dict[str, Any]]:
    """Writes steward/ and release/ into the folder; the verdict, and the result document.

    original: the data as they were encoded, before the search left out what it does not look at. allow_empty: whether a
    release without records is one.
    """
    solved = solved.drawn(random)
    unverified = folder / "unverified"
    verdict = write_release(kind, engine, solved, unverified, random)
    if not verdict.rows and not allow_empty:
        raise NoReleaseError(
            solved.why_empty
            or f"The promise leaves no {verdict.row}s to publish, so nothing was published; relax it, choose another "
            "suppression, or add --allow-empty to publish a release of nothing."
        )
    result: dict[str, Any] = kind.document(solved, verdict, seed)
    result["left_out"] = left_out = list(solved.policy.report.without)
    if not {"measures", "attack"} <= set(left_out):
        steps.doing("reading the release again")
        release = kind.read_release(engine, solved.policy, original, unverified)
    if "measures" not in left_out:
        result |= kind.measure(solved, original, release, random)
    if "attack" in left_out:
        result["warnings"] = [*result["warnings"], NOT_ATTACKED]
    else:
        result["attack"] = kind.attack(solved, original, release, random)
        for found in ("unprotected", "warnings"):
            result[found] = [*result[found], *result["attack"].get(found, ())]
    steps.doing("writing the report")
    steward = folder / STEWARD
    steward.mkdir(mode=0o700)
    kind.write_rule(solved, steward)
    write_json(steward / RESULT, result)
    (steward / REPORT).write_text(render_html(result), encoding="utf-8")
    unverified.rename(folder / RELEASE)
    return verdict, result


def write_release(
    kind: Kind, engine: Engine, solved: Solved[Any, Any, Any], folder: Path, random: np.random.Generator
) -> Verdict:
    """Writes the data and the certificate, and has them verified."""
    steps.doing("writing the release")
    written: Written = kind.write(engine, solved, folder, random)
    method = "recoding" if solved.search is None else solved.policy.search.method
    certificate = {
        "format": CERTIFICATE_FORMAT,
        "kind": kind.name,
        **written.entries,
        "method": {"name": method, "version": discreet.__version__, **kind.certified(solved)},
        **written.more,
    }
    write_json(folder / CERTIFICATE, certificate)
    steps.doing("verifying the release")
    verdict = _verified(folder, written, searched=solved.search is not None)
    if verdict.records != written.rows:
        raise PromiseBrokenError(
            f"The release has {verdict.records} {verdict.row}s where {written.rows} were meant to remain, so nothing "
            "was published. This is a defect of discreet; please report it."
        )
    unproved = {"unproved": verdict.unproved} if verdict.unproved else {}
    write_json(folder / CERTIFICATE, {**certificate, "verdict": {"holds": True, **unproved}})
    return verdict


def _verified(folder: Path, written: Written, *, searched: bool) -> Verdict:
    """The verdict on the promise as it was made and, where the certificate states a weaker one, on that too."""
    stated = written.entries["promise"]
    for wanted in [written.promise] if written.promise == stated else [written.promise, stated]:
        verdict = verify_release(folder, wanted)
        if not verdict.holds and searched:
            raise PromiseBrokenError(
                "The release does not keep its promise, so nothing was published: "
                f"{verdict.breaches[0].sentence} This is a defect of discreet; please report it."
            )
        if not verdict.holds:
            raise PromiseBrokenError(
                "With this recoding the data do not keep the promise, so nothing was published: "
                f"{verdict.breaches[0].sentence} Publish them without --recoding, which searches for one of its own."
            )
    return verdict
