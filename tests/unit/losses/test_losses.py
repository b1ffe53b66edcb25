"""The losses on Table 3.1 at the cuts of Figure 3.1, with the figures worked out by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from discreet.encode.table import EncodedTable
from discreet.losses.table import TABLE_LOSSES
from discreet.models.partition_limits import PartitionLimits
from discreet.recode.table.suppression import suppress
from discreet.taxonomy import Cut, Taxonomy

EDUCATION = Taxonomy.from_paths(
    "education", [("Jr", "Sec", "*"), ("Sr", "Sec", "*"), ("Ba", "Uni", "*"), ("Grad", "Uni", "*")]
)
COUNTRY = Taxonomy.from_paths("country", [("UK", "Eu", "*"), ("Fr", "Eu", "*"), ("USA", "Am", "*"), ("Ca", "Am", "*")])
ROWS = [
    "Jr Fr F",
    "Jr UK A",
    "Sr Fr F",
    "Sr UK C",
    "Ba UK A",
    "Ba Ca A",
    "Ba USA F",
    "Grad USA A",
    "Grad Ca C",
    "Grad Ca C",
]
CLASSES = [0, 0, 1, 1, 0, 1, 0, 0, 0, 1]


def table() -> EncodedTable:
    split = [row.split() for row in ROWS]
    return EncodedTable(
        attributes=("education", "country"),
        taxonomies=(EDUCATION, COUNTRY),
        leaves=np.array(
            [
                [EDUCATION.leaf_labels.index(row[0]) for row in split],
                [COUNTRY.leaf_labels.index(row[1]) for row in split],
            ],
            np.int32,
        ),
        sensitive=np.array(["ACF".index(row[2]) for row in split], np.int32),
        classes=np.array(CLASSES, np.int32),
        counts=np.ones(10, np.int64),
        sensitive_values=("A", "C", "F"),
        class_values=("no", "yes"),
    )


CUT_A = (Cut.from_labels(EDUCATION, ["Jr", "Sr", "Uni"]), Cut.from_labels(COUNTRY, ["Eu", "Am"]))


@pytest.mark.parametrize(
    ("loss", "scheme", "cost"),
    [
        ("lm", "vio-sa", Fraction(22, 3)),  # ten countries and six educations at 1/3, one star at 2
        ("lm", "vio-rec", Fraction(26, 3)),  # nine countries and five educations at 1/3, one record at 4
        ("dm", "all-rec", Fraction(2 * 2 + 2 * 2 + 5 * 5 + 10)),
        ("cm", "all-rec", Fraction(0 + 0 + 2 + 1)),
    ],
)
def test_the_loss_of_cut_a(loss: str, scheme: str, cost: Fraction) -> None:
    data = table()
    release = suppress(data.partitions(CUT_A), PartitionLimits((Fraction(1, 2),) * 3), scheme)
    assert TABLE_LOSSES[loss].cost(data.taxonomies, release, (Fraction(1),) * len(data.taxonomies)) == cost


def test_a_taxonomy_of_one_leaf_costs_nothing() -> None:
    only = Taxonomy.from_paths("only", [("x",)])
    assert TABLE_LOSSES["lm"].generalization(only, 0) == 0


def test_every_loss_says_what_it_goes_with() -> None:
    assert set(TABLE_LOSSES["lm"].schemes) == {"none", "vio-sa", "all-sa", "vio-rec", "all-rec"}
    assert set(TABLE_LOSSES["dm"].schemes) == set(TABLE_LOSSES["cm"].schemes) == {"none", "vio-rec", "all-rec"}
    assert [loss.name for loss in TABLE_LOSSES.values() if loss.needs_class] == ["cm"]
