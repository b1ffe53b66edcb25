"""Whether a product of powers of whole numbers is at least 1, decided exactly.

A float decides wherever the sum of logarithms is not close to 0. Close to it, the product is 1 if and only if the
exponents of every prime cancel; if they do not, the sum is not 0, and enough digits tell its sign.
"""

from collections import Counter
from collections.abc import Iterable
from decimal import Decimal, localcontext
from math import log

CLOSE = 1e-9


def is_at_least_one(powers: Iterable[tuple[int, int]]) -> bool:
    """powers: (base, exponent), the bases from 1 on."""
    terms = [(base, exponent) for base, exponent in powers if exponent]
    total = sum(exponent * log(base) for base, exponent in terms)
    if abs(total) > CLOSE * sum(abs(exponent) for _, exponent in terms):
        return total > 0
    exponents: Counter[int] = Counter()
    for base, exponent in terms:
        for prime in _prime_factors(base):
            exponents[prime] += exponent
    left = {prime: exponent for prime, exponent in exponents.items() if exponent}
    return not left or _is_positive(left)


def _is_positive(exponents: dict[int, int]) -> bool:
    """The sign of a sum of logarithms of primes, which is not 0."""
    digits = 50
    while True:
        with localcontext() as context:
            context.prec = digits
            total = sum((exponent * Decimal(prime).ln() for prime, exponent in exponents.items()), Decimal(0))
            if abs(total) > Decimal(10) ** (20 - digits) * sum(map(abs, exponents.values())):
                return total > 0
        digits *= 2


def _prime_factors(number: int) -> Iterable[int]:
    factor = 2
    while factor * factor <= number:
        while number % factor == 0:
            yield factor
            number //= factor
        factor += 1
    if number > 1:
        yield number
