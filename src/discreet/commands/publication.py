"""What a folder that publish wrote looks like: to be sure that nothing else is replaced.

A publication is recognized by what discreet writes into it: a certificate, the files that the certificate names, a
result and the other files of the steward, and nothing besides. Names in the certificate are only compared with those of
the files that are there, so it cannot name anything outside.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from discreet.kinds import KINDS
from discreet.private_folders import UNFINISHED
from discreet.report.document import FORMAT as RESULT_FORMAT

RELEASE, STEWARD = "release", "steward"
CERTIFICATE, CERTIFICATE_FORMAT = "certificate.json", "discreet-certificate/1"
RESULT, REPORT, ATTACK = "result.json", "report.html", "attack.json"
RULE = ("recoding.json", "mapping.csv")
NAMING = ("data", "taxonomy", "sensitive_data")
"""The keys of a certificate, at any depth, whose texts are names of files."""


def strange_in(folder: Path) -> str | None:
    """Why a folder is not a publication, or not only one, as the end of a sentence about it; None if it is one."""
    if folder.is_symlink() or not folder.is_dir():
        return "it is not a folder"
    certificate = _read(folder / RELEASE / CERTIFICATE)
    if certificate.get("format") != CERTIFICATE_FORMAT:
        return f"it has no {RELEASE}/{CERTIFICATE} of discreet's"
    result = _read(folder / STEWARD / RESULT)
    if result.get("format") != RESULT_FORMAT:
        return f"it has no {STEWARD}/{RESULT} of discreet's"
    known = {*_published(certificate), *_kept()}
    known |= {str(above) for name in known for above in PurePosixPath(name).parents}
    for name, is_plain in _entries(folder):
        if name not in known or not is_plain:
            return f"it holds {name!r}, which discreet did not write"
    return None


def _published(certificate: Mapping[str, Any]) -> Iterator[str]:
    """The files in a release that its certificate accounts for."""
    yield f"{RELEASE}/{CERTIFICATE}"
    for key, value in certificate.items():
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, Mapping):
                yield from _published(part)
            elif isinstance(part, str) and key in NAMING:
                yield f"{RELEASE}/{part}"


def _kept() -> Iterator[str]:
    """The files that the steward may have, whatever the kind of data."""
    for name in (RESULT, REPORT, ATTACK, *RULE):
        yield f"{STEWARD}/{name}"
    for kind in KINDS.values():
        yield from (name for name in kind.files if name.startswith(f"{STEWARD}/"))


def _entries(folder: Path, place: str = "") -> Iterator[tuple[str, bool]]:
    """Everything in it by its path, and whether it is a plain file or folder; no link is followed.

    Left out are the steward's private folders, in which an attack is written or was when its process was killed.
    """
    for path in sorted(folder.iterdir()):
        if path.is_symlink() or not path.is_dir():
            yield f"{place}{path.name}", path.is_file() and not path.is_symlink()
        elif place != f"{STEWARD}/" or not UNFINISHED.fullmatch(path.name):
            yield f"{place}{path.name}", True
            yield from _entries(path, f"{place}{path.name}/")


def _read(path: Path) -> Mapping[str, Any]:
    """A JSON document, empty where there is none."""
    try:
        if path.is_symlink() or not path.is_file():
            return {}
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, Mapping) else {}
