"""rho-uncertainty: no sensitive item follows from any other items that a person has with a confidence above rho.

Paper: Cao, Karras, Raïssi and Tan 2010, as in Jia et al. 2014. For every non-empty itemset q that some transaction has,
with sensitive items or without, and every sensitive item e not in q: sup(q + e) <= rho sup(q). Nothing bounds how
many of a person's items the adversary knows. Items that the person does not have are not covered: sup(q) counts all
who have q and perhaps more; of those who have exactly q a larger share may have e (attacks/transactions/exact_sets).
An adversary who knows nothing at all is left out: how frequent an item is in the whole file is no secret.

Monotone: no. Leaving out an occurrence of an item of q lowers sup(q) and may raise the confidence of q -> e.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from discreet.models.itemset_limits import Adversary, ItemsetLimits


@dataclass(frozen=True)
class RhoUncertainty:
    """Knowing any items that a person has, but none that they lack, leaves at most rho for a further sensitive one."""

    name: ClassVar[str] = "rho-uncertainty"
    kind: ClassVar[str] = "transactions"
    paper: ClassVar[str] = "Cao, Karras, Raïssi and Tan 2010"
    monotone: ClassVar[bool] = False
    about_rules: ClassVar[bool] = True
    needs_sensitive: ClassVar[bool] = True

    rho: Fraction

    @property
    def share(self) -> Fraction | None:
        return self.rho

    def adversary(self) -> Adversary:
        return Adversary(limits=ItemsetLimits(1, self.rho, sys.maxsize))

    def in_words(self, sensitive: bool) -> str:
        return (
            "Whatever items of a person someone knows, sensitive or not, no further sensitive item "
            f"follows from them with a confidence above {self.rho}. Knowing what the person does "
            "not have is not covered, and the transaction itself may be found."
        )

    def promise(self) -> dict[str, object]:
        return {"model": self.name, "rho": str(self.rho)}
