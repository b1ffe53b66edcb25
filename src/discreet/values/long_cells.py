"""Cells of any length: a label is a cell of the original, and the csv module alone would stop at 131,072 characters."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager

LONGEST_CELL = 1 << 30


@contextmanager
def long_cells() -> Iterator[None]:
    """Lets the csv module read them; its limit applies to the whole process, so it is restored."""
    limit = csv.field_size_limit(LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(limit)
