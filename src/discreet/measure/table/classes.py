"""The sizes of the equivalence classes before and after, for the steward's result."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.encode.released_table import ReleasedTable
from discreet.encode.table import EncodedTable
from discreet.measure.table.comparison import numbered, weighted_counts
from discreet.values.arrays import Int64s

BIN_STARTS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def classes(original: EncodedTable, release: ReleasedTable) -> dict[str, dict[str, Any]]:
    """How many groups of records with the same quasi-identifiers there are, by size; all 0 where there are none."""
    return {
        "before": _sizes(weighted_counts(numbered(original.leaves), original.counts)),
        "after": _sizes(weighted_counts(numbered(release.nodes), release.counts)),
    }


def _sizes(sizes: Int64s) -> dict[str, Any]:
    bins = []
    for start, stop in zip(BIN_STARTS, (*BIN_STARTS[1:], None), strict=True):
        inside = sizes[(sizes >= start) & (sizes < stop)] if stop else sizes[sizes >= start]
        bins.append(
            {"from": start, "to": stop - 1 if stop else None, "classes": len(inside), "records": int(inside.sum())}
        )
    some = len(sizes) > 0
    return {
        "count": len(sizes),
        "smallest": int(sizes.min()) if some else 0,
        "median": float(np.median(sizes)) if some else 0.0,
        "average": float(sizes.mean()) if some else 0.0,
        "largest": int(sizes.max()) if some else 0,
        "sizes": bins,
    }
