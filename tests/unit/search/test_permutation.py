from __future__ import annotations

import time
from collections import Counter
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.encode.transactions import EncodedTransactions
from discreet.errors import InputError, NoReleaseError
from discreet.kernels.sensitive_groups import NO_GROUP, Grouping, Transactions, form_groups
from discreet.losses.lm import LossMetric
from discreet.models.coherence import Coherence
from discreet.models.privacy_degree import PrivacyDegree
from discreet.search.events import SearchEvent
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.transactions.permutation import permutation
from discreet.search.transactions.problem import TransactionProblem
from discreet.taxonomy import Taxonomy
from discreet.values.sets import Sets
from examples import examples

ITEMS = 6
SENSITIVE = 4
TAXONOMY = Taxonomy.from_paths("items", [(f"i{item}", f"x{item // 2}", "*") for item in range(ITEMS)])


class Transaction(NamedTuple):
    items: frozenset[int]
    sensitive: frozenset[int]


def transaction(items: str, sensitive: str = "") -> Transaction:
    """Items and sensitive items by one digit each."""
    return Transaction(frozenset(map(int, items)), frozenset(map(int, sensitive)))


def encoded(transactions: list[Transaction], taxonomy: Taxonomy = TAXONOMY) -> EncodedTransactions:
    counts = Counter(transactions)
    return EncodedTransactions(
        taxonomy,
        Sets.of(one.items for one in counts),
        Sets.of(one.sensitive for one in counts),
        np.array(list(counts.values()), np.int64),
        tuple(f"s{code}" for code in range(SENSITIVE)),
    )


def solve(
    transactions: list[Transaction],
    p: int,
    seed: int = 0,
    limits: Limits | None = None,
    taxonomy: Taxonomy = TAXONOMY,
) -> SearchResult:
    problem = TransactionProblem(encoded(transactions, taxonomy), PrivacyDegree(p), LossMetric())
    return permutation(problem, limits or Limits(), np.random.default_rng(seed))


def groups_of(transactions: list[Transaction], result: SearchResult) -> list[list[Transaction]]:
    """The groups by number, each with its transactions; checks that every item is published as itself."""
    distinct = list(Counter(transactions))
    recoded = result.recoded
    assert recoded.groups is not None
    assert len(set(zip(recoded.groups.tolist(), recoded.sources.tolist(), strict=True))) == len(recoded.counts)
    groups: dict[int, list[Transaction]] = {}
    for row, source in enumerate(recoded.sources.tolist()):
        labels = {TAXONOMY.labels[node] for node in recoded.nodes[row].tolist()}
        assert labels == {f"i{item}" for item in distinct[source].items}
        groups.setdefault(int(recoded.groups[row]), []).extend([distinct[source]] * int(recoded.counts[row]))
    assert sorted(groups) == list(range(len(groups)))
    return [groups[number] for number in range(len(groups))]


def is_solvable(transactions: list[Transaction], p: int) -> bool:
    occurrences = Counter(code for one in transactions for code in one.sensitive)
    return all(times * p <= len(transactions) for times in occurrences.values())


single = st.builds(
    Transaction,
    st.frozensets(st.integers(0, ITEMS - 1), max_size=4),
    st.one_of(st.just(frozenset[int]()), st.frozensets(st.integers(0, SENSITIVE - 1), max_size=2)),
)
lists = st.lists(single, min_size=1, max_size=12).flatmap(lambda pool: st.lists(st.sampled_from(pool), max_size=40))


@examples(100)
@given(lists, st.integers(1, 4), st.integers(0, 3))
def test_every_release_keeps_the_promise_and_all_items(transactions: list[Transaction], p: int, seed: int) -> None:
    if not is_solvable(transactions, p):
        with pytest.raises(NoReleaseError):
            solve(transactions, p, seed)
        return
    result = solve(transactions, p, seed)
    groups = groups_of(transactions, result)
    assert Counter(one for group in groups for one in group) == Counter(transactions)
    assert all(is_solvable(group, p) for group in groups)
    assert sum(len(group) != p for group in groups) <= 1
    assert result.details == {"groups": len(groups), "largest_group": max(map(len, groups), default=0)}
    assert result.best.cost == 0


