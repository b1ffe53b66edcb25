"""Countries by the regions of the United Nations: France -> Western Europe -> Europe -> *.

countries.csv has the 249 entries of ISO 3166-1 with their two codes, and Kosovo, under the regions of the standard M49
(for Africa and the Americas its intermediate ones, for what M49 leaves out the one next to it); and in its last column
other names in use. Antarctica is in no region.
"""

from __future__ import annotations

import csv
import unicodedata
from collections.abc import Collection, Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from discreet.taxonomy.placement import MadeFrom, Placement
from discreet.taxonomy.tree import ROOT, Taxonomy

FILE = Path(__file__).with_name("countries.csv")
_SHORTEST_NAME = 4


class Countries:
    """Names in English and codes of two or three letters, in any case; all of them are published as the name."""

    summary: ClassVar[str] = (
        "Countries by subregion and region of the United Nations: France or FR or FRA, Western Europe, Europe."
    )
    source: ClassVar[str] = "ISO 3166-1; United Nations, standard M49"
    hints: ClassVar[Collection[str]] = ("country", "nation", "land", "pays", "citizen", "birthplace", "origin")

    def build(self, name: str, values: Sequence[str]) -> Placement:
        # The same for all data, so a release may show all of it.
        taxonomy = Taxonomy.from_paths(name, self._paths)
        return Placement.by_label(taxonomy, [self._name_of.get(_key(value)) for value in values], MadeFrom.POLICY)

    def has_place(self, value: str) -> bool:
        return _key(value) in self._name_of

    def is_telling(self, value: str) -> bool:
        """By a name: two letters may be a state, three an airport."""
        return self.has_place(value) and len(_key(value)) >= _SHORTEST_NAME

    @cached_property
    def _rows(self) -> list[dict[str, str]]:
        with FILE.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    @cached_property
    def _paths(self) -> list[tuple[str, ...]]:
        return [
            (row["name"], *(row[level] for level in ("subregion", "region") if row[level]), ROOT) for row in self._rows
        ]

    @cached_property
    def _name_of(self) -> dict[str, str]:
        return {
            _key(known): row["name"]
            for row in self._rows
            for known in (row["name"], row["alpha_2"], row["alpha_3"], *filter(None, row["also"].split("|")))
        }


def _key(value: str) -> str:
    """Without case, accents, blanks and signs: `United-States`, `united states`."""
    return "".join(character for character in unicodedata.normalize("NFKD", value).casefold() if character.isalnum())
