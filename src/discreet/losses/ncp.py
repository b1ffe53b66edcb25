"""NCP, the normalized certainty penalty: the share of all items that a published item may stand for.

Paper: Xu et al. 2006; for sets: Terrovitis, Mamoulis and Kalnis 2008. An item published as v costs
leaves(v) / leaves(root), a leaf nothing.
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from discreet.taxonomy import Taxonomy


class NormalizedCertaintyPenalty:
    """The share of all items that a published item may stand for."""

    name: ClassVar[str] = "ncp"
    paper: ClassVar[str] = "Xu et al. 2006; Terrovitis, Mamoulis and Kalnis 2008"

    def generalization(self, taxonomy: Taxonomy, node: int) -> Fraction:
        if taxonomy.is_leaf(node):
            return Fraction(0)
        return Fraction(taxonomy.leaf_count(node), taxonomy.leaf_count(0))
