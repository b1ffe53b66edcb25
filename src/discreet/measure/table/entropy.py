"""The non-uniform entropy: how uncertain a reader is about the values behind the published ones.

Papers: de Waal and Willenborg 1999; Gionis and Tassa 2009. A value b published as B costs -ln Pr(b | B) with
Pr(b | B) = (records with b) / (records with a value under B), both in the original. A value of a deleted record is
published as the root. Logarithms are natural; the share is against publishing every value as
the root, and 0 when that too would cost nothing. Which records were deleted is taken in expectation (see `comparison`).
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from discreet.measure.measurement import Measurement, Unit, percent
from discreet.measure.table.comparison import BY_CUTS, UNPUBLISHED, Comparison


class NonUniformEntropy:
    """The uncertainty that the release leaves about values, as a share of having no release."""

    name: ClassVar[str] = "entropy"
    title: ClassVar[str] = "Non-uniform entropy"
    paper: ClassVar[str] = "de Waal and Willenborg 1999; Gionis and Tassa 2009"
    definition: ClassVar[str] = (
        "-ln of the share that a value has in the original among the values it was published with, summed over all "
        "values of the quasi-identifiers (deleted records as the root), divided by the same for publishing only roots."
    )
    unit: ClassVar[Unit] = "share"
    needs_sensitive: ClassVar[bool] = False
    needs_class: ClassVar[bool] = False
    recodings: ClassVar[tuple[str, ...]] = BY_CUTS

    def measure(self, comparison: Comparison, random: np.random.Generator) -> Measurement:
        original = comparison.original
        kept = comparison.chances.kept * original.counts
        lost, worst = {}, {}
        for index, attribute in enumerate(original.attributes):
            records = original.occurrences(index)
            kept_of_leaf = np.bincount(original.leaves[index], weights=kept, minlength=len(records))
            node = comparison.node_of_leaf[index]
            under = np.bincount(node - UNPUBLISHED, weights=records)[node - UNPUBLISHED]
            occurs = records > 0
            surprise = np.log(comparison.rows / records[occurs])
            climbed = np.log(under[occurs] / records[occurs])
            deleted_of_leaf = records[occurs] - kept_of_leaf[occurs]
            lost[attribute] = float(kept_of_leaf[occurs] @ climbed + deleted_of_leaf @ surprise)
            worst[attribute] = float(records[occurs] @ surprise)
        total, most = sum(lost.values()), sum(worst.values())
        shares = {name: _share(lost[name], worst[name]) for name in lost}
        share = _share(total, most)
        vaguest = max(shares, key=shares.__getitem__)
        reading = (
            f"The release leaves {percent(share)} of the uncertainty that somebody without it has about the values"
        )
        if shares[vaguest] > 0:
            reading += f"; it reveals least about {vaguest}, where {percent(shares[vaguest])} is left"
        return Measurement.of(
            self,
            original=0.0,
            release=share,
            reading=f"{reading}.",
            details={"uncertainty": total, "uncertainty_of_hiding_all": most, "attributes": shares},
        )


def _share(lost: float, worst: float) -> float:
    # No way can cost more than the root does, but sums of logarithms can by a rounding error.
    return min(1.0, lost / worst) if worst else 0.0
