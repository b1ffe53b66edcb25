"""What the publications of all kinds of data have in common."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from discreet.errors import PromiseBrokenError
from discreet.verify import Verdict, verify_release

CERTIFICATE_FORMAT = "discreet-certificate/1"


def verified(
    folder: Path, promise: list[dict[str, object]], stated: list[dict[str, object]], *, searched: bool
) -> Verdict:
    """The verdict on the promise as it was made and, where the certificate states a weaker one, on that too."""
    for wanted in [promise] if promise == stated else [promise, stated]:
        verdict = verify_release(folder, wanted)
        if not verdict.holds and searched:
            raise PromiseBrokenError(
                "The release does not keep its promise, so nothing was published: "
                f"{verdict.breaches[0].sentence} This is a defect of discreet; please report it."
            )
        if not verdict.holds:
            raise PromiseBrokenError(
                "With this recoding the data do not keep the promise, so nothing was published: "
                f"{verdict.breaches[0].sentence} Publish them without --recoding, which searches one of its own."
            )
    return verdict


def slug(name: str) -> str:
    """A column name as part of a file name on any system."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "column"


def write_json(path: Path, document: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
