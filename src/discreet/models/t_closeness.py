"""t-closeness: the sensitive values of every group are distributed as those of everybody, up to a distance t.

Paper: Li, Li and Venkatasubramanian 2007. Distances of a group's distribution P from the reference Q:

- equal: half the sum of |P - Q|, as all values are equally far apart;
- ordered: values in an order, neighbours 1 / (r - 1) apart: the sum of |cumulated P - cumulated Q| / (r - 1);
- hierarchical: two values are as far apart as the lowest node above both is high in their taxonomy. Over all nodes,
  (height of the node above - own height) / (2 height of the root) * |P below it - Q below it|;
- kl: Kullback-Leibler's divergence of P from Q, in bits. It is not symmetric and may be above 1.

The first three are earth mover's distances on a tree (models/cones). The paper's programme for other distances lets
flows pass through a third value, which is right for metrics only.
What Q is, and why, is in models/reference. Monotone: yes, with Q fixed: a distance from Q is convex.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import log2
from typing import ClassVar, Literal, Self

from discreet.errors import InputError
from discreet.models.cones import ConeDemand, Divergence, Nearness, Node
from discreet.models.parameters import FromZero
from discreet.models.partition_limits import SENSITIVE, SensitiveColumn, about, unlimited
from discreet.models.reference import EXACT_IS_TOLD, Reference, check_sum, settled, shares_of, stated
from discreet.taxonomy import Taxonomy
from discreet.taxonomy.published import number_of
from discreet.values.partitions import PublishedPartitions
from discreet.values.words import SHOWN_VALUES, briefly

MOST_OF_T = Fraction(1, 4)
"""A coarse reference is farther from the table than this part of t at most."""


@dataclass(frozen=True)
class TCloseness:
    """Finding a person's group changes what is known about the sensitive value by a distance of t at most."""

    name: ClassVar[str] = "t-closeness"
    kind: ClassVar[str] = "table"
    paper: ClassVar[str] = "Li, Li and Venkatasubramanian 2007"
    monotone: ClassVar[bool] = True
    by_limits: ClassVar[bool] = False
    by_cones: ClassVar[bool] = True
    about_size: ClassVar[bool] = False
    inherited: ClassVar[bool] = False
    needs_sensitive: ClassVar[bool] = True
    treats_alike: ClassVar[bool] = False

    t: FromZero
    distance: Literal["equal", "ordered", "hierarchical", "kl"] = "equal"
    reference: Reference = None
    column: str | None = None

    def __post_init__(self) -> None:
        if self.distance != "kl" and self.t > 1:
            raise ValueError(f"t is {self.t}, and the distance {self.distance} is at most 1; write a share such as 1/5")
        check_sum(self.reference)

    @property
    def on_a_tree(self) -> bool:
        """Whether the most records that can stay of a group are known in whole records."""
        return self.distance != "kl"

    def settled(self, suppression: str) -> Self:
        return replace(self, reference=settled(self.reference, suppression))

    def demand(self, sensitive: SensitiveColumn) -> ConeDemand:
        reference = self.reference
        shares = shares_of(reference, sensitive)
        if reference == "coarse":
            self._check_coarse(shares, shares_of("exact", sensitive), sensitive)
        return ConeDemand((self._cone(shares, sensitive),), unlimited(sensitive))

    def _cone(self, shares: Mapping[str, Fraction], sensitive: SensitiveColumn) -> Nearness | Divergence:
        if self.distance == "kl":
            return Divergence(Fraction(self.t), tuple(shares[value] for value in sensitive.values))
        codes = {value: code for code, value in enumerate(sensitive.values)}
        return Nearness(Fraction(self.t), tuple(self._tree(shares, codes, sensitive)))

    def _tree(
        self, shares: Mapping[str, Fraction], codes: Mapping[str, int], sensitive: SensitiveColumn
    ) -> Iterator[Node]:
        if self.distance == "equal":
            for value, share in shares.items():
                yield Node(codes.get(value), 0, Fraction(1, 2), share)
            yield Node(None, len(shares), Fraction(0))
        elif self.distance == "ordered":
            apart = Fraction(1, max(1, len(shares) - 1))
            for place, value in enumerate(in_order(shares, sensitive)):
                yield Node(codes.get(value), place, apart, shares[value])
        else:
            yield from _hierarchy(shares, codes, sensitive.tree)

    def _check_coarse(
        self, shares: Mapping[str, Fraction], exact: Mapping[str, Fraction], sensitive: SensitiveColumn
    ) -> None:
        apart: float | Fraction
        if self.distance == "kl":
            apart = sum(float(exact[value]) * log2(exact[value] / shares[value]) for value in exact)
        else:
            codes = {value: code for code, value in enumerate(exact)}
            nodes = tuple(self._tree(shares, codes, sensitive))
            own = [
                node.reference - (Fraction(0) if node.value is None else exact[sensitive.values[node.value]])
                for node in nodes
            ]
            apart = Fraction(0)
            for place, node in enumerate(nodes):
                apart += node.weight * abs(sum(own[place - node.below : place + 1], Fraction(0)))
        if apart > MOST_OF_T * self.t:
            raise InputError(
                f"privacy.reference: rounding the distribution of the sensitive values to a coarse one moves it by "
                f"{float(apart):.4f}, more than a quarter of t = {self.t}; give the reference as shares from a public "
                "source, raise t, or set search.suppression: none, which needs no rounding."
            )

    def in_words(self) -> str:
        return (
            f"learns a distribution of {SENSITIVE} that is at most {self.t} away from that of everybody, by the "
            f"distance {self.distance}"
        )

    def warnings(self, sensitive: SensitiveColumn) -> list[str]:
        exact = [EXACT_IS_TOLD] if self.reference == "exact" else []
        return [*exact, *(_assumed_order(sensitive) if self.distance == "ordered" else ())]

    def promise(self, sensitive: SensitiveColumn) -> dict[str, object]:
        order = {"order": sensitive.order if isinstance(sensitive.order, str) else list(sensitive.order)}
        return {
            "model": self.name,
            **about(self.column),
            "t": str(self.t),
            "distance": self.distance,
            "reference": stated(self.reference, sensitive),
            **(order if self.distance == "ordered" else {}),
        }

    def statement(self, published: PublishedPartitions, sensitive: SensitiveColumn) -> dict[str, object]:
        return self.promise(sensitive)


