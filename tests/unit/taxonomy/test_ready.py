"""Taxonomies that ship with discreet: what has a place, where, and that none depends on more than a value."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from discreet.taxonomy import READY, MadeFrom, Taxonomy
from discreet.taxonomy.ready.countries import Countries
from discreet.taxonomy.ready.icd_10 import BLOCKS, CHAPTERS


def path(ready: str, value: str) -> tuple[str, ...] | None:
    """The labels from a value's leaf up to the root."""
    placement = READY[ready].build("column", [value])
    leaf = int(placement.leaf_of[0])
    return None if leaf < 0 else placement.taxonomy.path(int(placement.taxonomy.leaf_nodes[leaf]))


@pytest.mark.parametrize(
    ("ready", "value", "expected"),
    [
        ("icd-10", "A00.1", "A00.1 A00.- A00-A09 A00-B99 *"),
        ("icd-10", " a001", "A00.1 A00.- A00-A09 A00-B99 *"),
        ("icd-10", "A00", "A00 A00.- A00-A09 A00-B99 *"),
        ("icd-10", "A00.-", "A00 A00.- A00-A09 A00-B99 *"),
        ("icd-10", "H36.0*", "H36.0 H36.- H30-H36 H00-H59 *"),
        ("icd-10", "S72.01", "S72.01 S72.0- S72.- S70-S79 S00-T98 *"),
        ("icd-10", "X85", "X85 X85.- X85-Y09 V01-Y98 *"),
        ("icd-10", "Y09.1", "Y09.1 Y09.- X85-Y09 V01-Y98 *"),
        ("icd-10", "D48.9", "D48.9 D48.- D37-D48 C00-D48 *"),
        ("icd-10", "D50", "D50 D50.- D50-D53 D50-D89 *"),
        ("icd-10", "H60", "H60 H60.- H60-H62 H60-H95 *"),
        ("icd-10", "O9A.1", "O9A.1 O9A.- O00-O99 *"),
        ("icd-10", "B12", "B12 B12.- A00-B99 *"),
        ("icd-10", "Flu", None),
        ("icd-10", "A0", None),
        ("icd-10", "", None),
        ("nuts", "DE212", "DE212 DE21* DE2* DE* *"),
        ("nuts", "de2", "DE2 DE2* DE* *"),
        ("nuts", "XX1", None),
        ("nuts", "DE2123", None),
        ("postcodes", "80331", "80331 803* 80* 8* *"),
        ("postcodes", "D-80331", "80331 803* 80* 8* *"),
        ("postcodes", "8049", "8049 804* 80* 8* *"),
        ("postcodes", "110 00", "11000 110* 11* 1* *"),
        ("postcodes", "00-950", "00950 009* 00* 0* *"),
        ("postcodes", "K1A 0B1", "K1A_0B1 K1A* K* *"),
        ("postcodes", "sw1a1aa", "SW1A_1AA SW1A* SW* *"),
        ("postcodes", "SW1A 1AA", "SW1A_1AA SW1A* SW* *"),
        ("postcodes", "1234ab", "1234_AB 1234* 123* 12* 1* *"),
        ("postcodes", "90210-1234", "90210-1234 90210* 902* 90* 9* *"),
        ("postcodes", "Bern", None),
        ("postcodes", "12", None),
        ("countries", "FR", "France Western_Europe Europe *"),
        ("countries", "fra", "France Western_Europe Europe *"),
        ("countries", "United-States", "United_States Northern_America Americas *"),
        ("countries", "Cote d'Ivoire", "Côte_d'Ivoire Western_Africa Africa *"),
        ("countries", "Turkey", "Türkiye Western_Asia Asia *"),
        ("countries", "Antarctica", "Antarctica *"),
        ("countries", "Europe", None),
        ("countries", "??", None),
    ],
)
def test_where_a_value_belongs(ready: str, value: str, expected: str | None) -> None:
    wanted = None if expected is None else tuple(label.replace("_", " ") for label in expected.split())
    assert path(ready, value) == wanted
    assert READY[ready].has_place(value) == (expected is not None)


