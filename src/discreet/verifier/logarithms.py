"""Whether a product of powers of whole numbers is at least 1, decided exactly.

A float decides wherever the sum of logarithms is not close to 0. Close to it, the product is written in bases without
common factors; it is 1 if and only if all their exponents cancel. If they do not, the sum of logarithms is not 0, and
enough digits tell its sign.
"""

from collections import Counter
from collections.abc import Iterable
from decimal import Decimal, localcontext
from math import gcd, log

CLOSE = 1e-9


def is_at_least_one(powers: Iterable[tuple[int, int]]) -> bool:
    """powers: (base, exponent), the bases from 1 on."""
    terms = [(base, exponent) for base, exponent in powers if exponent]
    total = sum(exponent * log(base) for base, exponent in terms)
    if abs(total) > CLOSE * sum(abs(exponent) for _, exponent in terms):
        return total > 0
    left = _independent(terms)
    return not left or _is_positive(left)


def _independent(terms: Iterable[tuple[int, int]]) -> dict[int, int]:
    """The same product in bases of which no two have a factor in common: it is 1 if and only if no exponent is left.

    Primes would do, but a stranger's certificate may have numbers whose factors take hours to find. Each step takes out
    a common divisor, so that the product of all bases falls.
    """
    merged: Counter[int] = Counter()
    for base, exponent in terms:
        merged[base] += exponent
    waiting = list(merged.items())
    found: dict[int, int] = {}
    while waiting:
        base, exponent = waiting.pop()
        if base == 1 or not exponent:
            continue
        known = next((known for known in found if gcd(known, base) > 1), None)
        if known is None:
            found[base] = exponent
            continue
        common, other = gcd(known, base), found.pop(known)
        waiting += [(common, exponent + other), (base // common, exponent), (known // common, other)]
    return found


def _is_positive(exponents: dict[int, int]) -> bool:
    """The sign of a sum of logarithms of bases without common factors, which is not 0."""
    digits = 50
    while True:
        with localcontext() as context:
            context.prec = digits
            total = sum((exponent * Decimal(base).ln() for base, exponent in exponents.items()), Decimal(0))
            if abs(total) > Decimal(10) ** (20 - digits) * sum(map(abs, exponents.values())):
                return total > 0
        digits *= 2
