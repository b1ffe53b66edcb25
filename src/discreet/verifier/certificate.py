"""Reading `certificate.json`: what is promised about which file, or one sentence on why that cannot be known.

Here is what every kind of data shares. A certificate is read strictly: an unknown key, a key that
occurs twice or a path that leaves the folder may change what the promise means, so each is an error.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from discreet.errors import InputError
from discreet.verifier.folder import ReleaseFolder
from discreet.verifier.limits import ReleaseLimits

NAME = "certificate.json"
FORMAT = "discreet-certificate/1"

NEEDED_KEYS = frozenset({"format", "kind", "data", "promise"})
OPTIONAL_KEYS = frozenset({"method", "verdict", "escaped_formulas"})

# Counts fit 64 bits and bounds 60, so that every product in a check fits the 128 bits of SQL's HUGEINT.
LARGEST_INTEGER = 10**18
_FRACTION = re.compile(r"[0-9]{1,18}([/.][0-9]{1,18})?")
LONGEST_SHOWN = 200
MOST_BYTES = 64 << 20
"""Of the certificate, which is read as a whole and takes many times as much memory."""


@dataclass(frozen=True)
class Certificate:
    """A certificate whose outline is sound; `entries` are its keys for the module of its kind to read."""

    release: ReleaseFolder
    kind: str
    data: Path
    promise: tuple[object, ...]
    entries: Mapping[str, object]

    @property
    def folder(self) -> Path:
        return self.release.path

    @property
    def limits(self) -> ReleaseLimits:
        return self.release.limits

    @property
    def escaped(self) -> bool:
        """Whether cells, labels and column names that a spreadsheet would run have an apostrophe before them."""
        stated = self.entries.get("escaped_formulas", False)
        if not isinstance(stated, bool):
            raise InputError(f"{NAME}: escaped_formulas: {brief(stated)} is neither true nor false.")
        return stated


def read_certificate(folder: Path, limits: ReleaseLimits | None = None) -> Certificate:
    """Read the certificate of a release, or of the release inside `folder`."""
    inside = folder / "release"
    if not os.path.lexists(folder / NAME) and os.path.lexists(inside):
        if inside.is_symlink():
            raise InputError(f"{inside}: this is a link, and no link is followed; give the folder it leads to.")
        folder = inside
    release = ReleaseFolder(folder, limits or ReleaseLimits())
    entries = _read_json(release)
    if entries.get("format") != FORMAT:
        raise InputError(
            f"{NAME}: format {brief(entries.get('format'))} is not {FORMAT!r}, the one this version can verify."
        )
    data = release.file(text(entries.get("data"), f"{NAME}: data"))
    promise = sequence(entries.get("promise"), f"{NAME}: promise")
    return Certificate(release, text(entries.get("kind"), f"{NAME}: kind"), data, promise, entries)


def brief(value: object) -> str:
    """A value as a sentence shows it, however long it is."""
    written = repr(value)
    return written if len(written) <= LONGEST_SHOWN else f"{written[:LONGEST_SHOWN]}..."


def text(value: object, where: str) -> str:
    """A text that is not empty."""
    if not isinstance(value, str) or not value:
        raise InputError(f"{where} should be a text, not {brief(value)}.")
    return value


def mapping(value: object, where: str) -> Mapping[str, object]:
    """A mapping from texts."""
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise InputError(f"{where} should be a mapping, not {brief(value)}.")
    return value


def sequence(value: object, where: str) -> tuple[object, ...]:
    """A list with at least one entry."""
    if not isinstance(value, Sequence) or isinstance(value, str) or not value:
        raise InputError(f"{where} should be a list with at least one entry, not {brief(value)}.")
    return tuple(value)


def whole(value: object, where: str, least: int = 1) -> int:
    """A whole number from 1, or from another least number."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= LARGEST_INTEGER:
        raise InputError(f"{where} should be a whole number from {least} to {LARGEST_INTEGER}, not {brief(value)}.")
    return value


def number(value: object, where: str) -> Fraction:
    """An exact number, never a float: "1/3", "0.3", 2 or a Fraction."""
    if isinstance(value, float):
        raise InputError(f'{where} is {brief(value)}, which is not exact; write a text such as "3/10".')
    exact = None
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        exact = Fraction(value)
    elif isinstance(value, str) and _FRACTION.fullmatch(value):
        with suppress(ZeroDivisionError):
            exact = Fraction(value)
    if exact is None:
        raise InputError(f'{where} should be a fraction such as "1/3" (up to 18 digits each way), not {brief(value)}.')
    if max(abs(exact.numerator), exact.denominator) > LARGEST_INTEGER:
        raise InputError(f"{where} is {value}: it has a term larger than {LARGEST_INTEGER}.")
    return exact


def share(value: object, where: str) -> Fraction:
    """An exact number from 0 to 1."""
    exact = number(value, where)
    if not 0 <= exact <= 1:
        raise InputError(f"{where} is {value}, outside [0, 1].")
    return exact


def only_keys(entries: Mapping[str, object], needed: Set[str], where: str, optional: Set[str] = frozenset()) -> None:
    """Refuse what this version does not understand, and what it needs and does not find."""
    if unknown := sorted(entries.keys() - needed - optional):
        known = ", ".join(sorted(needed | optional))
        raise InputError(f"{where} has the unknown key {brief(unknown[0])}; known are {known}.")
    if missing := sorted(needed - entries.keys()):
        raise InputError(f"{where} lacks the key {missing[0]!r}.")


def _read_json(release: ReleaseFolder) -> Mapping[str, object]:
    where = release.path / NAME
    try:
        found = release.file(NAME)
    except InputError:
        if os.path.lexists(where):
            raise
        raise InputError(f"{where}: there is no certificate to read; give the folder of a release.") from None
    try:
        if found.stat().st_size > MOST_BYTES:
            raise InputError(f"{where}: a certificate of more than {MOST_BYTES >> 20} megabytes is not read.")
        entries: object = json.loads(found.read_text(encoding="utf-8"), object_pairs_hook=_unambiguous)
    except OSError as error:
        raise InputError(f"{where}: the certificate cannot be read ({error.strerror}).") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not a JSON document ({brief(str(error))}).") from error
    return mapping(entries, NAME)


def _unambiguous(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """JSON lets a key occur twice and readers differ on which one counts; here neither does."""
    entries: dict[str, object] = {}
    for key, value in pairs:
        if key in entries:
            raise ValueError(f"the key {brief(key)} occurs twice")
        key.encode()  # a lone surrogate is valid JSON but not text: it fails here, not deep inside DuckDB
        entries[key] = value
    return entries