def test_every_category_of_the_icd_lies_in_one_chapter_and_at_most_one_block() -> None:
    assert len(CHAPTERS) == 22 and len(set(CHAPTERS) | set(BLOCKS)) == len(CHAPTERS) + len(BLOCKS)
    assert sorted(BLOCKS) == list(BLOCKS) and sorted(CHAPTERS) == list(CHAPTERS)
    assert all(first[4:] < second[:3] for first, second in pairwise(BLOCKS))
    for block in BLOCKS:
        [chapter] = [each for each in CHAPTERS if each[:3] <= block[:3] and block[4:] <= each[4:]]
        for category in (block[:3], block[4:]):
            assert path("icd-10", category) == (category, f"{category}.-", block, chapter, "*")


def test_all_codes_of_the_icd_make_one_tree() -> None:
    codes = [
        f"{letter}{number:02}{more}" for letter in "ABDHSTXYZ" for number in range(100) for more in ("", ".1", ".12")
    ]
    placement = READY["icd-10"].build("diagnosis", codes)
    assert (placement.leaf_of >= 0).all() and len(placement.taxonomy.leaf_nodes) == len(codes)


def test_the_countries_are_those_of_the_standard() -> None:
    rows = Countries()._rows
    assert len(rows) == 250
    assert all(re.fullmatch("[A-Z]{2}", row["alpha_2"]) and re.fullmatch("[A-Z]{3}", row["alpha_3"]) for row in rows)
    regions = {row["region"]: {each["subregion"] for each in rows if each["region"] == row["region"]} for row in rows}
    assert {region: len(subregions) for region, subregions in regions.items()} == {
        **{"Africa": 5, "Americas": 4, "Asia": 5, "Europe": 4, "Oceania": 4},
        "": 1,
    }
    spellings = [
        spelling for row in rows for spelling in (row["name"], row["alpha_2"], row["alpha_3"], *row["also"].split("|"))
    ]
    named = {spelling for spelling in spellings if spelling}
    placement = READY["countries"].build("country", sorted(named))
    assert len(named) == len([spelling for spelling in spellings if spelling])
    assert (placement.leaf_of >= 0).all() and len(set(placement.leaf_of.tolist())) == 250


def test_countries_do_not_depend_on_the_data() -> None:
    few, none = READY["countries"].build("country", ["FR"]), READY["countries"].build("country", [])
    assert few.taxonomy == none.taxonomy and few.made_from is none.made_from is MadeFrom.POLICY


@pytest.mark.parametrize(
    ("ready", "values"),
    [
        ("icd-10", ["A00", "A00.1", "A00.12", "a0012", "B20", "?"]),
        ("nuts", ["DE", "DE2", "DE212", "FR1"]),
        ("postcodes", ["80331", "80339", "8033", "803", "SW1A 1AA", "SW1A", "90210-1234", "90210", "?"]),
    ],
)
def test_what_lies_above_a_value_depends_on_nothing_but_the_value(ready: str, values: list[str]) -> None:
    together = READY[ready].build("column", values)
    assert together.made_from is MadeFrom.EACH_VALUE
    tree: Taxonomy = together.taxonomy
    for value, leaf in zip(values, together.leaf_of.tolist(), strict=True):
        assert path(ready, value) == (None if leaf < 0 else tree.path(int(tree.leaf_nodes[leaf])))


def test_what_a_value_tells_by_itself() -> None:
    assert READY["icd-10"].is_telling("A00.1") and not READY["icd-10"].is_telling("B12")
    assert READY["countries"].is_telling("France") and not READY["countries"].is_telling("CA")
    assert not READY["postcodes"].is_telling("80331") and not READY["nuts"].is_telling("DE212")
