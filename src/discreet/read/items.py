"""Files of items, one per line, as a policy names them."""

from __future__ import annotations

import re
from pathlib import Path

from discreet.errors import InputError


def read_items(path: Path) -> list[str]:
    """The items of a file with one per line."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"sensitive: {path}: there is no such file of items; check the path.") from None
    except OSError as error:
        raise InputError(f"sensitive: {path}: the file of items cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise InputError(f"sensitive: {path}: line {line} is not UTF-8; save the file as UTF-8.") from None
    items = [line.strip() for line in re.split(r"\r\n|\r|\n", text) if line.strip()]
    if not items:
        raise InputError(f"sensitive: {path}: the file has no items; write one per line, or leave out the key.")
    return items
