"""What is asked of a table: a loss, a suppression scheme and the l of l-diversity."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

from discreet.encode.table import EncodedTable
from discreet.models.l_diversity import LDiversity
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.table.l_plus_optimize import l_plus_optimize
from discreet.search.table.problem import TableProblem
from discreet.search.table.space import FULL, Techniques


@dataclass(frozen=True)
class Question:
    loss: str
    suppression: str
    l: int  # noqa: E741 - the literature's name

    def __str__(self) -> str:
        return f"{self.loss} {self.suppression} {self.l}"

    def answer(
        self, table: EncodedTable, time_limit: float | None = None, techniques: Techniques = FULL
    ) -> SearchResult:
        """The search's result; its seconds are those of the search alone."""
        limits = LDiversity(self.l).demand(table.sensitive_column)
        problem = TableProblem(table, limits, self.suppression, self.loss)
        random = np.random.default_rng(0)
        return l_plus_optimize(problem, Limits(time_limit), random=random, techniques=techniques)


def report_progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
