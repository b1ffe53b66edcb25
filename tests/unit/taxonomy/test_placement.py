"""Values in a taxonomy that is given."""

import numpy as np
import pytest

from discreet.taxonomy import MISSING, Flat, LabelledTaxonomy, MadeFrom, Taxonomy, TaxonomyBuilder

SEX = Taxonomy.from_paths("sex", [["Male", "*"], ["Female", "*"]])


def test_a_value_stands_at_the_leaf_with_its_text() -> None:
    placement = LabelledTaxonomy(SEX).build("sex", ["Female", "Male", "male", " Male", "*", MISSING, "Female"])
    assert placement.taxonomy is SEX
    assert placement.leaf_of.tolist() == [1, 0, -1, -1, -1, -1, 1]
    assert placement.made_from is MadeFrom.POLICY


def test_the_missing_value_has_a_place_where_the_taxonomy_has_one() -> None:
    assert LabelledTaxonomy(SEX.with_missing()).build("sex", [MISSING]).leaf_of.tolist() == [2]


@pytest.mark.parametrize("builder", [LabelledTaxonomy(SEX), Flat()])
def test_places_are_read_only_integers(builder: TaxonomyBuilder) -> None:
    leaf_of = builder.build("sex", ["Male"]).leaf_of
    assert leaf_of.dtype == np.int32 and not leaf_of.flags.writeable
