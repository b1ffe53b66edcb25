"""Rates and their intervals."""

from __future__ import annotations

from fractions import Fraction

import pytest

from discreet.attacks.rates import rate, wilson


@pytest.mark.parametrize(
    ("right", "of", "low", "high"),
    [(8, 10, 0.4902, 0.9433), (1, 10, 0.0179, 0.4042), (50, 100, 0.4038, 0.5962)],
)
def test_the_interval_is_wilsons(right: int, of: int, low: float, high: float) -> None:
    assert wilson(right, of) == pytest.approx((low, high), abs=1e-4)


def test_none_and_all_right_reach_the_ends_exactly() -> None:
    assert wilson(0, 7)[0] == 0
    assert wilson(7, 7)[1] == 1
    assert 0 < wilson(0, 7)[1] < 1


def test_an_expected_number_may_be_a_fraction() -> None:
    found = rate(Fraction(7, 2), 10)
    assert found is not None
    assert (found["right"], found["of"], found["rate"]) == (3.5, 10, 0.35)


def test_nobody_to_guess_about_is_no_rate() -> None:
    assert rate(0, 0) is None
