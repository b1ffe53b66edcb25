"""The European regions NUTS by their codes: DE212 -> DE21* -> DE2* -> DE* -> *."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import ClassVar

from discreet.taxonomy.placement import Placement
from discreet.taxonomy.prefixes import Prefixes

_COUNTRIES = (
    "AL AT BA BE BG CH CY CZ DE DK EE EL ES FI FR HR HU IE IS IT LI LT LU LV ME MK MT NL NO PL PT RO RS SE SI SK TR UK "
    "XK"
)
COUNTRIES = tuple(_COUNTRIES.split())
"""The first two letters; Greece is EL and the United Kingdom UK."""
_CODE = re.compile(rf"(?:{'|'.join(COUNTRIES)})[0-9A-Z]{{0,3}}", re.ASCII)
_LEVELS = Prefixes((4, 3, 2))


class Nuts:
    """Codes of any level, in any case."""

    summary: ClassVar[str] = "Regions of Europe by the levels of their NUTS codes: DE212, DE21*, DE2*, DE*."
    source: ClassVar[str] = "Eurostat, NUTS: country, and a character for each level"
    hints: ClassVar[Collection[str]] = ("nuts", "nuts1", "nuts2", "nuts3", "region")

    def build(self, name: str, values: Sequence[str]) -> Placement:
        return Placement.from_leaves(name, [_written(value) for value in values], _LEVELS.ancestors)

    def has_place(self, value: str) -> bool:
        return _written(value) is not None

    def is_telling(self, value: str) -> bool:
        """Never: such codes may be anything."""
        return False


def _written(value: str) -> str | None:
    code = value.strip().upper()
    return code if _CODE.fullmatch(code) else None
