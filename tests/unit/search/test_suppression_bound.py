"""The bound on suppression against the best release of small databases, found by trying all of them."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.encode.transactions import EncodedTransactions
from discreet.search.limits import Limits
from discreet.search.transactions.suppression_bound import suppression_bound
from discreet.taxonomy import Taxonomy
from discreet.values.sets import Sets
from examples import examples

OTHERS, SENSITIVE = "abc", "XYZ"
RHOS = [Fraction(1, 4), Fraction(3, 10), Fraction(1, 2), Fraction(7, 10), Fraction(9, 10)]


def bound(records: list[str], rho: Fraction, limits: Limits | None = None) -> int:
    """Of records of letters; capital ones are sensitive."""
    distinct = Counter("".join(sorted(record)) for record in records)
    encoded = EncodedTransactions(
        Taxonomy.from_paths("items", [[letter, "*"] for letter in OTHERS]),
        Sets.of([OTHERS.index(item) for item in record if item in OTHERS] for record in distinct),
        Sets.of([SENSITIVE.index(item) for item in record if item in SENSITIVE] for record in distinct),
        np.array(list(distinct.values()), np.int64),
        tuple(SENSITIVE),
    )
    return suppression_bound(encoded, rho, limits or Limits())


def subsets(items: str) -> list[tuple[str, ...]]:
    return list(chain.from_iterable(combinations(items, size) for size in range(len(items) + 1)))


def is_uncertain(records: list[frozenset[str]], rho: Fraction) -> bool:
    """By the definition; a rule without an item before the arrow is none."""
    held = {known for record in records for known in subsets("".join(sorted(record))) if known}
    for known in held:
        holders = [record for record in records if record.issuperset(known)]
        for item in set(SENSITIVE) - set(known):
            if sum(item in record for record in holders) > rho * len(holders):
                return False
    return True


def least(records: list[str], rho: Fraction) -> int:
    """The fewest occurrences that must go, by trying all that may, fewest first."""
    places = [(row, item) for row, record in enumerate(records) for item in record]
    for deletions in range(len(places) + 1):
        for left_out in combinations(places, deletions):
            release = [
                frozenset(item for item in record if (row, item) not in left_out) for row, record in enumerate(records)
            ]
            if is_uncertain(release, rho):
                return deletions
    raise AssertionError("an empty release is uncertain")


SMALL = st.lists(st.sets(st.sampled_from(OTHERS + SENSITIVE), max_size=4).map("".join), max_size=6).filter(
    lambda records: sum(map(len, records)) <= 11
)


@examples(60)
@given(SMALL, st.sampled_from(RHOS))
def test_no_release_leaves_out_fewer(records: list[str], rho: Fraction) -> None:
    assert bound(records, rho) <= least(records, rho)


@examples(25)
@given(st.sets(st.sampled_from(OTHERS + SENSITIVE), min_size=2, max_size=4).map("".join), st.data())
def test_no_release_of_records_much_alike_leaves_out_fewer(record: str, data: st.DataObject) -> None:
    alike = st.sets(st.sampled_from(record), min_size=max(1, len(record) - 1)).map("".join)
    records = data.draw(st.lists(alike, min_size=2, max_size=5).filter(lambda found: sum(map(len, found)) <= 12))
    rho = data.draw(st.sampled_from(RHOS))
    assert bound(records, rho) <= least(records, rho)


@pytest.mark.parametrize(
    ("records", "rho", "told"),
    [
        ([], "1/2", 0),
        (["X", "X", "Y"], "1/2", 0),  # one item alone has no rule
        (["abX"], "1/2", 1),
        (["aX"], "1/2", 1),
        (["XY"], "1/2", 1),  # one of the two may stay
        (["aX", "a"], "1/2", 0),
        (["aX", "a"], "1/3", 1),
        (["aX", "a", "a"], "1/3", 0),
        (["aXY", "aX"], "1/2", 1),  # nobody else has aY, which keeping X and Y would need
        (["aXY", "aX", "aY"], "1/2", 0),
        (["abcX", "abX", "X"], "7/10", 1),
        (["aX", "a"], "1", 0),
    ],
)
def test_what_is_told_of_plain_databases(records: list[str], rho: str, told: int) -> None:
    assert bound(records, Fraction(rho)) == told


def test_records_that_share_nothing_lose_all_that_is_sensitive() -> None:
    assert bound(["aX", "bY", "cZ"], Fraction(7, 10)) == least(["aX", "bY", "cZ"], Fraction(7, 10)) == 3


def test_a_number_that_takes_too_long_to_refute_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    records = ["abX", "abY", "acX", "bcZ"]
    whole = bound(records, Fraction(3, 10))
    monkeypatch.setattr("discreet.search.transactions.suppression_bound.MOST_LOOKED_UP", 0)
    assert bound(records, Fraction(3, 10)) == 0 < whole


def test_long_records_and_many_of_them() -> None:
    random = np.random.default_rng(5)
    others = [np.flatnonzero(random.random(3000) < 0.6).tolist() for _ in range(4)] + [
        np.flatnonzero(random.random(30) < 0.2).tolist() for _ in range(600)
    ]
    encoded = EncodedTransactions(
        Taxonomy.from_paths("items", [[str(item), "*"] for item in range(3000)]),
        Sets.of(others),
        Sets.of([[row % 3] for row in range(len(others))]),
        np.ones(len(others), np.int64),
        tuple(SENSITIVE),
    )
    # Nobody has what the four long ones have; each loses its sensitive item.
    assert suppression_bound(encoded, Fraction(7, 10), Limits()) >= 4


def test_stopped_early_it_is_lower_and_still_a_bound() -> None:
    assert bound(["aX", "bY"], Fraction(1, 2)) == 2
    assert bound(["aX", "bY"], Fraction(1, 2), Limits(time_limit=0)) == 0
