"""Has the compiled loops ready before the clock of a search starts.

They are compiled once per machine, which takes some seconds, and kept on disk; from then on they only load.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from discreet.encode import EncodedTable
from discreet.models import PartitionLimits
from discreet.search.table.l_plus_optimize import l_plus_optimize
from discreet.search.table.space import TableProblem
from discreet.taxonomy import Taxonomy


def warm_up() -> None:
    """Searches a table of two records that differ in everything, which takes every loop there is.

    Without suppression there is no warm start to find the optimum beforehand, so the search has to branch.
    """
    taxonomy = Taxonomy.from_paths("toy", [("a", "*"), ("b", "*")])
    either = np.array([0, 1], np.int32)
    table = EncodedTable(
        attributes=("one", "other"),
        taxonomies=(taxonomy, taxonomy),
        leaves=np.stack([either, either]),
        sensitive=either,
        classes=np.zeros(2, np.int32),
        counts=np.ones(2, np.int64),
        sensitive_values=("s", "t"),
        class_values=("",),
    )
    l_plus_optimize(TableProblem(table, PartitionLimits((Fraction(1), Fraction(1))), "none", "lm"))
