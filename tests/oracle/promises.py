"""What the promises about histograms of sensitive values demand, by definition; nothing of discreet is imported.

A histogram maps a value to how many records have it. Logarithms are compared as powers of whole numbers.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import TypeAlias

Histogram: TypeAlias = Mapping[str, int]
Shares: TypeAlias = Mapping[str, Fraction]
Tree: TypeAlias = "str | tuple[str, Sequence[Tree]]"


def is_distinct(histogram: Histogram, l: int) -> bool:  # noqa: E741
    return sum(count > 0 for count in histogram.values()) >= l


def has_entropy(histogram: Histogram, l: Fraction) -> bool:  # noqa: E741
    """n^n >= l^n * product of count^count"""
    size = sum(histogram.values())
    return bool(
        size**size * l.denominator**size >= l.numerator**size * prod(count**count for count in histogram.values())
    )


def is_recursive(histogram: Histogram, c: Fraction, l: int) -> bool:  # noqa: E741
    falling = sorted(histogram.values(), reverse=True)
    return falling[0] < c * sum(falling[l - 1 :])


def distance_equal(histogram: Histogram, reference: Shares) -> Fraction:
    return sum((abs(difference) for difference in _differences(histogram, reference).values()), Fraction(0)) / 2


def distance_ordered(histogram: Histogram, reference: Shares, order: Sequence[str]) -> Fraction:
    differences = _differences(histogram, reference)
    cumulated, total = Fraction(0), Fraction(0)
    for value in order:
        cumulated += differences[value]
        total += abs(cumulated)
    return total / max(1, len(order) - 1)


def distance_hierarchical(histogram: Histogram, reference: Shares, tree: Tree) -> Fraction:
    """Mass moves up to where it meets; it costs half of what two values are apart on each side."""
    differences = _differences(histogram, reference)
    root = height(tree)

    def moved(node: Tree) -> tuple[Fraction, Fraction]:
        """what is too much below a node, and what moving it up to there cost"""
        if isinstance(node, str):
            return differences.get(node, Fraction(0)), Fraction(0)
        surplus, paid = Fraction(0), Fraction(0)
        for child in node[1]:
            more, cost = moved(child)
            surplus += more
            paid += cost + abs(more) * Fraction(height(node) - height(child), 2 * root)
        return surplus, paid

    return moved(tree)[1] if root else Fraction(0)


def height(tree: Tree) -> int:
    return 0 if isinstance(tree, str) else 1 + max(height(child) for child in tree[1])


def is_within_bits(histogram: Histogram, reference: Shares, bits: Fraction) -> bool:
    """product of (count / (n q))^count <= 2^(bits * n)"""
    size = sum(histogram.values())
    if any(count and not reference.get(value) for value, count in histogram.items()):
        return False
    odds = prod(
        ((Fraction(count, size) / reference[value]) ** count for value, count in histogram.items() if count),
        start=Fraction(1),
    )
    return odds**bits.denominator <= Fraction(2) ** (bits.numerator * size)


def _differences(histogram: Histogram, reference: Shares) -> dict[str, Fraction]:
    size = sum(histogram.values())
    values = {*histogram, *reference}
    return {value: Fraction(histogram.get(value, 0), size) - reference.get(value, 0) for value in values}


def transported(histogram: Histogram, reference: Shares, apart: Callable[[str, str], Fraction]) -> float:
    """The earth mover's distance by linear programming, straight from its definition."""
    import numpy as np
    from scipy.optimize import linprog

    size = sum(histogram.values())
    sources, targets = list(histogram), list(reference)
    costs = [float(apart(source, target)) for source in sources for target in targets]
    rows = [
        [float(place // len(targets) == source) for place in range(len(costs))] for source in range(len(sources))
    ] + [[float(place % len(targets) == target) for place in range(len(costs))] for target in range(len(targets))]
    amounts = [histogram[source] / size for source in sources] + [float(reference[target]) for target in targets]
    return float(linprog(costs, A_eq=np.array(rows), b_eq=np.array(amounts), bounds=(0, None)).fun)
