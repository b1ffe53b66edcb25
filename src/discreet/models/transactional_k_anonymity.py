"""Transactional k-anonymity: every transaction looks like at least k - 1 others in all its non-sensitive items.

Paper: He and Naughton 2009. Monotone: no cut of one taxonomy is meant, the method generalizes group by group.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class TransactionalKAnonymity:
    """Everyone's transaction has the same non-sensitive items as at least k - 1 others."""

    name: ClassVar[str] = "transactional-k-anonymity"
    kind: ClassVar[str] = "transactions"
    paper: ClassVar[str] = "He and Naughton 2009"
    monotone: ClassVar[bool] = False

    k: int

    def promise(self) -> dict[str, object]:
        return {"model": self.name, "k": self.k}
