"""What a search on a table is asked for, and what a cut of the table would publish."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from discreet.encode.table import EncodedTable, column_of, told_of
from discreet.errors import InputError
from discreet.losses.table import TABLE_LOSSES, TableLoss
from discreet.models.cones import ConeDemand
from discreet.models.demands import together
from discreet.models.partition_limits import Demand, PartitionLimits
from discreet.models.table import TableModel
from discreet.policy import TablePolicy
from discreet.recode.table.recoded import Recoded
from discreet.recode.table.suppression import suppress
from discreet.values.partitions import Suppressed

LARGEST_PRODUCT = 1 << 62
"""Counts times the terms of a share stay below this, so 64-bit arithmetic is exact."""


@dataclass(frozen=True)
class TableProblem:
    """A table, what is demanded of its partitions, a suppression scheme, a loss, and how much may be suppressed."""

    table: EncodedTable
    demand: Demand
    scheme: str
    loss_name: str
    guard_stars: bool = False
    weights: tuple[Fraction, ...] = ()
    """how much the detail of each attribute counts; 1 for each if nothing is said"""
    max_suppressed: Fraction | None = None
    """the largest share of the records that may be deleted, or have their sensitive value suppressed"""

    def __post_init__(self) -> None:
        if not self.weights:
            object.__setattr__(self, "weights", (Fraction(1),) * len(self.table.attributes))

    @classmethod
    def asked(cls, policy: TablePolicy, table: EncodedTable, demand: Demand) -> TableProblem:
        """What a policy asks for, of a table of which so much is demanded."""
        search = policy.search
        return cls(
            table,
            demand,
            search.suppression,
            search.loss,
            search.guard_stars,
            tuple(policy.attributes[name].weight for name in table.attributes),
            search.max_suppressed,
        )

    @property
    def most_suppressed(self) -> int | None:
        """So many records may be deleted or lose their sensitive value; None for any number."""
        return None if self.max_suppressed is None else int(self.max_suppressed * self.table.rows)

    @property
    def loss(self) -> TableLoss:
        return TABLE_LOSSES[self.loss_name]

    @property
    def limits(self) -> PartitionLimits:
        """What is demanded of shares and sizes, where that and cones are all."""
        if isinstance(self.demand, ConeDemand):
            return self.demand.limits
        if not isinstance(self.demand, PartitionLimits):
            raise TypeError("The promise does not consist of limits and cones.")
        return self.demand

    def check_digits(self) -> None:
        """Refuses shares that cannot be compared exactly with this many rows."""
        match self.demand:
            case PartitionLimits(denominators=denominators):
                factor = max(denominators)
            case ConeDemand(largest_factor=factor):
                pass
            case _:
                factor = max(share.denominator for share in self.demand.shares)
        if factor * self.table.rows >= LARGEST_PRODUCT:
            raise InputError(
                "privacy.thresholds: a threshold with this many digits cannot be compared exactly in a table of "
                f"{self.table.rows} rows; write it with fewer digits."
            )


def demand_of(promises: Sequence[TableModel], table: EncodedTable) -> Demand:
    """What promises demand of the groups of a table, in terms of its sensitive values."""
    demands: list[Demand] = []
    for model in promises:
        told, demand = told_of(model, table), model.demand(column_of(model, table))
        if told is not None and table.is_joint:
            if not isinstance(demand, PartitionLimits):
                raise InputError(
                    f"privacy: {model.name} is about one sensitive value in each record, and here a record has "
                    "several; leave it out, or publish with one sensitive column and one row for each person."
                )
            demand = demand.lifted(told.having(), len(table.sensitive_values))
        demands.append(demand)
    return together(demands)


def release_of(problem: TableProblem, recoded: Recoded) -> Suppressed:
    """What a recoding publishes under the problem's suppression scheme."""
    return suppress(
        recoded.partitions(problem.table),
        problem.demand,
        problem.scheme,
        guard_stars=problem.guard_stars,
        prefer_classes=problem.loss.needs_class,
    )


def exact_cost(problem: TableProblem, recoded: Recoded) -> Fraction:
    """The loss of a recoding by definition, apart from all the search's own arithmetic."""
    values = recoded.published_values(problem.table)
    return problem.loss.cost(values, release_of(problem, recoded), problem.weights)


def why_none(problem: TableProblem) -> str:
    """The sentence for a promise that even the most general release breaks."""
    column, rows, demand = problem.table.sensitive_column, problem.table.rows, problem.demand
    if too_few := why_too_few(problem):
        return too_few
    for value, count, share in zip(column.values, column.counts, demand.shares, strict=True):
        if count * share.denominator > share.numerator * rows:
            return (
                f"No release keeps the promise without suppression: {value!r} is in {count} of the {rows} records, "
                f"more than its threshold {share}; raise the threshold or set search.suppression."
            )
    return (
        f"No release keeps the promise without suppression: even all {rows} records together break it; relax the "
        "promise or set search.suppression."
    )


def why_too_few(problem: TableProblem) -> str:
    """The sentence for a table that is smaller than any group may be; nothing where it is not."""
    rows, smallest = problem.table.rows, problem.demand.smallest
    if rows >= smallest:
        return ""
    return (
        f"No release keeps the promise: the table has {rows} records and every group needs {smallest}; relax the "
        "promise, or publish more records."
    )


def none_within(problem: TableProblem, finished: bool) -> str:
    """The sentence where no release was found that suppresses so little; finished: and where there is none."""
    share = problem.max_suppressed
    if finished:
        return (
            f"No release keeps the promise with at most {share} of the {problem.table.rows} records suppressed: every "
            "cut needs more; raise search.max_suppressed or relax the promise."
        )
    return (
        f"The search ended before it found a release with at most {share} of the records suppressed, and does not know "
        "whether there is one; give it more time or raise search.max_suppressed."
    )
