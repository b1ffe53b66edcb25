"""mOG: KL(m,n)-privacy in rounds of growing power, each on what the previous round left.

Paper: Liu 2010, 4.4.2. First the optimal cut for one present item, then, among the cuts above it, for two, and so on up
to m; then for one absent leaf up to n. Early rounds meet only small itemsets, late ones only few items.

Promises: the release is valid; it is not optimal, but usually close. The proven bound is that of the first round, which
holds for every valid cut; only where a single round does it all is the result proved optimal.

Costs: m + n times OG on ever fewer items.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from discreet.models.itemset_limits import ItemsetLimits
from discreet.search.events import Listener, ignore
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.transactions.og import search_cut
from discreet.search.transactions.optimal_cut import Optimum
from discreet.search.transactions.problem import TransactionProblem
from discreet.search.transactions.view import Bools


def mog(
    problem: TransactionProblem,
    limits: Limits | None = None,
    random: np.random.Generator | None = None,
    listen: Listener = ignore,
) -> SearchResult:
    """Finds a valid cut in rounds. Nothing in it is random."""
    limits = limits or Limits()
    transactions = problem.transactions
    longest = max(1, int(transactions.sets.sizes.max(initial=0)))
    leaves = transactions.taxonomy.leaf_count(0)

    def rounds(asked: ItemsetLimits, everything: Bools, solve: Callable[[ItemsetLimits, Bools], Optimum]) -> Optimum:
        # Nobody can know more items of a set than it has, nor more absent ones than there are.
        present, absent = min(asked.present, longest), min(asked.absent, leaves)
        powers = [(number, 0) for number in range(1, present + 1)]
        powers += [(present, number) for number in range(1, absent + 1)]
        total: Optimum | None = None
        may_be_specialized = everything
        for power in powers:
            if limits.is_over and total is not None:  # the cut so far is not valid for the power that is asked for
                may_be_specialized, power = np.zeros_like(everything), powers[-1]
            optimum = solve(replace(asked, present=power[0], absent=power[1]), may_be_specialized)
            total = optimum if total is None else _together(total, optimum)
            if power == powers[-1]:
                break
            may_be_specialized = optimum.specialized
        assert total is not None
        return total

    return search_cut(problem, limits, listen, rounds)


def _together(before: Optimum, after: Optimum) -> Optimum:
    """The later cut with the work of both; what bounds the first round bounds all cuts."""
    return replace(
        after,
        bound=min(before.bound, after.cost),
        tests=before.tests + after.tests,
        clauses=before.clauses + after.clauses,
        rounds=before.rounds + after.rounds,
        itemsets_examined=before.itemsets_examined + after.itemsets_examined,
        cuts_examined=before.cuts_examined + after.cuts_examined,
        by_programme=before.by_programme or after.by_programme,
    )
