"""Every value right below ``*``."""

import pytest

from discreet.errors import InputError
from discreet.taxonomy import Flat, MadeFrom


def test_all_values_below_the_root_in_sorted_order() -> None:
    placement = Flat().build("job", ["nurse", "cook", "", "nurse"])
    assert placement.taxonomy.name == "job"
    assert placement.taxonomy.labels == ("*", "cook", "nurse")
    assert placement.leaf_of.tolist() == [1, 0, -1, 1]
    assert placement.made_from is MadeFrom.EACH_VALUE
    assert placement.taxonomy.count_cuts() == 2


def test_no_value_at_all() -> None:
    placement = Flat().build("job", [])
    assert placement.taxonomy.labels == ("*",)
    assert placement.leaf_of.tolist() == []


def test_a_star_in_the_data_is_refused() -> None:
    with pytest.raises(InputError, match=r"job: the value '\*' occurs in the data"):
        Flat().build("job", ["nurse", "*"])