def group_by_definition(transactions: list[Transaction], p: int, alpha: int) -> list[int]:
    """The grouping as its paper words it, on lists: transactions in order -> their groups, -1 for the rest."""
    group = [-1] * len(transactions)
    for pivot, one in enumerate(transactions):
        if group[pivot] >= 0 or not one.sensitive:
            continue
        free = [other for other in range(len(transactions)) if group[other] < 0]
        able = [other for other in free if not transactions[other].sensitive & one.sensitive]
        back = [other for other in able if other < pivot][-alpha * p :]
        on = [other for other in able if other > pivot][: alpha * p]
        steps = {other: abs(free.index(other) - free.index(pivot)) for other in free}
        nearest = sorted(back + on, key=lambda other: (steps[other], other))
        nearest.sort(key=lambda other: -len(transactions[other].items & one.items))
        members, used = [pivot], set(one.sensitive)
        for other in nearest:
            if len(members) < p and not transactions[other].sensitive & used:
                members.append(other)
                used |= transactions[other].sensitive
        rest = [candidate for other, candidate in enumerate(transactions) if group[other] < 0 and other not in members]
        if len(members) == p and is_solvable(rest, p):
            number = max(group) + 1
            for member in members:
                group[member] = number
    return group


def group_by_kernel(transactions: list[Transaction], p: int, alpha: int, pivots_at_once: int) -> list[int]:
    items = Sets.of(one.items for one in transactions)
    sensitive = Sets.of(one.sensitive for one in transactions)
    total = len(transactions)
    grouping = Grouping(
        group=np.full(total, NO_GROUP, np.int32),
        before=np.arange(-1, total + 1),
        after=np.arange(1, total + 3),
        unassigned=np.bincount(sensitive.items, minlength=SENSITIVE).astype(np.int64),
        item_mark=np.full(ITEMS, -1, np.int64),
        sensitive_mark=np.full(SENSITIVE, -1, np.int64),
        progress=np.array([0, 0, total], np.int64),
    )
    ordered = Transactions(
        np.arange(total, dtype=np.int32), items.offsets, items.items, sensitive.offsets, sensitive.items
    )
    while form_groups(ordered, grouping, p, alpha * p, pivots_at_once) == pivots_at_once:
        pass
    return [int(number) for number in grouping.group]


@examples(100)
@given(lists.filter(bool), st.integers(1, 4), st.integers(1, 3), st.integers(1, 5))
def test_groups_are_those_of_the_definition(
    transactions: list[Transaction], p: int, alpha: int, pivots_at_once: int
) -> None:
    if is_solvable(transactions, p):
        expected = group_by_definition(transactions, p, alpha)
        assert group_by_kernel(transactions, p, alpha, pivots_at_once) == expected


def test_a_group_that_leaves_the_rest_unsolvable_is_not_formed() -> None:
    """The first would take the second, most like it, and leave two of two with s0; so it waits and is taken later."""
    transactions = [transaction("2", "1"), transaction("2"), transaction("0", "0"), transaction("1", "0")]
    assert group_by_kernel(transactions, 2, 3, 1) == [1, 0, 0, 1]


def test_members_may_not_share_a_sensitive_item_with_each_other() -> None:
    """Second and third are most like the first, but both have s1."""
    transactions = [transaction("012", "0"), transaction("012", "1"), transaction("01", "1"), transaction("0")]
    transactions += [transaction("5")] * 2
    assert group_by_kernel(transactions, 3, 3, 9) == [0, 0, 1, 0, 1, 1]


def test_worked_by_hand() -> None:
    transactions = [transaction("01", "0"), transaction("45"), transaction("01"), transaction("45", "1")]
    result = solve(transactions, 2)
    groups = {frozenset(group) for group in groups_of(transactions, result)}
    assert groups == {frozenset(transactions[0::2]), frozenset(transactions[1::2])}
    assert result.details == {"groups": 2, "largest_group": 2}
    assert result.status == "feasible"
    assert (result.bound, result.cuts_total) == (Fraction(0), 0)
    assert result.best.recoded.cut is None
    assert result.cuts_examined == 2


