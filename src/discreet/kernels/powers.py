"""Signs of sums of logarithms of whole numbers, decided exactly: is a product of powers at least 1?

A float decides wherever the sum is not close to 0. Close to it, the product is exactly 1 if and only if the exponents
of every prime cancel; otherwise twice as many digits decide (numbers as the sum of two floats: Dekker 1971, and
Hida, Li and Bailey 2001). Should these not be enough either, which takes two different products that agree in 28
digits, the answer is the careful one: no.
"""

from __future__ import annotations

from math import log

import numpy as np
import numpy.typing as npt

from .cache import njit

Int64s = npt.NDArray[np.int64]

CLOSE = 1e-9
"""The share of the exponents within which a float does not decide; its error is a thousand times smaller."""
LOG_2_HIGH, LOG_2_LOW = 0.6931471805599453, 2.319046813846299562e-17
HALVINGS = 9
TERMS = 9
SPLITTER = 134217729.0
"""2 ** 27 + 1, which cuts a float into two halves."""
TOO_CLOSE = 1e-28


@njit(cache=True)
def is_at_least_one(bases: Int64s, exponents: Int64s, count: int) -> bool:
    """Whether the product of bases[i] ** exponents[i], over the first so many, is at least 1."""
    total, weight = 0.0, 0.0
    for index in range(count):
        total += exponents[index] * log(bases[index])
        weight += abs(exponents[index])
    if abs(total) > CLOSE * weight:
        return total > 0
    return _cancels(bases, exponents, count) or _is_above_one(bases, exponents, count)


@njit(cache=True)
def _cancels(bases: Int64s, exponents: Int64s, count: int) -> bool:
    """Whether the exponents of every prime add up to 0."""
    rest = bases[:count].copy()
    largest = 1
    for index in range(count):
        largest = max(largest, rest[index])
    prime = 2
    while prime * prime <= largest:
        together = 0
        for index in range(count):
            while rest[index] % prime == 0:
                rest[index] //= prime
                together += exponents[index]
        if together != 0:
            return False
        prime += 1
    for index in range(count):  # what is left of each number is a prime or 1
        if rest[index] == 1:
            continue
        together = 0
        for other in range(count):
            if rest[other] == rest[index]:
                together += exponents[other]
        if together != 0:
            return False
    return True


@njit(cache=True)
def _is_above_one(bases: Int64s, exponents: Int64s, count: int) -> bool:
    high, low, size = 0.0, 0.0, 0.0
    for index in range(count):
        term_high, term_low = _times(*_logarithm(bases[index]), float(exponents[index]))
        high, low = _plus(high, low, term_high, term_low)
        size += abs(term_high)
    return high > TOO_CLOSE * size


@njit(cache=True)
def _logarithm(number: int) -> tuple[float, float]:
    """One step of Newton's from the float: log n = y + log(n exp(-y)), and the last logarithm is tiny."""
    guess = log(number)
    high, low = _times(*_exponential(-guess), float(number))
    high, low = _plus(high, low, -1.0, 0.0)
    return _plus(guess, 0.0, high - 0.5 * high * high, low)


@njit(cache=True)
def _exponential(exponent: float) -> tuple[float, float]:
    """exp by its series for a small argument, then squared up again."""
    twos = np.floor(exponent / LOG_2_HIGH + 0.5)
    high, low = _times(LOG_2_HIGH, LOG_2_LOW, -twos)
    high, low = _plus(high, low, exponent, 0.0)
    scale = 0.5**HALVINGS
    high, low = high * scale, low * scale
    sum_high, sum_low = high, low
    term_high, term_low = high, low
    for place in range(2, TERMS):
        term_high, term_low = _multiplied(term_high, term_low, high, low)
        term_high, term_low = _divided(term_high, term_low, float(place))
        sum_high, sum_low = _plus(sum_high, sum_low, term_high, term_low)
    for _ in range(HALVINGS):  # (1 + s)^2 = 1 + (2 s + s^2)
        square_high, square_low = _multiplied(sum_high, sum_low, sum_high, sum_low)
        sum_high, sum_low = _plus(2 * sum_high, 2 * sum_low, square_high, square_low)
    high, low = _plus(sum_high, sum_low, 1.0, 0.0)
    return high * 2.0**twos, low * 2.0**twos


@njit(cache=True)
def _exact_sum(left: float, right: float) -> tuple[float, float]:
    total = left + right
    part = total - left
    return total, (left - (total - part)) + (right - part)


@njit(cache=True)
def _exact_product(left: float, right: float) -> tuple[float, float]:
    product = left * right
    scaled = SPLITTER * left
    left_high = scaled - (scaled - left)
    left_low = left - left_high
    scaled = SPLITTER * right
    right_high = scaled - (scaled - right)
    right_low = right - right_high
    return product, left_low * right_low - (
        ((product - left_high * right_high) - left_low * right_high) - left_high * right_low
    )


@njit(cache=True)
def _plus(high: float, low: float, other_high: float, other_low: float) -> tuple[float, float]:
    total, error = _exact_sum(high, other_high)
    low_total, low_error = _exact_sum(low, other_low)
    total, error = _exact_sum(total, error + low_total)
    return _exact_sum(total, error + low_error)


@njit(cache=True)
def _multiplied(high: float, low: float, other_high: float, other_low: float) -> tuple[float, float]:
    product, error = _exact_product(high, other_high)
    return _exact_sum(product, error + high * other_low + low * other_high)


@njit(cache=True)
def _times(high: float, low: float, factor: float) -> tuple[float, float]:
    return _multiplied(high, low, factor, 0.0)


@njit(cache=True)
def _divided(high: float, low: float, divisor: float) -> tuple[float, float]:
    quotient = high / divisor
    back_high, back_low = _exact_product(quotient, divisor)
    rest_high, rest_low = _plus(high, low, -back_high, -back_low)
    return _exact_sum(quotient, (rest_high + rest_low) / divisor)
