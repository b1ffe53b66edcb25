"""LM, the loss metric, of the published file.

Paper: Iyengar 2002; Liu 2010, 3.5.1. A value published as v costs (leaves(v) - 1) / (leaves(root) - 1), a starred
sensitive value the number of quasi-identifiers on top, a deleted record twice that number instead. This is the loss
that the search minimizes (`discreet.losses.lm`), summed over the rows that were read back and divided by what
generalizing every value to the root would cost. The penalties are Liu's; with them the share may exceed 1.
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np

from discreet.losses.lm import LossMetric
from discreet.measure.measurement import Measurement, Unit, percent, records
from discreet.measure.table.comparison import ANY_RECODING, Comparison


class PublishedLossMetric:
    """How vague generalization made the values, with penalties for what was suppressed."""

    name: ClassVar[str] = "lm"
    title: ClassVar[str] = "Loss metric (LM)"
    paper: ClassVar[str] = LossMetric.paper
    definition: ClassVar[str] = (
        "A value published as v costs (leaves under v - 1) / (leaves of the taxonomy - 1), a suppressed sensitive "
        "value as much as all quasi-identifiers hidden, a deleted record twice that; divided by the cost of hiding all "
        "quasi-identifiers."
    )
    unit: ClassVar[Unit] = "share"
    needs_sensitive: ClassVar[bool] = False
    needs_class: ClassVar[bool] = False
    recodings: ClassVar[tuple[str, ...]] = ANY_RECODING

    def measure(self, comparison: Comparison, random: np.random.Generator) -> Measurement:
        loss = LossMetric()
        original = comparison.original
        weights = (Fraction(1),) * len(original.attributes)  # whatever the policy says: so that releases compare
        by_attribute = {}
        generalized = Fraction(0)
        for index, (attribute, values) in enumerate(zip(original.attributes, comparison.values, strict=True)):
            published = comparison.published(index)
            cost = sum(
                (
                    int(published[value]) * loss.generalization(values, value)
                    for value in np.flatnonzero(published).tolist()
                ),
                Fraction(0),
            )
            generalized += cost
            by_attribute[attribute] = float(cost / comparison.release.rows) if comparison.release.rows else None
        starred = loss.penalty("vio-sa", weights) * comparison.stars
        deleted = loss.penalty("vio-rec", weights) * comparison.deleted
        worst = loss.worst(comparison.rows, weights)
        cost = generalized + starred + deleted
        causes = [f"{percent(float(generalized / worst))} by coarser values"]
        if starred:
            causes.append(f"{percent(float(starred / worst))} by {comparison.stars:,} suppressed sensitive values")
        if deleted:
            causes.append(f"{percent(float(deleted / worst))} by {records(comparison.deleted)} deleted")
        return Measurement.of(
            self,
            original=0.0,
            release=float(cost / worst),
            reading=f"The loss is {percent(float(cost / worst))} of that of hiding every value: {', '.join(causes)}.",
            details={
                "cost": float(cost),
                "worst": int(worst),
                "generalization": float(generalized),
                "suppressed_values": int(starred),
                "deleted_records": int(deleted),
                "attributes": by_attribute,
            },
        )
