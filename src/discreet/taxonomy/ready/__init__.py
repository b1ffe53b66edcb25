"""Taxonomies that need no file: their codes say where they belong, or the list of them is short and public.

None looks at more than one value at a time, so none tells anything about the data. A new one is one module with a class
and one entry in READY.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar, Protocol

from discreet.taxonomy.placement import TaxonomyBuilder
from discreet.taxonomy.ready.countries import Countries
from discreet.taxonomy.ready.icd_10 import Icd10
from discreet.taxonomy.ready.nuts import Nuts
from discreet.taxonomy.ready.postcodes import Postcodes


class ReadyTaxonomy(TaxonomyBuilder, Protocol):
    """A builder that knows which values it has a place for."""

    summary: ClassVar[str]
    source: ClassVar[str]
    hints: ClassVar[Collection[str]]
    """words in the name of a column that suggest it"""

    def has_place(self, value: str) -> bool: ...

    def is_telling(self, value: str) -> bool:
        """Whether the value by itself suggests this taxonomy, whatever the column is called."""
        ...


READY: dict[str, ReadyTaxonomy] = {
    "icd-10": Icd10(),
    "countries": Countries(),
    "nuts": Nuts(),
    "postcodes": Postcodes(),
}
"""By the name that a policy uses."""
