"""From an encoded table to how it shall be published: by a search, or by a recoding found before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.encode.reading import Encoding
from discreet.engine import STAR
from discreet.errors import InputError
from discreet.losses import LOSSES
from discreet.models import strictest
from discreet.policy import TablePolicy
from discreet.recode.recoding import Recoding
from discreet.search.events import Listener, ignore
from discreet.search.interrupt import noted_interrupt
from discreet.search.limits import Limits
from discreet.search.results import Found, SearchResult
from discreet.search.table.l_plus_optimize import exact_cost, l_plus_optimize
from discreet.search.table.space import TableProblem


@dataclass(frozen=True)
class Solved:
    """A table, encoded, and how it shall be published."""

    policy: TablePolicy
    columns: tuple[str, ...]
    encoding: Encoding
    problem: TableProblem
    found: tuple[Found, ...]
    """the best releases, or the one that a recoding prescribes"""
    search: SearchResult | None
    """None where a recoding was applied and nothing searched"""
    warnings: tuple[str, ...]


def search(
    policy: TablePolicy,
    columns: tuple[str, ...],
    encoding: Encoding,
    random: np.random.Generator,
    listen: Listener = ignore,
) -> Solved:
    """Searches the best release of an encoded table."""
    encoding = _as_searched(policy, encoding.collapsed())
    problem = problem_of(policy, encoding)
    with noted_interrupt() as interrupt:
        found = l_plus_optimize(
            problem,
            Limits(policy.search.time_limit, policy.search.alpha, interrupt),
            top_h=policy.search.top_h,
            random=random,
            listen=listen,
        )
    return Solved(policy, columns, encoding, problem, found.found, found, _warnings(policy, encoding))


def apply(recoding: Recoding, policy: TablePolicy, columns: tuple[str, ...], encoding: Encoding) -> Solved:
    """Takes the release that a recoding found elsewhere gives of this table.

    Its cuts may name any node of a one-child chain, so these chains stay.
    """
    encoding = _as_searched(policy, encoding)
    problem = problem_of(policy, encoding)
    cuts = recoding.cuts_of(encoding)
    found = (Found(cuts, exact_cost(problem, cuts)),)
    return Solved(policy, columns, encoding, problem, found, None, _warnings(policy, encoding))


def _as_searched(policy: TablePolicy, encoding: Encoding) -> Encoding:
    """Classes told apart only where the loss looks at them: fewer combinations are faster."""
    return encoding if LOSSES[policy.search.loss].needs_class else encoding.without_class()


def problem_of(policy: TablePolicy, encoding: Encoding) -> TableProblem:
    """What a search is asked: the table, what every group has to keep, the scheme and the loss."""
    sensitive = encoding.table.sensitive_column
    if STAR in sensitive.values and policy.sensitive:
        raise InputError(
            f"{policy.sensitive}: the value '*' occurs in the data, but in a release it stands for suppressed values; "
            "rename it."
        )
    limits = strictest([model.limits(sensitive) for model in policy.privacy])
    return TableProblem(
        encoding.table, limits, policy.search.suppression, policy.search.loss, policy.search.guard_stars
    )


def _warnings(policy: TablePolicy, encoding: Encoding) -> tuple[str, ...]:
    sensitive = encoding.table.sensitive_column
    return (*encoding.warnings, *(text for model in policy.privacy for text in model.warnings(sensitive)))
