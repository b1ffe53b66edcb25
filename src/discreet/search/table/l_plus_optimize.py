"""l+-Optimize: the best release of a table that keeps its promise, proved.

Paper: Liu 2010, chapter 3. Depth-first branch and bound over the cut enumeration tree, with all five
suppression schemes and the losses lm, dm and cm.

Promises: status `optimal` means no cut of the quasi-identifiers' taxonomies gives a release of lower loss under
the chosen suppression scheme; otherwise `bound` is what no cut can go below.

Needs: the distinct combinations of the table in memory, some hundred bytes each.

Beyond the thesis, each of them unable to lose the optimum:
- one attribute is solved by a dynamic programme instead of branching (table/space);
- a warm start by coordinate descent (table/coordinate_descent): only cuts that exist, with their real costs;
- bounds (kernels/partition_price): the greatest lawful remainder for all-sa, levelling for dm with vio-rec,
  where the thesis's own bound is wrong, and atoms for dm and cm;
- groups that no open value can split any more are settled once, and a decision stops being worked out as soon as
  its bound reaches the cutoff (kernels/refinement);
- values that do not occur, and the choice between a node and its only occurring child, are not searched
  (cut_enumeration).

Costs: worst case all cuts. With few distinct combinations a node costs microseconds, whatever the number of rows.
"""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction

import numpy as np

from discreet.errors import NoReleaseError
from discreet.recode.suppression import Suppressed, suppress
from discreet.search.branch_and_bound import ValueCut, branch_and_bound
from discreet.search.cut_enumeration import count_all_cuts
from discreet.search.events import Listener, SearchEvent, ignore
from discreet.search.incumbents import Incumbents
from discreet.search.limits import Limits
from discreet.search.results import Found, SearchResult
from discreet.search.table.coordinate_descent import most_general_cut, warm_start
from discreet.search.table.space import FULL, PreparedTable, TableProblem, TableSpace, Techniques
from discreet.taxonomy import Cut


def l_plus_optimize(
    problem: TableProblem,
    limits: Limits | None = None,
    top_h: int = 1,
    random: np.random.Generator | None = None,
    listen: Listener = ignore,
    techniques: Techniques = FULL,
) -> SearchResult:
    """Finds the top_h best releases. random only chooses where the warm start begins."""
    limits = limits or Limits()
    random = random or np.random.default_rng()
    prepared = PreparedTable.of(problem, techniques, merge_only_children=top_h == 1)
    forest = prepared.forest

    def identity(values: ValueCut) -> Hashable:
        return _published(problem, forest.cuts(values))

    incumbents: Incumbents[ValueCut] = Incumbents(most=top_h, identity=identity)
    events: list[SearchEvent] = []

    def note(event: SearchEvent) -> None:
        events.append(event)
        listen(event)

    if not most_general_cut(prepared, incumbents):
        raise NoReleaseError(_why_none(problem))
    # Without suppression the bound alone prunes nearly everything: a warm start would take longer.
    if techniques.warm_start and problem.scheme != "none":
        warm_start(prepared, incumbents, limits, random)
    space = TableSpace(prepared, prepared.programmed_attribute())
    outcome = branch_and_bound(space, incumbents, limits, note, tighten=techniques.tighten)
    found = tuple(
        Found(cuts, exact_cost(problem, cuts)) for cuts in (forest.cuts(values) for _, _, values in incumbents.ranked)
    )
    bound = Fraction(0 if outcome.bound is None else outcome.bound, prepared.unit)
    return SearchResult(
        found=found,
        status="optimal" if bound >= found[-1].cost else "feasible",
        bound=bound,
        cuts_total=count_all_cuts(problem.table.taxonomies),
        cuts_examined=outcome.examined,
        seconds=limits.seconds,
        interrupted=limits.interrupt.is_set(),
        events=tuple(events),
    )


def release_of(problem: TableProblem, cuts: tuple[Cut, ...]) -> Suppressed:
    """What the cuts publish under the problem's suppression scheme."""
    return suppress(
        problem.table.partitions(cuts),
        problem.limits,
        problem.scheme,
        guard_stars=problem.guard_stars,
        prefer_classes=problem.loss.needs_class,
    )


def exact_cost(problem: TableProblem, cuts: tuple[Cut, ...]) -> Fraction:
    """The loss of a cut by definition, apart from all the search's own arithmetic."""
    return problem.loss.cost(problem.table, release_of(problem, cuts))


def _published(problem: TableProblem, cuts: tuple[Cut, ...]) -> Hashable:
    """The contents of a release: two cuts with the same one are the same release."""
    release = release_of(problem, cuts)
    sizes = release.sizes
    rows = np.column_stack((release.nodes, sizes, release.visible))[sizes > 0]
    return rows[np.lexsort(rows.T)].tobytes()


def _why_none(problem: TableProblem) -> str:
    """The sentence for a promise that even the most general release breaks."""
    column = problem.table.sensitive_column
    rows = problem.table.rows
    if rows < problem.limits.smallest:
        return (
            f"No release keeps the promise: the table has {rows} records and every group needs "
            f"{problem.limits.smallest}."
        )
    worst = next(
        (value, count, share)
        for value, count, share in zip(column.values, column.counts, problem.limits.shares, strict=True)
        if count * share.denominator > share.numerator * rows
    )
    return (
        f"No release keeps the promise without suppression: {worst[0]!r} is in {worst[1]} of all {rows} records, "
        f"more than its threshold {worst[2]}; raise the threshold or set search.suppression."
    )
