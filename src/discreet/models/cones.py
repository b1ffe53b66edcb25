"""What a promise demands of a histogram beyond limits on shares: diverse values, or a distribution near a reference.

All of these are convex cones: what is demanded is f(h) <= 0 with f convex and f(c h) = c f(h), so histograms that keep
it add up to one that does, and any c times one keeps it too. That is what searching with a proof needs
(kernels/lawful). They are decided there, in whole numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, lcm
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from discreet.models.limit_columns import LimitColumns
from discreet.models.partition_limits import Demand, PartitionLimits
from discreet.values.arrays import Bools, Int64s

if TYPE_CHECKING:
    from discreet.kernels.lawful import Promise


@dataclass(frozen=True)
class Distinct:
    """At least so many different values."""

    values: int


@dataclass(frozen=True)
class Entropy:
    """As much entropy as so many equally frequent values have, or more."""

    values: Fraction


@dataclass(frozen=True)
class Recursive:
    """The most frequent value occurs less than `factor` times as often as the `values`-th and all rarer ones."""

    factor: Fraction
    values: int


@dataclass(frozen=True)
class Node:
    """A place in the tree on which the distance of two distributions is measured; those below it come before it."""

    value: int | None
    """the sensitive value that it has, if any"""
    below: int
    """how many nodes lie below it"""
    weight: Fraction
    """what moving a share of 1 into or out of it costs"""
    reference: Fraction = Fraction(0)
    """the share of the reference that lies in it, and not below it"""


@dataclass(frozen=True)
class Nearness:
    """At most so far from the reference, in what it costs to move one distribution into the other along a tree."""

    largest: Fraction
    tree: tuple[Node, ...]

    @property
    def references(self) -> tuple[Fraction, ...]:
        return tuple(node.reference for node in self.tree)


@dataclass(frozen=True)
class Divergence:
    """At most so many bits from the reference (Kullback-Leibler)."""

    largest: Fraction
    references: tuple[Fraction, ...]
    """share of each value"""


Cone: TypeAlias = Distinct | Entropy | Recursive | Nearness | Divergence


@dataclass(frozen=True)
class ConeDemand:
    """Cones, and limits on shares and sizes besides."""

    cones: tuple[Cone, ...]
    limits: PartitionLimits

    @property
    def shares(self) -> tuple[Fraction, ...]:
        return tuple(
            min((share, *(_largest_share(cone, value) for cone in self.cones)))
            for value, share in enumerate(self.limits.shares)
        )

    @property
    def smallest(self) -> int:
        return max((self.limits.smallest, *map(_fewest_records, self.cones)))

    @property
    def says_nothing(self) -> bool:
        return self.limits.says_nothing and all(map(_says_nothing, self.cones))

    @property
    def says_what_to_delete(self) -> bool:
        """Whether the most records that can stay are worked out in whole records."""
        from discreet.kernels import lawful

        return _family(self.limits, self.cones) != lawful.SEVERAL

    def holds(self, histograms: Int64s) -> Bools:
        from discreet.kernels import lawful

        in_cones = lawful.lawful_rows(np.ascontiguousarray(histograms), self._of_single_values())
        return np.asarray(self.limits.holds(histograms) & in_cones)

    def remainders(self, histograms: Int64s) -> Int64s:
        """What is left of each partition (row) when the fewest records are deleted."""
        from discreet.kernels import lawful

        return np.asarray(lawful.remainders(np.ascontiguousarray(histograms), self._of_single_values()))

    def _of_single_values(self) -> Promise:
        """Without limits on several values together, which are counted in columns of their own."""
        limits = replace(self.limits, sums=())
        return compiled_promise(ConeDemand(self.cones, limits), LimitColumns.of(limits, every_value=True))

    @property
    def largest_factor(self) -> int:
        """Counts are multiplied by up to this when they are compared."""
        return max((*self.limits.denominators, *map(_largest_factor, self.cones)))


def compiled_promise(demand: Demand, columns: LimitColumns) -> Promise:
    """A demand in the terms of the kernels; columns: how its limits are counted."""
    from discreet.kernels import lawful

    if not isinstance(demand, ConeDemand | PartitionLimits):
        raise TypeError("The kernels know limits and cones.")
    limits, cones = (demand.limits, demand.cones) if isinstance(demand, ConeDemand) else (demand, ())
    diversities = [_diversity(cone) for cone in cones if isinstance(cone, Distinct | Entropy | Recursive)]
    nodes: list[list[int]] = []
    distances = [_distance(cone, nodes) for cone in cones if isinstance(cone, Nearness | Divergence)]
    return lawful.Promise(
        shares=columns.shares,
        blocks=columns.blocks,
        smallest=limits.smallest,
        family=_family(limits, cones),
        diversities=np.array(diversities, np.int64).reshape(-1, lawful.DIVERSITY_COLUMNS),
        distances=np.array(distances, np.int64).reshape(-1, lawful.DISTANCE_COLUMNS),
        nodes=np.array(nodes, np.int64).reshape(-1, lawful.NODE_COLUMNS),
    )


def _family(limits: PartitionLimits, cones: Sequence[Cone]) -> int:
    from discreet.kernels import lawful

    if not cones:
        return lawful.LIMITS
    if not limits.sums and len(set(limits.shares)) == 1:
        if all(isinstance(cone, Distinct | Entropy | Recursive) for cone in cones):
            return lawful.ALIKE
        if len(cones) == 1 and isinstance(cones[0], Nearness) and limits.shares[0] == 1:
            return lawful.ON_A_TREE
    return lawful.SEVERAL


def _diversity(cone: Distinct | Entropy | Recursive) -> list[int]:
    from discreet.kernels import lawful

    match cone:
        case Distinct():
            return [lawful.DISTINCT, 1, 1, cone.values]
        case Entropy():
            return [lawful.ENTROPY, cone.values.numerator, cone.values.denominator, 0]
        case Recursive():
            return [lawful.RECURSIVE, cone.factor.numerator, cone.factor.denominator, cone.values]


def _distance(cone: Nearness | Divergence, nodes: list[list[int]]) -> list[int]:
    """The row of a distance; its nodes are added to `nodes`."""
    total, unit = _units(cone)
    own = [int(share * total) for share in cone.references]
    first = len(nodes)
    if isinstance(cone, Divergence):
        nodes += [[value, first + value, 0, share] for value, share in enumerate(own)]
    else:
        for place, node in enumerate(cone.tree):
            value = -1 if node.value is None else node.value
            below = sum(own[place - node.below : place])
            nodes.append([value, first + place - node.below, int(node.weight * unit), below + own[place]])
    is_divergence = int(isinstance(cone, Divergence))
    return [cone.largest.numerator, cone.largest.denominator, total, unit, first, len(nodes), is_divergence]


def _units(cone: Nearness | Divergence) -> tuple[int, int]:
    """What the shares of the reference, and the weights of the tree, are multiples of one in."""
    total = lcm(*(share.denominator for share in cone.references))
    return total, lcm(*(node.weight.denominator for node in cone.tree)) if isinstance(cone, Nearness) else 1


def _largest_factor(cone: Cone) -> int:
    match cone:
        case Distinct():
            return 1
        case Entropy():
            return max(cone.values.numerator, cone.values.denominator)
        case Recursive():
            return max(cone.factor.numerator, cone.factor.denominator)
        case Nearness() | Divergence():
            total, unit = _units(cone)
            return 2 * total * unit * cone.largest.denominator


def _largest_share(cone: Cone, value: int) -> Fraction:
    """What a cone says about the share of one value; 1 where nothing follows."""
    match cone:
        case Recursive(factor=factor):
            return factor / (1 + factor)
        case Nearness(tree=tree) if all(node.below == 0 or node.weight == 0 for node in tree):
            own = sum(node.reference for node in tree if node.value == value)
            return min(Fraction(1), own + cone.largest)
        case _:
            return Fraction(1)


def _says_nothing(cone: Cone) -> bool:
    """Whether every partition is in a cone."""
    match cone:
        case Distinct() | Entropy():
            return cone.values <= 1
        case Recursive():
            return cone.values == 1 and cone.factor > 1
        case Nearness():
            return cone.largest >= 1
        case Divergence():
            return False


def _fewest_records(cone: Cone) -> int:
    """What a cone says about the size of a partition."""
    match cone:
        case Distinct() | Entropy() | Recursive():
            return ceil(cone.values)
        case _:
            return 1
