"""Threats as clauses over the nodes that a cut specializes.

A threat is supported by a cut exactly when the parents of all its items are specialized in it. So a threat is a clause
"not all of these", its items' deepest parents, and threats with the same clause are one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .cache import njit
from .itemset_data import (
    ABOVE,
    END,
    LEAVES,
    SPECIALIZED,
    Bools,
    Database,
    Int32s,
    Int64s,
    Nodes,
    Number,
    Power,
    breaks,
    sort_ascending,
)

HEAD = 2
"""Of a node: the first entry of a list of the larger clauses with it; entry = clause * width + place."""


class Clauses(NamedTuple):
    """Sets of nodes that are not all specialized in a valid cut, over nodes numbered in pre-order."""

    tree: Int32s
    """node x (END, ABOVE, HEAD)"""
    pairs: Bools
    """a, b: no valid cut specializes both (on the diagonal: a); closed under going down"""
    members: Int32s
    """clause x place -> node, ascending"""
    sizes: Int32s
    links: Int32s
    """entry -> the next in the same list, -1 at its end"""


@njit(cache=True, nogil=True)
def is_covered(chosen: Int32s, size: Number, added: Number, nodes: Nodes, clauses: Clauses) -> bool:
    """Whether a known clause already forbids chosen[:size] together with the item `added`."""
    new = nodes[added, SPECIALIZED]
    if new < 0:
        return False
    if clauses.pairs[new, new]:
        return True
    for index in range(size):
        old = nodes[chosen[index], SPECIALIZED]
        if old >= 0 and clauses.pairs[old, new]:
            return True
    width = clauses.members.shape[1]
    node = new
    while node >= 0:
        entry = clauses.tree[node, HEAD]
        while entry >= 0:
            clause = entry // width
            met = True
            for place in range(clauses.sizes[clause]):
                wanted = clauses.members[clause, place]
                inside = wanted <= new < clauses.tree[wanted, END]
                for index in range(size):
                    if inside:
                        break
                    inside = wanted <= nodes[chosen[index], SPECIALIZED] < clauses.tree[wanted, END]
                if not inside:
                    met = False
                    break
            if met:
                return True
            entry = clauses.links[entry]
        node = clauses.tree[node, ABOVE]
    return False


@njit(cache=True, nogil=True)
def add_clause(members: Int32s, clauses: Clauses, count: Number) -> Number:
    """Notes a clause, given by its members in any order, those above others among them left out. Returns the count."""
    length = 0
    for index in range(len(members)):
        node = members[index]
        deepest = node >= 0
        for other in range(len(members)):
            lower = members[other]
            if deepest and ((node < lower < clauses.tree[node, END]) or (lower == node and other < index)):
                deepest = False
        if deepest:
            clauses.members[count, length] = node
            length += 1
    sort_ascending(clauses.members[count], length)
    clauses.sizes[count] = length
    first, last = clauses.members[count, 0], clauses.members[count, length - 1]
    if length <= 2:
        for node in range(first, clauses.tree[first, END]):
            for other in range(len(clauses.tree)):
                if length == 1 or last <= other < clauses.tree[last, END]:
                    clauses.pairs[node, other] = True
                    clauses.pairs[other, node] = True
    else:
        for place in range(length):
            entry = count * clauses.members.shape[1] + place
            clauses.links[entry] = clauses.tree[clauses.members[count, place], HEAD]
            clauses.tree[clauses.members[count, place], HEAD] = entry
    return count + 1


@njit(cache=True, nogil=True)
def _generalize(
    chosen: Int32s, present: Number, size: Number, data: Database, nodes: Nodes, sensitive: Int64s, power: Power
) -> tuple[Number, Number]:
    """Makes a threat as general as it stays a threat: items left out or replaced by their parents, in place."""
    trial = chosen.copy()
    changed = True
    while changed:
        changed = False
        index = 0
        while index < size:
            if size > 1:
                fewer = present - 1 if index < present else present
                for other in range(size - 1):
                    trial[other] = chosen[other if other < index else other + 1]
                if breaks(trial, fewer, size - 1, data, sensitive, power):
                    present, size = fewer, size - 1
                    for other in range(size):
                        chosen[other] = trial[other]
                    changed = True
                    continue
            parent = nodes[chosen[index], ABOVE]
            possible = parent >= 0
            worth = 0
            for other in range(size):
                if other != index and possible and parent <= chosen[other] < nodes[parent, END]:
                    possible = False
                if other >= present:
                    worth += nodes[parent if other == index else chosen[other], LEAVES]
            if possible and worth <= power.absent:
                for other in range(size):
                    trial[other] = parent if other == index else chosen[other]
                if breaks(trial, present, size, data, sensitive, power):
                    chosen[index] = parent
                    changed = True
                    continue
            index += 1
    return present, size


@njit(cache=True, nogil=True)
def note(
    chosen: Int32s,
    present: Number,
    size: Number,
    data: Database,
    nodes: Nodes,
    clauses: Clauses,
    count: Number,
    sensitive: Int64s,
    power: Power,
) -> Number:
    """Notes the clause of a threat, made as general as possible."""
    threat = chosen[:size].copy()
    _, size = _generalize(threat, present, size, data, nodes, sensitive, power)
    members = np.empty(size, np.int32)
    for index in range(size):
        members[index] = nodes[threat[index], SPECIALIZED]
    return add_clause(members, clauses, count)
