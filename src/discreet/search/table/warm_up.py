"""Gets the compiled loops ready before the clock of a search starts.

They are compiled once per machine, which takes some seconds, and kept on disk; from then on they only load.
"""

from __future__ import annotations

import numpy as np

from discreet.encode.table import EncodedTable
from discreet.losses.table import TABLE_LOSSES
from discreet.methods.table import TABLE_METHODS, TableMethod
from discreet.models.table import TableModel
from discreet.policy import TablePolicy
from discreet.search.limits import Limits
from discreet.search.table.problem import TableProblem
from discreet.taxonomy import Taxonomy


def warm_up(policy: TablePolicy) -> None:
    warm_up_method(policy.search.declared())


def warm_up_method(method: TableMethod = TABLE_METHODS["l-plus-optimize"]) -> None:
    """Searches a table of two records that differ in everything, which runs every loop there is.

    Without suppression there is no warm start to find the optimum beforehand, so the search has to branch.
    """
    taxonomy = Taxonomy.from_paths("toy", [("0", "*"), ("1", "*")])
    either = np.array([0, 1], np.int32)
    table = EncodedTable(
        attributes=("one", "other"),
        taxonomies=(taxonomy, taxonomy),
        leaves=np.stack([either, either]),
        sensitive=either,
        classes=np.zeros(2, np.int32),
        counts=np.ones(2, np.int64),
        sensitive_values=("0", "1"),
        class_values=("",),
        labels=dict.fromkeys(("one", "other"), method.labels[0]),
    )
    promises: tuple[TableModel, ...] = method.warmed_up_by
    for promise in promises:
        loss = next(name for name, loss in TABLE_LOSSES.items() if method.minimizes(loss))
        problem = TableProblem(table, promise.demand(table.sensitive_column), "none", loss)
        for options in method.warmed_up_with:
            method.function(problem, Limits(), **options)
