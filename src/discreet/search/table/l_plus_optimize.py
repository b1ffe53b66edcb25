"""l+-Optimize: the best release of a table that keeps its promise, proved.

Paper: Liu 2010, chapter 3. Depth-first branch and bound over the cut enumeration tree, with all five
suppression schemes and the losses lm, dm and cm.

Promises: status `optimal` means no cut of the quasi-identifiers' taxonomies gives a release of lower loss under
the chosen suppression scheme; otherwise `bound` is what no cut can go below.

Needs: the distinct combinations of the table in memory, some hundred bytes each.

Additions to the thesis, none of which can lose the optimum:
- one attribute is solved by a dynamic programme instead of branching (table/space);
- a warm start by coordinate descent (table/coordinate_descent): only cuts that exist, with their real costs;
- bounds (kernels/partition_price): the greatest lawful remainder for all-sa, levelling for dm with vio-rec,
  where the thesis's own bound is wrong, and atoms for dm and cm;
- groups that no open value can split any more are settled once, and a decision stops being worked out as soon as
  its bound reaches the cutoff (kernels/refinement);
- a limit on what is suppressed, with bounds of its own (table/capped);
- values that do not occur, and the choice between a node and its only occurring child, are not searched
  (cut_enumeration).

Costs: at worst, all cuts. With few distinct combinations a node costs microseconds, whatever the number of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import partial

import numpy as np

from discreet.errors import NoReleaseError
from discreet.recode.table.recoded import ByCuts
from discreet.search.branch_and_bound import Outcome, Space, ValueCut, branch_and_bound
from discreet.search.cut_enumeration import count_all_cuts
from discreet.search.events import Listener, SearchEvent, ignore
from discreet.search.incumbents import Incumbents
from discreet.search.limits import Limits
from discreet.search.results import Found, SearchResult
from discreet.search.table.capped import CappedSpace
from discreet.search.table.coordinate_descent import capped_warm_start, most_general_cut, warm_start
from discreet.search.table.problem import TableProblem, exact_cost, none_within, release_of, why_none
from discreet.search.table.space import FULL, PreparedTable, TableSpace, Techniques


def l_plus_optimize(
    problem: TableProblem,
    limits: Limits | None = None,
    random: np.random.Generator | None = None,
    listen: Listener = ignore,
    *,
    top_h: int = 1,
    techniques: Techniques = FULL,
) -> SearchResult:
    """Finds the top_h best releases. random only chooses where the warm start begins."""
    limits = limits or Limits()
    random = random or np.random.default_rng()
    prepared = PreparedTable.of(problem, techniques, merge_only_children=top_h == 1)
    forest = prepared.forest

    def identity(values: ValueCut) -> Hashable:
        return _published(problem, ByCuts(forest.cuts(values)))

    incumbents: Incumbents[ValueCut] = Incumbents(most=top_h, identity=identity)
    events: list[SearchEvent] = []

    def note(event: SearchEvent) -> None:
        events.append(event)
        listen(event)

    space: Callable[[], Space]
    most = problem.most_suppressed
    if most is None or problem.scheme == "none":
        if not most_general_cut(prepared, incumbents):
            raise NoReleaseError(why_none(problem))
        # Without suppression the bound alone prunes nearly everything: a warm start would take longer.
        if techniques.warm_start and problem.scheme != "none":
            warm_start(prepared, incumbents, limits, random)
        space = partial(TableSpace, prepared, prepared.programmed_attribute())
    else:
        surcharge = capped_warm_start(prepared, incumbents, limits, most)
        # A space with a limit hands out one cut of the programmed attribute only.
        programmed = prepared.programmed_attribute() if top_h == 1 else len(forest.trees)
        space = partial(CappedSpace.of, prepared, programmed, most, surcharge)
    outcome = Outcome(bound=None, examined=0, finished=False)
    if not (limits.is_over and incumbents.ranked):  # when time is up, nobody waits until millions of rows are set up
        outcome = branch_and_bound(space(), incumbents, limits, note, tighten=techniques.tighten)
    if not incumbents.ranked:
        raise NoReleaseError(none_within(problem, outcome.finished))
    found = tuple(
        Found(recoded, exact_cost(problem, recoded))
        for recoded in (ByCuts(forest.cuts(values)) for _, _, values in incumbents.ranked)
    )
    bound = Fraction(0 if outcome.bound is None else outcome.bound, prepared.unit)
    return SearchResult(
        found=found,
        status="optimal" if bound + prepared.rounding >= found[-1].cost else "feasible",
        bound=bound,
        rounding=prepared.rounding,
        cuts_total=count_all_cuts(problem.table.taxonomies),
        cuts_examined=outcome.examined,
        seconds=limits.seconds,
        interrupted=limits.interrupt.is_set(),
        events=tuple(events),
    )


def _published(problem: TableProblem, recoded: ByCuts) -> Hashable:
    """The contents of a release: two cuts with the same one are the same release."""
    release = release_of(problem, recoded)
    sizes = release.sizes
    rows = np.column_stack((release.nodes, sizes, release.visible))[sizes > 0]
    return rows[np.lexsort(rows.T)].tobytes()
