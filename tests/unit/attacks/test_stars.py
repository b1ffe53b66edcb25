"""What stars betray, on groups small enough to think through."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from discreet.attacks.table.groups import Groups
from discreet.attacks.table.stars import candidates, stars

A, B, C, STAR = 0, 1, 2, -1


def group(*sensitive: int, values: int = 3) -> Groups:
    size = len(sensitive)
    return Groups.of(np.zeros((1, size), np.int32), np.array(sensitive, np.int32), np.ones(size, np.int64), values)


def test_the_only_value_that_is_missing_is_told() -> None:
    found = stars(group(A, B, STAR, STAR), group(A, B, C, C), [Fraction(1, 4)] * 3, "vio-sa")
    assert (found["told"], found["told_by_absence"], found["told_by_thresholds"]) == (2, 2, 0)
    assert found["told_right"] == 2
    assert found["above_threshold"] == 4  # each of the four has C with confidence 1/2


def test_a_value_that_would_need_more_stars_is_ruled_out() -> None:
    # Of ten records four are stars: with the threshold 1/2 a value needs six, so only C can be behind them.
    released = group(*[STAR] * 4, *[A] * 2, *[B] * 4, values=4)
    original = group(*[C] * 4, *[A] * 2, *[B] * 4, values=4)
    thresholds = [Fraction(1, 2), Fraction(1, 2), Fraction(1, 4), Fraction(1, 2)]
    assert candidates(released, thresholds, "vio-sa").tolist() == [[False, False, True, False]]
    found = stars(released, original, thresholds, "vio-sa")
    assert (found["told_by_absence"], found["told_by_thresholds"]) == (0, 4)
    assert found["candidates"] == {"before": 2.0, "after": 1.0}
    assert found["guesses"]["right"] == 4
    assert found["baseline"]["right"] == 2  # C or the fourth value, neither shows anywhere: by lot


def test_exactly_the_threshold_is_not_above_it() -> None:
    released = group(STAR, STAR, A, A)
    assert candidates(released, [Fraction(1, 2)] * 3, "vio-sa").tolist() == [[False, False, False]]
    assert candidates(released, [Fraction(49, 100)] * 3, "vio-sa").tolist() == [[False, True, True]]


def test_a_value_without_threshold_is_never_hidden() -> None:
    assert candidates(group(STAR, A), [Fraction(1, 2), None, Fraction(1, 4)], "vio-sa").tolist() == [
        [False, False, True]
    ]


def test_all_sa_tells_only_that_something_violated() -> None:
    found = stars(group(STAR, STAR), group(A, A), [Fraction(1, 2)] * 3, "all-sa")
    assert found["told"] == 0
    assert found["candidates"] == {"before": 3.0, "after": 3.0}
    assert "some value was above its threshold" in found["reading"]


def test_guarded_stars_leave_every_value_possible() -> None:
    thresholds = [Fraction(1, 2)] * 3
    released = group(*[STAR] * 5)
    assert candidates(released, thresholds, "vio-sa", guard_stars=True).all()
    # With the threshold 0 a value cannot occur without violating. Two of three are like that, so no group shows all
    # values but one, and the guard starred nothing.
    strict = [Fraction(0), Fraction(0), None]
    assert candidates(released, strict, "vio-sa", guard_stars=True).tolist() == [[True, True, False]]


def test_without_stars_it_does_not_apply() -> None:
    found = stars(group(A, B), group(A, B), [Fraction(1, 2)] * 3, "vio-sa")
    assert not found["applies"]
    assert "no suppressed sensitive values" in found["reading"]


def test_thresholds_of_many_digits_are_compared_exactly() -> None:
    size, just_below = 10**6, Fraction(10**17 - 1, 2 * 10**17)
    half = np.array([size // 2, size // 2], np.int64)
    released = Groups.of(np.zeros((1, 2), np.int32), np.array([A, STAR], np.int32), half, 2)
    assert candidates(released, [Fraction(1, 2), just_below], "vio-sa").tolist() == [[False, True]]
    assert candidates(released, [Fraction(1, 2), Fraction(1, 2)], "vio-sa").tolist() == [[False, False]]