def test_similar_transactions_are_grouped() -> None:
    """Three kinds of baskets, a sensitive one in each twenty: every group of 4 is of one kind."""
    transactions = [
        transaction(kind, "0" if number == 0 else "") for kind in ("01", "23", "45") for number in range(20)
    ]
    np.random.default_rng(3).shuffle(transactions)
    groups = groups_of(transactions, solve(transactions, 4))
    small = [group for group in groups if len(group) == 4]
    assert len(small) == 3
    assert all(len({one.items for one in group}) == 1 for group in small)


def test_a_sensitive_item_in_too_many_transactions() -> None:
    transactions = [transaction("0", "1"), transaction("1", "1"), transaction("2", "1"), transaction("3")]
    with pytest.raises(
        NoReleaseError, match=r"'s1' is in 3 of 4 transactions \(75.0%\), .* p = 2 allows; choose p = 1 or smaller"
    ):
        solve(transactions, 2)
    both = [transaction("0", "12"), transaction("1", "12"), transaction("2", "1"), transaction("3")]
    with pytest.raises(NoReleaseError, match=r"'s1' .* allows, as are 1 more; choose p = 1"):
        solve(both, 3)


def test_exactly_one_in_p_is_allowed() -> None:
    transactions = [transaction("0", "1"), transaction("1"), transaction("2"), transaction("3", "1")]
    assert all(len(group) == 2 for group in groups_of(transactions, solve(transactions, 2)))


def test_without_sensitive_items_all_are_one_group() -> None:
    transactions = [transaction("01"), transaction("01"), transaction("")]
    result = solve(transactions, 3)
    assert groups_of(transactions, result) == [[transactions[0]] * 2 + [transaction("")]]
    assert result.cuts_examined == 0


def test_another_promise_gets_a_sentence() -> None:
    problem = TransactionProblem(encoded([transaction("01")]), Coherence(2, Fraction(1, 2), 2), LossMetric())
    with pytest.raises(InputError, match="permutation keeps privacy-degree and cannot keep 'coherence'"):
        permutation(problem, Limits(), np.random.default_rng(1))


def test_no_transactions_at_all() -> None:
    result = solve([], 3)
    assert len(result.recoded.counts) == 0
    assert result.details == {"groups": 0, "largest_group": 0}


def test_stopped_before_it_began_all_are_one_group() -> None:
    transactions = [transaction("01", "0"), transaction("45"), transaction("01"), transaction("45", "1")]
    limits = Limits()
    limits.interrupt.set()
    result = solve(transactions, 2, limits=limits)
    assert result.interrupted
    assert result.details == {"groups": 1, "largest_group": 4}


def test_numbers_of_groups_do_not_tell_their_order() -> None:
    """The rest is the last group to be made; its number may be any."""
    transactions = [transaction("01", "0"), *[transaction("01")] * 5, transaction("45", "1"), *[transaction("45")] * 5]
    rest = Counter(
        next(
            number
            for number, group in enumerate(groups_of(transactions, solve(transactions, 2, seed)))
            if len(group) > 2
        )
        for seed in range(60)
    )
    assert set(rest) == {0, 1, 2}


def test_what_it_was_given_stays_as_it_was() -> None:
    transactions = [transaction("01", "0"), transaction("01")]
    given_transactions = encoded(transactions)
    problem = TransactionProblem(given_transactions, PrivacyDegree(2), LossMetric())
    events: list[SearchEvent] = []
    result = permutation(problem, Limits(), np.random.default_rng(0), events.append)
    assert given_transactions.sensitive_occurrences.tolist() == [1, 0, 0, 0]
    assert tuple(events) == result.events


def test_large_data_take_seconds() -> None:
    """20 thousand transactions with one item in nearly half of them; the limit is far above what it takes."""
    random = np.random.default_rng(1)
    leaves = 300
    taxonomy = Taxonomy.from_paths("items", [(f"i{item}", "*") for item in range(leaves)])
    popular = np.minimum(random.zipf(1.5, (20_000, 5)), leaves) - 1
    codes = random.integers(0, 40, 20_000)
    transactions = [
        Transaction(frozenset(row), frozenset([code] if code < SENSITIVE else []))
        for row, code in zip(popular.tolist(), codes.tolist(), strict=True)
    ]
    solve([transaction("01", "0"), transaction("01")], 2)  # compiles
    started = time.monotonic()
    result = solve(transactions, 10, taxonomy=taxonomy)
    assert time.monotonic() - started < 10
    assert result.details["groups"] > 500
