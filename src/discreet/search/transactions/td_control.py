"""td-control: rho-uncertainty by generalizing items that are not sensitive, from the top down, and leaving out types.

Paper: Cao, Karras, Raïssi and Tan 2010 (TDControl). All items that are not sensitive start as the root of the taxonomy,
and item types, sensitive ones or nodes, are left out of all records until no rule is unsafe, as global suppression
does. Then one node after another is replaced by its children, where that does not raise the loss: the
cost of generalization falls, and what must be left out to be safe again rises. It stops when there is no node left for
which that helps. Sensitive items are never generalized.

Promises: rho-uncertainty of the items as they are published, where a node is an item; and that it loses no more than
the release of all items as they are and no sensitive one. It does not promise that no other cut loses less.

Why it is safe and ends. Replacing a node by its children gives new rules, all with one of the children, and leaves all
others their supports. So a step only has to deal with the rules with a child. It looks at those of whole records, r
less e -> e, which are nearly all there is; when no step helps any more, an exact search for all rules
(kernels/unsafe_rules.py) finds the rest, and more is left out until it finds nothing. Each step goes down in a finite
tree.

Departures from the paper:

- It assumes that a node is no safer than what is above it. That is not so: in the records {a, s}, {b, s}, {a, b} the
  node above a and b gives s with 2/3, a and b with 1/2 each. Here every step is searched again, and one that did not
  help is tried again after others have.
- The steps are tried in the order of how much they reduce the cost of generalization, and a trial ends when it has
  lost more. One that changes nothing is taken, or a node with one child would be the end.
- The payoff counts the rules of a buffer, types that were left out come back at the end where that is safe, and the
  release that starts from all items as they are and no sensitive one is published where it is better, all as in global
  suppression (global_suppression.py).

If stopped early, it publishes the best so far: at worst, all items as they are and no sensitive one.

Costs: for each step a search in the records that have an item below the node, about as much as global suppression for
each level that the cut goes down and for each round of steps that do not help. Memory is a few numbers for each
occurrence and level.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np

from discreet.search.events import Listener, ignore
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.transactions.global_suppression import ItemTypes
from discreet.search.transactions.problem import TransactionProblem
from discreet.search.transactions.records import Bools
from discreet.values.arrays import Int64s

ROOT_NODE = 0


def td_control(
    problem: TransactionProblem, limits: Limits, random: np.random.Generator, listen: Listener = ignore
) -> SearchResult:
    """Replaces nodes by their children, from the root down, as long as that does not raise the loss."""
    types = ItemTypes(problem, limits, random, listen, "td-control", generalize=True)

    def run(stop: Int64s) -> None:
        types.is_published[:] = False
        types.is_published[ROOT_NODE] = True
        types.is_published[types.sensitive] = True
        cut = _specialized(types, stop)
        if types.make_safe(types.sensitive, stop):
            types.put_back(np.flatnonzero(cut), stop)

    return types.search(run)


def _specialized(types: ItemTypes, stop: Int64s) -> Bools:
    """Goes down as far as it helps; returns which nodes make up the cut then, published or not."""
    parents = types.problem.transactions.taxonomy.parents
    is_in_cut = np.zeros(types.first_sensitive, bool)
    is_in_cut[ROOT_NODE] = True
    gains = _gains(types)
    helped = types.make_safe(types.sensitive, stop, exact=False)
    while helped and not stop[0]:
        helped = False
        waiting = [(-int(gains[node]), node) for node in np.flatnonzero(is_in_cut & ~types.is_leaf).tolist()]
        heapify(waiting)
        while waiting and not stop[0]:
            _, node = heappop(waiting)
            children = np.flatnonzero((parents == node) & (types.occurrences[: len(parents)] > 0))
            before = types.is_published.copy()
            gain = int(gains[node] + (0 if before[node] else types.weights[node]))
            types.is_published[node] = False
            types.is_published[children] = True
            if types.make_safe(children, stop, most=gain, exact=False):
                is_in_cut[node], is_in_cut[children] = False, True
                for child in children[~types.is_leaf[children]].tolist():
                    heappush(waiting, (-int(gains[child]), child))
                helped = True
            else:
                types.is_published[:] = before
    return is_in_cut


def _gains(types: ItemTypes) -> Int64s:
    """Node -> how much less generalization costs, in units, when its children replace it; 0 for a leaf."""
    parents = types.problem.transactions.taxonomy.parents
    charged = (types.occurrences * types.price)[: len(parents)]
    of_children = np.zeros(len(parents), np.int64)
    np.add.at(of_children, parents[1:], charged[1:])
    return np.where(types.is_leaf, 0, charged - of_children)
