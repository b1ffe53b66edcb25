"""Columns of our own as Arrow arrays, made from their bytes.

`pyarrow.array` asks about everything it is given whether it is of pandas, and loads pandas to ask, where it is
installed: a quarter of a second that a small publication need not take.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa


def texts(values: Sequence[str | None]) -> Any:
    """An array of text; None is a missing value."""
    encoded = [b"" if value is None else value.encode() for value in values]
    offsets = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    present = np.packbits([value is not None for value in values], bitorder="little")
    buffers = [pa.py_buffer(part) for part in (present, offsets, b"".join(encoded))]
    return pa.Array.from_buffers(pa.large_string(), len(encoded), buffers)


def numbers(values: np.ndarray[Any, Any]) -> Any:
    """An array of whole numbers of the same width, in the same memory where they lie in one piece."""
    contiguous = np.ascontiguousarray(values)
    return pa.Array.from_buffers(
        pa.from_numpy_dtype(contiguous.dtype), len(contiguous), [None, pa.py_buffer(contiguous)]
    )
