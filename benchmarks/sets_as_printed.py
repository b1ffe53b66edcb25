"""OG and mOG as Liu 2010 prints them (Algorithm 4.1, 4.4.2), to count what each of their techniques is worth.

Not what discreet runs: `discreet.search.transactions.og` finds the same optimum with far less work. This renders the
thesis as it stands, for knowledge of present items alone (n = 0, l = 1, as in its Tables 4.4 and 4.5), with a switch
for each technique.

Phase 1, the inverse itemset enumeration tree (4.3): pruning I (global), II (local), III (generic), IV (permanently
locked items). With none of them every threat is materialized. Phase 2, the cut enumeration tree (4.4): method I (cost
pruning), II (items ordered by cost), III (bounds tightened on the way back), IV (taxonomy reduction and the
pushed-down initial cut). Cuts that support a threat are pruned always.

Corrected where it would be wrong: pruning III is not used at the null root, which has no itemset that could be the
threat instead; and where {root} is a threat there is no valid cut, not the initial one.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
from numba import njit

from benchmarks.markdown import duration, table
from benchmarks.sets_data import WEB_VIEW_1
from discreet.encode.transactions import EncodedTransactions, encode_transactions
from discreet.read.transactions import read_transactions
from discreet.taxonomy import Cut, Taxonomy
from discreet.taxonomy.even import Even
from discreet.values.sets import Sets, distinct

Technique = Literal["I", "II", "III", "IV"]
Techniques = frozenset[Technique]
NONE: Techniques = frozenset()
ALL: Techniques = frozenset(("I", "II", "III", "IV"))

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

DATA = Path(os.environ.get("DISCREET_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))


@dataclass(frozen=True, eq=False)
class Expanded:
    """Transactions with the ancestors of their items inserted, down to the nodes that may still be published."""

    taxonomy: Taxonomy
    bottom: Flags
    """node -> is it published by the round before, so that nothing lies below it?"""
    nodes: Sets
    """distinct transaction -> its nodes, ascending"""
    counts: Int64s
    prices: Int64s
    """node -> what all occurrences under it cost when published as it, in 1 / (leaves - 1)"""

    @classmethod
    def of(cls, transactions: EncodedTransactions, below: Cut | None = None) -> Expanded:
        """The transactions as they are, or as published by a cut."""
        taxonomy = transactions.taxonomy
        lowest = np.asarray(taxonomy.leaf_nodes if below is None else below.value_of_leaf(), np.int32)
        generalized = transactions.sets.mapped(lowest)
        levels = [(generalized.rows, generalized.items)]
        while len(levels[-1][0]):
            rows, above = levels[-1][0], taxonomy.parents[levels[-1][1]]
            levels.append((rows[above >= 0], above[above >= 0]))
        width = np.int64(len(taxonomy.labels))
        codes = np.unique(np.concatenate([rows * width + nodes for rows, nodes in levels]))
        sizes = np.bincount(codes // width, minlength=len(generalized))
        nodes = Sets(np.concatenate(([0], np.cumsum(sizes))).astype(np.int64), (codes % width).astype(np.int32))
        first, like = distinct(nodes)
        bottom = np.zeros(len(taxonomy.labels), bool)
        bottom[lowest] = True
        before = np.concatenate(([0], np.cumsum(transactions.leaf_occurrences)))
        occurrences = before[taxonomy.stop_leaf] - before[taxonomy.first_leaf]
        return cls(
            taxonomy,
            bottom,
            nodes.take(first),
            np.bincount(like, weights=transactions.counts).astype(np.int64),
            (occurrences * (taxonomy.stop_leaf - taxonomy.first_leaf - 1)).astype(np.int64),
        )


@dataclass(frozen=True, eq=False)
class Phase1:
    """What mining the threats found, and what it took."""

    nodes: int
    """nodes of the inverse itemset enumeration tree whose support was looked at"""
    materialized: int
    """threats that were stored at some time"""
    threats: Int32s
    """those left at the end, without items below a locked one: a row a threat, filled up with -1"""
    locked: Flags
    """node -> may no valid cut specialize it?"""
    seconds: float


@dataclass(frozen=True, eq=False)
class Phase2:
    """What searching the cuts found, and what it took."""

    cuts_derived: int
    """with those whose bound was too high or that were found invalid"""
    cuts_examined: int
    """valid cuts whose cost was looked at"""
    cost: Fraction | None
    """of the best cut, lm summed over occurrences; None where no cut is valid"""
    cut: Cut | None
    is_complete: bool
    """False where the search was stopped at its limit; the cost is then that of the best cut so far"""
    seconds: float


@dataclass(frozen=True)
class Round:
    """One run of OG, as a round of mOG."""

    m: int
    phase_1: Phase1
    phase_2: Phase2


def phase_1(data: Expanded, k: int, m: int, prunings: Techniques = ALL) -> Phase1:
    """Mines the threats: itemsets of at most m nodes, none above another, in fewer than k transactions but in some."""
    started = time.perf_counter()
    taxonomy = data.taxonomy
    size = len(taxonomy.labels)
    salts = np.random.default_rng(0).integers(1, 2**63, size).astype(np.uint64)
    longest = max(min(m, int(data.nodes.sizes.max(initial=0))), 1)
    nodes, rows, locked = _mine(
        taxonomy.parents,
        taxonomy.end,
        data.nodes.offsets,
        data.nodes.items,
        data.counts,
        k,
        longest,
        "I" in prunings,
        "II" in prunings,
        "III" in prunings,
        "IV" in prunings,
        salts,
    )
    parts_from_locked = np.concatenate((_below(taxonomy, locked), [False]))
    kept = rows[~parts_from_locked[rows].any(axis=1)]
    return Phase1(int(nodes), len(rows), kept, locked, time.perf_counter() - started)


def phase_2(data: Expanded, mined: Phase1, methods: Techniques = ALL, limit: int = 10_000_000) -> Phase2:
    """Searches the cuts for the cheapest one that supports none of the threats; derives at most `limit` of them."""
    started = time.perf_counter()
    taxonomy = data.taxonomy
    leaves = taxonomy.leaf_count(0)
    unit = max(leaves - 1, 1)
    # A threat is supported as soon as the parents of all its items are specialized, and {root} always.
    if (mined.threats == 0).any():
        return Phase2(0, 0, None, None, True, time.perf_counter() - started)
    closed = data.bottom | (mined.locked if "IV" in methods else False)
    derived, examined, price, specialized, complete = _search(
        taxonomy.parents,
        taxonomy.end,
        data.prices,
        mined.threats,
        mined.locked,
        closed,
        "I" in methods,
        "II" in methods,
        "III" in methods,
        "IV" in methods,
        limit,
    )
    return Phase2(
        int(derived),
        int(examined),
        Fraction(int(price), unit),
        _cut(taxonomy, specialized),
        bool(complete),
        time.perf_counter() - started,
    )


def og(transactions: EncodedTransactions, k: int, m: int) -> Round:
    """Algorithm 4.1 with all its techniques."""
    data = Expanded.of(transactions)
    mined = phase_1(data, k, m)
    return Round(m, mined, phase_2(data, mined))


def mog(transactions: EncodedTransactions, k: int, m: int) -> list[Round]:
    """4.4.2: OG for 1, 2, ... m items known, each on what the one before has published; ends early without a cut."""
    rounds: list[Round] = []
    below: Cut | None = None
    for known in range(1, m + 1):
        data = Expanded.of(transactions, below)
        mined = phase_1(data, k, known)
        rounds.append(Round(known, mined, phase_2(data, mined)))
        below = rounds[-1].phase_2.cut
        if below is None:
            break
    return rounds


def web_view_1(seed: int, data: Path = DATA) -> EncodedTransactions | None:
    """BMS-WebView-1 with an even taxonomy of fan-out 5; None where it is not at hand."""
    return WEB_VIEW_1.encoded(data, seed) if WEB_VIEW_1.is_in(data) else None


def _below(taxonomy: Taxonomy, nodes: Flags) -> Flags:
    """Node -> does it lie under one of these, itself aside?"""
    edges = np.zeros(len(taxonomy.labels) + 1, np.int64)
    inner = np.flatnonzero(nodes)
    np.add.at(edges, inner + 1, 1)
    np.add.at(edges, taxonomy.end[inner], -1)
    return np.asarray(np.cumsum(edges)[:-1] > 0)


def _cut(taxonomy: Taxonomy, specialized: Flags) -> Cut:
    nodes = [
        node
        for node in range(len(taxonomy.labels))
        if not specialized[node] and (node == 0 or specialized[taxonomy.parents[node]])
    ]
    return Cut(taxonomy, tuple(nodes))


@njit(cache=True)
def _has(seen, key):  # type: ignore[no-untyped-def]
    """Is this key in the open-addressed table? 0 is an empty place."""
    mask = np.uint64(len(seen) - 1)
    place = key & mask
    while seen[place] != 0:
        if seen[place] == key:
            return True
        place = (place + np.uint64(1)) & mask
    return False


@njit(cache=True)
def _put(seen, key):  # type: ignore[no-untyped-def]
    mask = np.uint64(len(seen) - 1)
    place = key & mask
    while seen[place] != 0:
        place = (place + np.uint64(1)) & mask
    seen[place] = key


@njit(cache=True)
def _doubled(seen):  # type: ignore[no-untyped-def]
    larger = np.zeros(2 * len(seen), np.uint64)
    for key in seen:
        if key != 0:
            _put(larger, key)
    return larger


@njit(cache=True)
def _mine(  # type: ignore[no-untyped-def]
    parents, end, offsets, items, counts, k, m, use_global, use_local, use_generic, use_locked, salts
):
    """The tree depth first, a general item before those below it; all children of a node are counted at once.

    A threat is remembered for pruning I as the exclusive or of its items' salts, 63 random bits each. To see whether an
    itemset specializes a threat, all its generalizations are looked up; those of the itemset without its last
    item are kept while the search is below it. They were looked up when that was visited, so that of them only the
    itemset itself can be a threat.
    """
    size = len(parents)
    supports = np.zeros((m, size), np.int64)
    members = np.zeros((m, size), np.int64)
    starts = np.zeros((m, size), np.int64)
    children = np.empty((m, size), np.int32)
    children_end = np.zeros(m, np.int64)
    position = np.zeros(m, np.int64)
    skip = np.zeros(m, np.int64)
    path = np.empty(m, np.int32)
    pool = np.empty(1 << 16, np.int32)
    pool_end = np.zeros(m + 1, np.int64)
    dead = np.zeros(size, np.bool_)
    locked = np.zeros(size, np.bool_)
    found = np.empty((1 << 10, m), np.int32)
    found_end = 0
    seen = np.zeros(1 << 12, np.uint64)
    general = np.zeros(1 << 10, np.uint64)
    general_end = np.zeros(m + 1, np.int64)
    general_end[0] = 1
    examined = 0

    everything = np.arange(len(counts)).astype(np.int32)
    depth = 0
    entering = True
    while depth >= 0:
        if entering:
            entering = False
            if depth == 0:
                inside, last = everything, size
            else:
                above = path[depth - 1]
                begin = starts[depth - 1, above]
                inside, last = pool[begin : begin + members[depth - 1, above]], above
            touched = 0
            total = 0
            for t in inside:
                for j in range(offsets[t], offsets[t + 1]):
                    node = items[j]
                    if node >= last:
                        break
                    if end[node] > last or dead[node]:
                        continue
                    if members[depth, node] == 0:
                        children[depth, touched] = node
                        touched += 1
                    members[depth, node] += 1
                    supports[depth, node] += counts[t]
                    total += 1
            children[depth, :touched].sort()
            children_end[depth] = touched
            position[depth] = 0
            skip[depth] = 0
            pool_end[depth + 1] = pool_end[depth]
            if depth < m - 1:
                begin = pool_end[depth]
                if begin + total > len(pool):
                    larger = np.empty(2 * (begin + total), np.int32)
                    larger[:begin] = pool[:begin]
                    pool = larger
                    if depth > 0:
                        above = path[depth - 1]
                        inside = pool[starts[depth - 1, above] : starts[depth - 1, above] + members[depth - 1, above]]
                place = begin
                for j in range(touched):
                    node = children[depth, j]
                    starts[depth, node] = place
                    place += members[depth, node]
                    members[depth, node] = 0
                pool_end[depth + 1] = place
                for t in inside:
                    for j in range(offsets[t], offsets[t + 1]):
                        node = items[j]
                        if node >= last:
                            break
                        if end[node] > last or dead[node]:
                            continue
                        pool[starts[depth, node] + members[depth, node]] = t
                        members[depth, node] += 1

        leave = position[depth] == children_end[depth]
        for j in range(depth):
            leave = leave or dead[path[j]]
        if leave:
            for j in range(children_end[depth]):
                node = children[depth, j]
                supports[depth, node] = 0
                members[depth, node] = 0
            depth -= 1
            continue

        node = children[depth, position[depth]]
        position[depth] += 1
        if node < skip[depth] or dead[node]:
            continue
        path[depth] = node
        support = supports[depth, node]
        examined += 1
        if use_generic and depth > 0 and support == supports[depth - 1, path[depth - 1]]:
            continue

        if use_global:
            specializes = depth > 0 and supports[depth - 1, path[depth - 1]] < k
            above = node
            while above >= 0 and not specializes and (depth == 0 or end[above] <= path[depth - 1]):
                for j in range(general_end[depth]):
                    if _has(seen, general[j] ^ salts[above]):
                        specializes = True
                        break
                above = parents[above]
            if specializes:
                skip[depth] = end[node]
                continue

        if support < k:
            parent = parents[node]
            one_parent = parent >= 0
            for j in range(depth):
                one_parent = one_parent and parents[path[j]] == parent
            if use_locked and one_parent:
                locked[parent] = True
                dead[parent + 1 : end[parent]] = True
                continue
            if found_end == len(found):
                more = np.empty((2 * found_end, m), np.int32)
                more[:found_end] = found
                found = more
            found[found_end] = -1
            found[found_end, : depth + 1] = path[: depth + 1]
            found_end += 1
            if use_global:
                if 2 * found_end > len(seen):
                    seen = _doubled(seen)
                key = np.uint64(0)
                for j in range(depth + 1):
                    key ^= salts[path[j]]
                _put(seen, key)
            if use_local:
                skip[depth] = end[node]
                continue

        if depth + 1 < m:
            if use_global:
                known = general_end[depth]
                place = known
                above = node
                while above >= 0 and (depth == 0 or end[above] <= path[depth - 1]):
                    if place + known > len(general):
                        longer = np.zeros(2 * (place + known), np.uint64)
                        longer[:place] = general[:place]
                        general = longer
                    for j in range(known):
                        general[place + j] = general[j] ^ salts[above]
                    place += known
                    above = parents[above]
                general_end[depth + 1] = place
            depth += 1
            entering = True
    return examined, found[:found_end].copy(), locked


@njit(cache=True)
def _search(  # type: ignore[no-untyped-def]
    parents, end, prices, threats, locked, closed, use_cost, use_order, use_tight, use_reduced, limit
):
    """The cut enumeration tree depth first (3.2.1): of the open items, those before the one specialized get locked."""
    size = len(parents)
    count, width = threats.shape
    concerned_end = np.zeros(size + 1, np.int64)  # node -> the threats with an item right below it (Theorem 4.3)
    threatened = np.zeros(size, np.bool_)
    for t in range(count):
        for j in range(width):
            if threats[t, j] >= 0:
                concerned_end[parents[threats[t, j]] + 1] += 1
                threatened[parents[threats[t, j]]] = True
    concerned_end = np.cumsum(concerned_end)
    concerned = np.empty(concerned_end[-1], np.int64)
    filled = concerned_end[:-1].copy()
    for t in range(count):
        for j in range(width):
            if threats[t, j] >= 0:
                concerned[filled[parents[threats[t, j]]]] = t
                filled[parents[threats[t, j]]] += 1

    specialized = np.zeros(size, np.bool_)
    opens = np.empty(4 * size, np.int32)
    begin = np.zeros(size + 1, np.int64)
    stop = np.zeros(size + 1, np.int64)
    position = np.zeros(size + 1, np.int64)
    fixed = np.zeros(size + 1, np.int64)  # what the locked items cost
    cost = np.zeros(size + 1, np.int64)

    node = 0
    while node < size:  # the initial cut: pushed down past what no threat speaks of
        is_leaf = end[node] == node + 1 or closed[node]
        if use_reduced and not is_leaf and not threatened[node]:
            specialized[node] = True
            node += 1
            continue
        cost[0] += prices[node]
        if is_leaf:
            fixed[0] += prices[node]
        else:
            opens[stop[0]] = node
            stop[0] += 1
        node = end[node]
    if use_order:
        order = np.argsort(-prices[opens[: stop[0]]], kind="mergesort")
        opens[: stop[0]] = opens[: stop[0]][order]

    best = cost[0]
    best_specialized = specialized.copy()
    examined = 1
    derived = 1
    depth = 0
    while depth >= 0:
        if position[depth] > begin[depth]:
            done = opens[position[depth] - 1]
            fixed[depth] += prices[done]
            specialized[done] = False
        if position[depth] == stop[depth] or (use_cost and use_tight and fixed[depth] > best):
            depth -= 1
            continue
        if derived >= limit:
            return derived, examined, best, best_specialized, False
        derived += 1
        node = opens[position[depth]]
        position[depth] += 1
        specialized[node] = True

        child_fixed, child_cost = fixed[depth], cost[depth] - prices[node]
        child = node + 1
        while child < end[node]:
            child_cost += prices[child]
            if end[child] == child + 1 or closed[child]:
                child_fixed += prices[child]
            child = end[child]
        if use_cost and child_fixed > best:
            continue
        valid = not locked[node]
        j = concerned_end[node]
        while valid and j < concerned_end[node + 1]:
            supported = True
            for i in range(width):
                item = threats[concerned[j], i]
                supported = supported and (item < 0 or specialized[parents[item]])
            valid = not supported
            j += 1
        if not valid:
            continue
        examined += 1
        if child_cost < best:
            best = child_cost
            best_specialized[:] = specialized

        start = stop[depth]
        place = start
        if place + size > len(opens):
            longer = np.empty(2 * (place + size), np.int32)
            longer[:place] = opens[:place]
            opens = longer
        if not use_order:
            child = node + 1
            while child < end[node]:
                if end[child] > child + 1 and not closed[child]:
                    opens[place] = child
                    place += 1
                child = end[child]
        for j in range(position[depth], stop[depth]):
            opens[place] = opens[j]
            place += 1
        if use_order:
            child = node + 1
            while child < end[node]:
                if end[child] > child + 1 and not closed[child]:
                    j = place
                    while j > start and prices[opens[j - 1]] < prices[child]:
                        opens[j] = opens[j - 1]
                        j -= 1
                    opens[j] = child
                    place += 1
                child = end[child]
        depth += 1
        begin[depth], stop[depth], position[depth] = start, place, start
        fixed[depth], cost[depth] = child_fixed, child_cost
    return derived, examined, best, best_specialized, True


PRUNINGS: dict[str, Techniques] = {
    "baseline": NONE,
    "pruning I (global)": frozenset(("I",)),
    "pruning II (local)": frozenset(("II",)),
    "pruning III (generic)": frozenset(("III",)),
    "prunings I, II and III": frozenset(("I", "II", "III")),
    "pruning IV (locked items)": frozenset(("IV",)),
    "all prunings (OG)": ALL,
}
METHODS: dict[str, Techniques] = {
    "baseline: validity": NONE,
    "method I (cost)": frozenset(("I",)),
    "methods I and II (order)": frozenset(("I", "II")),
    "methods I, II and III (bounds)": frozenset(("I", "II", "III")),
    "method IV (reduction)": frozenset(("IV",)),
    "all methods (OG)": ALL,
}


def warm_up() -> None:
    """Compiles, so that no measurement does."""
    few = encode_transactions(read_transactions([["a", "b"], ["a"], ["c"]]), Even(2, 0), (), "error").transactions
    mog(few, 2, 2)


def phase_1_table(data: Expanded, k: int, m: int, rounds: list[Round]) -> str:
    """Table 4.4."""
    mined = {name: [phase_1(data, k, m, prunings)] for name, prunings in PRUNINGS.items()}
    mined["all rounds (mOG)"] = [one.phase_1 for one in rounds]
    [baseline] = mined["baseline"]
    rows = []
    for name, parts in mined.items():
        stored, nodes = sum(part.materialized for part in parts), sum(part.nodes for part in parts)
        kept, seconds = sum(len(part.threats) for part in parts), sum(part.seconds for part in parts)
        rows.append(
            (
                name,
                f"{stored:,}",
                share_of(stored, baseline.materialized),
                f"{kept:,}",
                f"{nodes:,}",
                share_of(nodes, baseline.nodes),
                duration(seconds),
            )
        )
    return table(
        ("techniques", "threats materialized", "(%)", "kept at the end", "nodes examined", "(%)", "seconds"), rows
    )


def phase_2_table(data: Expanded, mined: Phase1, rounds: list[Round], limit: int) -> str:
    """Table 4.5."""
    searches = {name: [phase_2(data, mined, methods, limit)] for name, methods in METHODS.items()}
    searches["all rounds (mOG)"] = [one.phase_2 for one in rounds]
    [baseline] = searches["baseline: validity"]
    rows = []
    for name, parts in searches.items():
        stopped = "" if all(part.is_complete for part in parts) else "over "
        derived, examined = sum(part.cuts_derived for part in parts), sum(part.cuts_examined for part in parts)
        seconds = sum(part.seconds for part in parts)
        share = "" if stopped or not baseline.is_complete else share_of(examined, baseline.cuts_examined)
        rows.append((name, f"{stopped}{derived:,}", f"{stopped}{examined:,}", share, duration(seconds)))
    return table(("techniques", "cuts derived", "cuts examined", "(%)", "seconds"), rows)


def share_of(part: int, whole: int) -> str:
    return f"{part / whole:.2%}" if whole else ""
