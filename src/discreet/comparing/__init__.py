"""One policy, many settings: what each costs and what it leaves, side by side in one table and one picture."""

from discreet.comparing.grid import Row, compare

__all__ = ["Row", "compare"]
