"""NCP and GCP, the certainty penalties.

Papers: Xu, Wang, Pei, Wang, Shi and Fu 2006 (NCP); Ghinita, Karras, Kalnis and Mamoulis 2007 (GCP). The normalized
certainty penalty of a value published as v is leaves(v) / leaves(root), and 0 when v is a leaf. Leaves are those that v
may stand for, by whatever label (taxonomy/published.py). NCP of a record is the
sum over its quasi-identifiers, all of weight 1; of a table, the sum over its records. The global certainty penalty is
NCP / (records * quasi-identifiers). A deleted record counts 1 on each quasi-identifier. Unlike LM there is no extra
penalty for suppression, so GCP lies between 0 and 1.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from discreet.measure.measurement import Measurement, Unit, percent
from discreet.measure.table.comparison import ANY_RECODING, Comparison


class CertaintyPenalty:
    """What share of its domain a published value stands for."""

    name: ClassVar[str] = "gcp"
    title: ClassVar[str] = "Global certainty penalty (NCP, GCP)"
    paper: ClassVar[str] = "Xu et al. 2006; Ghinita et al. 2007"
    definition: ClassVar[str] = (
        "The share of its taxonomy's leaves that a published value stands for, 0 for a leaf and 1 in a deleted record, "
        "averaged over all values of the quasi-identifiers."
    )
    unit: ClassVar[Unit] = "share"
    needs_sensitive: ClassVar[bool] = False
    needs_class: ClassVar[bool] = False
    recodings: ClassVar[tuple[str, ...]] = ANY_RECODING

    def measure(self, comparison: Comparison, random: np.random.Generator) -> Measurement:
        original = comparison.original
        by_attribute = {}
        total = 0.0
        for index, (attribute, values) in enumerate(zip(original.attributes, comparison.values, strict=True)):
            leaves = values.leaf_counts
            penalty = np.where(leaves == 1, 0.0, leaves / leaves[0])
            cost = float(comparison.published(index) @ penalty) + comparison.deleted
            total += cost
            by_attribute[attribute] = cost / comparison.rows
        share = total / (comparison.rows * len(by_attribute))
        worst = max(by_attribute, key=by_attribute.__getitem__)
        reading = f"On average a published value stands for {percent(share)} of the values of its column"
        if by_attribute[worst] > 0:
            reading += f"; the vaguest attribute is {worst} with {percent(by_attribute[worst])}"
        return Measurement.of(
            self,
            original=0.0,
            release=share,
            reading=f"{reading}.",
            details={"ncp": total, "ncp_of_a_record": total / comparison.rows, "attributes": by_attribute},
        )
