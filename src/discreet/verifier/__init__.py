"""The adversary's view: re-read a published folder alone and recompute its promise from the definition.

What anonymizes never certifies itself. Nothing here imports the models, the search or the recoding that
made the release; nothing is taken from the certificate but what is promised and what each column is. The
verdict that the certificate states about itself is not read.

    verdict = verify_release(Path("out/release"))
    verdict.holds, verdict.breaches

A kind of data is one module with one function, and one line in `KINDS`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from discreet.errors import InputError
from discreet.verifier.certificate import NAME, Certificate, brief, read_certificate, text
from discreet.verifier.hidden import hidden_in
from discreet.verifier.limits import ReleaseLimits
from discreet.verifier.table.checks import verify_table, verify_table_file
from discreet.verifier.transactions.checks import verify_transactions
from discreet.verifier.verdict import Breach, Verdict, counted, some, within_witness_limit

__all__ = ["Breach", "ReleaseLimits", "Verdict", "verify_file", "verify_release"]

KINDS: dict[str, Callable[[Certificate, Sequence[object] | None], Verdict]] = {
    "table": verify_table,
    "transactions": verify_transactions,
}


FILES: dict[str, Callable[[Path, Mapping[str, object], ReleaseLimits], Verdict]] = {"table": verify_table_file}
"""The kinds of which a file can be checked without a certificate."""


def verify_release(
    folder: str | Path,
    promise: Sequence[Mapping[str, object]] | None = None,
    *,
    allow_unnamed: bool = False,
    limits: ReleaseLimits | None = None,
) -> Verdict:
    """Check a published folder against the promise in its certificate, by definition and in exact integers.

    `folder` is the release itself or the folder that holds it as `release/`. A given `promise` is checked
    in place of the certificate's, in the same form (thresholds may also be `Fraction`s): the publisher's
    way to check the exact promise where the certificate states a rounded one.

    What the release holds beside what the certificate names (other files, metadata of Parquet files) is a breach,
    because it was not checked; with `allow_unnamed` it is noted only. `limits` are the most that is read; of them
    `seconds` and `memory` are held by the command `discreet verify` and not here.

    A release that breaks its promise gives a verdict that says so; one that cannot be understood raises
    InputError, because what is not understood cannot be said to hold.
    """
    certificate = read_certificate(Path(folder), limits)
    if certificate.kind not in KINDS:
        known = ", ".join(KINDS)
        raise InputError(f"{NAME}: kind {brief(certificate.kind)} is not one this version can verify ({known}).")
    with _reading(certificate.folder):
        verdict = KINDS[certificate.kind](certificate, promise)
        hidden = hidden_in(certificate.release)
    if hidden and allow_unnamed:
        note = f"Not named in the certificate, and not checked: {some(hidden)}."
        return replace(verdict, notes=(*verdict.notes, note))
    if hidden:
        breach = Breach(
            "unnamed",
            f"The release holds {counted(len(hidden), 'thing')} that the certificate does not name and nothing was "
            "checked of; take them out, or allow them with --allow-unnamed.",
            tuple(hidden),
        )
        return replace(verdict, holds=False, breaches=within_witness_limit((*verdict.breaches, breach)))
    return verdict


def verify_file(path: str | Path, claims: Mapping[str, object], *, limits: ReleaseLimits | None = None) -> Verdict:
    """Check a file that has no certificate against claims: a `kind`, a `promise` and, for a table, its `columns`.

    They have the form that a certificate gives them, without taxonomies.
    """
    path, kind = Path(path), text(claims.get("kind"), "kind")
    if kind not in FILES:
        raise InputError(
            f"{path}: only a {' or a '.join(FILES)} can be checked without a certificate, not {kind}; give the folder "
            "of a release."
        )
    if not path.is_file():
        raise InputError(f"{path}: there is no such file; name a table, .csv or .parquet.")
    with _reading(path):
        return FILES[kind](path, claims, limits or ReleaseLimits())


@contextmanager
def _reading(what: Path) -> Iterator[None]:
    try:
        yield
    except (MemoryError, RecursionError) as error:
        raise InputError(
            f"{what}: this release cannot be checked with the memory there is ({type(error).__name__})."
        ) from error
    except OSError as error:
        raise InputError(f"{what}: a file cannot be read ({error.strerror or error}).") from error
