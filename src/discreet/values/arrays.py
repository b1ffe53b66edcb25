"""Arrays of whole numbers, and columns of them as one number each."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

LARGEST_CODE = 1 << 62


def column_codes(columns: npt.NDArray[np.integer]) -> Int64s:
    """One number for each column of a 2-d array of non-negative integers: equal exactly for equal columns."""
    codes = np.zeros(columns.shape[1], np.int64)
    highest = 0
    for row in columns:
        width = int(row.max(initial=0)) + 1
        if (highest + 1) * width >= LARGEST_CODE:
            codes = np.unique(codes, return_inverse=True)[1]
            highest = int(codes.max())
        codes = codes * width + row
        highest = (highest + 1) * width - 1
    return codes
