"""The verifier of rho-uncertainty against counting every itemset, on many small databases."""

from collections.abc import Collection, Sequence
from fractions import Fraction

import numpy as np
import pytest

from discreet.verifier.transactions.itemsets import Incidence
from discreet.verifier.transactions.rho_uncertainty import unsafe_rules as found_rules
from examples import TIMES
from oracle.rho_uncertainty import (
    RHOS,
    Record,
    UnsafeRule,
    is_maximal,
    is_safe,
    put_back,
    random_maximal,
    random_records,
    support,
    unsafe_rules,
)

DATABASES = 300 * TIMES
"""for each rho"""
NEAR_BORDER = 50
"""for each rho; every one gives several databases"""


def found(records: Sequence[Record], sensitive: Collection[str], rho: Fraction) -> list[UnsafeRule]:
    """What the verifier finds, in the oracle's words."""
    items = sorted(frozenset().union(*records) - set(sensitive)) + sorted(sensitive)
    pairs = sorted((row, items.index(item)) for row, record in enumerate(records) for item in record)
    rows, columns = np.array(pairs, np.int64).reshape(-1, 2).T
    rules = found_rules(Incidence(rows, columns, len(records), len(items)), len(items) - len(sensitive), rho)
    return [
        UnsafeRule(frozenset(items[item] for item in rule.known), items[rule.sensitive], rule.support, rule.holders)
        for rule in rules
    ]


def agrees(records: Sequence[Record], sensitive: Collection[str], rho: Fraction) -> bool:
    """It finds rules if and only if there are some, and what it finds is one, with the right numbers."""
    every, some = unsafe_rules(records, sensitive, rho), found(records, sensitive, rho)
    return bool(every) == bool(some) and set(some) <= set(every) and len(set(some)) == len(some)


@pytest.mark.parametrize("rho", RHOS, ids=str)
def test_random_databases(rho: Fraction) -> None:
    random = np.random.default_rng(5)
    differ = []
    for number in range(DATABASES):
        records, sensitive = random_records(random)
        if not agrees(records, sensitive, rho):
            differ.append(number)
    assert not differ


def test_the_random_databases_are_of_all_kinds() -> None:
    random = np.random.default_rng(5)
    drawn = [random_records(random) for _ in range(DATABASES)]
    safe = sum(is_safe(*each, Fraction(1, 2)) for each in drawn)
    assert DATABASES // 30 < safe < DATABASES - DATABASES // 30
    assert any(not sensitive for _, sensitive in drawn)
    assert all(any(len(record) == size for records, _ in drawn for record in records) for size in range(7))


@pytest.mark.parametrize("rho", [rho for rho in RHOS if rho < 1], ids=str)
def test_one_occurrence_from_the_border(rho: Fraction) -> None:
    """What is safe and maximal passes; with any single occurrence put back it does not."""
    random = np.random.default_rng(6)
    breaches = 0
    for _ in range(NEAR_BORDER):
        original, sensitive = random_records(random, max_items=6, max_records=10)
        released = random_maximal(random, original, sensitive, rho)
        assert is_maximal(original, released, sensitive, rho)
        assert not found(released, sensitive, rho)
        for more in put_back(original, released):
            breaches += 1
            assert found(more, sensitive, rho) and agrees(more, sensitive, rho)
    assert breaches >= NEAR_BORDER // 2


def hidden_by_records(random: np.random.Generator, rho: Fraction) -> list[Record]:
    """Each record less the secret is safe, as other records of much else hold it too: what some share need not be."""
    items = "abcdefg"[: int(random.integers(3, 8))]
    density = random.choice([0.3, 0.5, 0.7])
    records: list[Record] = []
    for _ in range(int(random.integers(2, 9))):
        record = frozenset(item for item in items if random.random() < density) | {"secret"}
        records += [record] * int(random.choice([1, 1, 1, 2, 3]))
    for known in [record - {"secret"} for record in records if len(record) > 1]:
        while support(records, known | {"secret"}) > rho * support(records, known):
            others = {item for item in items if random.random() < 0.8}
            records += [known | others] * int(random.choice([1, 1, 2]))
    return records


@pytest.mark.parametrize("rho", [rho for rho in RHOS if rho < 1], ids=str)
def test_rules_that_no_whole_record_gives(rho: Fraction) -> None:
    random = np.random.default_rng(7)
    safe = 0
    for _ in range(DATABASES):
        records = hidden_by_records(random, rho)
        every = unsafe_rules(records, ["secret"], rho)
        assert not any(rule.known | {rule.sensitive} in records for rule in every)
        assert agrees(records, ["secret"], rho)
        safe += not every
    assert DATABASES // 30 < safe < DATABASES - DATABASES // 30
