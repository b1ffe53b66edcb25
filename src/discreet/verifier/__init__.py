"""The adversary's view: re-read a published folder alone and recompute its promise from the definition.

What anonymizes never certifies itself. Nothing here imports the models, the search or the recoding that
made the release; nothing is taken from the certificate but what is promised and what each column is. The
verdict that the certificate states about itself is not read.

    verdict = verify_release(Path("out/release"))
    verdict.holds, verdict.breaches

A kind of data is one module with one function, and one line in `KINDS`.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from discreet.errors import InputError
from discreet.verifier.certificate import Certificate, read_certificate
from discreet.verifier.table.checks import verify_table
from discreet.verifier.transactions.checks import verify_transactions
from discreet.verifier.verdict import Breach, Verdict

__all__ = ["Breach", "Verdict", "verify_release"]

KINDS: dict[str, Callable[[Certificate, Sequence[object] | None], Verdict]] = {
    "table": verify_table,
    "transactions": verify_transactions,
}


def verify_release(folder: str | Path, promise: Sequence[Mapping[str, object]] | None = None) -> Verdict:
    """Check a published folder against the promise in its certificate, by definition and in exact integers.

    `folder` is the release itself or the folder that holds it as `release/`. A given `promise` is checked
    in place of the certificate's, in the same form (thresholds may also be `Fraction`s): the publisher's
    way to check the exact promise where the certificate states a rounded one.

    A release that breaks its promise gives a verdict that says so; one that cannot be understood raises
    InputError, because what is not understood cannot be said to hold.
    """
    certificate = read_certificate(Path(folder))
    if certificate.kind not in KINDS:
        known = ", ".join(KINDS)
        raise InputError(f"certificate.json: kind {certificate.kind!r} is not one this version can verify ({known}).")
    return KINDS[certificate.kind](certificate, promise)
