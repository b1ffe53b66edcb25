"""Postcodes by their first characters: 80331 -> 803* -> 80* -> 8* -> *, and SW1A 1AA -> SW1A* -> SW* -> *.

Digits are cut to three, two and one; what some countries add to them (12345-6789, 1234 AB) is a level of its own.
British and Canadian codes are cut to the part before the blank and to the letters that it begins with. Whether a code
exists is not checked, and neither is the country: where a column has codes of several countries that look alike, they
are taken for the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import ClassVar

from discreet.taxonomy.placement import Placement
from discreet.taxonomy.tree import ROOT

_COUNTRY = re.compile(r"^[A-Z]{1,3}[- ](?=\d)", re.ASCII)
_DIGITS = re.compile(r"(\d{3,6})(?:[- ]?([A-Z]{2})|[- ](\d{3,4}))?", re.ASCII)
_SPLIT_DIGITS = re.compile(r"(\d{2,3})[- ](\d{2,4})", re.ASCII)
_LETTERS = re.compile(r"([A-Z]{1,2})(\d[A-Z\d]?) ?(\d[A-Z]{2})?", re.ASCII)
_CANADIAN = re.compile(r"([A-Z])(\d[A-Z]) ?(\d[A-Z]\d)", re.ASCII)
_LENGTHS = (3, 2, 1)


class Postcodes:
    """Codes of most countries, with or without a country in front (D-80331), in any case."""

    summary: ClassVar[str] = "Postcodes by their first characters: 80331, 803*, 80*, 8*; SW1A 1AA, SW1A*, SW*."
    source: ClassVar[str] = "the form of the codes; no list of them"
    hints: ClassVar[Collection[str]] = ("zip", "zipcode", "postcode", "postal", "postleitzahl", "plz")

    def build(self, name: str, values: Sequence[str]) -> Placement:
        parts_of = {value: _parts(value) for value in values}
        above = {parts[0]: parts[1:] for parts in parts_of.values() if parts}
        return Placement.from_leaves(
            name, [parts[0] if (parts := parts_of[value]) else None for value in values], above.__getitem__
        )

    def has_place(self, value: str) -> bool:
        return _parts(value) is not None

    def is_telling(self, value: str) -> bool:
        """Never: such codes may be anything."""
        return False


def _parts(value: str) -> tuple[str, ...] | None:
    """The code in one spelling and what lies above it; None where it is no postcode."""
    code = " ".join(_COUNTRY.sub("", value.strip().upper(), count=1).split())
    if found := _SPLIT_DIGITS.fullmatch(code):  # 123 45, 00-950, 100-0001
        return _by_digits(found[1] + found[2])
    if found := _DIGITS.fullmatch(code):
        more = f" {found[2]}" if found[2] else f"-{found[3]}" if found[3] else ""
        return _by_digits(found[1], more)
    if found := _LETTERS.fullmatch(code) or _CANADIAN.fullmatch(code):
        district = found[1] + found[2]
        return (f"{district} {found[3]}" if found[3] else district, f"{district}*", f"{found[1]}*", ROOT)
    return None


def _by_digits(digits: str, more: str = "") -> tuple[str, ...]:
    whole = [f"{digits}*"] if more else []
    return (f"{digits}{more}", *whole, *(f"{digits[:length]}*" for length in _LENGTHS if length < len(digits)), ROOT)