def in_order(values: Collection[str], column: SensitiveColumn) -> list[str]:
    """Values in the order of their column."""
    if column.order == "alphabetical":
        return sorted(values)
    if column.order == "numbers":
        if texts := [value for value in values if not is_number(value)]:
            raise InputError(
                f"attributes.{column.name}.order: numbers, and {briefly(texts[0]) if texts[0] else 'a missing value'} "
                "is none; list the values in their order, or leave out the key."
            )
        return sorted(values, key=lambda value: (Fraction(value), value))
    places = {value: place for place, value in enumerate(column.order)}
    if absent := [value for value in values if value not in places]:
        raise InputError(
            f"attributes.{column.name}.order: the distance ordered needs a place for every sensitive value, and "
            f"{briefly(absent[0])}{' and others have' if absent[1:] else ' has'} none; list all values."
        )
    return sorted(values, key=places.__getitem__)


def _assumed_order(sensitive: SensitiveColumn) -> Iterator[str]:
    """What an order means that nobody asked for: that of the alphabet is one of spelling and hardly ever of meaning."""
    if sensitive.order == "alphabetical" and sensitive.order_is_assumed and len(sensitive.values) > 2:
        values = in_order(sensitive.values, sensitive)
        shown = ", ".join(map(briefly, values[:SHOWN_VALUES])) + (", ..." if values[SHOWN_VALUES:] else "")
        yield (
            f"attributes.{sensitive.name}.order: the distance ordered takes the values in alphabetical order "
            f"({shown}), as nothing says which of them are close to each other; list all values there in their order, "
            "or write alphabetical if this is right."
        )


def is_number(text: str) -> bool:
    return number_of(text) is not None


def _hierarchy(shares: Mapping[str, Fraction], codes: Mapping[str, int], taxonomy: Taxonomy | None) -> Iterator[Node]:
    """The nodes of a taxonomy from the leaves up; a value that it does not have lies right below its root."""
    if taxonomy is None:
        raise InputError(
            "privacy.distance: hierarchical needs a taxonomy of the sensitive values; give the sensitive column one "
            "(attributes.COLUMN.taxonomy), or choose another distance."
        )
    height = [0] * len(taxonomy.labels)
    for node in range(len(height) - 1, 0, -1):
        parent = int(taxonomy.parents[node])
        height[parent] = max(height[parent], height[node] + 1)
    top = max(1, height[0])
    leaves = {int(node): taxonomy.labels[int(node)] for node in taxonomy.leaf_nodes}
    known = set(leaves.values())
    outside = [value for value in shares if value not in known]
    for value in outside:
        yield Node(codes.get(value), 0, Fraction(1, 2), shares[value])
    for node in sorted(range(len(height)), key=lambda node: (int(taxonomy.end[node]), -node)):
        parent, below = int(taxonomy.parents[node]), int(taxonomy.end[node]) - node - 1
        if parent < 0:
            yield Node(None, below + len(outside), Fraction(0))
            continue
        weight = Fraction(height[parent] - height[node], 2 * top)
        if node in leaves:
            yield Node(codes.get(leaves[node]), below, weight, shares.get(leaves[node], Fraction(0)))
        else:
            yield Node(None, below, weight)
