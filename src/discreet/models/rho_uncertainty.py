"""rho-uncertainty: no sensitive item follows from any other items of a person with a confidence above rho.

Paper: Cao, Karras, Raïssi and Tan 2010, as in Jia et al. 2014. For every non-empty itemset q that some transaction has,
sensitive items among it or not, and every sensitive item e not in q: sup(q + e) <= rho sup(q). Nothing bounds what the
adversary knows. That he knows nothing at all is left out: how frequent an item is in the whole file is no secret.

Monotone: no. Leaving out an occurrence of an item of q lowers sup(q) and may raise the confidence of q -> e.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar


@dataclass(frozen=True)
class RhoUncertainty:
    """Whoever knows any items of a person infers no further sensitive one with a confidence above rho."""

    name: ClassVar[str] = "rho-uncertainty"
    kind: ClassVar[str] = "transactions"
    paper: ClassVar[str] = "Cao, Karras, Raïssi and Tan 2010"
    monotone: ClassVar[bool] = False

    rho: Fraction

    def promise(self) -> dict[str, object]:
        return {"model": self.name, "rho": str(self.rho)}
