"""The taxonomies of the Adult data, where the shared data folder is at hand."""

import os
from pathlib import Path

import numpy as np
import pytest

from discreet.taxonomy import Intervals, Taxonomy, read_taxonomy, write_taxonomy

DATA = Path(os.environ.get("DISCREET_DATA", Path(__file__).resolve().parents[4] / "shared" / "data"))
ADULT = DATA / "adult"

pytestmark = pytest.mark.skipif(not ADULT.is_dir(), reason=f"no Adult data in {DATA} (set DISCREET_DATA)")


def read(attribute: str) -> Taxonomy:
    return read_taxonomy(ADULT / "taxonomies" / f"{attribute}.csv", attribute)


@pytest.mark.parametrize(
    ("attribute", "raw", "collapsed"),
    [
        ("age5", 677, 677),
        ("education", 677, 257),
        ("native-country", 766, 766),
        ("workclass", 9, 9),
        ("marital-status", 5, 5),
        ("sex", 2, 2),
        ("race", 5, 5),
    ],
)
def test_cuts_of_adult(attribute: str, raw: int, collapsed: int) -> None:
    taxonomy = read(attribute)
    assert taxonomy.count_cuts() == raw
    assert taxonomy.collapsed().count_cuts() == collapsed


def test_every_file_reads_and_survives_a_round_trip(tmp_path: Path) -> None:
    files = sorted(ADULT.glob("taxonomies/*.csv")) + sorted(ADULT.glob("hierarchies_arx/*.csv"))
    assert len(files) == 17
    for file in files:
        taxonomy = read_taxonomy(file, file.stem)
        rows = [line for line in file.read_text().splitlines() if line]
        assert sorted(taxonomy.leaf_labels) == sorted(row.split(";")[0] for row in rows)
        write_taxonomy(taxonomy, tmp_path / "again.csv")
        assert read_taxonomy(tmp_path / "again.csv", file.stem) == taxonomy


def test_built_ages_have_the_shape_of_the_files() -> None:
    ages = Intervals((5, 10, 20, 40), 17, 97).build("age", []).taxonomy
    assert np.array_equal(ages.parents, read("age").parents)
    assert ages.leaf_labels == read("age").leaf_labels
    ranges = Intervals((5, 10, 20, 40), 17, 97, leaves="intervals").build("age", []).taxonomy
    assert np.array_equal(ranges.parents, read("age5").parents)
