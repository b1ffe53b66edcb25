"""Entropy and divergence where floats cannot tell: ties, and histograms one record away from them, of many records."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.models.cones import Cone, ConeDemand, Divergence, Entropy
from discreet.models.partition_limits import PartitionLimits
from discreet.verifier.logarithms import is_at_least_one
from examples import examples
from oracle.promises import has_entropy, is_within_bits


def held(cone: Cone, counts: Sequence[int]) -> bool:
    demand = ConeDemand((cone,), PartitionLimits((Fraction(1),) * len(counts)))
    return bool(demand.holds(np.array([counts], np.int64))[0])


def verified(counts: Sequence[int], l: Fraction) -> bool:  # noqa: E741
    """As the verifier puts it: n^n / (l^n * product of c^c) is at least 1."""
    size = sum(counts)
    powers = [(size, size), (l.denominator, size), (l.numerator, -size), *((count, -count) for count in counts)]
    return is_at_least_one(powers)


@pytest.mark.parametrize("l", [2, 3, 5, 14])
@pytest.mark.parametrize("each", [1, 7, 3_230, 1_000_003])
def test_equally_frequent_values_keep_it_exactly_and_one_record_moved_breaks_it(l: int, each: int) -> None:  # noqa: E741
    tie = [each] * l
    assert held(Entropy(Fraction(l)), tie) and verified(tie, Fraction(l))
    moved = [each + 1, each - 1, *tie[2:]] if each > 1 else [2, *tie[2:]]
    assert not held(Entropy(Fraction(l)), moved) and not verified(moved, Fraction(l))


@pytest.mark.parametrize("times", [1, 1_000, 250_000])
def test_the_divergence_of_a_half_from_a_quarter_is_a_bit(times: int) -> None:
    """(1/2, 1/2, 0, 0) from four quarters, in whole numbers of any size; one record more or fewer breaks it."""
    quarters = (Fraction(1, 4),) * 4
    assert held(Divergence(Fraction(1), quarters), [times, times, 0, 0])
    assert not held(Divergence(Fraction(1), quarters), [times + 1, times, 0, 0])


@examples(400)
@given(st.lists(st.integers(1, 400), min_size=2, max_size=5), st.integers(-1, 1))
def test_near_the_border_it_is_decided_as_whole_numbers_would(counts: list[int], beside: int) -> None:
    """l is the closest fraction with a denominator up to 10^6 to what the histogram has, or the next one."""
    size = sum(counts)
    like = np.exp(-sum(count / size * np.log(count / size) for count in counts))
    closest = Fraction(float(like)).limit_denominator(10**6)
    l = max(Fraction(1), closest + Fraction(beside, closest.denominator))  # noqa: E741
    expected = has_entropy(Counter(dict(zip("abcde", counts, strict=False))), l)
    assert held(Entropy(l), counts) == expected == verified(counts, l)


@examples(200)
@given(st.lists(st.integers(0, 60), min_size=3, max_size=3).filter(any), st.integers(-1, 1))
def test_the_same_for_bits(counts: list[int], beside: int) -> None:
    shares = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6))
    size = sum(counts)
    bits = sum(c / size * np.log2(c / size / float(q)) for c, q in zip(counts, shares, strict=True) if c)
    closest = Fraction(float(bits)).limit_denominator(50)
    t = max(Fraction(0), closest + Fraction(beside, closest.denominator))
    histogram = {value: count for value, count in zip("abc", counts, strict=True) if count}
    assert held(Divergence(t, shares), counts) == is_within_bits(histogram, dict(zip("abc", shares, strict=True)), t)


def test_a_certificate_of_a_stranger_does_not_make_the_verifier_look_for_factors() -> None:
    """The product of two primes of nine digits, with which a group is nearly tied."""
    factors = 999_999_937 * 999_999_929
    begun = time.monotonic()
    assert not verified([1, 1, 1], Fraction(3 * factors + 1, factors))
    assert verified([1, 1, 1], Fraction(3 * factors - 1, factors))
    assert verified([1, 1, 1], Fraction(3))
    assert is_at_least_one([(factors, 1), (999_999_937, -1), (999_999_929, -1)])
    assert time.monotonic() - begun < 5
