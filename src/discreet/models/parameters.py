"""Numbers that a promise may have as a parameter; the policy reads each by its own rule."""

from __future__ import annotations

from fractions import Fraction
from typing import NewType

AtLeastOne = NewType("AtLeastOne", Fraction)
AboveZero = NewType("AboveZero", Fraction)
FromZero = NewType("FromZero", Fraction)
