"""The best solutions found so far, at most h of them, no two alike."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Solution = TypeVar("Solution")


@dataclass
class Incumbents(Generic[Solution]):
    """A list of the `most` cheapest solutions; `identity` says which solutions count as the same one.

    Solutions that are the same have the same cost. identity is asked only of solutions cheap enough to enter, so
    it may be expensive.
    """

    most: int = 1
    identity: Callable[[Solution], Hashable] = id
    ranked: list[tuple[int, Hashable, Solution]] = field(default_factory=list)

    @property
    def cutoff(self) -> int | None:
        """The cost that a newcomer has to stay below; None while there is room for any."""
        return self.ranked[-1][0] if len(self.ranked) == self.most else None

    @property
    def best(self) -> tuple[int, Solution] | None:
        return (self.ranked[0][0], self.ranked[0][2]) if self.ranked else None

    def offer(self, cost: int, solution: Solution) -> bool:
        """Takes the solution in if it is cheap enough and new; says whether it did."""
        if self.cutoff is not None and cost >= self.cutoff:
            return False
        key = self.identity(solution) if self.most > 1 else None
        if key is not None and any(key == known for _, known, _ in self.ranked):
            return False
        insort(self.ranked, (cost, key, solution), key=lambda entry: entry[0])
        del self.ranked[self.most :]
        return True
