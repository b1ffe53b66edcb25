"""OG: the cheapest cut of the items' taxonomy that keeps KL(m,n)-privacy, proved.

Paper: Liu 2010, chapter 4 (Algorithm 4.1). Full-subtree generalization: one cut for all transactions, so that an item
and its ancestor never both occur.

Promises: status `optimal` means that no valid cut loses less; otherwise `bound` is what none can go below. Keeps
kl-privacy, km-anonymity and coherence: all are limits on the itemsets that an adversary knows.

Needs: the distinct transactions in memory, some tens of bytes for each item of each.

Additions to the paper, none of which can lose the optimum (proofs in the modules):
- nodes that no valid cut specializes are found first, one test each (locking), which leaves tens of items of thousands;
- a threat is a clause over nodes (kernels/threats), so threats that forbid the same are one;
- threats are looked for at the cut that is cheapest so far instead of everywhere (optimal_cut);
- clauses in balance go to a mixed-integer programme (clauses).
And unlike the paper: a first item that is in every transaction is not skipped (pruning III there loses threats), and
where {root} is a threat there is no release at all.

Costs: exponential in m + n in the worst case. On sparse data time grows with the number of item occurrences.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from discreet.errors import NoReleaseError
from discreet.models.itemset_limits import ItemsetLimits
from discreet.models.transactions import ItemsetModel
from discreet.recode.transactions.recoded import Recoded
from discreet.search.cut_enumeration import count_all_cuts
from discreet.search.events import Listener, SearchEvent, ignore
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.transactions.optimal_cut import Optimum, Priced, cut_of, optimal_cut
from discreet.search.transactions.problem import TransactionProblem
from discreet.search.transactions.view import Bools, Rows

Solve = Callable[[ItemsetLimits, Bools, Callable[[int, int, int], None]], Optimum]


def og(
    problem: TransactionProblem,
    limits: Limits | None = None,
    random: np.random.Generator | None = None,
    listen: Listener = ignore,
) -> SearchResult:
    """Finds the cheapest valid cut. Nothing in it is random."""
    return search_cut(problem, limits or Limits(), listen, lambda asked, everything, solve: solve(asked, everything))


def search_cut(
    problem: TransactionProblem,
    limits: Limits,
    listen: Listener,
    rounds: Callable[[ItemsetLimits, Bools, Callable[[ItemsetLimits, Bools], Optimum]], Optimum],
) -> SearchResult:
    """Runs a method made of one or several questions for an optimal cut.

    rounds(asked, everything, solve): asks solve(limits, nodes that may be specialized) and returns the last answer.
    """
    transactions, taxonomy = problem.transactions, problem.transactions.taxonomy
    asked = itemset_limits(problem)
    priced = Priced.of(transactions, problem.loss)
    rows = Rows.of(transactions, asked)
    events: list[SearchEvent] = []

    def tell(cost: int, bound: int, examined: int) -> None:
        event = SearchEvent(limits.seconds, Fraction(cost, priced.unit), Fraction(bound, priced.unit), examined)
        events.append(event)
        listen(event)

    def solve(power: ItemsetLimits, may_be_specialized: Bools) -> Optimum:
        optimum = optimal_cut(rows, taxonomy, priced, power, may_be_specialized, limits, tell)
        if optimum is None:
            raise NoReleaseError(why_none(problem))
        return optimum

    everything = np.ones(len(taxonomy.labels), bool)
    optimum = rounds(asked, everything, solve)
    cut = cut_of(taxonomy, optimum.specialized)
    cost, bound = Fraction(optimum.cost, priced.unit), Fraction(optimum.bound, priced.unit)
    details = {
        "nodes_tested": optimum.tests,
        "nodes_open": optimum.free,
        "threats_kept": optimum.clauses,
        "itemsets_examined": optimum.itemsets_examined,
        "rounds": optimum.rounds,
        "by_programme": optimum.by_programme,
    }
    total = count_all_cuts([taxonomy])
    recoded, examined = Recoded.by_cut(transactions, cut), optimum.cuts_examined + optimum.rounds
    return SearchResult.ended(recoded, cost, limits, events, details, total=total, examined=examined, bound=bound)


def itemset_limits(problem: TransactionProblem) -> ItemsetLimits:
    """The limits of a promise about itemsets."""
    if not isinstance(problem.model, ItemsetModel):
        raise TypeError(f"{problem.model.name} is not a promise about itemsets.")
    return problem.model.itemset_limits()


def why_none(problem: TransactionProblem) -> str:
    """The sentence for a promise that even publishing every item as the root breaks.

    Two things can be known about the root: that a person has any item, and, where that many absent leaves may be known,
    that they have none.
    """
    transactions, limits = problem.transactions, itemset_limits(problem)
    has_items = transactions.sets.sizes > 0
    groups = [(has_items, "with items that are not sensitive")]
    if limits.absent >= transactions.taxonomy.leaf_count(0):
        groups.append((~has_items, "without any item that is not sensitive"))
    for inside, which in groups:
        support = int(transactions.counts[inside].sum())
        if 0 < support < limits.smallest:
            return (
                f"No release keeps the promise: there {'is' if support == 1 else 'are'} {support} "
                f"transaction{'' if support == 1 else 's'} {which}, fewer than k = {limits.smallest}; lower k, or "
                f"publish more transactions."
            )
        having = np.bincount(
            transactions.sensitive.items,
            weights=np.repeat(np.where(inside, transactions.counts, 0), transactions.sensitive.sizes),
            minlength=len(transactions.sensitive_items),
        ).astype(np.int64)
        worst = int(having.max(initial=0))
        if worst * limits.share.denominator > limits.share.numerator * support:
            item = transactions.sensitive_items[int(np.argmax(having))]
            return (
                f"No cut of the taxonomy keeps the promise: the sensitive item {item!r} is in {worst} of the {support} "
                f"transactions {which}, more than {limits.share} of them; allow a larger share, or remove it from the "
                "sensitive items."
            )
    raise AssertionError("The root is a threat, and nothing known about it is one.")
