"""What the writer of a release hands over, whatever the kind of data."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from discreet.errors import InputError


@dataclass(frozen=True)
class Written:
    """A release whose data and taxonomies are written; the certificate is not, yet."""

    entries: Mapping[str, Any]
    """what the certificate says before the method: the files, and the promise as it states it"""
    promise: list[dict[str, object]]
    """the promise as it was made; the one in the entries may be weaker"""
    rows: int
    """how many records were meant to be published"""
    more: Mapping[str, Any] = field(default_factory=dict)
    """what it says after the method"""


def slug(name: str) -> str:
    """A column name as part of a file name on any system."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "column"


def write_json(path: Path, document: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def read_rule(path: str | Path) -> Any:
    """What is in a recoding.json; whether it is a rule, the kind of data has to say."""
    try:
        written = json.loads(Path(path).read_text(encoding="utf-8"))
        json.dumps(written, ensure_ascii=False).encode("utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); name a recoding.json.") from error
    except UnicodeEncodeError as error:
        raise InputError(
            f"{path} holds half a character (\\u{ord(error.object[error.start]):04x}), which no file can hold; name a "
            "recoding.json that publish wrote."
        ) from None
    except ValueError as error:
        raise InputError(f"{path} is not JSON ({error}); name a recoding.json that publish wrote.") from error
    except RecursionError:
        raise InputError(f"{path} is nested too deeply; name a recoding.json that publish wrote.") from None
    return written
