"""Codes by their prefixes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.taxonomy import MadeFrom, Prefixes


def test_values_lie_under_their_prefixes() -> None:
    placement = Prefixes((3, 1)).build("zip", ["8049", "8001", "8048", "9000", "8049"])
    taxonomy = placement.taxonomy
    assert taxonomy.labels == ("*", "8*", "800*", "8001", "804*", "8048", "8049", "9*", "900*", "9000")
    assert placement.leaf_of.tolist() == [2, 0, 1, 3, 2]
    assert placement.made_from is MadeFrom.EACH_VALUE
    assert taxonomy.path(taxonomy.node("8049")) == ("8049", "804*", "8*", "*")


def test_a_short_value_begins_at_the_first_prefix_it_has() -> None:
    taxonomy = Prefixes((3, 1)).build("zip", ["80", "804", "8049", "8", ""]).taxonomy
    assert taxonomy.path(taxonomy.node("80")) == ("80", "8*", "*")
    assert taxonomy.path(taxonomy.node("8")) == ("8", "8*", "*")
    assert taxonomy.path(taxonomy.node("804")) == ("804", "804*", "8*", "*")
    assert taxonomy.path(taxonomy.node("8049")) == ("8049", "804*", "8*", "*")
    taxonomy = Prefixes((3,)).build("zip", ["80"]).taxonomy
    assert taxonomy.path(taxonomy.node("80")) == ("80", "*")


@pytest.mark.parametrize("values", [["*"], ["8049", "8*"], ["8*"], ["8049", "804*"]])
def test_a_value_that_is_also_a_label_is_refused(values: list[str]) -> None:
    with pytest.raises(InputError, match=r"zip: the value '.*\*' occurs in the data, but is also the label"):
        Prefixes((3, 1)).build("zip", values)


@pytest.mark.parametrize("lengths", [(), (1, 3), (3, 3), (3, 0), (-1,)])
def test_lengths_go_down_to_one_at_most(lengths: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="must be positive and each smaller"):
        Prefixes(lengths)


@given(
    st.lists(st.text("ab*", max_size=5)),
    st.sets(st.integers(1, 6), min_size=1).map(lambda s: sorted(s)[::-1]),
)
@settings(deadline=None)
def test_any_values_give_a_tree_or_a_sentence(values: list[str], lengths: list[int]) -> None:
    try:
        placement = Prefixes(tuple(lengths)).build("code", values)
    except InputError as error:
        assert "is also the label of a prefix" in str(error)
        return
    taxonomy = placement.taxonomy
    for value, leaf in zip(values, placement.leaf_of.tolist(), strict=True):
        assert (leaf == -1) == (value == "")
        if value:
            assert taxonomy.leaf_labels[leaf] == value
            for label in taxonomy.path(int(taxonomy.leaf_nodes[leaf]))[1:]:
                assert value.startswith(label[:-1])
