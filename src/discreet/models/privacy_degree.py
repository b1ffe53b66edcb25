"""Privacy degree p: in every published group, a sensitive item belongs to at most one in p of its transactions.

Paper: Ghinita, Tao and Kalnis 2008. The non-sensitive items stay exact; sensitive ones are published by group.
Monotone: yes, a union of groups that keep it keeps it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class PrivacyDegree:
    """By the counts of a published group, nobody has a sensitive item with more than one chance in p."""

    name: ClassVar[str] = "privacy-degree"
    kind: ClassVar[str] = "transactions"
    paper: ClassVar[str] = "Ghinita, Tao and Kalnis 2008"
    monotone: ClassVar[bool] = True

    p: int

    def promise(self) -> dict[str, object]:
        return {"model": self.name, "p": self.p}
